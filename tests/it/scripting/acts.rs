//! `take`, `done` and `later` change the server and the marks of this desk.

use std::path::Path;

use serde_json::{Value, json};

use crate::binary::{ALL_CHANNELS, Binary};
use crate::desk::Desk;
use crate::scripting::Script;

const MARIA: &str = "+34600111222";
/// Kind and name of each channel, with the addresses of a customer who is taken and of one who is put off.
const CUSTOMERS: [(&str, &str, [&str; 2]); 4] = [
    ("whatsapp", "Harbor chat", [MARIA, "+34600111333"]),
    ("telegram", "Harbor bot", ["48211", "48212"]),
    ("email", "Harbor mail", ["ana@ruiz.example", "bo@ruiz.example"]),
    ("voip", "Harbor phone", ["+34600111444", "+34600111555"]),
];

fn run_json(script: &Script, arguments: &[&str]) -> Value {
    serde_json::from_str(&script.ok(arguments)).expect("JSON")
}

/// Conversations of this desk that a filter word finds.
fn found(script: &Script, word: &str) -> Vec<String> {
    found_in(&script.folder.path().join("data"), word)
}

fn found_in(data: &Path, word: &str) -> Vec<String> {
    let store = frontdesk::store::Store::open(data).expect("the files open");
    let filter = frontdesk::model::filter::parse(word).filter;
    let list = frontdesk::inbox::screens::conversations::ConversationList::new(
        None,
        frontdesk::inbox::screens::conversations::saved_views::SavedView::all_open(),
    );
    let query = frontdesk::model::queries::ConversationQuery { filter, ..list.query() };
    let page = store.reader().expect("a reader").conversations(&query).expect("a page");
    page.rows.iter().map(|row| row.conversation.id.to_string()).collect()
}

#[test]
fn take_pauses_and_claims_and_done_gives_it_all_back() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    let automation =
        || script.desk.get("whatsapp", &format!("/conversations/{id}"))["automationEnabled"].clone();
    let taken = run_json(&script, &["take", MARIA, "--json"]);
    assert_eq!((&taken["ok"], &taken["done"]), (&json!(true), &json!("taken")));
    assert_eq!(automation(), false);
    assert_eq!(found(&script, "is:claimed"), [id.as_str()]);
    // Again nothing is left to change on the server.
    assert_eq!(script.ok(&["take", MARIA]), format!("taken: {MARIA} on Harbor chat\n"));
    let done = run_json(&script, &["done", MARIA, "--json"]);
    assert_eq!((&done["ok"], &done["done"]), (&json!(true), &json!("done")));
    assert_eq!(automation(), true);
    assert_eq!(script.desk.get("whatsapp", &format!("/conversations/{id}"))["status"], "closed");
    assert!(found(&script, "status:any is:claimed").is_empty());
}

#[test]
fn later_puts_off_until_a_time_with_a_note() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    let told = run_json(&script, &["later", MARIA, "2h", "--note", "call at 5", "--json"]);
    assert_eq!((&told["done"], &told["note"]), (&json!("put off"), &json!("call at 5")));
    assert!(told["until"].is_string());
    assert_eq!(found(&script, "is:snoozed"), [id.as_str()]);
    assert_eq!(script.ok(&["later", MARIA, "reply"]), format!("put off: {MARIA} on Harbor chat\n"));
    let said = script.fails(2, &["later", MARIA, "whenever"]);
    assert!(said.contains("\"whenever\" is not a time"), "{said}");
    script.fails(2, &["later", MARIA, "2h", "--note", &"a".repeat(121)]);
}

#[test]
fn the_acts_are_the_same_on_every_channel() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.configure_channels(&desk, &ALL_CHANNELS);
    for (kind, name, [taken, put_off]) in CUSTOMERS {
        let id = desk.customer(kind, taken, "Ana", "Hello?");
        desk.customer(kind, put_off, "Bo", "Hello?");
        let answer = |arguments: &[&str]| -> Value {
            let said = binary.ok(&[arguments, &["--channel", name, "--json"]].concat(), "");
            serde_json::from_str(&said).expect("JSON")
        };
        let count = |word: &str| found_in(&binary.data(), word).len();
        let told = answer(&["take", taken]);
        assert_eq!((&told["ok"], &told["done"]), (&json!(true), &json!("taken")), "{name}: {told}");
        assert_eq!(count("status:any is:claimed"), 1, "{name}");
        if kind == "whatsapp" {
            assert_eq!(desk.get(kind, &format!("/conversations/{id}"))["automationEnabled"], false);
        }
        // Taken again: the same answer.
        let said = binary.ok(&["take", taken, "--channel", name], "");
        assert!(said.starts_with("taken: ") && said.ends_with(&format!(" on {name}\n")), "{said}");
        let asleep = count("is:snoozed");
        let told = answer(&["done", taken]);
        assert_eq!((&told["ok"], &told["done"]), (&json!(true), &json!("done")), "{name}: {told}");
        assert_eq!(count("status:any is:claimed"), 0, "{name}");
        match kind {
            "whatsapp" => {
                let conversation = desk.get(kind, &format!("/conversations/{id}"));
                assert_eq!(
                    (&conversation["status"], &conversation["automationEnabled"]),
                    (&json!("closed"), &json!(true))
                );
            }
            "email" => assert_eq!(desk.get(kind, &format!("/email/threads/{id}"))["folder"], "archive"),
            // Put away until they write.
            _ => assert_eq!(count("is:snoozed"), asleep + 1, "{name}"),
        }
        let asleep = count("is:snoozed");
        let told = answer(&["later", put_off, "2h", "--note", "call at 5"]);
        assert_eq!(
            (&told["done"], &told["note"]),
            (&json!("put off"), &json!("call at 5")),
            "{name}: {told}"
        );
        assert_eq!(count("is:snoozed"), asleep + 1, "{name}");
    }
}
