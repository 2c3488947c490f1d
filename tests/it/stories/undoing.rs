//! The list of what was done from here, and taking it back.

use serde_json::json;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;

fn desk() -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, found it.");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.settle();
    desk
}

#[test]
fn the_list_says_what_can_be_taken_back_and_why_not() {
    let mut desk = desk();
    desk.keys("gz").shows("Nothing since this start").keys("<Esc>").keys("je");
    desk.wait(5 * SECOND);
    desk.settle();
    desk.wait(SECOND);
    desk.keys("p").settle().keys("@").keys(" <Esc>").keys("gz");
    desk.shows("closed · Maria Lopez").shows("left; it cannot be reopened");
    desk.shows("paused the AI · João Pereira").shows("claimed · João Pereira").shows("took 1 mark away");
    photographs!(desk, "list", Overlay);
    // The pause is turned round from the list; what has left says why not.
    desk.keys("jjz").settle().shows("taken back").shows("AI paused by you 0");
    desk.keys("jz").shows("undo: left; it cannot be reopened");
}

#[test]
fn z_goes_back_step_by_step_but_not_past_what_has_left_to_the_customer() {
    let mut desk = desk();
    desk.keys("p").settle().shows("AI paused by you 1").keys("@").shows("@me");
    desk.keys("z").hides("@me").shows("undone: claimed").keys("z").settle().shows("AI paused by you 0");
    desk.keys("p").settle().keys("i").types("Yes, until six").keys("<Enter><Enter><Esc>").settle();
    assert_eq!(desk.outbound().len(), 1);
    // Sent; the pause before it is not turned round by the way.
    desk.keys("z").shows("nothing is held that could be taken back; g z lists what was done");
    desk.wait(10 * SECOND);
    desk.settle().keys("<Esc>").shows("AI paused by you 1");
}

#[test]
fn what_was_sent_again_and_arrived_is_not_said_to_have_never_left() {
    let mut desk = desk();
    let refused =
        json!({"path_prefix": "/messages/send", "count": 1, "status": 400, "code": "INVALID_RECIPIENT"});
    desk.dev("fault", refused);
    desk.keys("<Enter>p").settle().keys("i").types("Until six").keys("<Enter><Enter><Esc>").settle();
    desk.shows("NOT SENT").keys("gz").shows("not done; it asks in the outbox").keys("<Esc>");
    desk.keys("a").shows("as a new one; the refused one did nothing").keys("y").settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.keys("gz").shows("left; it cannot be unsent").hides("never left");
}
