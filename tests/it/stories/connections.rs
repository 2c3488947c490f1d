//! Data Connections in the inbox: the business's own data on the card, in
//! replies, by hand; a new connection, and the log of calls.

use frontdesk::service::demo::shop_api;

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;
const MARIA: &str = "+34600111222";

/// The demo with its shop connected.
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

/// Opens Maria's conversation.
fn open_maria(desk: &mut Desk) {
    desk.keys(":").types(&format!("open {MARIA}")).keys("<Enter>").settle().shows("Maria Lopez");
}

#[test]
fn opening_a_conversation_shows_the_customers_orders() {
    let mut desk = desk(160, 40);
    open_maria(&mut desk);
    desk.shows("shop · orders").shows("1041").shows("in transit").shows("129.50 EUR").shows("2,139.50 EUR");
    photograph!(desk, "card", Card);
    // The answer is kept for a minute, and its age stands beside it.
    let calls = |desk: &mut Desk| {
        let picture = desk.keys("gL").picture();
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
    desk.keys("L").shows("does not take the credential (status 401)").shows("1041").shows("not now");
    assert!(!desk.picture().contains("another-key"));
    photograph!(desk, "failing", Card);
}

#[test]
fn without_a_connection_the_keys_say_how_to_make_one() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hi");
    desk.settle().keys("<Enter>L").shows(":connection add makes one");
    desk.keys("!").shows(":connection add makes one");
}

#[test]
fn any_endpoint_is_asked_by_hand() {
    let mut desk = desk(80, 24);
    open_maria(&mut desk);
    desk.keys("!").shows("Ask a connection").shows("shop · parcel").types("parcel");
    photographs!(desk, "endpoints", Overlay);
    desk.keys("<Enter>").shows("Order number (integer)").keys("<Enter>").shows("Order number is wanted");
    desk.types("forty").keys("<Enter>").shows("number must be a whole number");
    photographs!(desk, "form", Overlay);
    desk.keys("<Ctrl-U>").types("1041").keys("<Enter>").shows("carrier: Quay Post").shows("22 Nov 2026");
    photographs!(desk, "answer", Overlay);
    desk.keys("<Esc>!").types("parcel").keys("<Enter>").types("77").keys("<Enter>");
    desk.shows("it knows nothing there (status 404)");
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
    desk.keys("i")
        .types("You are {shop.club}!")
        .keys("<Enter>")
        .shows("{shop.club} is still to be filled in");
    desk.keys("<Tab>").shows("You are Gold!");
}

#[test]
fn the_log_of_calls_tells_how_each_went() {
    let mut desk = desk(80, 24);
    desk.keys("gL").shows("No connection was asked yet").keys("<Esc>");
    open_maria(&mut desk);
    desk.wait(61 * SECOND);
    desk.keys("L!").types("parcel").keys("<Enter>").types("77").keys("<Enter><Esc>gL");
    desk.shows("Calls of connections").shows("shop · orders").shows("shop · parcel").shows("404");
    photographs!(desk, "log", Overlay);
    // Those of another tab's conversations are named, too.
    desk.keys("<Esc>2gL").shows("Maria Lopez").keys("<Esc>1");
    let log = std::fs::read_to_string(desk.folder().join("connection-calls.log")).expect("the log");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(!log.contains(shop_api::SHOP_KEY) && !log.contains("Gold"), "neither keys nor answers: {log}");
}

#[test]
fn a_new_connection_is_made_step_by_step_and_only_after_it_answered() {
    let mut desk = Desk::demo(80, 24);
    desk.connect(&[]);
    desk.settle();
    open_maria(&mut desk);
    let address = address(&desk);
    desk.keys(":").types("connection add").keys("<Enter>").shows("New connection").shows("authentication");
    desk.types("shop").keys("<Tab><Ctrl-U>").types(&format!("http://{address}/shop"));
    desk.keys("<Tab><Tab><Tab>").types("wrong-key").hides("wrong-key").shows("•••••••••");
    desk.keys("<Tab><Tab><Ctrl-U>").types("/customer").keys("<Tab>").types("phone={phone}");
    photographs!(desk, "wizard");
    desk.keys("<Enter>").shows("base_url: the URL must start with https://");
    desk.keys("<Tab><Tab><Tab>").types(&address).keys("<Enter>");
    desk.shows("it does not take the credential (status 401)");
    photographs!(desk, "wizard_refused", Overlay);
    assert!(!desk.folder().join("connections.sealed").exists(), "nothing is kept");
    desk.keys("<Tab><Tab><Ctrl-U>")
        .types(shop_api::SHOP_KEY)
        .keys("<Enter>")
        .shows("it answered with status 200");
    desk.keys("<Enter>").shows("pick at least one field with Space");
    desk.keys("<Space>j<Space>").shows("[x]");
    photographs!(desk, "wizard_picking", Overlay);
    desk.keys("<Enter>").shows("shop is connected");
    desk.keys("gi<Esc>").settle();
    open_maria(&mut desk);
    desk.keys("L").settle();
    desk.resize((160, 40));
    desk.shows("shop · orders").shows("Gold");
    let file = std::fs::read_to_string(desk.folder().join("connections.toml")).expect("the file");
    assert!(file.contains("automatic = true") && file.contains("from = \"contact.phone\""), "{file}");
    for name in ["connections.toml", "connections.sealed", "connection-calls.log", "desk/outbox.db"] {
        let bytes = std::fs::read(desk.folder().join(name)).expect(name);
        assert!(!String::from_utf8_lossy(&bytes).contains(shop_api::SHOP_KEY), "{name} holds the key");
    }
    desk.keys("QA:").types("connection add").keys("<Enter>").shows("a macro is being recorded");
}

