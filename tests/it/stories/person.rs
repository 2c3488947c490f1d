//! One person on every tab: the cheapest way that reaches them.

use frontdesk::inbox::keys::Pointer;
use serde_json::json;

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

const ANNA: &str = "+447700900777";
const MAIL: &str = "anna@mail.example";

/// A desk with all four tabs, on which Anna wrote a chat and then a mail; the contact links them.
fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::with_all_tabs(columns, rows);
    calm(&mut desk);
    let contact = json!({"phone": ANNA, "name": "Anna Berg", "email": MAIL});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.customer("whatsapp", ANNA, "Anna Berg", "Is my bike ready?");
    desk.pass(60).settle();
    letter(&desk, MAIL, "Anna", "The invoice", Some("Where do I find the invoice of my bike?"), None);
    desk.pass(60).settle();
    calm(&mut desk);
    desk.keys("1").settle();
    desk
}

fn to_chat(desk: &mut Desk) {
    desk.keys("1:open ").types(ANNA).keys("<Enter>").settle().shows("Is my bike ready?");
    calm(desk);
}

#[test]
fn one_key_writes_on_the_cheapest_way_and_says_why() {
    let mut desk = desk(120, 40);
    to_chat(&mut desk);
    // Equal costs: the way with the latest message wins.
    desk.keys("~").settle().shows("cheapest channel: Harbor mail").shows("To");
    desk.keys("<Esc><Esc>").settle();
    // A day later the chat takes only templates, which cost more.
    desk.pass(25 * 3600).settle();
    calm(&mut desk);
    to_chat(&mut desk);
    desk.keys("~").settle().shows("cheapest channel: Harbor mail").shows("anna@mail.example");
}

#[test]
fn who_wrote_stop_is_reached_on_another_way() {
    let mut desk = desk(120, 40);
    desk.pass(60).settle();
    desk.customer("whatsapp", ANNA, "Anna Berg", "STOP");
    desk.pass(60).settle();
    calm(&mut desk);
    desk.keys("1:open ").types(ANNA).keys("<Enter>").settle();
    desk.keys("~").settle().shows("cheapest channel: Harbor mail").shows("Harbor chat no (they wrote STOP)");
}

#[test]
fn who_has_one_way_is_written_to_on_it() {
    let mut desk = Desk::new(120, 40);
    desk.customer("telegram", "7001", "Lena", "Hello");
    desk.settle().keys("2").settle().keys("~").settle().shows("only channel: Harbor bot open (1)");
}

#[test]
fn card_leads_to_the_other_channels() {
    let mut desk = desk(160, 40);
    to_chat(&mut desk);
    // List, messages, card.
    desk.keys("<Tab>").settle().shows("On other channels · Enter").shows("also      Harbor mail");
    desk.keys("<Enter>").settle().shows("Where do I find the invoice of my bike?");
    // From there back, now with the mouse.
    desk.shows("also      Harbor chat");
    let picture = desk.picture();
    let row = picture.lines().position(|line| line.contains("also      Harbor chat")).expect("on the card");
    desk.mouse(Pointer::Down(150, u16::try_from(row).expect("few lines")))
        .settle()
        .shows("Is my bike ready?");
}

#[test]
fn card_with_the_focus_keeps_the_conversation_and_gives_it_back() {
    let mut desk = desk(160, 40);
    to_chat(&mut desk);
    desk.keys("<Tab>j").shows("On other channels · Enter").shows("Is my bike ready?");
    desk.keys("<Esc>").shows("On other channels · Tab").keys("<Tab><Tab>").types("Yes").shows("Yes");
}

#[test]
fn card_that_fills_the_pane_takes_the_keys() {
    let mut desk = desk(80, 24);
    to_chat(&mut desk);
    desk.keys("I").settle().shows("On other channels · Enter");
    desk.keys("<Esc>").shows("Is my bike ready?").keys("I").settle();
    desk.keys("<Enter>").settle().keys("I").shows("Where do I find the invoice of my bike?");
}
