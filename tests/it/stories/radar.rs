//! Trouble with the AI is shown on the row with its reasons, and visited by urgency.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

/// Three customers: one in trouble with the AI, one waiting, one answered.
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
fn the_wish_for_a_person_is_said_on_the_row() {
    let mut desk = radar();
    desk.shows("asked for a person");
    photographs!(desk, "trouble", List);
    // A taken over conversation has no trouble with the AI.
    desk.keys("gg").keys("j<Enter>").keys("p").settle().hides("asked for a person");
}

#[test]
fn the_card_says_the_whole_score() {
    let mut desk = radar();
    desk.resize((160, 40));
    desk.keys("w").shows("trouble").shows("score 112: asked for");
    photograph!(desk, "card", Card);
}

#[test]
fn the_most_urgent_comes_first_and_again_brings_the_next() {
    let mut desk = radar();
    desk.keys("w").shows("Maria Lopez: asked for a person, asked the same 3 times");
    photographs!(desk, "first", List, Status);
    desk.keys("w").shows("Ana Ruiz: upset");
    photographs!(desk, "second", List, Status);
    // João waits for an AI that answers: he needs nobody.
    desk.keys("w").shows("Maria Lopez: asked for a person");
}
