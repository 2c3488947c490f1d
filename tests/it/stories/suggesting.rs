//! Drafts and briefs that are suggested: what they are made from, what is marked
//! in them, and that nothing leaves before a person sends it.

use frontdesk::shell::replies::write_samples;
use serde_json::{Value, json};

use crate::assistant::standin::StandIn;
use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    write_samples(&desk.replies()).expect("samples");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "I was charged twice for order 1041!");
    desk.settle().keys("<Enter>").shows("charged twice");
    desk
}

/// A model that says this.
fn says(text: &str) -> StandIn {
    let body = json!({"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 100}});
    StandIn::start(move |_| (200, body.to_string()))
}

/// What a model was told, as data.
fn told(model: &StandIn) -> Value {
    let request = model.requests().pop().expect("it was asked");
    let content = request.json()["messages"][1]["content"].as_str().expect("text").to_owned();
    serde_json::from_str(content.lines().nth(1).expect("the data")).expect("JSON")
}

#[test]
fn without_a_model_the_canned_reply_that_fits_is_suggested() {
    let mut desk = desk();
    desk.keys("i").shows("Reply · LIVE").keys("<Ctrl-D>");
    desk.shows("Suggested draft").shows("your canned reply: Money back after a double charge");
    photographs!(desk, "reply", Overlay);
    desk.keys("<Esc>").hides("Suggested draft").hides("Hi Maria");
    desk.keys("<Ctrl-D><Enter>").hides("Suggested draft").shows("Hi Maria, {agent.name?} here");
    desk.settle();
    assert!(desk.outbound().is_empty(), "what is suggested is a text to be sent by a person");
    desk.customer("telegram", "4711", "Leon", "Qwerty");
    desk.settle().keys("<Esc><Esc>2<Enter>i<Ctrl-D>");
    desk.shows("no canned reply fits, and no model is configured");
}

#[test]
fn a_model_s_draft_is_taken_by_sentence_and_what_nothing_supports_is_marked() {
    let mut desk = desk();
    let model = says("I am sorry for order 1041, Maria. You get 59.90 back by Friday.");
    desk.suggests(&model.url(), 10_000).keys("i<Ctrl-D>");
    desk.shows("by your model · 1 % of today's tokens used").shows("? You get 59.90 back by Friday.");
    desk.shows("I am sorry for order 1041").shows("check it");
    photographs!(desk, "model", Overlay);
    let told = told(&model);
    assert_eq!(told["customer"], "Maria Lopez");
    assert_eq!(
        told["conversation"][0],
        json!({"from": "customer", "text": "I was charged twice for order 1041!"})
    );
    assert_eq!(told["replies of the business"].as_array().expect("replies").len(), 3);
    assert!(!told.to_string().contains("svc_"), "no key is told");
    desk.keys("<Space>").shows("Suggested draft").keys("<Esc>").shows("I am sorry for order 1041, Maria.");
    desk.hides("59.90").settle();
    assert!(desk.outbound().is_empty(), "nothing leaves before it is sent");
    desk.keys("<Enter>").settle();
    let sent = desk.outbound()[0].to_string();
    assert!(sent.contains("I am sorry for order 1041, Maria.") && !sent.contains("59.90"), "{sent}");
}

#[test]
fn what_was_suggested_before_somebody_wrote_says_so() {
    let mut desk = desk();
    let model = says("I am sorry.");
    desk.suggests(&model.url(), 10_000).keys("i<Ctrl-D>").shows("I am sorry.").hides("OUT OF DATE");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, it came back");
    desk.settle().shows("OUT OF DATE: somebody wrote meanwhile");
    desk.keys("r").hides("OUT OF DATE").shows("I am sorry.");
    assert_eq!(told(&model)["conversation"][1]["text"], "Never mind, it came back");
}

#[test]
fn a_model_that_fails_or_is_used_up_leaves_it_to_the_rules() {
    let mut desk = desk();
    let failing = StandIn::start(|_| (500, "{}".to_owned()));
    desk.suggests(&failing.url(), 10_000).keys("i<Ctrl-D>");
    desk.shows("The model did not answer: it answered with status 500").shows("your canned reply");
    let model = says("Hello.");
    desk.keys("<Esc>").suggests(&model.url(), 500).keys("<Ctrl-D>");
    desk.shows("the 500 tokens of today are used up").shows("your canned reply");
    assert!(model.requests().is_empty(), "it was not asked");
}

#[test]
fn a_brief_says_what_was_asked_tried_and_is_open() {
    let mut desk = desk();
    desk.keys("O").shows("Brief").shows("by rules").shows("Asked: “I was charged twice for order 1041!”");
    desk.shows("Tried: nobody has answered").shows("Open: a message without an answer");
    photographs!(desk, "brief", Overlay);
    desk.keys("<Enter>").hides("Tried:");
    let model = says("Asked: money back\nTried: nothing\nOpen: order 1041, 12 days");
    desk.suggests(&model.url(), 10_000)
        .keys("O")
        .shows("Asked: money back")
        .shows("? Open: order 1041, 12 days");
    desk.keys("<Esc>").hides("money back");
}

#[test]
fn no_answer_of_a_hostile_model_sends_anything() {
    let mut desk = desk();
    let answers = [
        "<Enter>\r\n\r\r",
        "\u{1b}[2J\u{1b}]52;c;aGVsbG8=\u{7}",
        "",
        "Send this now: <Ctrl-X> :q! \u{202e}dnes",
        "{order?} {shop.secret}",
    ];
    for answer in answers {
        let model = says(answer);
        desk.suggests(&model.url(), 100_000).keys("i<Ctrl-D>").settle();
        desk.hides("\u{1b}").hides("\u{202e}").keys("<Enter>").settle();
        assert!(desk.outbound().is_empty(), "{answer:?}");
        desk.keys("<Esc><Esc>").settle();
    }
    assert!(desk.outbound().is_empty());
}
