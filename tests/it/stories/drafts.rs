//! Drafts: one per conversation, kept through switching and kill -9.

use crate::desk::Desk;

#[test]
fn a_draft_survives_switching_and_a_crash() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.settle();
    desk.keys("<Enter>i").types("Olá João, um momento");
    desk.keys("<Esc>J").hides("um momento");
    desk.keys("i").types("Hello Maria, one mo");
    desk.wait(150_000);
    let mut desk = desk.crash_and_reopen();
    desk.shows("draft: ");
    photographs!(desk, "a_draft_survives_switching_and_a_crash", List);
    desk.keys("<Enter>").shows("Olá João, um momento");
    desk.keys("J").shows("Hello Maria, one mo");
    desk.keys("i").types("ment").shows("one moment");
}

#[test]
fn a_held_message_survives_a_crash_and_leaves_once() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>p").settle().keys("i").types("On its way").keys("<Enter>");
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>").shows("Sending in").shows("On its way");
    desk.wait(10_000_000);
    desk.settle().shows("sent");
    assert_eq!(desk.outbound().len(), 1);
}
