//! JSON samples in the book: the real binary's output without its values.

mod office;

use std::fmt::Write;

use clap::CommandFactory;
use serde_json::{Map, Value, json};

use crate::book::holds;
use office::Office;

/// JSON without values: each text is `"text"`, each number 0, each list has one item of each kind.
fn shape(value: &Value) -> Value {
    match value {
        Value::String(_) => json!("text"),
        Value::Number(_) => json!(0),
        Value::Bool(_) => json!(true),
        Value::Null => Value::Null,
        Value::Array(items) => Value::Array(kinds(items.iter().map(shape))),
        Value::Object(fields) => {
            let shapes = fields.iter().map(|(name, field)| {
                let shape = match name.as_str() {
                    // The server's own item, with any content.
                    "raw" => json!({}),
                    // Row counts of each table.
                    "tables" => json!({"text": 0}),
                    _ => shape(field),
                };
                (name.clone(), shape)
            });
            Value::Object(shapes.collect::<Map<_, _>>())
        }
    }
}

/// One shape of each kind; shapes that differ only in missing fields are one kind.
fn kinds(shapes: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut kinds: Vec<Value> = Vec::new();
    for shape in shapes {
        match kinds.iter_mut().find_map(|kind| Some((merged(kind, &shape)?, kind))) {
            Some((merged, kind)) => *kind = merged,
            None => kinds.push(shape),
        }
    }
    kinds
}

fn merged(one: &Value, other: &Value) -> Option<Value> {
    match (one, other) {
        (Value::Null, value) | (value, Value::Null) => Some(value.clone()),
        (Value::Array(one), Value::Array(other)) => {
            Some(Value::Array(kinds(one.iter().chain(other).cloned())))
        }
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            let fields = one.iter().map(|(name, value)| Some((name.clone(), merged(value, &other[name])?)));
            fields.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => (one == other).then(|| one.clone()),
    }
}

