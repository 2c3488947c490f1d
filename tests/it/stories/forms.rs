//! Messages beyond text: a location, a contact, buttons, a list, and raw JSON; link previews.

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
fn a_contact_is_filled_in_or_pasted() {
    let mut desk = writing();
    desk.types("Ask him").keys("<Ctrl-O>p").shows("name is missing or wrong").shows("a name with its number");
    desk.types("Bo").keys("<Tab>").types("600").shows("needs its country code").keys("<Enter>");
    desk.shows("not sent: number needs its country code, such as +34600111222").keys("<Esc><Ctrl-O>p");
    desk.shows("600").keys("<Ctrl-U>").types("+34 600 111 333").keys("<Tab>").types("Harbor Bells");
    desk.shows("Enter send · 1 credit").keys("<Enter>").shows("queued; your draft is kept").settle();
    desk.shows("Bo · Harbor Bells · +34600111333").shows("Ask him");
    desk.keys("<Ctrl-O>p")
        .pastes("Ana Ruiz +34 600 111 444\n")
        .shows("+34600111444")
        .keys("<Enter>")
        .settle();
    let sent = desk.outbound();
    let texts: Vec<&str> = sent.iter().map(|sent| sent["content"].as_str().expect("a text")).collect();
    assert_eq!(texts, ["Bo · Harbor Bells · +34600111333", "Ana Ruiz · +34600111444"]);
    let wanted = json!({"contact": {"name": "Ana Ruiz", "phone": "+34600111444"}});
    assert_eq!(desk.sent_details("whatsapp")[1], wanted);
    // From the messages by way of the palette, on bot-chat.
    desk.keys("<Esc><Esc>2");
    desk.customer("telegram", "8812", "Nadia Rahimi", "Who can help?");
    desk.settle().keys("<Enter><Ctrl-P>").types("vcard").shows("send-contact").keys("<Enter>");
    desk.pastes("Bo +34600111333").keys("<Enter>").settle().shows("Bo · +34600111333");
    assert_eq!(desk.sent_details("telegram").len(), 1);
}

#[test]
fn the_link_preview_of_a_text_is_switched() {
    let mut desk = Desk::with(80, 24, |settings| {
        direct(settings);
        settings.hold = 5 * SECOND;
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where are you?");
    desk.settle().keys("<Enter>i").types("https://shop.example").keys("<Ctrl-O>v");
    desk.shows("this text is sent with a preview of its first link").shows("Reply, link preview");
    desk.keys("<Ctrl-O>v").shows("without a link preview").shows("Reply, no link preview").keys("<Ctrl-O>v");
    desk.keys("<Enter><Esc>z").shows("undone: back in the composer").shows("Reply, link preview");
    desk.keys("<Enter>").wait(5 * SECOND);
    desk.settle().types("And this").hides("link preview").keys("<Enter>").wait(5 * SECOND);
    desk.settle();
    assert_eq!(desk.sent_details("whatsapp"), [json!({"linkPreview": true}), json!(null)]);
    desk.keys("<Esc><Esc><Ctrl-P>").types("thumbnail").shows("link-preview");
}

#[test]
fn a_phone_has_no_link_preview_and_no_contact_card() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("4").settle().shows("Peter Ashdown");
    desk.keys("<Enter>i<Ctrl-O>").shows("private note").hides("link preview");
    desk.shows("voice and SMS has no contact cards").keys("p").shows("contact card: voice and SMS has no");
    assert!(desk.app.desk.tab().composer.is_some());
}

#[test]
fn link_previews_follow_the_setting() {
    let mut desk = Desk::with(80, 24, |settings| {
        direct(settings);
        settings.link_preview = Some(false);
    });
    desk.customer("telegram", "8812", "Nadia Rahimi", "Where are you?");
    desk.settle().keys("2").settle().keys("<Enter>i").types("https://shop.example").keys("<Enter>").settle();
    desk.keys("<Ctrl-F>").types("<b>https://shop.example</b>").keys("<Ctrl-O>v").shows("with a preview");
    desk.keys("<Enter>").settle();
    let wanted = [json!({"linkPreview": false}), json!({"linkPreview": true})];
    assert_eq!(desk.sent_details("telegram"), wanted);
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
