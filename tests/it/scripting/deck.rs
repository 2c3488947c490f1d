use serde_json::{Value, json};

use crate::scripting::Script;
use crate::service::receiver::Receiver;

const ANA: &str = "+34600111222";

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn events_name_the_person_they_are_about() {
    let script = Script::new();
    assert_eq!(script.ok(&["events"]), "");
    let conversation = script.desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let order =
        json!({"id": "o1", "orderNumber": "1041", "customer": {"phone": ANA}, "odd": "a\tb\u{1b}[2J"});
    script.desk.dev("event", json!({"name": "order.created", "data": order}));
    let lines = script.ok(&["events"]);
    let has_line = |ending: &str| lines.lines().any(|line| line.ends_with(ending));
    assert!(has_line(&format!("\tmessage\t-\t{conversation}\tHello?")), "{lines}");
    assert!(has_line(&format!("\torder\t{ANA}\t-\t1041")), "{lines}");
    let told = json(&script.ok(&["events", "--json"]));
    let order =
        told.as_array().expect("a list").iter().find(|value| value["trigger"] == "order").expect("the order");
    assert_eq!((order["phone"].as_str(), order["id"].as_str()), (Some(ANA), Some("o1")));
    assert!(!order["fields"]["odd"].as_str().expect("a text").contains('\u{1b}'));
}

#[test]
fn webhooks_are_registered_listed_and_removed() {
    let script = Script::new();
    let receiver = script.desk.runtime.block_on(Receiver::start());
    let create = ["webhooks", "create", &receiver.url, "--event", "message.received"];
    let said = script.fails(1, &[&create[..], &["--secret-env", "NO_SUCH_VARIABLE"]].concat());
    assert!(said.contains("NO_SUCH_VARIABLE is not set"), "{said}");
    let done = json(&script.ok(&[&create[..], &["--secret-env", "CHAT_KEY", "--json"]].concat()));
    assert_eq!(done["ok"], true);
    script.desk.customer("whatsapp", ANA, "Ana", "Hello?");
    script.desk.dev("clock", json!({"advance_seconds": 2}));
    let told = receiver.deliveries();
    assert_eq!(told.len(), 1, "only what was asked for");
    assert!(told[0].headers.contains_key("x-service-signature"));
    let listed = json(&script.ok(&["webhooks", "list", "--json"]));
    assert_eq!(
        (listed[0]["url"].as_str(), listed[0]["isActive"].as_bool()),
        (Some(receiver.url.as_str()), Some(true))
    );
    let id = listed[0]["id"].as_str().expect("an id");
    script.ok(&["webhooks", "delete", id]);
    assert_eq!(script.ok(&["webhooks", "list"]), "");
    let said = script.fails(1, &["webhooks", "delete", id]);
    assert!(said.contains("webhooks list"), "{said}");
    receiver.answer_by(|_| (200, "", b"<html>".to_vec()));
    let said = script.fails(1, &create);
    assert!(said.contains("no JSON, no HTML"), "{said}");
}

#[test]
fn templates_and_the_account_are_printed() {
    let script = Script::new();
    let lines = script.ok(&["templates"]);
    assert!(lines.lines().any(|line| line.starts_with("order_on_its_way\ten\t")), "{lines}");
    let told = json(&script.ok(&["templates", "--json"]));
    assert!(told.as_array().expect("a list").iter().all(|entry| entry["components"].is_array()), "{told}");
    let line = script.ok(&["account"]);
    assert!(line.contains("LIVE") && line.contains("1000 credits"), "{line}");
    let told = json(&script.ok(&["account", "--json"]));
    assert_eq!((told[0]["environment"].as_str(), told[0]["credits"].as_f64()), (Some("live"), Some(1000.0)));
}