/// Commands with the same output; words in capitals are replaced.
type Alike = &'static [&'static [&'static str]];

/// Samples in the order of the page, which is the order of the runs.
const SHOWN: &[(&str, &[Alike])] = &[
    (
        "Conversations",
        &[
            &[&["list", "--channel", "Harbor chat"]],
            &[&["show", "CONVERSATION"]],
            &[&["export", "CONVERSATION"]],
            &[&["search", "wheel"]],
            &[&["stats", "--since", "2020-01-01"]],
            &[&["take", "CONVERSATION"]],
            &[&["later", "CONVERSATION", "2h", "--note", "call at 5"]],
            &[&["send", "CONVERSATION", "A person here.", "--pause"]],
            &[&["message", "MESSAGE", "--channel", "Harbor chat"]],
            &[&["resume", "CONVERSATION"], &["pause", "CONVERSATION"]],
            &[&["react", "CONVERSATION", "MESSAGE", "👍"]],
            &[&["close", "CONVERSATION"]],
            &[&["done", "CONVERSATION"]],
            &[&["upload", "OFFER", "--channel", "Harbor chat"]],
            &[&["sms", "+34600111222", "Ready at five."]],
            &[&["call", "+34600111222", "--yes"]],
        ],
    ),
    (
        "Mail",
        &[
            &[&["mail", "show", "THREAD"]],
            &[
                &["mail", "send", "We mend it.", "--to", "ana@mail.example", "--subject", "A wheel"],
                &["mail", "reply", "THREAD", "We mend it today."],
                &["mail", "forward", "THREAD", "For you.", "--to", "carla@mail.example"],
            ],
            &[&["mail", "change", "THREAD", "--star", "true"]],
            &[
                &["mail", "move", "THREAD", "--to", "Suppliers"],
                &["mail", "spam", "THREAD"],
                &["mail", "delete", "THREAD"],
            ],
            &[&["mail", "rules", "add", "news@shop.example", "archive"]],
            &[&["mail", "rules", "list"]],
            &[
                &["mail", "rules", "switch", "news@shop.example", "archive", "off"],
                &["mail", "rules", "remove", "news@shop.example", "archive"],
            ],
            &[&["mail", "contacts"]],
            &[&["mail", "account"]],
        ],
    ),
    (
        "People and broadcasts",
        &[
            &[&["contacts", "list"]],
            &[&["contacts", "show", "+34600111222"]],
            &[
                &["contacts", "create", "+447700900123", "--name", "Ann"],
                &["contacts", "edit", "+447700900123", "--tag", "vip"],
                &["contacts", "delete", "+447700900123", "--confirm", "0123"],
            ],
            &[&["contacts", "import", "TABLE"]],
            &[&["broadcast", "send", "We open at 9.", "--to", "PEOPLE", "--confirm", "1"]],
            &[&["broadcast", "list"]],
            &[&["broadcast", "track", "BROADCAST"]],
            &[&["broadcast", "watch", "BROADCAST"]],
            &[&["broadcast", "report", "BROADCAST"]],
            &[&["broadcast", "pause", "WAVES"], &["broadcast", "stop", "WAVES"]],
        ],
    ),
    (
        "What the server tells",
        &[
            &[&["templates", "--channel", "Harbor chat"]],
            &[&["submit-template", "order_late", "en", "It is late.", "--channel", "Harbor chat"]],
            &[&["events", "--channel", "Harbor chat"]],
            &[&["webhooks", "create", "ENDPOINT", "--channel", "Harbor chat"]],
            &[&["webhooks", "list", "--channel", "Harbor chat"]],
            &[&["webhooks", "delete", "WEBHOOK", "--channel", "Harbor chat"]],
            &[&["account", "--channel", "Harbor chat"]],
        ],
    ),
    (
        "This desk",
        &[
            &[&["outbox", "list"]],
            &[&["outbox", "retry", "ROW"], &["outbox", "drop", "OTHER-ROW"]],
            &[&["proposals", "list"]],
            &[&["proposals", "send", "PROPOSAL", "--beside-ai"]],
            &[&["proposals", "drop", "OTHER-PROPOSAL"]],
            &[&["channel", "add", "--name", "Shop", "--base-url", "ADDRESS", "--key-env", "KEY_EMAIL"]],
            &[&["channel", "test", "Shop"]],
            &[&["channel", "remove", "Shop", "--yes"]],
            &[&["channel", "list"]],
            &[&[
                "connection",
                "add",
                "--name",
                "shop",
                "--base-url",
                "SHOP-URL",
                "--private-host",
                "SHOP-HOST",
                "--auth",
                "api_key_header",
                "--header",
                "X-Api-Key",
                "--path",
                "/orders",
                "--query",
                "phone={phone}",
                "--phone",
                "+34600111222",
                "--field",
                "$.orders",
            ]],
            &[&["connection", "list"]],
            &[&["connection", "test", "shop", "--phone", "+34600111222"]],
            &[&["connection", "credential", "shop", "--phone", "+34600111222"]],
            &[&["connection", "remove", "shop", "--yes"]],
            &[&["doctor", "--offline"]],
        ],
    ),
    (
        "The service's own side",
        &[
            &[&["admin", "workspace", "add", "--name", "Harbor"]],
            &[&["admin", "workspace", "list"]],
            &[&["admin", "workspace", "rename", "Harbor Cycles"]],
            &[&["admin", "workspace", "suspend", "--workspace", "Harbor"]],
            &[&["admin", "workspace", "resume", "--workspace", "Harbor"]],
            &[&["admin", "retention", "plan"]],
            &[&["admin", "key", "create", "--channel", "telegram"]],
            &[&["admin", "key", "list"]],
            &[&["admin", "key", "revoke", "KEY"]],
            &[&["admin", "person", "add", "Ana", "--role", "lead"]],
            &[&["admin", "person", "list"]],
            &[&["admin", "person", "role", "Ana", "agent"]],
            &[&["admin", "person", "remove", "Ana"]],
            &[&["admin", "credits", "--add", "100"]],
            &[&["admin", "template", "put", "see_you", "en", "COMPONENTS"]],
            &[&["admin", "template", "list"]],
            &[&["admin", "template", "remove", "see_you", "en"]],
            &[&["admin", "channel", "connect", "telegram", "--api-url", "PLATFORM"]],
            &[&["admin", "channel", "list"]],
            &[&["admin", "channel", "test", "telegram"]],
            &[&["admin", "channel", "disconnect", "telegram"]],
            &[&["admin", "connection", "add", "CONNECTION", "--phone", "+34600111222"]],
            &[&["admin", "connection", "test", "shop", "--endpoint", "stock", "--set", "article=42"]],
            &[&["admin", "connection", "list"]],
            &[&["admin", "connection", "log"]],
            &[&["admin", "connection", "remove", "shop"]],
            &[&["admin", "backup", "--to", "COPY"]],
        ],
    ),
];

/// Commands with JSON and without a sample, and why.
const NOT_SHOWN: &[(&str, &str)] = &[
    ("broadcast continue", "goes on until the broadcast ends, with lines as `broadcast pause` has one"),
    ("mail respond", "needs an invitation; prints what `mail reply` does"),
    (
        "outbox send-anyway",
        "a person decides it, of a text that another one crossed; prints what `outbox retry` does",
    ),
    (
        "outbox send-from-here",
        "a person decides it, of a text that was written for another account; prints what `outbox retry` does",
    ),
    (
        "join",
        "needs a sign-in token: `service`, the `person` with `name` and `role`, and the names of the `channels`",
    ),
    (
        "leave",
        "needs a team: `service`, `sessionEnded`, the names of the `channels`, `draftsKept` and `unsentKept`",
    ),
    ("admin channel connect whatsapp", "needs the platform; prints what `connect telegram` does"),
    (
        "admin channel folders",
        "needs a mail server; prints a list of `name`, `serverName`, `use`, `read`, `missing`",
    ),
    ("mail save", "prints the `files`, each with `name` and `path`"),
    ("admin channel aliases", "needs a mail server; prints a list of addresses"),
    ("admin channel connect email", "needs a mail server; prints what `connect telegram` does"),
    ("admin channel connect voip", "needs the platform; prints what `connect telegram` does"),
    ("admin assistant show", "needs a conversation of that database: `id` and `enabled`"),
    ("admin assistant pause", "prints what `admin assistant show` does"),
    ("admin assistant resume", "prints what `admin assistant show` does"),
    ("admin call list", "needs a call that goes on: `id`, `to`, `status` and `placedAt` of each"),
    ("admin call hang-up", "needs a call that goes on: `id`, and `ended`"),
    ("admin template submit", "needs the platform: `id`, `name`, `language`, `category` and `status`"),
    ("admin move", "needs a PostgreSQL server; prints what `admin backup` does"),
    (
        "admin erase",
        "needs a person of that database: `id`, `at` and the numbers `histories`, `contacts`, `messages`, `mailsOfOthers` and `files`",
    ),
    ("admin export", "needs a person of that database: the numbers `conversations`, `threads` and `files`"),
    ("admin audit", "one entry a line: `id`, `at`, `workspace`, `actor`, `action` and `subject`"),
    (
        "admin webhook list",
        "needs a webhook: `id`, `channel`, `url`, `isActive`, `failingSince`, `createdAt` and `endedWhy` of each",
    ),
    (
        "admin webhook deliveries",
        "needs a webhook: `delivery`, `webhook`, `event`, `name`, `attempt`, `outcome`, `status`, `failure`, `milliseconds`, `at` and `nextAt` of each; with `--dead` without the last seven, but `attempts` and `at`",
    ),
    ("admin webhook replay", "needs a webhook: `id`, and the number `replayed`"),
    ("admin webhook disable", "needs a webhook: `id` and `isActive`"),
    ("admin webhook enable", "prints what `admin webhook disable` does"),
    ("admin key-file reset", "needs a lost key: the names `channels`, `webhooks` and `connections`"),
    (
        "admin proposal list",
        "the assistant proposes: `id`, `at`, `conversation`, `connection`, `endpoint`, `values`, `state` and `outcome` of each",
    ),
    ("admin proposal carry-out", "a person decides it: `id`, `done` and the `status` of the answer"),
    ("admin proposal drop", "a person decides it: `id`, and `dropped`"),
];

const WIDE: usize = 100;

/// A sample, with each part on one line if it fits.
fn written(shape: &Value, room: usize) -> String {
    let inner = room.saturating_sub(2);
    let parts: Vec<String> = match shape {
        Value::Array(items) => items.iter().map(|item| written(item, inner)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| format!("{name:?}: {}", written(field, inner))).collect()
        }
        single => return single.to_string(),
    };
    let (open, close) = if shape.is_array() { ("[", "]") } else { ("{", "}") };
    let line = format!("{open}{}{close}", parts.join(", "));
    if line.len() <= room && !line.contains('\n') {
        return line;
    }
    format!("{open}\n  {}\n{close}", parts.join(",\n").replace('\n', "\n  "))
}

