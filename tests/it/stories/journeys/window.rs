//! The service window closes: a template is sent, and the customer's answer reopens it.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const HOUR: i64 = 3_600_000_000;

#[test]
fn a_closed_window_is_answered_with_a_template_and_opens_again() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i").types("It left this morning").keys("<Esc>");
    desk.wait(22 * HOUR + HOUR / 2);
    desk.settle().shows("Paused for long").keys("e").shows("<2h");
    desk.keys("<Esc>fwindow:<lt>2h").shows("Maria Lopez").keys("<Esc>");
    desk.wait(2 * HOUR);
    desk.settle().shows("Reply window closed").keys("r").shows("Templates ·");
    photographs!(desk, "templates", Overlay);
    desk.types("order way").keys("<Enter>").shows("Draft kept: It left this morning").types("1041");
    photographs!(desk, "filled", Overlay);
    desk.keys("<Enter>").has_queued(1).pass(6).settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.shows("waiting for a reply to reopen");
    photographs!(desk, "waiting", History, Status);
    // Nothing can be done here until the customer answers: it is put aside.
    desk.keys("sr").shows("later: until a reply").shows("1 snoozed");
    let bells = desk.bells;
    desk.focus(false);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you!");
    desk.wait(2_000_000);
    desk.settle().hides("Reply window").shows("It left this morning").hides("1 snoozed");
    desk.shows("reply window open again · i continue your draft");
    assert_eq!(desk.bells, bells + 1);
    desk.focus(true);
    desk.keys("i").keys("<Enter>").pass(6).settle();
    assert_eq!(desk.outbound().len(), 2, "the draft leaves as free text");
}
