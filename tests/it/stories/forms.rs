//! Messages beyond text: a location, buttons, a list, and raw JSON.

use frontdesk::model::time::SECOND;
use serde_json::json;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

fn writing() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where are you?");
    desk.settle().keys("<Enter>i");
    desk
}

#[test]
fn a_place_is_filled_in_or_pasted() {
    let mut desk = writing();
    desk.types("Here").keys("<Ctrl-O>");
    photographs!(desk, "menu", Overlay);
    desk.keys("l").shows("latitude").shows("latitude is missing or wrong");
    desk.types("91").shows("lies between -90 and 90").keys("<Tab>").types("x").keys("<Enter>");
    desk.shows("not sent: latitude lies between -90 and 90").shows("is a number such as 51.5074");
    photographs!(desk, "place_wrong", Overlay);
    desk.keys("<Esc><Ctrl-O>l").shows("91").pastes("https://maps.example/@38.7223,-9.1393,17z\n");
    desk.types("Harbor Cycles").keys("<Tab>").types("Quay 4, Lisbon").shows("map at 38.7223, -9.1393");
    desk.shows("Reply · 1 credit");
    photographs!(desk, "place", Overlay);
    desk.keys("<Enter>").settle().shows("Here");
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["content"].to_string().contains("Harbor Cycles"), "{}", sent[0]);
}

#[test]
fn buttons_and_lists_show_what_the_customer_sees() {
    let mut desk = writing();
    desk.types("Which bell shall it be?").keys("<Ctrl-O>b").shows("Which bell shall it be?");
    desk.keys("<Tab><Tab>").types("Brass").keys("<Tab>").types("Brass").shows("is already used");
    desk.keys("<Enter>").shows("is already used").keys("<Ctrl-U>").types("Steel");
    desk.shows("[ Brass ]").shows("[ Steel ]");
    photographs!(desk, "buttons", Overlay);
    desk.keys("<Enter>").shows("with your draft as its text").settle();
    desk.keys("<Ctrl-O>i").types("Which bell shall it be?").keys("<Tab><Tab>").shows("Choose").keys("<Tab>");
    desk.types("Brass | loud and shiny").keys("<Tab>").types("Steel");
    desk.shows("Brass · loud and shiny").shows("row 3");
    photographs!(desk, "list", Overlay);
    desk.keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 2);
    desk.shows("Which bell shall it be?");
}

#[test]
fn a_form_waits_beneath_the_question() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where are you?");
    desk.settle().keys("<Enter>i").types("Which?").keys("<Ctrl-O>b<Tab><Tab>").types("Brass");
    desk.keys("<Enter>").shows("The AI is on").hides("queued").shows("[interactive] Which? · 1 button");
    desk.keys("<Esc>").shows("[ Brass ]").hides("queued").keys("<Enter>");
    desk.keys("s").shows("queued, with your draft").hides("[ Brass ]").hides("│Which?").settle();
    desk.keys("<Ctrl-O>b").hides("Which?").hides("Brass");
}

#[test]
fn json_is_looked_through_before_it_leaves() {
    let mut desk = writing();
    desk.edits.push_back("{\n  \"type\": \"button\",\n  \"body\": { \"text\": Which }\n}\n".to_owned());
    desk.keys("<Ctrl-O>r").shows("Not a JSON object").shows("Line 3, column 21");
    photographs!(desk, "json_wrong", Overlay);
    let whole = json!({"type": "button", "body": {"text": "Which?"}, "action": {"buttons": [
        {"type": "reply", "reply": {"id": "1", "title": "Brass"}}]}});
    desk.edits.push_back(format!("{whole}\n"));
    desk.keys("y").shows("Not a JSON object").wait(SECOND);
    desk.keys("e").shows("Send this?").shows("[y] SEND, 1 credit, 999 left");
    photographs!(desk, "json", Overlay);
    desk.keys("y").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn what_cannot_leave_says_why() {
    let mut desk = writing();
    desk.dev("credits", json!({"balance": 0}));
    desk.wait(2_000_000);
    desk.settle().keys("<Ctrl-O>l").pastes("38.7, -9.1").shows("cannot send: balance 0, this needs 1 credit");
    desk.keys("<Enter>").shows("not sent: balance 0").keys("<Esc>");
    desk.wait(25 * 3_600_000_000);
    desk.settle().keys("<Ctrl-O>l").shows("location: reply window closed: only templates can be sent");
    desk.keys("<Esc><Esc>2");
    desk.customer("telegram", "8812", "Nadia Rahimi", "hi");
    desk.settle().keys("<Enter>i<Ctrl-O>l").shows("location: bot-chat has none of these");
    assert!(desk.outbound().is_empty());
}

#[test]
fn choices_on_bot_chat_are_buttons_below_the_text() {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("telegram", "8812", "Nadia Rahimi", "Which bells?");
    desk.settle().keys("2").settle().keys("<Enter>i").types("Brass & steel:").keys("<Ctrl-O>b");
    desk.shows("Brass & steel:").keys("<Tab><Tab>").types("Brass").keys("<Tab>").types("Steel");
    desk.shows("[ Brass ]").keys("<Enter>").shows("with your draft as its text").settle();
    desk.keys("<Ctrl-O>i").types("Which size?").keys("<Tab><Tab><Tab>").types("Small | for children");
    desk.keys("<Enter>").settle().shows("Small: for children");
    let sent = desk.outbound();
    let texts: Vec<&str> = sent.iter().map(|sent| sent["content"].as_str().expect("a text")).collect();
    assert_eq!(texts, ["Brass & steel:", "Which size?\n\nSmall: for children"]);
    let button = |text: &str, data: &str| json!([{"text": text, "callback_data": data}]);
    let wanted = [
        json!({ "buttons": [button("Brass", "1"), button("Steel", "2")] }),
        json!({ "buttons": [button("Small", "1")] }),
    ];
    assert_eq!(desk.sent_details("telegram"), wanted);
}