fn typed(words: &[&str]) -> String {
    let words =
        words.iter().map(|word| if word.contains(' ') { format!("{word:?}") } else { (*word).to_owned() });
    let words: Vec<String> = words.map(|word| word.replace("OTHER-", "")).collect();
    format!("`frontdesk {} --json`", words.join(" "))
}

#[test]
fn the_json_of_the_book_is_what_the_commands_print() {
    let mut office = Office::open();
    let mut out = String::from("\n");
    for (heading, samples) in SHOWN {
        write!(out, "### {heading}\n\n").expect("a string");
        for alike in *samples {
            let shapes: Vec<Value> = alike.iter().map(|entry| shape(&office.run_example(entry))).collect();
            for (shape, words) in shapes.iter().zip(*alike) {
                assert_eq!(*shape, shapes[0], "{} prints something else", typed(words));
            }
            let names: Vec<String> = alike.iter().map(|entry| typed(entry)).collect();
            let shape = written(&shapes[0], WIDE);
            write!(out, "{}:\n\n```json\n{shape}\n```\n\n", names.join(",\n")).expect("a string");
        }
    }
    office.close();
    out.push_str("Not shown here:\n\n");
    for (command, why) in NOT_SHOWN {
        writeln!(out, "- `{command}`: {why}").expect("a string");
    }
    out.push('\n');
    holds("docs/scripting.md", "json", &out);
}

