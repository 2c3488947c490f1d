//! The network drops during writing, the desk is killed: nothing is lost, nothing is doubled.

use serde_json::json;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;

fn cut(desk: &mut Desk) {
    desk.dev("fault", json!({"path_prefix": "/", "count": 1000, "drop": "before"}));
}

fn mend(desk: &mut Desk) {
    desk.dev("fault", json!({"path_prefix": "/", "count": 0}));
}

#[test]
fn a_cable_is_pulled_in_the_middle_of_an_answer() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i").types("It left th");
    cut(&mut desk);
    desk.settle();
    desk.wait(4 * SECOND);
    desk.settle().shows("Offline since");
    // Typing is never interrupted.
    desk.types("is morning.").shows("It left this morning.");
    photographs!(desk, "offline", Tabs, Composer, Status);
    desk.keys("<Enter><Ctrl-X>").settle().has_queued(1);
    desk.types("And the next th").wait(SECOND);
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>").shows("It left this morning.").shows("And the next th");
    photographs!(desk, "after_the_crash", History, Composer);
    mend(&mut desk);
    desk.wait(5 * SECOND);
    desk.settle();
    desk.wait(5 * SECOND);
    desk.settle().settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1, "once, however often it was tried: {sent:?}");
    desk.is_connected().has_queued(0);
    photographs!(desk, "back", Tabs, History, Status);
}

#[test]
fn an_answer_that_got_lost_is_asked_for_with_the_same_key() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i").types("It left this morning.");
    // Carried out by the service; the answer is lost.
    desk.dev("fault", json!({"path_prefix": "/messages/send", "count": 1, "drop": "after"}));
    desk.keys("<Enter><Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>");
    for _ in 0..4 {
        desk.wait(30 * SECOND);
        desk.settle();
    }
    assert_eq!(desk.outbound().len(), 1, "never two copies");
    desk.has_queued(0).shows("It left this morning.");
}
