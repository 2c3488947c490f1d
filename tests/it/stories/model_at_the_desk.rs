//! Usage and limits of the model, summaries of whole conversations, and transcribed voice notes.

use std::sync::{Arc, Mutex};

use frontdesk::model::model_costs::{ModelCaps, ModelCost, ModelPrices};
use serde_json::{Value, json};

use crate::assistant::standin::StandIn;
use crate::desk::{Desk, direct};
use crate::raw_http::RawRequest;
use crate::stories::pictures::upload;

const MARIA: &str = "+34600111222";

fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::with(columns, rows, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "I was charged twice for order 1041!");
    desk.settle().keys("<Enter>").shows("charged twice");
    desk
}

fn body(text: &str, tokens_in: u64, tokens_out: u64) -> String {
    let usage = json!({"prompt_tokens": tokens_in, "completion_tokens": tokens_out});
    json!({"choices": [{"message": {"content": text}}], "usage": usage}).to_string()
}

fn cost(text: &str) -> ModelCost {
    ModelCost::parse(text).expect(text)
}

fn request_data(request: &RawRequest) -> Value {
    let content = request.json()["messages"][1]["content"].as_str().expect("text").to_owned();
    serde_json::from_str(content.lines().nth(1).expect("the data")).expect("JSON")
}

#[test]
fn the_credits_page_tells_what_the_model_took_and_a_day_ends_at_its_cent() {
    let mut desk = desk(120, 40);
    let model = StandIn::start(|_| (200, body("I am sorry.", 1_000, 200)));
    let prices = ModelPrices { input: cost("2.50"), output: cost("10"), ..ModelPrices::default() };
    let caps = ModelCaps::for_day(100_000, Some(cost("0.05")));
    desk.suggests_within(&model.url(), caps, prices);
    desk.keys("i<Ctrl-D>").shows("I am sorry.").keys("<Esc><Esc>").keys("$");
    desk.shows("Your model").shows("1200 of 100000 tokens used today").shows("0.01 of 0.05 EUR");
    desk.shows("Harbor chat: 1 question, 1000 tokens in, 200 out");
    photographs!(desk, "usage", Overlay);
    desk.keys("<Esc>i");
    for _ in 0..20 {
        desk.keys("<Ctrl-D>").keys("r").keys("<Esc>");
    }
    assert!(desk.model_usage().cost <= cost("0.05"), "{:?}", desk.model_usage());
    let asked = model.take_requests().len();
    assert!((3..21).contains(&asked), "{asked}: the day allowed some of them");
    desk.keys("<Ctrl-D>r").shows("exceed the limit of 0.05");
    assert!(model.take_requests().is_empty(), "nothing is asked any more");
    desk.keys("<Esc>").pass(86_400);
    desk.keys("<Ctrl-D>").shows("I am sorry.");
    assert_eq!(model.take_requests().len(), 1);
}

#[test]
fn a_long_conversation_is_summed_up_in_parts_and_kept() {
    let mut desk = desk(80, 24);
    for number in 0..70 {
        desk.wait(60_000_000);
        desk.customer("whatsapp", MARIA, "Maria Lopez", &format!("Message {number} about order 1041"));
        if number % 10 == 9 {
            desk.settle();
        }
    }
    desk.settle().settle();
    let count = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&count);
    let model = StandIn::start(move |_| {
        let mut count = counted.lock().expect("a count");
        *count += 1;
        (200, body(&format!("Part {count}: order 1041 was charged twice.\nOpen: order 9999."), 900, 50))
    });
    desk.suggests(&model.url(), 200_000);
    desk.keys("<Ctrl-O>").shows("Summary").shows("Part 3: order 1041").shows("? Open: order 9999.");
    photographs!(desk, "summary", Overlay);
    let requests = model.take_requests();
    assert_eq!(requests.len(), 3, "71 messages in parts of 30");
    let parts: Vec<Value> = requests.iter().map(request_data).collect();
    assert_eq!(parts[0]["conversation"].as_array().map(Vec::len), Some(30));
    assert_eq!((&parts[0]["summary so far"], &parts[2]["part"]), (&json!(""), &json!("3 of 3")));
    assert!(parts[1]["summary so far"].as_str().expect("text").starts_with("Part 1"));
    desk.keys("<Esc>").keys("<Ctrl-O>").shows("Part 3: order 1041").keys("<Esc>");
    assert!(model.take_requests().is_empty(), "it is kept until somebody writes");
}

