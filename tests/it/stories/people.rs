//! The people: searched, added, changed, tagged and deleted, merged with the server's data.

use serde_json::{Value, json};

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

/// Three people: two who wrote, one who was only added.
fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.elsewhere(
        "whatsapp",
        "POST",
        "/contacts",
        json!({"phone": MARIA, "email": "maria@mail.example", "tags": ["vip", "repair"],
            "metadata": {"plan": "gold", "visits": 3}}),
    );
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": "+447700900123", "name": "Ann Brown"}));
    desk.settle();
    desk
}

fn contact(desk: &Desk, phone: &str) -> Value {
    let digits = phone.trim_start_matches('+');
    desk.get("whatsapp", &format!("/contacts?search={digits}"))["data"][0].clone()
}

#[test]
fn people_are_listed_with_what_is_known_of_them() {
    let mut desk = desk();
    desk.keys("gp").shows("People · Harbor chat").shows("phone number are not listed");
    desk.shows("Maria Lopez").shows("João Pereira").shows("Ann Brown").shows("#vip #repair");
    desk.keys("gg").keys("j").shows("maria@mail.example").shows("gold");
    photographs!(desk, "list");
    // Enter opens the conversation, and going back selects the same person.
    desk.keys("<Enter>").shows("Where is my order 1041?").keys("gp").shows("maria@mail.example");
    desk.keys("G<Enter>").shows("Ann Brown has not written yet");
    desk.keys("2").shows("No contacts for bot-chat").keys("a").shows("new: no contacts for bot-chat");
}

#[test]
fn a_person_who_was_begun_is_there_again() {
    let mut desk = desk();
    desk.keys("gpa")
        .types("+34699")
        .keys("<Tab>")
        .types("Ana Ruiz")
        .keys("<Esc>")
        .shows("not saved; a continue");
    desk.keys("a").shows("+34699").shows("Ana Ruiz").keys("<Ctrl-U><Up><Ctrl-U><Esc>").keys("a").hides("Ana");
}

#[test]
fn an_empty_tab_says_how_people_come() {
    let mut desk = Desk::with(80, 24, direct);
    desk.settle().keys("gp").shows("No contacts yet").keys("e").shows("edit: no person is selected");
}

#[test]
fn search_is_local_at_once_and_the_servers_after_a_moment() {
    let mut desk = desk();
    desk.keys("gp");
    // A contact this desk has not read yet.
    desk.elsewhere(
        "whatsapp",
        "POST",
        "/contacts",
        json!({"phone": "+4915112345678", "name": "Annika Vogt"}),
    );
    desk.keys("/").types("ann").shows("Ann Brown").hides("Maria").hides("Annika").shows("asking the server");
    photographs!(desk, "searching", Page, Status);
    desk.wait(250_000);
    desk.shows("Annika Vogt").hides("asking the server").keys("<Enter>").shows("· ann ");
    desk.keys("/<Ctrl-U>").types("600 111").shows("Maria Lopez").hides("Ann Brown");
    // `tag:` matches a whole tag; the server searches only names and numbers.
    desk.keys("<Ctrl-U>").types("tag:vip").wait(250_000);
    desk.shows("Maria Lopez").hides("Ann Brown").hides("asking the server");
    desk.keys("<Ctrl-U>").types("tag:vi").wait(250_000);
    desk.shows("No match on this desk or the server");
    desk.keys("<Esc>/").types("nobody").wait(250_000);
    desk.shows("No match on this desk or the server").keys("<Esc>").shows("Maria Lopez").shows("Annika Vogt");
}

