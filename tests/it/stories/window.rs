//! The 24-hour service window: seen before typing, kept to, drafts kept.

use crate::desk::Desk;

#[test]
fn a_closed_window_locks_sending_and_keeps_the_draft() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().shows("window open 24h");
    desk.wait(23 * 3_600_000_000);
    desk.settle().shows("window open <2h");
    desk.wait(2 * 3_600_000_000);
    desk.settle().shows("window closed");
    desk.keys("i")
        .types("Sorry for the wait")
        .shows("Window closed · only templates may be sent · draft kept");
    desk.keys("<Enter>")
        .shows("the window is closed: only templates leave now (Ctrl-O t); the draft is kept");
    photographs!(desk, "a_closed_window_locks_sending_and_keeps_the_draft", History, Composer, Status);
    assert!(desk.outbound().is_empty());
    // The customer writes: it opens in place, and nothing is lost.
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Still there?");
    desk.settle().shows("window open 24h").shows("Sorry for the wait").shows("Reply · LIVE");
}
