//! A pause is a lease: who holds it and how long, and what is left of it when
//! the desk ends.

use crate::desk::Desk;

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
    photographs!(desk, "a_pause_shows_its_owner_and_age");
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

#[test]
fn leaving_can_hand_all_back_first() {
    let mut desk = paused();
    desk.keys("jp").settle().shows("AI paused by you 2").keys("q");
    desk.shows("the AI is paused by you in 2 conversations: no one answers there");
    photographs!(desk, "leaving");
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
    photographs!(desk, "silent");
}
