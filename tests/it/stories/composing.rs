//! The composer's border: price, character count, and messages that are too long or expensive.

use serde_json::json;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

fn writing(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::with(columns, rows, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>i");
    desk
}

#[test]
fn the_price_and_the_balance_after_it_stand_on_the_key() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.dev("credits", json!({"balance": 412}));
    desk.settle().keys("<Enter>i").types("It left this morning.");
    desk.shows("Enter send").shows("Reply · 1 credit").shows("21/4096");
    desk.keys("<Esc>").shows("Reply · 1 credit");
}

#[test]
fn the_count_warns_from_four_fifths_of_the_bound() {
    let mut desk = writing(80, 24);
    desk.pastes(&"x".repeat(3_276)).shows("3276/4096").hides("left ┤");
    desk.types("x").shows("3277/4096 · 819 left");
    photographs!(desk, "near", Composer);
    desk.pastes(&"x".repeat(819)).shows("4096/4096 · 0 left").hides("TOO LONG");
    desk.types("x").shows("4097/4096 · 1 TOO LONG").shows("2 messages · 2 credits");
}

#[test]
fn what_is_too_long_is_split_where_sentences_end_and_leaves_in_order() {
    let mut desk = writing(80, 24);
    let first = "We have looked at your bicycle. ".repeat(110);
    let second = "The rear wheel needs a new bearing. ".repeat(20);
    desk.pastes(&format!("{first}{second}")).keys("<Enter>");
    desk.shows("Too long for one message").shows("[y] split into 2 messages, sent in this order · 2 credits");
    photographs!(desk, "split", Overlay);
    desk.keys("<Esc>").shows("TOO LONG").settle();
    assert!(desk.outbound().is_empty(), "Esc sends nothing");
    desk.keys("<Enter>y").settle();
    let sent: Vec<String> = desk.outbound().iter().map(|value| value["content"].to_string()).collect();
    assert_eq!(sent.len(), 2);
    assert!(
        sent[0].contains("We have looked") && sent[1].ends_with("bearing.\"}}")
            || sent[1].contains("bearing.")
    );
    assert!(sent.iter().all(|text| text.len() < 4_300), "{}", sent[0].len());
    desk.shows("0/4096");
}

#[test]
fn parts_come_back_together() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>p").settle().keys("i");
    let text = "A sentence that is long enough. ".repeat(140);
    desk.pastes(&text).keys("<Enter>y").has_queued(2).keys("<Esc>z");
    desk.has_queued(0).shows("undone: back in the composer").shows("TOO LONG");
    desk.wait(60_000_000);
    desk.settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_bot_counts_what_is_sent() {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("telegram", "48211", "Maria", "hi bot");
    desk.settle().keys("2").settle().keys("<Enter>i").types("a < b & c").shows("16/4096 as sent");
    desk.keys("<Enter>").settle();
    let sent = desk.outbound()[0]["content"].to_string();
    assert!(sent.contains("a < b & c") || sent.contains("a &lt; b &amp; c"), "{sent}");
}

#[test]
fn a_balance_that_is_too_low_is_said_before_anything_leaves() {
    let mut desk = writing(80, 24);
    desk.dev("credits", json!({"balance": 0}));
    desk.settle().types("It left this morning.");
    desk.shows("Cannot send: balance 0, this needs 1 credit · kept as a draft");
    desk.keys("<Enter>").shows("nothing was sent: balance 0, this needs 1 credit");
    desk.settle();
    assert!(desk.outbound().is_empty());
    // After a top-up the balance is read again, and the text is kept.
    desk.dev("credits", json!({"balance": 50}));
    desk.wait(2_000_000);
    desk.settle().shows("Reply · 1 credit").keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn backspace_on_an_empty_text_drops_the_quote() {
    let mut desk = writing(80, 24);
    desk.keys("<Esc>kr").shows("Reply, quoting").types("a").keys("<Backspace>").shows("Reply, quoting");
    desk.keys("<Backspace>").hides("quoting");
}

#[test]
fn a_channel_key_is_asked_about_before_it_leaves() {
    let mut desk = writing(80, 24);
    desk.pastes("Use svc_live_0123456789abcdef for it.").keys("<Enter>");
    desk.shows("it contains the channel key svc_live_…cdef").shows("Use svc_live_0123").settle();
    assert!(desk.outbound().is_empty(), "it is asked about first");
    desk.types(" Thanks!").keys("<Enter>").shows("it contains the channel key").settle();
    assert!(desk.outbound().is_empty(), "another text is asked about anew");
    desk.keys("<Enter>").settle().dev("clock", json!({"advance_seconds": 10}));
    desk.shows("svc_live_0123456789abcdef for it. Thanks!").shows("0/4096");
}
