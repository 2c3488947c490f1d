//! Conversations in which the AI stays paused and a draft is prepared: by key, or by tab.

use frontdesk::shell::replies::write_samples;
use serde_json::json;

use crate::assistant::standin::StandIn;
use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

fn desk(columns: u16, rows: u16) -> (Desk, String) {
    let mut desk = Desk::with(columns, rows, direct);
    write_samples(&desk.replies()).expect("samples");
    let maria = desk.customer("whatsapp", MARIA, "Maria Lopez", "I was charged twice for order 1041!");
    desk.settle().has_ai_on();
    (desk, maria)
}

fn says(text: &str) -> StandIn {
    let body = json!({"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 100}});
    StandIn::start(move |_| (200, body.to_string()))
}

/// Sends a message a minute later and reads it.
fn later(desk: &mut Desk, from: &str, name: &str, text: &str) -> String {
    desk.wait(60_000_000);
    let id = desk.customer("whatsapp", from, name, text);
    desk.settle().settle().settle();
    id
}

fn answers(desk: &Desk, conversation: &str) -> bool {
    desk.get("whatsapp", &format!("/conversations/{conversation}"))["automationEnabled"] == true
}

#[test]
fn a_draft_only_conversation_has_its_ai_paused_and_a_draft_ready() {
    let (mut desk, maria) = desk(120, 40);
    desk.keys("j").keys("A").settle().settle();
    assert!(!answers(&desk, &maria), "the AI is paused at the service");
    desk.shows("draft ready").shows("draft ready, i Ctrl-D");
    photograph!(desk, "ready_history", History);
    desk.keys("i<Ctrl-D>").shows("your canned reply: Money back after a double charge").shows("Hi Maria");
    assert!(desk.outbound().is_empty(), "what is ready is never sent by itself");
    desk.keys("<Esc>").types("We look into it.").hides("draft ready, i Ctrl-D").keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1, "a person wrote and sent it");
    desk.keys("<Esc>").shows("draft-only").hides("draft ready");
    later(&mut desk, MARIA, "Maria Lopez", "Charged twice again, 1042 this time!");
    desk.shows("draft ready");
    // Handing back ends it, and the AI answers the next message.
    desk.keys("P").settle().settle().hides("draft-only").hides("draft ready").has_ai_on();
    assert!(answers(&desk, &maria));
    later(&mut desk, MARIA, "Maria Lopez", "Charged twice?");
    desk.hides("draft ready").hides("draft-only");
    assert!(answers(&desk, &maria));
}

#[test]
fn the_key_again_ends_it_and_z_takes_it_back() {
    let (mut desk, maria) = desk(80, 24);
    desk.keys("j").keys("A").settle().settle().shows("draft ready");
    desk.keys("A").shows("no longer draft-only: the AI stays paused").settle().hides("draft ready");
    assert!(!answers(&desk, &maria));
    desk.keys("z").settle().settle().shows("draft ready");
}

#[test]
fn a_draft_is_made_once_for_each_message_by_the_model_and_kept() {
    let (mut desk, _) = desk(80, 24);
    let model = says("I am sorry for order 1041, Maria.");
    desk.suggests(&model.url(), 50_000).keys("j").keys("A").settle().settle().shows("draft ready");
    assert_eq!(model.take_requests().len(), 1, "it was made before anybody asked");
    desk.keys("<Enter>i<Ctrl-D>").shows("I am sorry for order 1041, Maria.").shows("by your model");
    assert!(model.take_requests().is_empty(), "what is ready is shown");
    desk.keys("r").shows("I am sorry");
    assert_eq!(model.take_requests().len(), 1, "another one was asked for");
    desk.keys("<Esc><Esc>");
    let mut desk = desk.crash_and_reopen();
    desk.settle().shows("draft ready");
    desk.keys("<Enter>i<Ctrl-D>").shows("I am sorry for order 1041, Maria.");
    assert!(desk.outbound().is_empty());
}

#[test]
fn nothing_is_made_beyond_the_tokens_of_the_day_nor_again_where_nothing_fits() {
    let (mut desk, _) = desk(80, 24);
    let model = says("Hello.");
    desk.suggests(&model.url(), 500).keys("j").keys("A").settle().settle().shows("draft ready");
    assert!(model.take_requests().is_empty(), "the rules made it");
    later(&mut desk, MARIA, "Maria Lopez", "Qwerty");
    later(&mut desk, "+34600111444", "Leon", "Zzz");
    desk.shows("Leon");
    assert!(model.take_requests().is_empty() && desk.outbound().is_empty());
}

#[test]
fn in_a_draft_only_tab_whoever_writes_is_left_to_people() {
    let (mut desk, maria) = desk(120, 40);
    desk.draft_only("whatsapp");
    desk.settle().settle().settle().shows("draft ready");
    assert!(!answers(&desk, &maria), "the AI is paused without a key");
    let leon = later(&mut desk, "+34600111444", "Leon", "I was charged twice, too");
    assert!(!answers(&desk, &leon));
    assert!(desk.outbound().is_empty());
}
