//! The journal of changes, and undo.

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
    desk.run_command("show-done").shows("Nothing yet.").keys("<Esc>").keys("jdd");
    desk.wait(5 * SECOND);
    desk.settle();
    desk.wait(SECOND);
    desk.keys("<Esc>p").settle().keys(":claim<Enter>").keys(" <Esc>").run_command("show-done");
    desk.shows("done · Maria Lopez").shows("sent; cannot be reopened");
    desk.shows("paused the AI · João Pereira").shows("claimed · João Pereira").shows("1 mark removed");
    photographs!(desk, "list", Overlay);
    // The pause is reversed from the list; a sent change gives the reason why not.
    desk.keys("jjz").settle().shows("undone").has_paused(0);
    desk.keys("jz").shows("undo: sent; cannot be reopened");
}

#[test]
fn z_goes_back_step_by_step_but_not_past_what_has_left_to_the_customer() {
    let mut desk = desk();
    desk.keys("p").settle().has_paused(1).keys(":claim<Enter>").shows("claimed");
    desk.keys("z").shows("undone: claimed").keys("z").settle().has_paused(0);
    desk.keys("p").settle().keys("i").types("Yes, until six").keys("<Enter><Ctrl-X><Esc>").settle();
    assert_eq!(desk.outbound().len(), 1);
    // Sent; the pause before it is not reversed along with it.
    desk.keys("z").shows("nothing to undo; :show-done undo list");
    desk.wait(10 * SECOND);
    desk.settle().keys("<Esc>").has_paused(1);
}

#[test]
fn what_was_sent_again_and_arrived_is_not_said_to_have_never_left() {
    let mut desk = desk();
    let refused =
        json!({"path_prefix": "/messages/send", "count": 1, "status": 400, "code": "INVALID_RECIPIENT"});
    desk.dev("fault", refused);
    desk.keys("<Enter>p").settle().keys("i").types("Until six").keys("<Enter><Ctrl-X><Esc>").settle();
    desk.shows("NOT SENT").run_command("show-done").shows("not done; needs a decision").keys("<Esc>");
    desk.keys("a").shows("sent again; the refused one did nothing").keys("y").settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.run_command("show-done").shows("sent; cannot be unsent").hides("not sent; dropped");
}