#[test]
fn a_change_is_merged_with_what_others_changed_meanwhile() {
    let mut desk = desk();
    desk.keys("gp").keys("ggj").shows("gold").keys("e").shows("maria@mail.example").shows("plan = gold");
    photographs!(desk, "form", Overlay);
    // A colleague adds a tag and a field while the form is open.
    desk.elsewhere(
        "whatsapp",
        "POST",
        "/contacts",
        json!({"phone": MARIA, "tags": ["vip", "repair", "theirs"], "metadata": {"plan": "gold", "visits": 3, "city": "Vigo"}}),
    );
    desk.keys("<Ctrl-U>").types("Maria L. Lopez").keys("<Tab><Tab><Ctrl-U>").types("vip, refund");
    desk.keys("<Tab><Tab><Ctrl-U>").types("visits = 4").keys("<Enter>").shows("saving…").settle();
    let told = contact(&desk, MARIA);
    assert_eq!(told["name"], "Maria L. Lopez");
    assert_eq!(told["tags"], json!(["vip", "theirs", "refund"]));
    assert_eq!(told["metadata"], json!({"plan": "gold", "visits": 4, "city": "Vigo"}));
    assert_eq!(told["email"], "maria@mail.example");
    desk.shows("saved: Maria L. Lopez").shows("#theirs").hides("saving…");
    // Without a difference nothing is sent.
    desk.keys("e<Enter>").shows("no changes to save");
}

#[test]
fn metadata_is_edited_as_json_too() {
    let mut desk = desk();
    desk.edits.push_back("{\n  \"plan\": [\"a\", {\"b\": 1}]\n".to_owned());
    desk.keys("gp").keys("ggje<Ctrl-G>").shows("not a JSON object").shows("plan = gold");
    desk.edits.push_back("{\"plan\": [\"a\", {\"b\": 1}], \"ok\": true}".to_owned());
    desk.keys("<Ctrl-G>").shows("metadata updated").shows("ok = true").keys("<Enter>").settle();
    assert_eq!(contact(&desk, MARIA)["metadata"], json!({"plan": ["a", {"b": 1}], "ok": true}));
}

#[test]
fn a_new_person_is_checked_here_and_by_the_server() {
    let mut desk = desk();
    desk.keys("gpa").keys("<Enter>").shows("not saved: phone needs + and the country code");
    desk.types("0600").shows("needs + and the country code").keys("<Ctrl-U>").types("+49 151 (999) 000");
    desk.keys("<Tab>")
        .types("Nina")
        .keys("<Tab>")
        .types("nina")
        .shows("is not a mail address")
        .types("@mail.example");
    desk.keys("<Tab>").types(&format!("new, {}", "x".repeat(70)));
    photographs!(desk, "new", Overlay);
    // The server refuses tags of more than 64 characters.
    desk.keys("<Enter>")
        .settle()
        .shows("The server refused it")
        .shows("← refused")
        .shows("nina@mail.example");
    photographs!(desk, "refused", Overlay);
    desk.keys("<Ctrl-U>").types("new").keys("<Enter>").settle();
    let told = contact(&desk, "+49151999000");
    assert_eq!((&told["name"], &told["tags"]), (&json!("Nina"), &json!(["new"])));
    desk.shows("made: Nina").shows("+49151999000").hides("needs you");
}

#[test]
fn tags_alone_are_edited_with_their_key() {
    let mut desk = desk();
    desk.keys("gp").keys("ggj#").types(", late").keys("<Enter>").settle();
    assert_eq!(contact(&desk, MARIA)["tags"], json!(["vip", "repair", "late"]));
}

#[test]
fn a_person_goes_only_behind_four_digits_and_takes_the_history_along() {
    let mut desk = Desk::new(80, 24);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("gpD").shows("DELETE this person?").shows("the whole conversation");
    photographs!(desk, "delete", Overlay);
    desk.keys("<Enter>").shows("not deleted: type 1222").keys("1223<Enter>").shows("not deleted");
    desk.keys("<Backspace>2<Enter>").shows("deleting +34600111222 in 5 s").keys("z");
    desk.shows("undone").settle();
    desk.keys("D1222<Enter>").wait(6_000_000);
    desk.settle().hides("Maria Lopez").shows("No contacts yet");
    let gone = desk.get("whatsapp", &format!("/conversations/{id}"));
    assert_eq!(gone["code"], "NOT_FOUND");
    desk.keys("gi").hides("Where is my order");
}

#[test]
fn a_person_deleted_elsewhere_is_forgotten_when_looked_at() {
    let mut desk = desk();
    desk.keys("gpG").shows("Ann Brown");
    let id = contact(&desk, "+447700900123")["id"].as_str().expect("an id").to_owned();
    desk.elsewhere("whatsapp", "DELETE", &format!("/contacts/{id}"), json!({}));
    desk.keys("e").shows("+447700900123 is no longer a contact").hides("Ann Brown");
}