#[test]
fn another_credential_is_kept_only_once_it_was_taken() {
    let mut desk = desk(80, 24);
    let shop = shop_api::connection(&address(&desk)).expect("the shop");
    desk.connect(&[(shop, "expired-key")]);
    let sealed = |desk: &Desk| std::fs::read(desk.folder().join("connections.sealed")).expect("sealed");
    let before = sealed(&desk);
    open_maria(&mut desk);
    desk.keys(":").types("connection credential depot").keys("<Enter>");
    desk.shows("no connection is called \"depot\"; there are shop");
    desk.keys(":").types("connection cr").keys("<Tab><Enter>").shows("Credential of shop");
    desk.keys("<Enter>").shows("type the token first").types("wrong-key").hides("wrong-key");
    desk.keys("<Enter>").shows("does not take the credential (status 401)");
    photographs!(desk, "credential_refused", Overlay);
    assert_eq!(sealed(&desk), before, "what was kept stays");
    // What is typed next takes the place of what was refused.
    desk.types(shop_api::SHOP_KEY).keys("<Enter>");
    desk.shows("shop took the credential (status 200); it is kept");
    assert_ne!(sealed(&desk), before);
    desk.keys("L").settle().resize((160, 40));
    desk.shows("Gold").hides("not now");
}

#[test]
fn a_connection_written_by_hand_says_how_it_gets_its_credential() {
    let mut desk = Desk::demo(160, 40);
    let shop = shop_api::connection(&address(&desk)).expect("the shop");
    desk.connect(&[(shop, shop_api::SHOP_KEY)]);
    std::fs::remove_file(desk.folder().join("connections.sealed")).expect("removed");
    desk.settle();
    open_maria(&mut desk);
    desk.keys("L").shows("no credential is kept for it: :connection credential shop gives it one");
}

#[test]
fn a_connection_is_removed_with_its_credential_after_a_question() {
    let mut desk = desk(80, 24);
    open_maria(&mut desk);
    desk.keys(":").types("connection remove shop").keys("<Enter>").wait(200_000);
    desk.shows("REMOVE this connection?");
    photographs!(desk, "removing", Overlay);
    desk.keys("n").hides("REMOVE");
    let file = |desk: &Desk, name: &str| std::fs::read_to_string(desk.folder().join(name)).expect("there");
    assert!(file(&desk, "connections.toml").contains("shop"));
    desk.keys(":").types("connection remove shop").keys("<Enter>").wait(200_000);
    desk.keys("y").shows("shop is removed, and its credential forgotten");
    assert_eq!(file(&desk, "connections.toml") + &file(&desk, "connections.sealed"), "");
    desk.keys("L").shows(":connection add makes one");
}

#[test]
fn a_connection_that_was_begun_is_there_again() {
    let mut desk = Desk::demo(80, 24);
    desk.connect(&[]);
    desk.settle();
    let add = |desk: &mut Desk| {
        desk.keys(":").types("connection add").keys("<Enter>").shows("New connection");
    };
    // Nothing typed: nothing to keep.
    add(&mut desk);
    desk.keys("<Esc>").shows("nothing was added").hides("goes on with it");
    add(&mut desk);
    desk.types("shop").keys("<Tab><Ctrl-U>").types("https://shop.example/v1");
    desk.keys("<Tab><Tab><Tab>").types("a-key-of-mine").keys("<Esc>");
    desk.shows("not added; :connection add goes on with it").hides("a-key-of-mine");
    open_maria(&mut desk);
    add(&mut desk);
    desk.shows("https://shop.example/v1").shows("•••••••••••••").hides("a-key-of-mine");
    desk.shows("Enter tries it with Maria Lopez");
    photographs!(desk, "begun", Overlay);
    // What was typed has never left the memory.
    desk.keys("<Esc>").wait(5 * SECOND);
    for name in ["connections.toml", "connections.sealed", "desk/outbox.db", "desk/cache.db"] {
        let bytes = std::fs::read(desk.folder().join(name)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("a-key-of-mine"), "{name} holds the key");
    }
    assert!(!format!("{:?}", desk.app).contains("a-key-of-mine"));
    // Emptied, there is nothing to go on with.
    add(&mut desk);
    desk.keys("<Ctrl-U><Up><Up><Up><Ctrl-U><Up><Ctrl-U><Esc>").shows("nothing was added");
    add(&mut desk);
    desk.hides("•").hides("shop.example");
}

#[test]
fn the_log_of_calls_names_nobody_while_names_are_hidden() {
    let mut desk = desk(120, 40);
    open_maria(&mut desk);
    desk.keys("<Esc>/").types("tavares").keys("<Enter>").settle().shows("Rui Tavares").hides("Maria Lopez");
    desk.keys("gL")
        .shows("Maria Lopez")
        .keys("<Esc><F9>gL")
        .shows("shop · orders")
        .hides("Maria")
        .hides("Lopez");
}

#[test]
fn nobody_is_looked_up_by_what_they_call_themselves() {
    let mut desk = desk(160, 40);
    // A number, and a mail address that was told, as those of others.
    desk.customer("whatsapp", "+34600999888", "+34600111222", "Where is my order?");
    let contact = serde_json::json!({"phone": "+34600999888", "email": "helen.marsden@mail.example"});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.settle();
    desk.keys(":").types("open +34600999888").keys("<Enter>").settle().keys("L").settle();
    desk.shows("shop · orders").hides("1041").hides("1058").hides("Gold");
    // Asked by hand, another customer's order is as unknown as one that never was.
    desk.keys("!").types("parcel").keys("<Enter>").types("1041").keys("<Enter>");
    desk.shows("it knows nothing there (status 404)").hides("Quay Post");
}
