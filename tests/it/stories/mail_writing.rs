//! Writing mail: to all, passed on, with files and as HTML, to many; and
//! from an address to its chat.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

fn mail(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

/// What reached the platform last.
fn last(desk: &Desk) -> Value {
    desk.outbound().iter().rev().find(|it| it["channel"] == "email").expect("a mail").clone()
}

/// The review says yes, and the hold passes.
fn leaves(desk: &mut Desk) -> Value {
    desk.keys("y").pass(11);
    calm(desk);
    last(desk)
}

#[test]
fn all_are_answered_and_a_mail_is_passed_on() {
    let mut desk = mail(80, 24);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("R").types("It left today.").keys("<Tab>");
    // Whom it goes to can be changed; the same address counts once.
    desk.keys("<Tab>").types("bob@y.example, ANA@ruiz.example, bob@y.example").keys("<Ctrl-X>");
    desk.shows("bob@y.example").shows("Re: Order 2001");
    let sent = leaves(&mut desk);
    let told = sent.to_string();
    assert_eq!(told.matches("bob@y.example").count(), 1, "{told}");
    assert_eq!(told.to_lowercase().matches("ana@ruiz.example").count(), 1, "{told}");
    desk.keys("<Esc>gg<Enter>").settle().keys("F").shows("Fwd: Re: Order 2001").types("carla@z.example");
    desk.keys("<Tab><Tab><Tab><Tab>").types("For you.");
    photographs!(desk, "a_mail_is_passed_on", Composer);
    desk.keys("<Ctrl-X>");
    let told = leaves(&mut desk).to_string();
    assert!(told.contains("carla@z.example") && told.contains("Where is it?"), "{told}");
}

#[test]
fn a_mail_is_passed_on_without_a_word_and_its_head_is_kept() {
    let mut desk = mail(80, 24);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?\n\nAna"), None);
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("F").types("carla@z.example").keys("<Esc>").settle();
    desk.wait(3_000_000);
    desk.settle().keys("F").shows("carla@z.example").shows("the mail begun here goes on").keys("<Ctrl-X>");
    desk.shows("Send this mail?");
    let told = leaves(&mut desk).to_string();
    assert!(told.contains("carla@z.example") && told.contains("Where is it?"), "{told}");
    // One that was begun by a key and left is nothing to keep.
    desk.keys("<Esc><Ctrl-N>").types("foo").keys("<Esc>").settle().keys("gd").shows("foo");
}

#[test]
fn markdown_leaves_as_html_too_and_a_link_goes_with_it() {
    let mut desk = mail(80, 24);
    desk.keys("<Ctrl-N>").types("ana@ruiz.example").keys("<Tab><Tab><Tab>").types("Prices").keys("<Tab>");
    desk.types("It is **free**, see the list.");
    desk.keys("<Ctrl-T>").types("https://harbor.example/prices.pdf").keys("<Enter>").shows("by its link");
    desk.keys("<Ctrl-X>m").shows("its Markdown as HTML").keys("v");
    photographs!(desk, "markdown_is_previewed", Overlay);
    desk.keys("d").shows("does not go with it any more").keys("d").shows("nothing is attached");
    leaves(&mut desk);
    let listed = desk.get("email", "/email/threads");
    let mut threads = listed["data"].as_array().expect("a list").iter();
    let id = threads.find(|it| it["subject"] == "Prices").expect("a thread")["id"].as_str();
    let read = desk.get("email", &format!("/email/threads/{}", id.expect("an id")));
    let sent = read["messages"][0].to_string();
    assert!(sent.contains("<strong>free</strong>") && sent.contains("It is **free**"), "{sent}");
}

#[test]
fn many_recipients_are_asked_about() {
    let mut desk = mail(80, 24);
    let many: Vec<String> = (0..21).map(|it| format!("p{it}@mail.example")).collect();
    desk.keys("<Ctrl-N>").pastes(&many.join(", ")).keys("<Tab><Tab><Tab>").types("News").keys("<Tab>");
    desk.types("We have moved.").keys("<Ctrl-X>y").shows("It goes to 21 addresses");
    photographs!(desk, "many_recipients_are_asked_about", Overlay);
    desk.keys("n").settle();
    assert!(desk.outbound().iter().all(|it| it["channel"] != "email" || it["subject"] != "News"));
}

#[test]
fn an_address_leads_to_the_chat_of_the_same_person() {
    let mut desk = mail(80, 24);
    desk.customer("whatsapp", "+34600111222", "Ana Ruiz", "Hola, it is me again");
    let contact = json!({"phone": "+34600111222", "name": "Ana Ruiz", "email": "ana@ruiz.example"});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.keys("gm").types("ana").shows("ana@ruiz.example").shows("chat +34600111222");
    photographs!(desk, "an_address_names_its_chat", Overlay);
    desk.keys("<Right>").settle().shows("Hola, it is me again");
    desk.keys("3gm").types("ferri").keys("<Right>").shows("no number on business chat is linked");
}
