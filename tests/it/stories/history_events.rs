//! Takeover, hand-back, close and reopening as lines of the history.

use serde_json::json;

use crate::desk::Desk;
use crate::regions::Region;

const MARIA: &str = "+34600111222";
const MINUTE: i64 = 60_000_000;

fn desk() -> (Desk, String) {
    let mut desk = Desk::new(120, 40);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().wait(MINUTE);
    (desk, id)
}

fn history(desk: &Desk) -> String {
    desk.photograph(&[Region::History])
}

/// Checks that the history holds each text once, in this order.
#[track_caller]
fn tells_in_order(desk: &Desk, texts: &[&str]) {
    let history = history(desk);
    let places: Vec<usize> =
        texts.iter().map(|text| history.find(text).unwrap_or_else(|| panic!("{text}:\n{history}"))).collect();
    assert!(places.is_sorted(), "{texts:?}:\n{history}");
    for text in texts {
        assert_eq!(history.matches(text).count(), 1, "{text}:\n{history}");
    }
}

#[test]
fn take_answer_done_and_the_return_of_the_customer_are_told_in_order() {
    let (mut desk, _) = desk();
    desk.keys("ggt").settle().wait(MINUTE);
    desk.types("It left today.").keys("<Enter>").pass(6).settle().wait(MINUTE);
    desk.keys("<Esc><Esc>d").pass(8).settle();
    desk.pass(8).settle().wait(MINUTE);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you!");
    desk.settle().keys("gg<Enter>").settle();
    let all = [
        "Where is my order 1041?",
        "you took over",
        "It left today.",
        "you handed back to the AI",
        "you closed",
        "reopened",
        "Thank you!",
    ];
    tells_in_order(&desk, &all);
    photographs!(desk, "told_in_order", History);
    // A restart repeats none.
    let mut desk = desk.crash_and_reopen();
    desk.settle().keys("gg<Enter>").settle();
    tells_in_order(&desk, &all);
}

#[test]
fn what_another_desk_does_is_told_as_its_own() {
    let (mut desk, id) = desk();
    desk.keys("gg<Enter>").settle().has_ai_on();
    let path = format!("/conversations/{id}");
    desk.elsewhere("whatsapp", "PATCH", &path, json!({"automationEnabled": false}));
    for _ in 0..3 {
        desk.wait(MINUTE);
        desk.settle();
    }
    tells_in_order(&desk, &["a colleague took over"]);
    assert!(!history(&desk).contains("you took over"));
}

#[test]
fn a_claim_where_the_ai_has_no_switch_is_a_takeover() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("4").settle().keys("gg<Enter>").settle();
    assert!(!history(&desk).contains("took over"));
    desk.keys("t").settle();
    tells_in_order(&desk, &["you took over"]);
}
