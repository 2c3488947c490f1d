//! A pause is a lease: owner, duration, and the question when the desk ends.

use crate::desk::Desk;
use frontdesk::inbox::settings::PauseOnReply;

const MARIA: &str = "+34600111222";

fn paused() -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.settle().keys("p").settle();
    desk
}

#[test]
fn a_pause_shows_its_owner_and_age() {
    let mut desk = paused();
    desk.shows("AI paused").has_paused(1);
    desk.wait(12 * 60_000_000);
    desk.settle().shows("AI paused").shows("AI off, waiting");
    photographs!(desk, "a_pause_shows_its_owner_and_age", List, History, Status);
}

#[test]
fn a_pause_made_elsewhere_says_so() {
    let mut desk = Desk::new(120, 40);
    let conversation = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().has_ai_on();
    let path = format!("/conversations/{conversation}");
    desk.elsewhere("whatsapp", "PATCH", &path, serde_json::json!({"automationEnabled": false}));
    desk.wait(60_000_000);
    desk.settle().settle().shows("Paused by a colleague").has_paused(0);
}

/// The service pauses the AI after a person's answer, which counts as this person's pause.
#[test]
fn a_pause_by_an_answer_from_here_is_ones_own() {
    for (channel, address, tab) in [("whatsapp", MARIA, "1"), ("telegram", "48211", "2")] {
        let mut desk = Desk::with(120, 40, |settings| settings.pause_on_reply = PauseOnReply::Never);
        desk.customer(channel, address, "Maria Lopez", "Where is my order 1041?");
        desk.settle().keys(tab).settle().has_ai_on();
        desk.keys("r").types("On its way").keys("<Enter>").settle();
        desk.wait(60_000_000);
        desk.settle().settle().shows("AI paused").hides("someone else");
    }
}

#[test]
fn leaving_can_hand_all_back_first() {
    let mut desk = paused();
    desk.keys("jp").settle().has_paused(2).keys("q");
    desk.shows("AI paused here in 2 conversations: customers there get no answer");
    desk.keys("h").shows("handing back").settle();
    assert!(desk.quit, "it ends when the server has said so:\n{}", desk.picture());
}

#[test]
fn who_goes_on_working_does_not_leave() {
    let mut desk = paused();
    desk.keys("qh").shows("handing back").keys("j").settle().has_paused(0);
    assert!(!desk.quit);
}

#[test]
fn an_ai_that_stays_silent_after_the_hand_back_is_marked() {
    let mut desk = paused();
    desk.keys("P").settle().has_ai_on();
    desk.wait(5_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá? Alguém?");
    desk.settle().hides("AI silent");
    desk.wait(60_000_000);
    desk.settle().shows("since you handed back").shows("AI does not answer");
    photographs!(desk, "silent", List, Status);
}

#[test]
fn needs_you_lists_pauses_and_hands_them_back() {
    let mut desk = paused();
    desk.keys("jp").settle();
    desk.wait(30 * 60_000_000);
    desk.settle().keys("gn").shows("Needs you · 2").shows("AI paused by you, customer waiting 30m");
    desk.keys("P").settle().shows("handing back").has_paused(1);
    desk.keys("P").settle().shows("Nothing needs you");
}

#[test]
fn a_pause_that_goes_on_for_long_asks_but_not_who_is_typing() {
    let mut desk = paused();
    desk.keys("i").types("Just a mom");
    desk.wait(4 * 3600 * 1_000_000);
    desk.settle().shows("A pause has ended · g n").hides("Paused for long");
    desk.keys("<Esc>").shows("Paused for long").shows("João Pereira · 4h · customer waiting 4h");
    desk.keys("<Esc>").hides("Paused for long");
    desk.wait(15 * 60_000_000);
    desk.settle().shows("Paused for long").keys("e").shows("still paused; reminder in 4h");
    desk.wait(239 * 60_000_000);
    desk.settle().hides("Paused for long");
    desk.wait(60_000_000);
    desk.settle().shows("Paused for long").keys("h").settle().has_paused(0);
}

#[test]
fn a_lease_without_end_never_asks() {
    let mut desk = Desk::with(120, 40, |entry| entry.pause_lease = 0);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("p").settle();
    desk.wait(100 * 3600 * 1_000_000);
    desk.settle().hides("Paused for long").has_paused(1);
}
