//! Selection of a conversation by commands: display names select nobody.

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::scripting::Script;

const MARIA: &str = "+442079460123";

fn outbound_to(desk: &Desk) -> Vec<String> {
    desk.outbound().iter().map(|value| value["to"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_name_that_looks_like_a_number_an_address_or_an_id_selects_nobody() {
    let script = Script::new();
    let maria = script.desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order?");
    // They wrote later, so they are above her.
    for (phone, name) in
        [("+34600666001", MARIA), ("+34600666002", "maria@mail.example"), ("+34600666003", maria.as_str())]
    {
        script.desk.clock.advance(1_000_000);
        script.desk.customer("whatsapp", phone, name, "Hello");
    }
    for wanted in [MARIA, "+44 20 7946 0123", maria.as_str()] {
        let said = script.ok(&["send", wanted, "Your order is here.", "--beside-ai"]);
        assert_eq!(said, format!("sent: {MARIA} on Harbor chat\n"));
    }
    assert_eq!(outbound_to(&script.desk), [MARIA; 3]);
    let shown: Value = serde_json::from_str(&script.ok(&["show", MARIA, "--json"])).expect("JSON");
    assert_eq!(shown["conversation"]["address"], MARIA);
    for change in ["pause", "resume", "take", "done", "close"] {
        let done: Value = serde_json::from_str(&script.ok(&[change, MARIA, "--json"])).expect("JSON");
        assert_eq!((&done["address"], &done["conversation"]), (&json!(MARIA), &json!(maria)), "{change}");
    }
    // A display name equal to a number or an address matches nothing.
    script.desk.clock.advance(1_000_000);
    script.desk.customer("whatsapp", "+34600666004", "+442079460999", "Hello");
    for wanted in ["+442079460999", "maria@mail.example", "Maria Lopez"] {
        let said = script.fails(1, &["send", wanted, "Secret", "--beside-ai"]);
        assert!(said.contains("no conversation has the"), "{said}");
    }
    assert_eq!(outbound_to(&script.desk).len(), 3);
}

#[test]
fn name_selects_a_conversation_only_if_it_is_unique() {
    let script = Script::new();
    // Older than the first page of the list.
    let first = script.desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    for number in 0..120 {
        script.desk.clock.advance(1_000_000);
        script.desk.customer("whatsapp", &format!("+34600{number:06}"), &format!("Customer {number}"), "Hi");
    }
    script.desk.clock.advance(1_000_000);
    let second = script.desk.customer("whatsapp", "+34600666001", "maria lopez", "Hello");
    let said = script.fails(1, &["send", "--name", "Maria Lopez", "Hi", "--beside-ai"]);
    for part in [&first, &second, "+34600666001", MARIA, "2 conversations have the name"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(script.desk.outbound().is_empty());
    let said = script.ok(&["send", "--name", "customer 7", "Hi", "--beside-ai"]);
    assert_eq!(said, "sent: +34600000007 on Harbor chat\n");
}

/// The business chat with its LIVE and its TEST key, and the bot.
fn twins() -> (Desk, Binary) {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    let mut text = String::new();
    let keys = [
        ("Harbor chat", "LIVE", desk.key_of("whatsapp")),
        ("Harbor trial", "TRIAL", desk.test_key_of("whatsapp")),
        ("Harbor bot", "BOT", desk.key_of("telegram")),
    ];
    for (name, variable, key) in &keys {
        binary.set(variable, key);
        text.push_str(&format!(
            "[[channel]]\nname = \"{name}\"\nbase_url = \"{}\"\nkey_env = \"{variable}\"\n",
            desk.base_url
        ));
    }
    binary.configure(&text);
    (desk, binary)
}

#[test]
fn test_key_is_named_and_does_not_duplicate_a_customer() {
    let (desk, binary) = twins();
    let maria = desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.customer("telegram", "55555", "Oksana", "Hello?");
    let listed: Value = serde_json::from_str(&binary.ok(&["list", "--json"], "")).expect("JSON");
    let told = |value: &Value| (value["name"].as_str().map(str::to_owned), value["test"].as_bool());
    let all: Vec<_> = listed.as_array().expect("rows").iter().map(told).collect();
    assert_eq!(
        all,
        [(Some("Maria Lopez".to_owned()), Some(false)), (Some("Oksana".to_owned()), Some(false))]
    );
    for wanted in [maria.as_str(), MARIA] {
        assert_eq!(
            binary.ok(&["send", wanted, "Hi", "--beside-ai"], ""),
            format!("sent: {MARIA} on Harbor chat\n")
        );
    }
    assert_eq!(desk.outbound().len(), 2);
    let trial = ["--channel", "Harbor trial"];
    let said = binary.ok(&[&["send", MARIA, "Hi", "--beside-ai"], &trial[..]].concat(), "");
    assert_eq!(said, format!("sent: {MARIA} on Harbor trial (TEST)\n"));
    let said = binary.ok(&[&["pause", MARIA, "--json"], &trial[..]].concat(), "");
    assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON")["test"], true);
    let line = binary.ok(&[&["list"], &trial[..]].concat(), "");
    assert!(line.contains("\tHarbor trial (TEST)\t"), "{line}");
    let listed: Value =
        serde_json::from_str(&binary.ok(&[&["list", "--json"], &trial[..]].concat(), "")).expect("JSON");
    assert_eq!(
        (listed[0]["test"].as_bool(), listed[0]["channel"].as_str()),
        (Some(true), Some("Harbor trial"))
    );
    assert_eq!(desk.outbound().len(), 2, "nothing was really sent");
    let found: Value = serde_json::from_str(&binary.ok(&["search", "maria", "--json"], "")).expect("JSON");
    assert_eq!(found["people"].as_array().map(Vec::len), Some(1), "{found}");
}
