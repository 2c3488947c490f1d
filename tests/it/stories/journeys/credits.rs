//! Credits run out: paid messages wait, free actions work; after a top-up each is sent once.

use serde_json::json;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;

#[test]
fn an_empty_balance_stops_what_costs_and_nothing_else() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.dev("credits", json!({"balance": 1}));
    desk.settle().keys("<Enter>p").settle();
    // The balance is spent elsewhere before the hold ends.
    desk.keys("i").types("It left this morning.").shows("Reply · 1 credit").keys("<Enter>");
    desk.dev("credits", json!({"balance": 0}));
    desk.pass(5).settle().shows("NOT SENT, out of credits").shows("It left this morning.");
    photographs!(desk, "refused", History);
    assert!(desk.outbound().is_empty());
    desk.types("Anything else?").keys("<Enter>").shows("Anything else?");
    desk.keys("<Esc>;").types("call back when there are credits").keys("<Enter>");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open? A human please");
    desk.wait(SECOND);
    desk.settle()
        .keys("w")
        .shows("Is the shop open?")
        .keys("<Enter>gg+<Enter>")
        .settle()
        .shows("your reaction");
    desk.keys("p").settle().shows("AI paused").keys("P").settle().has_ai_on().keys("p").settle();
    // One page shows spending and waiting messages.
    desk.keys("$").settle().shows("EMPTY").shows("1 message waiting for credits · A send");
    photographs!(desk, "page", Overlay);
    desk.keys("A").shows("the balance is still empty").keys("<Esc>");
    // The top-up is noticed, and one question sends the message, once.
    desk.dev("credits", json!({"balance": 500}));
    desk.wait(61 * SECOND);
    desk.settle().shows("500 credits").shows("Y sends 1 that waited for credits (1 credit)");
    desk.keys("Y").shows("They waited for credits and cost 1 credit");
    photographs!(desk, "again", Overlay);
    desk.keys("y").settle().shows("499 credits").hides("waited for credits");
    let sent = desk.outbound();
    let texts =
        sent.iter().filter(|value| value["content"].to_string().contains("It left this morning")).count();
    assert_eq!(texts, 1, "{sent:?}");
    // A day later the page knows the daily spending, and warns in time.
    desk.keys("$").settle().shows("Harbor chat: 1 message 1").keys("<Esc>");
    desk.wait(24 * 3600 * SECOND);
    desk.dev("credits", json!({"balance": 1}));
    desk.settle()
        .keys("<Esc>")
        .shows("Low balance: 1 credit")
        .keys("$")
        .settle()
        .shows("LOW · lasts a day at 1 a day");
    photographs!(desk, "low", Overlay);
}

#[test]
fn an_unpaid_message_holds_up_nobody_else_and_says_which_key_sends_it() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.settle().keys("<Enter>p").settle().keys("Jp").settle();
    desk.keys("i").types("It left this morning.").keys("<Enter>");
    desk.dev("credits", json!({"balance": 0}));
    desk.pass(5).settle().shows("NOT SENT, out of credits").shows("0 credits");
    // Later rows in the same conversation name their reason.
    desk.dev("credits", json!({"balance": 500}));
    desk.wait(61 * SECOND);
    desk.settle().shows("NOT SENT, out of credits; enough now · Esc Y sends it");
    desk.shows("Esc Y sends 1 that waited for credits");
    desk.types("Did it come?").keys("<Enter>").pass(5).settle();
    desk.shows("waiting for the message before it: NOT SENT, out of c");
    assert!(desk.outbound().is_empty());
    desk.keys("<Esc>Ki").types("Until six.").keys("<Enter>").pass(5).settle();
    assert_eq!(desk.outbound().len(), 1, "{:?}", desk.outbound());
    desk.keys("<Esc>Yy").settle().settle().hides("waited for credits");
    assert_eq!(desk.outbound().len(), 3);
}
