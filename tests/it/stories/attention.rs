//! Everything that needs a person in one list over all tabs, with the keys of its own page.

use model::proposals::ProposedChange;
use serde_json::json;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

/// One thing of each kind that needs a person, in two tabs.
fn desk() -> Desk {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.pause_lease = 30 * MINUTE;
    });
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá");
    desk.settle().keys("p").settle();
    desk.wait(40 * MINUTE);
    desk.keys("<Esc>").customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("gg<Enter>p").settle();
    let refused =
        json!({"path_prefix": "/messages/send", "count": 1, "status": 400, "code": "INVALID_RECIPIENT"});
    desk.dev("fault", refused);
    desk.keys("i").types("It left today").keys("<Enter>").settle().keys("<Esc><Esc>");
    for text in ["I want to talk to a human!!", "This is ridiculous!!"] {
        desk.customer("whatsapp", "+447700900111", "Ann Lee", text);
        desk.clock.advance(1_000_000);
    }
    let bea = desk.customer("telegram", "7002", "Bea Novak", "Is the shop open?");
    desk.settle().propose("telegram", &bea, ProposedChange::Close);
    desk.settle().settle();
    desk
}

#[test]
fn what_needs_a_person_stands_in_one_list_the_most_urgent_first() {
    let mut desk = desk();
    desk.keys("gn").shows("Needs you · 4");
    desk.shows("needs a decision: ").shows("pause ended").shows("AI failing:").shows("proposes to close");
    let picture = desk.picture();
    let place = |words: &str| picture.find(words).unwrap_or_else(|| panic!("{words}:\n{picture}"));
    let order = ["needs a decision: ", "pause ended", "AI failing:", "proposes to close"].map(place);
    assert!(order.is_sorted(), "{picture}");
    photographs!(desk, "list", Overlay);
}

#[test]
fn each_entry_has_the_keys_of_where_it_is_at_home() {
    let mut desk = desk();
    // A key that means nothing there says what there is.
    desk.keys("gnja").shows("nothing to decide here").keys("k");
    // The refused answer asks in the list, and the list is there again afterwards.
    desk.keys("a").shows("The server refused it").keys("x").hides("needs a decision: ");
    // Its conversation is still paused.
    desk.shows("Needs you · 4").shows("AI paused by you, customer waiting");
    // The pause is handed back: it is gone once the server has said so.
    desk.shows("pause ended").keys("P").settle().shows("Needs you · 3").hides("pause ended");
    // AI failing is taken over: it stands below, among the pauses.
    desk.keys("p").settle().shows("Needs you · 3").hides("AI failing:");
    desk.keys("jP").settle().shows("Needs you · 2").keys("k");
    desk.shows("proposes to close").keys("x").shows("Needs you · 1").hides("proposes to close").keys("<Esc>");
    desk.keys("z").keys("gn").shows("proposes to close").keys("<Enter>").shows("Is the shop open?");
}

#[test]
fn an_entry_stays_chosen_while_others_come_before_it() {
    let mut desk = desk();
    desk.keys("gn").keys("jj").settle();
    let before = desk.picture();
    assert!(before.lines().any(|line| line.contains('▌') && line.contains("AI failing")), "{before}");
    // The AI failing another customer more often.
    for text in [
        "Where is my order 1?",
        "where is my order 1",
        "Where is my order 1??",
        "I want to talk to a human!!",
    ] {
        desk.customer("whatsapp", "+447700902222", "Carl Weiss", text);
        desk.clock.advance(1_000_000);
    }
    desk.settle().settle().shows("Carl Weiss");
    let after = desk.picture();
    assert!(after.lines().any(|line| line.contains('▌') && line.contains("Ann Lee")), "{after}");
}

#[test]
fn an_ai_that_does_not_wake_up_is_told_also_after_a_restart() {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("p").settle().keys("P").settle();
    desk.wait(5_000_000);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello? Anybody?");
    desk.settle();
    let mut desk = desk.crash_and_reopen();
    desk.settle().keys("gn").shows("Nothing needs you").keys("<Esc>");
    desk.wait(MINUTE);
    desk.settle().keys("gn").shows("no answer from the AI since the hand-back").keys("p").settle();
    desk.shows("AI paused by you, customer waiting 1m").hides("no answer from the AI since the hand-back");
}
