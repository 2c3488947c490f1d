//! Trouble with the AI is said on the row, with its reasons, and walked to by
//! urgency.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

#[test]
fn trouble_is_said_on_the_row_and_walked_to_first() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    for text in ["where is my order 1041", "Where is my order 1041??", "I want to talk to a human"] {
        desk.clock.advance(1_000_000);
        desk.customer("whatsapp", MARIA, "Maria Lopez", text);
    }
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.settle().settle();
    desk.shows("wants a human, asked 3x the");
    photographs!(desk, "trouble");
    desk.keys("gw").shows("Maria Lopez: wants a human, asked 3x the same");
    // Once a person has it, it is no trouble of the AI any more.
    desk.keys("p").settle().hides("wants a human, asked");
}
