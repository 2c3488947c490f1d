//! On wide screens a second conversation stands beside the first.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";

#[test]
fn one_conversation_is_kept_beside_another() {
    let mut desk = Desk::new(240, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", JOAO, "João Pereira", "Is Maria's order with you?");
    desk.settle().settle().keys("gg");
    desk.keys("j=").shows("Maria Lopez stays beside the next one you open · g = swaps them");
    desk.keys("k<Enter>").settle().shows("Harbor chat · beside").shows("Is Maria's order with you?");
    desk.shows("Where is my order 1041?");
    photograph!(desk, "beside");
    // It goes on while the other is open.
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.wait(1_000_000);
    desk.settle().shows("Hello?");
    desk.keys("g=").settle().shows("João Pereira · +351910000111").shows("Harbor chat · beside");
    assert!(desk.app.desk.current_conversation().is_some_and(|current_conversation| {
        current_conversation.conversation.title().as_str() == "Maria Lopez"
    }));
    // Names are hidden there, too.
    desk.keys("<F9>").hides("João").hides("Maria Lopez").keys("<F9>");
    // A narrower screen shows one, and says why.
    desk.resize((200, 40));
    desk.hides("beside").keys("=").shows("a second conversation fits from 220 columns on; here are 200");
    desk.resize((240, 40));
    desk.shows("· beside").keys("==").shows("it is not kept beside others any more").hides("· beside");
    desk.keys("g=").shows("no other conversation is kept; = keeps this one");
}
