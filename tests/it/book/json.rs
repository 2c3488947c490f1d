//! The JSON of each scripting command, as the book shows it: what the real
//! binary prints, with its values taken out.

use std::fmt::Write;

use clap::CommandFactory;
use serde_json::{Map, Value, json};

use crate::binary::Binary;
use crate::book::holds;
use crate::desk::Desk;

const ANA: &str = "+34600111222";

/// JSON without its values: each text as `"text"`, each number as 0, each list
/// with one item of each kind.
fn shape(value: &Value) -> Value {
    match value {
        Value::String(_) => json!("text"),
        Value::Number(_) => json!(0),
        Value::Bool(_) => json!(true),
        Value::Null => Value::Null,
        Value::Array(items) => {
            let mut kinds: Vec<Value> = Vec::new();
            for item in items.iter().map(shape) {
                if !kinds.contains(&item) {
                    kinds.push(item);
                }
            }
            Value::Array(kinds)
        }
        Value::Object(fields) => {
            let shapes = fields.iter().map(|(name, it)| {
                // The server's own item, whatever is in it.
                (name.clone(), if name == "raw" { json!({}) } else { shape(it) })
            });
            Value::Object(shapes.collect::<Map<_, _>>())
        }
    }
}

/// All four channels of a service that holds something of everything.
struct Office {
    _desk: Desk,
    binary: Binary,
    conversation: String,
    thread: String,
}

fn office() -> Office {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    let mut text = String::new();
    for (channel, name) in [
        ("whatsapp", "Harbor chat"),
        ("email", "Harbor mail"),
        ("voip", "Harbor phone"),
        ("telegram", "Harbor bot"),
    ] {
        let variable = format!("KEY_{}", channel.to_uppercase());
        binary.set(&variable, &desk.key_of(channel));
        text.push_str(&format!(
            "[[channel]]\nname = \"{name}\"\nbase_url = \"{}\"\nkey_env = \"{variable}\"\n",
            desk.base_url
        ));
    }
    binary.configure(&text);
    let conversation = desk.customer("whatsapp", ANA, "Ana", "Is it ready?");
    let mail = json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A wheel", "text": "See."});
    let thread = desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned();
    desk.dev("event", json!({"name": "order.created", "data": {"id": "o1"}}));
    Office { _desk: desk, binary, conversation, thread }
}

/// The commands that are shown, in the order of the page; `CONVERSATION`,
/// `MESSAGE`, `THREAD`, `BROADCAST`, `PEOPLE` and `OFFER` stand for what there is.
const SHOWN: &[&[&str]] = &[
    &["list", "--channel", "Harbor chat"],
    &["show", "CONVERSATION"],
    &["search", "ready"],
    &["send", "CONVERSATION", "A person here.", "--pause"],
    &["message", "MESSAGE", "--channel", "Harbor chat"],
    &["react", "CONVERSATION", "MESSAGE", "👍"],
    &["pause", "CONVERSATION"],
    &["resume", "CONVERSATION"],
    &["contacts", "list"],
    &["contacts", "show", ANA],
    &["broadcast", "send", "We open at 9.", "--to", "PEOPLE", "--confirm", "1"],
    &["broadcast", "list"],
    &["broadcast", "report", "BROADCAST"],
    &["templates", "--channel", "Harbor chat"],
    &["events", "--channel", "Harbor chat"],
    &["webhooks", "list", "--channel", "Harbor chat"],
    &["account", "--channel", "Harbor chat"],
    &["upload", "OFFER", "--channel", "Harbor chat"],
    &["sms", ANA, "Ready at five."],
    &["call", ANA, "--yes"],
    &["mail", "send", "We mend it.", "--to", "ana@mail.example", "--subject", "A wheel"],
    &["mail", "show", "THREAD"],
    &["mail", "reply", "THREAD", "We mend it today."],
    &["mail", "forward", "THREAD", "For you.", "--to", "carla@mail.example"],
    &["search", "wheel"],
    &["mail", "change", "THREAD", "--star", "true"],
    &["mail", "move", "THREAD", "--to", "Suppliers"],
    &["mail", "rules", "add", "news@shop.example", "archive"],
    &["mail", "rules", "list"],
    &["mail", "contacts"],
    &["mail", "account"],
    &["stats", "--since", "2020-01-01"],
    &["close", "CONVERSATION"],
    &["outbox", "list"],
    &["channel", "list"],
    &["doctor", "--offline"],
];

#[test]
fn the_json_of_the_book_is_what_the_commands_print() {
    let office = office();
    let folder = office.binary.folder();
    let (people, offer) = (folder.join("people.txt"), folder.join("offer.txt"));
    std::fs::write(&people, format!("{ANA}\n")).expect("written");
    std::fs::write(&offer, "An offer.").expect("written");
    let (mut message, mut broadcast) = (String::new(), String::new());
    let mut out = String::from("\n");
    for shown in SHOWN {
        let filled: Vec<String> = shown
            .iter()
            .map(|it| match *it {
                "CONVERSATION" => office.conversation.clone(),
                "THREAD" => office.thread.clone(),
                "MESSAGE" => message.clone(),
                "PEOPLE" => people.display().to_string(),
                "BROADCAST" => broadcast.clone(),
                "OFFER" => offer.display().to_string(),
                word => word.to_owned(),
            })
            .collect();
        let arguments: Vec<&str> = filled.iter().map(String::as_str).chain(["--json"]).collect();
        let ended = office.binary.run(&arguments, "");
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}{}", ended.out, ended.err);
        let told: Value =
            serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{arguments:?}: {}", ended.out));
        if let Some(id) = told["messageId"].as_str() {
            message = id.to_owned();
        }
        if let Some(id) = told["broadcastId"].as_str() {
            broadcast = id.to_owned();
        }
        let written: Vec<String> = shown
            .iter()
            .map(|it| if it.contains(' ') { format!("{it:?}") } else { (*it).to_owned() })
            .collect();
        let shape = serde_json::to_string_pretty(&shape(&told)).expect("JSON");
        write!(out, "### `frontdesk {} --json`\n\n```json\n{shape}\n```\n\n", written.join(" "))
            .expect("a string");
    }
    holds("docs/scripting.md", "json", &out);
}

/// Commands without JSON of their own: they open a screen, write files or go on
/// until they are ended.
const OTHERS: &[&str] = &[
    "demo",
    "serve",
    "engine",
    "mcp",
    "admin",
    "wall",
    "completions",
    "man",
    "config",
    "export",
    "review",
    "schema",
    "help",
    "dev",
];

#[test]
fn every_command_with_json_is_shown() {
    let root = frontdesk::cli::Cli::command();
    for command in root.get_subcommands().map(clap::Command::get_name).filter(|it| !OTHERS.contains(it)) {
        assert!(SHOWN.iter().any(|it| it[0] == command), "the book does not show the JSON of {command}");
    }
}
