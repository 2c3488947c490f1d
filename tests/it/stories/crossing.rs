//! No text is sent before its writer has seen what others wrote meanwhile.

use serde_json::json;

use crate::desk::{Desk, direct};
use crate::stories::mail::{calm, letter};

const MARIA: &str = "+34600111222";

fn writing(text: &str) -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i").types(text);
    desk
}

fn texts(desk: &Desk) -> Vec<String> {
    desk.outbound().iter().map(|value| value["content"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn what_a_colleague_said_meanwhile_is_shown_before_a_text_leaves() {
    let mut desk = writing("Hi Maria, it left the shop today");
    desk.colleague("whatsapp", MARIA, "Hello Maria, I am looking into it right now.");
    desk.settle().keys("<Enter>");
    desk.shows("A colleague answered while you wrote").shows("[y] send anyway   [Esc] keep editing");
    photographs!(desk, "asks", Overlay);
    desk.keys("<Enter>");
    assert_eq!(texts(&desk).len(), 1, "Enter confirms nothing");
    // Seen by now: the second Enter is a deliberate decision.
    desk.keys("<Esc>").shows("Hi Maria, it left the shop today").types(" at noon").keys("<Enter>").settle();
    desk.hides("answered while you wrote");
    assert_eq!(texts(&desk)[1..], ["Hi Maria, it left the shop today at noon"]);
}

#[test]
fn a_question_that_is_open_shows_what_comes_while_it_is() {
    let mut desk = writing("Hi Maria");
    desk.colleague("whatsapp", MARIA, "First");
    desk.settle().keys("<Enter>").shows("First");
    desk.colleague("whatsapp", MARIA, "Second");
    desk.settle().shows("First").shows("Second").keys("y").settle();
    assert_eq!(texts(&desk), ["First", "Second", "Hi Maria"]);
}

#[test]
fn what_was_on_screen_before_the_first_letter_asks_nothing() {
    let mut desk = writing("");
    desk.colleague("whatsapp", MARIA, "I am on it");
    desk.settle().shows("I am on it").types("Thanks!").keys("<Enter>").settle();
    assert_eq!(texts(&desk), ["I am on it", "Thanks!"]);
}

#[test]
fn an_old_draft_knows_what_was_said_since_it_was_begun() {
    let mut desk = writing("It left the shop");
    desk.keys("<Esc><Esc>");
    desk.wait(150_000);
    let mut desk = desk.crash_and_reopen();
    desk.settle();
    desk.colleague("whatsapp", MARIA, "It arrives on Friday");
    desk.settle().keys("<Enter>").shows("It arrives on Friday").keys("i<Enter>");
    desk.shows("A colleague answered while you wrote");
}

#[test]
fn a_text_that_crossed_on_its_way_stops_and_says_with_what() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i").types("It left the shop today").keys("<Enter><Esc>");
    desk.colleague("whatsapp", MARIA, "Hello Maria, it arrives on Friday.");
    desk.settle();
    desk.wait(5_000_000);
    desk.settle().shows("NOT SENT, someone answered meanwhile").wait(8_000_000);
    desk.shows("Outbox: 1 needs you · g o");
    photographs!(desk, "stopped", History, Status);
    desk.keys("a").shows("Someone answered meanwhile").shows("[y] send anyway").shows("it arrives on Friday");
    photographs!(desk, "decide", Overlay);
    desk.keys("<Enter>").settle();
    assert_eq!(texts(&desk).len(), 1, "Enter confirms nothing");
    desk.keys("<Esc>ae").shows("back in the composer").shows("It left the shop today").hides("NOT SENT");
    desk.keys("<Enter><Ctrl-X>").settle().hides("needs you");
    assert_eq!(texts(&desk).len(), 2);
}

#[test]
fn a_crossed_text_can_be_sent_anyway_or_dropped() {
    for (answer, sent) in [("y", 2), ("x", 1)] {
        let mut desk = Desk::new(80, 24);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
        desk.settle().keys("<Enter>p").settle().keys("i").types("It left today").keys("<Enter><Esc>");
        desk.colleague("whatsapp", MARIA, "It arrives on Friday.");
        desk.settle();
        desk.wait(5_000_000);
        desk.settle().keys("a").keys(answer).settle().hides("NOT SENT").has_queued(0);
        assert_eq!(texts(&desk).len(), sent, "{answer}");
    }
}

#[test]
fn a_text_waits_for_the_pause_and_for_the_thread() {
    let mut desk = Desk::with(80, 24, |settings| settings.hold = 0);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    desk.dev(
        "fault",
        json!({"path_prefix": "/conversations", "method": "PATCH", "count": 1, "drop": "after"}),
    );
    desk.keys("i").types("I take over").keys("<Enter>y").shows("AI: pausing…");
    desk.settle().shows("AI: checking…").shows("checking the pause…");
    photographs!(desk, "unclear", History, Status);
    assert!(texts(&desk).is_empty());
    desk.dev("fault", json!({"path_prefix": "/conversations", "method": "GET", "count": 2, "status": 500}));
    desk.wait(30_000_000);
    desk.settle().shows("AI paused").shows("Reading the conversation again…");
    photographs!(desk, "reading", History, Status);
    assert!(texts(&desk).is_empty());
    desk.dev("fault", json!({"path_prefix": "/", "count": 0}));
    desk.wait(30_000_000);
    desk.settle().hides("reading the thread again");
    assert_eq!(texts(&desk), ["I take over"]);
}

#[test]
fn a_pause_that_failed_holds_the_text_back_and_says_so() {
    let mut desk = Desk::with(80, 24, |settings| settings.hold = 0);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    desk.dev("fault", json!({"path_prefix": "/conversations", "method": "PATCH", "count": 1, "status": 403, "code": "FORBIDDEN"}));
    desk.keys("i").types("I take over").keys("<Enter>y").settle();
    desk.shows("pausing the AI failed").shows("Pause the AI");
    photographs!(desk, "failed", History, Composer);
    assert!(texts(&desk).is_empty());
    desk.keys("<Esc>ay").settle().shows("AI paused");
    assert_eq!(texts(&desk), ["I take over"]);
}

/// A repeated pause changes nothing, so one key retries it.
#[test]
fn a_pause_without_a_clear_answer_is_tried_again_by_one_key() {
    let mut desk = Desk::with(80, 24, |settings| settings.hold = 0);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    desk.dev(
        "fault",
        json!({"path_prefix": "/conversations", "method": "PATCH", "count": 4, "drop": "before"}),
    );
    desk.keys("i").types("I take over").keys("<Enter>y<Esc>");
    for _ in 0..4 {
        desk.settle();
        desk.wait(60_000_000);
    }
    desk.settle().shows("MAY OR MAY NOT").shows("the AI pause is not confirmed").hides("pause failed");
    desk.keys("a").shows("doing it twice changes nothing").hides("send a new one").keys("y");
    desk.hides("it no longer needs this decision").settle().shows("AI paused");
    desk.wait(5_000_000);
    desk.settle();
    assert_eq!(texts(&desk), ["I take over"]);
}

/// Opens a thread of Ana Ruiz and begins a mail with a key. Returns the thread.
fn writing_mail(key: &str) -> (Desk, String) {
    let mut desk = Desk::demo(80, 24);
    calm(&mut desk);
    desk.keys("3").settle();
    let thread = letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys(key);
    (desk, thread)
}

fn colleague_answers(desk: &Desk, thread: &str) {
    let body = json!({
        "to": ["ana@ruiz.example"], "subject": "Re: Order 2001", "text": "I am looking into it.", "threadId": thread
    });
    desk.elsewhere("email", "POST", "/email/send", body);
}

/// First lines of the mails sent in a thread, oldest first.
fn mails_sent(desk: &Desk, thread: &str) -> Vec<String> {
    let told = desk.get("email", &format!("/email/threads/{thread}"));
    let mails = told["messages"].as_array().expect("a list").iter();
    let texts = mails.filter(|mail| mail["direction"] == "outbound").map(|mail| mail["text"].as_str());
    texts.map(|text| text.and_then(|text| text.lines().next()).unwrap_or_default().to_owned()).collect()
}

#[test]
fn mail_asks_before_it_crosses_an_answer() {
    let (mut desk, thread) = writing_mail("r");
    desk.types("It left today");
    colleague_answers(&desk, &thread);
    calm(&mut desk);
    desk.keys("<Ctrl-X>").shows("Send this mail?").keys("y");
    desk.shows("A colleague answered while you wrote")
        .shows("I am looking into it.")
        .shows("Yours: It left today");
    desk.shows("[y] send anyway   [Esc] keep editing");
    photographs!(desk, "mail_asks", Overlay);
    desk.keys("<Enter>").has_queued(0);
    // Seen by now: the second time nothing is asked.
    desk.keys("<Esc>").shows("It left today").types(" at noon").keys("<Ctrl-X>y").hides("while you wrote");
    desk.pass(11);
    calm(&mut desk);
    assert_eq!(mails_sent(&desk, &thread), ["I am looking into it.", "It left today at noon"]);
}

#[test]
fn mail_that_crosses_an_answer_can_be_sent_anyway() {
    let (mut desk, thread) = writing_mail("r");
    desk.types("It left today");
    colleague_answers(&desk, &thread);
    calm(&mut desk);
    desk.keys("<Ctrl-X>yy").shows("z undo").keys("z").shows("undone: back in the composer");
    desk.keys("<Ctrl-X>y").hides("while you wrote").pass(11);
    calm(&mut desk);
    assert_eq!(mails_sent(&desk, &thread), ["I am looking into it.", "It left today"]);
}

#[test]
fn held_mail_stops_when_the_thread_has_another_answer() {
    let (mut desk, thread) = writing_mail("r");
    desk.types("It left today").keys("<Ctrl-X>y").shows("z undo").settle();
    colleague_answers(&desk, &thread);
    desk.wait(11_000_000);
    desk.settle().shows("NOT SENT, someone answered meanwhile");
    photographs!(desk, "mail_stopped", History, Status);
    desk.keys("a")
        .shows("Someone answered meanwhile")
        .shows("[y] send anyway")
        .shows("I am looking into it.");
    assert_eq!(mails_sent(&desk, &thread), ["I am looking into it."]);
    desk.keys("e").shows("back in the composer").shows("It left today").hides("NOT SENT");
    desk.keys("<Ctrl-X>y").hides("while you wrote").pass(11);
    calm(&mut desk);
    assert_eq!(mails_sent(&desk, &thread), ["I am looking into it.", "It left today"]);
}

#[test]
fn forward_and_new_mail_cross_nothing() {
    let (mut desk, thread) = writing_mail("F");
    desk.types("carla@z.example");
    colleague_answers(&desk, &thread);
    calm(&mut desk);
    desk.keys("<Ctrl-X>y").hides("while you wrote").shows("z undo").pass(11);
    calm(&mut desk);
    assert_eq!(mails_sent(&desk, &thread).len(), 2);
    desk.hides("NOT SENT").keys("<Ctrl-N>").types("carla@z.example");
    desk.keys("<Tab><Tab><Tab>").types("Bikes").keys("<Tab>").types("For you.").keys("<Ctrl-X>y").pass(11);
    calm(&mut desk);
    desk.has_queued(0);
}

/// No history shows what a colleague wrote to a number, so the question says who it was.
#[test]
fn sms_that_the_service_refused_says_why() {
    let mut desk = Desk::demo(80, 24);
    desk.settle().keys("4").settle();
    let fault = json!({"path_prefix": "/voip/sms", "count": 1, "status": 409, "code": "ANSWERED"});
    desk.dev("fault", fault);
    desk.keys("<Enter>i").types("Your bike is ready").keys("<Enter>").pass(6);
    desk.settle().shows("NOT SENT, someone answered meanwhile").keys("<Esc>a");
    desk.shows("Someone answered meanwhile").shows("[y] send anyway").shows("[e] edit");
    photographs!(desk, "sms_stopped", Overlay);
    desk.keys("y").settle().hides("NOT SENT").has_queued(0);
}
