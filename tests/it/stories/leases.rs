//! A pause is a lease: who holds it and how long, and what is left of it when
//! the desk ends.

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
    desk.shows("AI OFF by you").shows("AI paused by you 1");
    desk.wait(12 * 60_000_000);
    desk.settle().shows("AI OFF by you 12m").shows("OFF you 12m");
    photographs!(desk, "a_pause_shows_its_owner_and_age", List, History, Status);
}

#[test]
fn a_pause_made_elsewhere_says_so() {
    let mut desk = Desk::new(120, 40);
    let conversation = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().shows("AI ON");
    let path = format!("/conversations/{conversation}");
    desk.elsewhere("whatsapp", "PATCH", &path, serde_json::json!({"automationEnabled": false}));
    desk.wait(60_000_000);
    desk.settle().settle().shows("AI OFF by someone else").shows("AI paused by you 0");
}

/// The service pauses the AI once a person has answered; that person is nobody else.
#[test]
fn a_pause_by_an_answer_from_here_is_ones_own() {
    for (channel, address, tab) in [("whatsapp", MARIA, "1"), ("telegram", "48211", "2")] {
        let mut desk = Desk::with(120, 40, |settings| settings.pause_on_reply = PauseOnReply::Never);
        desk.customer(channel, address, "Maria Lopez", "Where is my order 1041?");
        desk.settle().keys(tab).settle().shows("AI ON");
        desk.keys("r").types("On its way").keys("<Enter>").settle();
        desk.wait(60_000_000);
        desk.settle().settle().shows("AI OFF by you").hides("someone else");
    }
}

#[test]
fn leaving_can_hand_all_back_first() {
    let mut desk = paused();
    desk.keys("jp").settle().shows("AI paused by you 2").keys("q");
    desk.shows("the AI is paused by you in 2 conversations: no one answers there");
    photographs!(desk, "leaving", Overlay);
    desk.keys("h").shows("handing back").settle();
    assert!(desk.quit, "it ends when the server has said so:\n{}", desk.picture());
}

#[test]
fn who_goes_on_working_does_not_leave() {
    let mut desk = paused();
    desk.keys("qh").shows("handing back").keys("j").settle().shows("AI paused by you 0");
    assert!(!desk.quit);
}

#[test]
fn an_ai_that_stays_silent_after_the_hand_back_is_marked() {
    let mut desk = paused();
    desk.keys("P").settle().shows("AI ON");
    desk.wait(5_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá? Alguém?");
    desk.settle().hides("SILENT");
    desk.wait(60_000_000);
    desk.settle().shows("SILENT").shows("since you handed back").shows("AI silent");
    photographs!(desk, "silent", List, Status);
}

#[test]
fn the_list_of_pauses_hands_back() {
    let mut desk = paused();
    desk.keys("jp").settle();
    desk.wait(30 * 60_000_000);
    desk.settle().keys("gh").shows("AI paused by you").shows("customer waits 30m").shows("paused 30m");
    photographs!(desk, "list", Overlay);
    desk.keys("P").settle().shows("handing back").shows("AI paused by you 1");
    desk.keys("P").settle().shows("You have paused no AI");
}

#[test]
fn a_pause_that_goes_on_for_long_asks_but_not_who_is_typing() {
    let mut desk = paused();
    desk.keys("i").types("Just a mom");
    desk.wait(4 * 3600 * 1_000_000);
    desk.settle().shows("a pause is over · g h").hides("Paused for long");
    desk.keys("<Esc>").shows("Paused for long").shows("João Pereira · 4h · customer waits 4h");
    photographs!(desk, "over", Overlay);
    desk.keys("<Esc>").hides("Paused for long");
    desk.wait(15 * 60_000_000);
    desk.settle().shows("Paused for long").keys("e").shows("they stay paused; asked again in 4h");
    desk.wait(239 * 60_000_000);
    desk.settle().hides("Paused for long");
    desk.wait(60_000_000);
    desk.settle().shows("Paused for long").keys("h").settle().shows("AI paused by you 0");
}

#[test]
fn a_lease_without_end_never_asks() {
    let mut desk = Desk::with(120, 40, |entry| entry.pause_lease = 0);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("p").settle();
    desk.wait(100 * 3600 * 1_000_000);
    desk.settle().hides("Paused for long").shows("AI paused by you 1");
}
