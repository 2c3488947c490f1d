use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::Desk;

fn json_output(binary: &Binary, arguments: &[&str]) -> Value {
    serde_json::from_str(&binary.ok(&[arguments, &["--json"]].concat(), "")).expect("JSON")
}

pub fn scene() -> (Desk, Binary) {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("KEY", &desk.key_of("email"));
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor mail\"\nbase_url = \"{}\"\nkey_env = \"KEY\"\n",
        desk.base_url
    ));
    (desk, binary)
}

fn comes(desk: &Desk, subject: &str) -> String {
    let mail = json!({"channel": "email", "from": "news@shop.example", "name": "News", "subject": subject, "text": "Buy."});
    desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned()
}

#[test]
fn threads_are_moved_marked_as_spam_and_deleted() {
    let (desk, binary) = scene();
    let (one, other) = (comes(&desk, "Issue 1"), comes(&desk, "Issue 2"));
    let folder = |thread: &str| desk.get("email", &format!("/email/threads/{thread}"))["folder"].clone();
    let moved = json_output(&binary, &["mail", "move", &one, &other, "--to", "Suppliers"]);
    let threads: Vec<&Value> = moved.as_array().expect("a list").iter().map(|item| &item["thread"]).collect();
    assert_eq!((&moved[0]["ok"], threads), (&json!(true), vec![&json!(one), &json!(other)]));
    assert_eq!((folder(&one), folder(&other)), (json!("Suppliers"), json!("Suppliers")));
    assert!(binary.ok(&["mail", "spam", &one], "").contains(&format!("marked as spam: {one}")));
    assert_eq!(folder(&one), "spam");
    binary.ok(&["mail", "spam", &one, "--undo"], "");
    binary.ok(&["mail", "delete", &other], "");
    assert_eq!((folder(&one), folder(&other)), (json!("inbox"), json!("trash")));
    // A refusal is reported and leaves no row.
    let said = binary.fails(1, &["mail", "delete", "thread_unknown"], "");
    assert!(!said.is_empty());
    assert_eq!(json_output(&binary, &["outbox", "list"]), json!([]));
    let ended = binary.run(&["mail", "move", &one], "");
    assert!(ended.code == Some(2) && ended.err.contains("--to"), "{}", ended.err);
}

#[test]
fn rules_are_made_listed_switched_and_removed() {
    let (desk, binary) = scene();
    comes(&desk, "Issue 1");
    let made = json_output(&binary, &["mail", "rules", "add", "News@Shop.example", "category:news"]);
    assert_eq!(made["rule"]["sender"], "news@shop.example");
    assert_eq!((&made["rule"]["action"], &made["rule"]["on"]), (&json!("category:news"), &json!(true)));
    let again = binary.fails(1, &["mail", "rules", "add", "news@shop.example", "category:news"], "");
    assert!(again.contains("already"), "{again}");
    for (wrong, why) in [
        (["mail", "rules", "add", "News", "archive"], " a name"),
        (["mail", "rules", "add", "news@shop.example", "archived"], "archive, read, star"),
    ] {
        let ended = binary.run(&wrong, "");
        assert!(ended.code == Some(2) && ended.err.contains(why), "{}", ended.err);
    }
    binary.ok(&["mail", "rules", "switch", "news@shop.example", "category:news", "off"], "");
    let listed = binary.ok(&["mail", "rules", "list"], "");
    assert!(listed.contains("off") && listed.contains("news@shop.example"), "{listed}");
    binary.ok(&["mail", "rules", "remove", "news@shop.example", "category:news"], "");
    assert_eq!(json_output(&binary, &["mail", "rules", "list"]), json!([]));
    let gone = binary.fails(1, &["mail", "rules", "remove", "news@shop.example", "category:news"], "");
    assert!(gone.contains("`frontdesk mail rules list`"), "{gone}");
}