#[test]
fn a_translation_stands_below_its_message_and_outlives_the_desk() {
    let mut desk = desk(120, 40);
    let model = StandIn::start(|_| (200, body("Me han cobrado dos veces.", 100, 20)));
    desk.suggests(&model.url(), 50_000).keys("X").shows("Translation").keys("<Esc>");
    desk.shows("Translated: Me han cobrado dos veces.");
    photograph!(desk, "translated", History);
    let mut desk = desk.crash_and_reopen();
    desk.settle().keys("<Enter>").shows("Translated: Me han cobrado dos veces.");
}

#[test]
fn a_voice_note_is_written_down_after_consent_and_paid_by_the_minute() {
    let mut desk = desk(120, 40);
    // The minimum size of 80 seconds of speech.
    let said = [b"OggS and what is said".as_slice(), vec![b' '; 40_000].as_slice()].concat();
    let url = upload(&desk, "note.ogg", &said);
    let note =
        json!({"channel": "whatsapp", "from": MARIA, "name": "Maria Lopez", "text": "", "mediaUrl": url});
    desk.wait(60_000_000);
    desk.dev("inbound", note.clone());
    desk.settle().shows("note.ogg").keys("<Ctrl-W>");
    desk.shows("no model for it is configured ([assist] transcribe_model");
    let model = StandIn::start(|request| {
        assert_eq!(request.target, "/v1/audio/transcriptions");
        (200, json!({"text": "Where is my bike?\u{1b}[2J", "duration": 61.5}).to_string())
    });
    let prices = ModelPrices { minute: cost("0.60"), ..ModelPrices::default() };
    let caps = ModelCaps::for_day(50_000, Some(cost("1")));
    desk.suggests_within(&model.url(), caps, prices);
    desk.keys("G").keys("<Ctrl-W>").shows("Transcribe the voice note?").shows("Download from 127.0.0.1");
    desk.shows("it is sent to the model of [assist]");
    desk.keys("n").hides("Transcribe the voice note?");
    assert!(model.requests().is_empty(), "nobody agreed");
    desk.keys("<Ctrl-W>y").shows("Transcript: Where is my bike?").keys("<Esc>");
    let request = model.take_requests().pop().expect("it was asked");
    let sent = String::from_utf8_lossy(&request.body).into_owned();
    assert!(sent.contains("OggS and what is said") && sent.contains("\r\n\r\near\r\n"), "{sent}");
    assert!(!sent.contains("svc_") && !sent.contains(MARIA), "nothing else is told: {sent}");
    assert_eq!(desk.model_usage().cost, cost("0.62"), "62 seconds were begun");
    desk.keys("<Ctrl-W>").shows("already shown below the message");
    // Another file of that host needs no question, and is refused if it costs too much.
    let long = upload(&desk, "long.ogg", &vec![b'x'; 60_000]);
    desk.wait(60_000_000);
    desk.dev(
        "inbound",
        json!({"channel": "whatsapp", "from": MARIA, "name": "Maria Lopez", "text": "", "mediaUrl": long}),
    );
    desk.settle().keys("G").keys("<Ctrl-W>").hides("Transcribe the voice note?");
    desk.shows("exceed the limit of 1.00").shows("0.62 are spent");
    assert!(model.requests().is_empty() && desk.outbound().is_empty());
}

#[test]
fn a_note_of_few_bytes_may_be_long_and_never_takes_more_than_a_day_has() {
    let mut desk = desk(120, 40);
    let url = upload(&desk, "note.ogg", b"OggS");
    desk.wait(60_000_000);
    desk.dev(
        "inbound",
        json!({"channel": "whatsapp", "from": MARIA, "name": "Maria Lopez", "text": "", "mediaUrl": url}),
    );
    let model = StandIn::start(|_| (200, json!({"text": "Hello?", "duration": 55}).to_string()));
    let prices = ModelPrices { minute: cost("0.60"), ..ModelPrices::default() };
    desk.settle().suggests_within(&model.url(), ModelCaps::for_day(50_000, Some(cost("0.50"))), prices);
    desk.keys("G<Ctrl-W>y").shows("exceed the limit of 0.50").shows("0.00 are spent").keys("<Esc>");
    assert!(model.requests().is_empty());
    desk.suggests_within(&model.url(), ModelCaps::for_day(50_000, Some(cost("0.60"))), prices);
    desk.keys("<Ctrl-W>").shows("Transcript: Hello?");
    assert_eq!(desk.model_usage().cost, cost("0.55"));
}
