//! Trouble with the AI is said on the row, with its reasons, and walked to by
//! urgency.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

/// Three customers: one in trouble with the AI, one who waits, one answered.
fn radar() -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    for text in ["where is my order 1041", "Where is my order 1041??", "I want to talk to a human"] {
        desk.clock.advance(1_000_000);
        desk.customer("whatsapp", MARIA, "Maria Lopez", text);
    }
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.clock.advance(1_000_000);
    desk.customer("telegram", "5550001", "Ana Ruiz", "This is ridiculous!!");
    desk.settle().settle();
    desk
}

#[test]
fn trouble_is_said_on_the_row_with_its_reasons() {
    let mut desk = radar();
    desk.shows("wants a human, asked");
    photographs!(desk, "trouble", List);
    // Once a person has it, it is no trouble of the AI any more.
    desk.keys("gg").keys("j<Enter>").keys("p").settle().hides("wants a human, asked");
}

#[test]
fn the_card_says_the_whole_score() {
    let mut desk = radar();
    desk.resize((160, 40));
    desk.keys("gw").shows("trouble").shows("score 112: wants a");
    photograph!(desk, "card", Card);
}

#[test]
fn the_most_urgent_comes_first_and_again_brings_the_next() {
    let mut desk = radar();
    desk.keys("gw").shows("Maria Lopez: wants a human, asked 3x the same");
    photographs!(desk, "first", List, Status);
    desk.keys("gw").shows("Ana Ruiz: upset");
    photographs!(desk, "second", List, Status);
    desk.keys("gw").shows("João Pereira: waits");
    photographs!(desk, "third", List, Status);
    desk.keys("gw").shows("Maria Lopez: wants a human");
}