/// Names of the commands below one that have no subcommands.
fn leaves(command: &clap::Command, above: &str, found: &mut Vec<(String, bool)>) {
    for subcommand in command
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help")
    {
        let name = format!("{above}{}", subcommand.get_name());
        if subcommand.has_subcommands() {
            leaves(subcommand, &format!("{name} "), found);
        } else {
            found
                .push((name, subcommand.get_arguments().any(|argument| argument.get_long() == Some("json"))));
        }
    }
}

#[test]
fn every_command_with_json_is_shown() {
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    let mut all = Vec::new();
    leaves(&root, "", &mut all);
    let shown: Vec<String> =
        SHOWN.iter().flat_map(|pair| pair.1).copied().flatten().map(|entry| entry.join(" ")).collect();
    let is_shown = |name: &str| shown.iter().any(|text| format!("{text} ").starts_with(&format!("{name} ")));
    let is_excepted = |name: &str| NOT_SHOWN.iter().any(|pair| pair.0 == name);
    let with_json: Vec<&str> = all.iter().filter(|pair| pair.1).map(|entry| entry.0.as_str()).collect();
    assert!(with_json.len() > 80, "the walk has lost its way: {with_json:?}");
    for name in &with_json {
        assert!(is_shown(name) != is_excepted(name), "the book does not show the JSON of {name}, or twice");
    }
    for (name, _) in NOT_SHOWN {
        assert!(with_json.contains(name), "{name} is no command with JSON");
    }
}
