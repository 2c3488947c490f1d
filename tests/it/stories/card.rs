//! The card: contact, tags, the same person in other tabs, the referring ad.

use serde_json::{Value, json};

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;
const MARIA: &str = "+34600111222";

fn desk(columns: u16, contact: Value) -> Desk {
    let mut desk = Desk::new(columns, 40);
    let inbound = json!({"channel": "whatsapp", "from": MARIA, "name": "Maria Lopez",
        "text": "Hi! I bought the pannier set from your ad.",
        "referral": {"source_type": "ad", "headline": "Panniers that last", "body": "20% off until Sunday",
            "source_url": "https://ads.example/panniers"}});
    desk.dev("inbound", inbound);
    let mut body = json!({"phone": MARIA});
    body.as_object_mut().expect("an object").extend(contact.as_object().expect("an object").clone());
    desk.elsewhere("whatsapp", "POST", "/contacts", body);
    desk.settle();
    desk
}

fn tags(desk: &Desk) -> Value {
    desk.get("whatsapp", "/contacts?search=34600111222")["data"][0]["tags"].clone()
}

#[test]
fn the_card_tells_all_that_is_known_of_a_person() {
    let mut desk = desk(
        160,
        json!({"tags": ["vip"], "name": "Maria L. (trade)", "email": "maria@mail.example",
            "metadata": {"order": 1041, "size": "M", "likes": ["panniers", "lights"]}}),
    );
    desk.wait(SECOND);
    desk.settle();
    desk.shows("Contact").shows("vip").shows("1041").shows("panniers, lights").shows("reply     window");
    desk.shows("Came from an ad").shows("Panniers that last");
    photograph!(desk, "whole");
    desk.resize((80, 24));
    desk.keys("<Enter>I").shows("Card").shows("vip");
    photographs!(desk, "card", Card);
    desk.keys("<PgDn>").shows("ads.example/panniers").keys("<PgUp>").shows("address").keys("I").has_paused(0);
}

#[test]
fn the_card_shows_the_newest_notes() {
    let mut desk = desk(160, json!({"tags": []}));
    for note in ["first of four", "second", "third", "the newest"] {
        desk.keys(";").types(note).keys("<Enter>");
        desk.wait(SECOND);
    }
    desk.settle().shows("Notes").shows("now       the newest").hides("now       first of four");
}

#[test]
fn tags_are_merged_with_those_of_others_and_read_back() {
    let mut desk = desk(160, json!({"name": "Maria Lopez", "tags": ["vip"]}));
    desk.settle().shows("#vip");
    // A colleague's tag unknown to this desk stays.
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": MARIA, "tags": ["vip", "theirs"]}));
    desk.keys("#").shows("Saved with the contact");
    photographs!(desk, "asking", Overlay);
    desk.types("late").keys("<Enter>").shows("#late").shows("late (leaving)");
    desk.settle().hides("leaving").shows("theirs");
    assert_eq!(tags(&desk), json!(["vip", "theirs", "late"]));
    // Both directions can be undone.
    desk.keys("z").shows("restoring the tags").settle();
    assert_eq!(tags(&desk), json!(["vip", "theirs"]));
    desk.keys("ftag:theirs<Enter>")
        .shows("Maria Lopez")
        .keys("<Esc>ftag:late<Enter>")
        .hides("Maria Lopez · ");
}

#[test]
fn a_change_of_tags_waits_until_the_contact_is_read_and_blocks_no_reply() {
    let mut desk = desk(160, json!({"tags": []}));
    desk.settle();
    desk.dev(
        "fault",
        json!({"path_prefix": "/contacts", "method": "GET", "count": 1, "status": 500,
        "code": "INTERNAL_ERROR"}),
    );
    desk.keys("#").types("late").keys("<Enter>");
    desk.keys("r").types("On my way.").keys("<Enter>");
    if desk.picture().contains("[s]") {
        desk.keys("s");
    }
    desk.wait(8 * SECOND);
    desk.settle().shows("late (leaving)");
    assert_eq!(desk.outbound().len(), 1, "the answer did not wait for the tag");
    desk.wait(30 * SECOND);
    desk.settle();
    assert_eq!(tags(&desk), json!(["late"]));
    desk.hides("leaving");
}

#[test]
fn where_the_channel_has_no_contacts_tags_stay_here_and_say_so() {
    let mut desk = Desk::new(160, 40);
    desk.customer("telegram", "88001", "Maria Lopez", "Hi");
    desk.settle();
    desk.keys("2#").shows("Kept on this desk only").types("late").keys("<Enter>");
    desk.settle().shows("late (here only)").hides("Contact");
}

#[test]
fn tags_the_server_does_not_take_are_told() {
    let mut desk = desk(160, json!({"tags": []}));
    let long = "x".repeat(39);
    desk.keys("#").types(&long).keys("<Enter>");
    let fault = json!({"path_prefix": "/contacts", "method": "POST", "count": 1, "status": 400,
        "code": "VALIDATION_ERROR"});
    desk.dev("fault", fault);
    desk.settle().hides("leaving").keys("go").shows("Tags of +34600111222").shows("VALIDATION_ERROR");
    photographs!(desk, "refused", Page);
}

#[test]
fn the_card_says_who_has_the_customer_until_when() {
    let mut desk = Desk::with(160, 40, |settings| settings.pause_lease = 3 * 3_600 * SECOND);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().hides("You have it").shows("reply     window 2");
    desk.keys("ggt").settle().keys("<Esc>").shows("You have it").shows("taken     by you");
    desk.shows("reminder  at 13:00");
    for old in ["AI OFF", "lease", "claimed", "estimate", "noted on this desk"] {
        desk.hides(old);
    }
    photograph!(desk, "who_has_the_customer", Card);
    desk.keys("z").settle().settle().has_ai_on().hides("You have it");
    desk.elsewhere("whatsapp", "PATCH", &format!("/conversations/{id}"), json!({"automationEnabled": false}));
    desk.wait(60 * SECOND);
    desk.settle().wait(60 * SECOND);
    desk.settle().shows("Paused by a colleague");
}
