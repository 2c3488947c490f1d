//! A conversation whose AI fails is taken over, answered, put aside, handed
//! back and closed.

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
    // The bell rang; whatever was on screen, the most urgent comes with its reasons.
    desk.keys("2").shows("João Pereira").keys("gw").shows("Maria Lopez: wants a human");
    photographs!(desk, "urgent", List, Status);
    desk.keys("I").shows("window").keys("I");
    desk.keys("p").shows("AI pausing").settle().shows("AI OFF by you");
    desk.keys("i").shows("1 credit").types("Sorry for the wait. ").keys("::");
    desk.types("twice").shows("Money back after a double charge").keys("<Enter>");
    // Its fields are walked by Tab; an open one does not leave.
    desk.types("Tom").keys("<Tab>").types("8841").keys("<Tab>").types("three").shows("order 8841");
    photographs!(desk, "filled", Composer);
    desk.keys("<Enter>").shows("sends in 5 s · Esc z takes it back");
    assert!(desk.outbound().is_empty(), "nothing leaves during the hold");
    photographs!(desk, "held", History);
    desk.pass(5).settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.pass(60).settle().shows("You");
    // A note stays here.
    desk.keys("<Esc>;").types("double charge, the AI looped on the number").keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1, "a note is never sent");
    desk.keys("<Esc>sr").shows("snoozed until").settle().hides("▌Maria Lopez");
    photographs!(desk, "aside", List, Status);
    // She writes: it wakes, and rings once.
    let bells = desk.bells;
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you, Tom!");
    desk.wait(SECOND);
    desk.settle().shows("Thank you, Tom!");
    assert_eq!(desk.bells, bells + 1);
    desk.shows("AI OFF by you").keys("P").settle().shows("AI ON").keys("z").settle().shows("AI OFF");
    desk.keys("P").settle().shows("AI ON").shows("AI paused by you 0");
    desk.keys("e").shows("z keeps it open").keys("z").settle().keys("E").pass(6).settle();
    photographs!(desk, "closed", List, Status);
    let closed = desk.get("whatsapp", "/conversations?status=closed");
    assert_eq!(closed["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(desk.outbound().len(), 1, "one text, and no word of the AI beside it");
}
