//! A conversation whose AI fails is taken over, answered, snoozed, handed back and closed.

use frontdesk::shell::replies::write_samples;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;

#[test]
fn a_failing_ai_is_relieved_and_gets_its_conversation_back() {
    let mut desk = Desk::new(120, 40);
    write_samples(&desk.replies()).expect("samples");
    desk.customer("telegram", "88001", "João Pereira", "Is the shop open?");
    for text in ["I was charged twice", "i was charged twice!", "I was charged twice!!", "a human please"] {
        desk.customer("whatsapp", MARIA, "Maria Lopez", text);
        desk.clock.advance(SECOND);
    }
    desk.settle().settle();
    // From any page, the key opens the most urgent conversation with its reasons.
    desk.keys("2").shows("João Pereira").keys("w").shows("Maria Lopez: asked for a person");
    photographs!(desk, "urgent", List, Status);
    desk.keys("I").shows("window").keys("I");
    desk.keys("p").shows("AI: pausing").settle().shows("AI paused");
    desk.keys("i").shows("1 credit").types("Sorry for the wait. ").keys("::");
    desk.types("twice").shows("Money back after a double charge").keys("<Enter>");
    // Tab moves between placeholders; an open one prevents sending.
    desk.types("Tom").keys("<Tab>").types("8841").keys("<Tab>").types("three").shows("order 8841");
    photographs!(desk, "filled", Composer);
    desk.keys("<Enter>").shows("Sending in 5 s · Alt-z undo");
    assert!(desk.outbound().is_empty(), "nothing leaves during the hold");
    photographs!(desk, "held", History);
    desk.pass(5).settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.pass(60).settle().shows("You");
    desk.keys("<Esc>;").types("double charge, the AI looped on the number").keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1, "a note is never sent");
    desk.keys("<Esc>sr").shows("later: until").settle().hides("▌Maria Lopez");
    photographs!(desk, "aside", List, Status);
    // Her message wakes it, with one bell.
    let bells = desk.bells;
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you, Tom!");
    desk.wait(SECOND);
    desk.settle().shows("Thank you, Tom!");
    assert_eq!(desk.bells, bells + 1);
    desk.shows("AI paused").keys("P").settle().has_paused(0).keys("z").settle().has_paused(1);
    desk.keys("P").settle().has_paused(0);
    desk.keys("dd").shows("z undo").keys("z").settle().keys("dd").pass(6).settle();
    photographs!(desk, "closed", List, Status);
    let closed = desk.get("whatsapp", "/conversations?status=closed");
    assert_eq!(closed["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(desk.outbound().len(), 1, "one text, and no word of the AI beside it");
}
