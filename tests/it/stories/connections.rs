//! Data Connections in the inbox: on the card, in replies, on demand; the log.

use frontdesk::service::demo::shop_api;

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;
const MARIA: &str = "+34600111222";

fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    let shop = shop_api::connection(&address(&desk)).expect("the shop");
    desk.connect(&[(shop, shop_api::SHOP_KEY)]);
    desk.settle();
    desk
}

fn address(desk: &Desk) -> String {
    desk.dev_url.trim_start_matches("http://").trim_end_matches("/dev").to_owned()
}

fn open_maria(desk: &mut Desk) {
    desk.keys(":").types(&format!("open {MARIA}")).keys("<Enter>").settle().shows("Maria Lopez");
}

#[test]
fn opening_a_conversation_shows_the_customers_orders() {
    let mut desk = desk(160, 40);
    open_maria(&mut desk);
    desk.shows("shop · orders").shows("1041").shows("in transit").shows("129.50 EUR").shows("2,139.50 EUR");
    photograph!(desk, "card", Card);
    // The answer is cached for a minute, with its age beside it.
    let calls = |desk: &mut Desk| {
        let picture = desk.run_command("show-connection-calls").picture();
        desk.keys("<Esc>");
        picture.matches("shop · orders").count()
    };
    let before = calls(&mut desk);
    desk.keys("J").settle().keys("K").settle();
    desk.wait(30 * SECOND);
    desk.shows("just now");
    let there_and_back = calls(&mut desk);
    assert_eq!(there_and_back, before + 1, "only the neighbour's were asked for");
    desk.wait(90 * SECOND);
    desk.shows("2m ago").keys("L").shows("just now");
    desk.resize((80, 24));
    desk.keys("I");
    if !desk.picture().contains("Card") {
        desk.keys("I");
    }
    photographs!(desk, "card", Card);
}

#[test]
fn what_fails_is_said_and_what_was_known_stays() {
    let mut desk = desk(160, 40);
    open_maria(&mut desk);
    let shop = shop_api::connection(&address(&desk)).expect("the shop");
    desk.connect(&[(shop, "another-key")]);
    desk.keys("L").shows("does not accept the credential (status 401)").shows("1041").shows("not now");
    assert!(!desk.picture().contains("another-key"));
    photograph!(desk, "failing", Card);
}

#[test]
fn without_a_connection_the_keys_say_how_to_make_one() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hi");
    desk.settle().keys("<Enter>L").shows("`frontdesk connection add` adds one");
    desk.keys("!").shows("`frontdesk connection add` adds one");
}

#[test]
fn any_endpoint_is_asked_by_hand() {
    let mut desk = desk(80, 24);
    open_maria(&mut desk);
    desk.keys("!").shows("Call a connection").shows("shop · parcel").types("parcel");
    photographs!(desk, "endpoints", Overlay);
    desk.keys("<Enter>").shows("Order number (integer)").keys("<Enter>").shows("Order number is required");
    desk.types("forty").keys("<Enter>").shows("number must be a whole number");
    photographs!(desk, "form", Overlay);
    desk.keys("<Ctrl-U>").types("1041").keys("<Enter>").shows("carrier: Quay Post").shows("22 Nov 2026");
    photographs!(desk, "answer", Overlay);
    desk.keys("<Esc>!").types("parcel").keys("<Enter>").types("77").keys("<Enter>");
    desk.shows("it found nothing at this address (status 404)");
}

#[test]
fn what_was_looked_up_goes_into_replies() {
    let mut desk = desk(120, 30);
    std::fs::create_dir_all(desk.replies()).expect("a folder");
    let reply =
        "+++\ntitle = \"Where it is\"\n+++\nYour order: {shop.orders}. Club: {shop.club}, {shop.nothing}.\n";
    std::fs::write(desk.replies().join("where.md"), reply).expect("written");
    open_maria(&mut desk);
    desk.keys("c").types("where").keys("<Enter>");
    desk.shows("Your order: 1041 · in transit").shows("Club: Gold, {shop.nothing?}");
    photographs!(desk, "reply", Composer);
    desk.keys("<Ctrl-A><Ctrl-K><Ctrl-U>");
    desk.keys("<Esc>").settle();
    let mut desk = self::desk(120, 30);
    open_maria(&mut desk);
    desk.keys("i").types("You are {shop.club}!").keys("<Enter>").shows("{shop.club} is not filled in");
    desk.keys("<Tab>").shows("You are Gold!");
}

#[test]
fn the_log_of_calls_tells_how_each_went() {
    let mut desk = desk(80, 24);
    desk.run_command("show-connection-calls").shows("No connection calls yet").keys("<Esc>");
    open_maria(&mut desk);
    desk.wait(61 * SECOND);
    desk.keys("L!")
        .types("parcel")
        .keys("<Enter>")
        .types("77")
        .keys("<Enter><Esc>")
        .run_command("show-connection-calls");
    desk.shows("Calls of connections").shows("shop · orders").shows("shop · parcel").shows("404");
    photographs!(desk, "log", Overlay);
    // Requests for conversations of another tab are named, too.
    desk.keys("<Esc>2").run_command("show-connection-calls").shows("Maria Lopez").keys("<Esc>1");
    let log = std::fs::read_to_string(desk.folder().join("connection-calls.log")).expect("the log");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(!log.contains(shop_api::SHOP_KEY) && !log.contains("Gold"), "neither keys nor answers: {log}");
}

#[test]
fn a_connection_written_by_hand_says_how_it_gets_its_credential() {
    let mut desk = Desk::demo(160, 40);
    let shop = shop_api::connection(&address(&desk)).expect("the shop");
    desk.connect(&[(shop, shop_api::SHOP_KEY)]);
    let sealed = desk.folder().join("connections.sealed");
    let credential = std::fs::read(&sealed).expect("sealed");
    std::fs::remove_file(&sealed).expect("removed");
    desk.settle();
    open_maria(&mut desk);
    desk.keys("L").shows("it has no stored credential: `frontdesk connection credential shop` gives it one");
    // One that is given while the inbox runs is used at once.
    std::fs::write(&sealed, credential).expect("written");
    desk.keys("L").settle().shows("Gold").hides("not now");
}

#[test]
fn nobody_is_looked_up_by_what_they_call_themselves() {
    let mut desk = desk(160, 40);
    // A number and a mail address claimed by the customer count as those of others.
    desk.customer("whatsapp", "+34600999888", "+34600111222", "Where is my order?");
    let contact = serde_json::json!({"phone": "+34600999888", "email": "helen.marsden@mail.example"});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.settle();
    desk.keys(":").types("open +34600999888").keys("<Enter>").settle().keys("L").settle();
    desk.shows("shop · orders").hides("1041").hides("1058").hides("Gold");
    // A manual query for another customer's order looks like one for an unknown order.
    desk.keys("!").types("parcel").keys("<Enter>").types("1041").keys("<Enter>");
    desk.shows("it found nothing at this address (status 404)").hides("Quay Post");
}
