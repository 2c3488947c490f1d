//! `take`, `done` and `later` change the server and the marks of this desk.

use serde_json::{Value, json};

use crate::scripting::Script;

const MARIA: &str = "+34600111222";

fn run_json(script: &Script, arguments: &[&str]) -> Value {
    serde_json::from_str(&script.ok(arguments)).expect("JSON")
}

/// Conversations of this desk that a filter word finds.
fn found(script: &Script, word: &str) -> Vec<String> {
    let store = frontdesk::store::Store::open(&script.folder.path().join("data")).expect("the files open");
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
