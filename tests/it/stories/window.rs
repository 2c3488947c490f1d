//! The 24-hour service window: shown before typing, enforced, drafts kept.

use crate::desk::Desk;

#[test]
fn a_closed_window_locks_sending_and_keeps_the_draft() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().hides("Reply window");
    desk.wait(23 * 3_600_000_000);
    desk.settle().shows("Reply window <2h");
    desk.wait(2 * 3_600_000_000);
    desk.settle().shows("Reply window closed");
    desk.keys("i")
        .types("Sorry for the wait")
        .shows("Reply window closed · only templates can be sent · draft kept");
    desk.keys("<Enter>")
        .shows("reply window closed: only templates can be sent (Ctrl-O t); the draft is kept");
    photographs!(desk, "a_closed_window_locks_sending_and_keeps_the_draft", History, Composer, Status);
    assert!(desk.outbound().is_empty());
    // The customer writes: the window opens in place, and the draft is kept.
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Still there?");
    desk.settle().hides("Reply window").shows("Sorry for the wait").shows("Reply · ");
}
