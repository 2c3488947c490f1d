//! Script commands: the real binary against the real service, with a configuration file.

mod acts;
mod admin_outcomes;
mod beside;
mod broadcasts;
mod deck;
pub mod failing;
mod identity;
mod keys;
mod listing;
mod mail_filing;
mod mail_invitations;
mod outcomes;
mod people;
mod proposals;
mod rest;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::faults::world::World;
use crate::kills::folder::Folder;
use crate::proxy::{Door, Proxy};

/// A configuration of the live chat tab, with its key in the environment.
struct Script {
    desk: Desk,
    folder: tempfile::TempDir,
}

impl Script {
    fn new() -> Self {
        let desk = Desk::new(80, 24);
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
            desk.base_url
        );
        std::fs::write(folder.path().join("config.toml"), text).expect("written");
        Self { desk, folder }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        run(self.folder.path(), &self.desk.key_of("whatsapp"), arguments)
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{arguments:?}: {err}");
        // An empty list is said on standard error.
        assert!(err.lines().all(|line| line.starts_with("no ")), "{err}");
        out
    }

    #[track_caller]
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    }
}

pub fn run(folder: &Path, key: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
    command
        .args(arguments)
        .env("FRONTDESK_CONFIG_DIR", folder)
        .env("FRONTDESK_DATA_DIR", folder.join("data"));
    command.env("TZ", "UTC").env("CHAT_KEY", key).env_remove("HTTP_PROXY").output().expect("it runs")
}

fn texts(output: &Output) -> (String, String) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_script_takes_a_conversation_over() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order\u{1b}[2J??");
    let line = script.ok(&["list"]);
    assert!(line.starts_with(&id) && line.contains("Maria Lopez") && !line.contains('\u{1b}'), "{line}");
    let listed: Value = serde_json::from_str(&script.ok(&["list", "--json"])).expect("JSON");
    assert_eq!((listed[0]["id"].as_str(), listed[0]["ai"].as_str()), (Some(id.as_str()), Some("AI ON")));
    // With the AI on, a mode is required.
    let said = script.fails(2, &["send", &id, "Hi"]);
    assert!(said.contains("--pause") && script.desk.outbound().is_empty(), "{said}");
    assert_eq!(
        script.ok(&["send", "--name", "maria lopez", "Hi Maria, a person.", "--pause"]),
        "sent: +34600111222 on Harbor chat\n"
    );
    let sent = script.desk.outbound();
    assert_eq!((sent.len(), sent[0]["content"].as_str()), (1, Some("Hi Maria, a person.")));
    assert_eq!(script.desk.get("whatsapp", &format!("/conversations/{id}"))["automationEnabled"], false);
    let shown: Value = serde_json::from_str(&script.ok(&["show", "+34600111222", "--json"])).expect("JSON");
    let messages = shown["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["sender"], "api");
    let inbound = messages[0]["id"].as_str().expect("an id");
    script.ok(&["react", &id, inbound, "👍"]);
    script.ok(&["resume", &id]);
    script.ok(&["pause", &id]);
    let closed: Value = serde_json::from_str(&script.ok(&["close", &id, "--json"])).expect("JSON");
    assert_eq!(closed["done"], "closed");
    assert_eq!(script.ok(&["list"]), "");
    assert!(script.ok(&["list", "--status", "closed"]).contains("Maria Lopez"));
}

#[test]
fn success_is_only_what_the_server_confirmed() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    // The answer is lost; the same idempotency key returns it without a second send.
    script.desk.dev("fault", json!({"path_prefix": "/messages/send", "count": 1, "drop": "after"}));
    script.ok(&["send", &id, "Once.", "--beside-ai"]);
    assert_eq!(script.desk.outbound().len(), 1);
    script.desk.dev("credits", json!({"balance": 0}));
    let said = script.fails(1, &["send", &id, "Twice.", "--beside-ai"]);
    assert!(said.contains("not enough credits: required 1, available 0"), "{said}");
    assert_eq!(script.desk.outbound().len(), 1);
    // The error names the channel, and no stopped row remains.
    assert!(said.contains("Harbor chat: send: "), "{said}");
    assert_eq!(script.ok(&["outbox", "list"]), "");
    let said = script.fails(1, &["show", "nobody"]);
    assert!(said.contains("no conversation has the id \"nobody\""), "{said}");
    let said = script.fails(1, &["list", "--channel", "Harbor chatt"]);
    assert!(said.contains("Harbor chatt"), "{said}");
    script.desk.dev("keys/revoke", json!({"key": script.desk.key_of("whatsapp")}));
    let said = script.fails(1, &["list"]);
    assert!(said.contains("REVOKED_KEY"), "{said}");
}

#[test]
fn missing_configuration_names_the_command_to_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "", &["list"]);
    let (_, said) = texts(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("no channel is configured") && said.contains("config.toml"), "{said}");
}

#[test]
fn refused_change_waits_in_the_outbox_for_a_decision() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    let other = script.desk.customer("whatsapp", "+34600333444", "Ana Silva", "Hello?");
    script.ok(&["list"]);
    // No clear answer arrives and nothing was done.
    for (to, text) in [(&id, "First."), (&other, "Second.")] {
        script.desk.dev("fault", json!({"path_prefix": "/messages/send", "count": 4, "status": 503}));
        let said = script.fails(3, &["send", to, text, "--beside-ai"]);
        assert!(said.contains("it may or may not have been done: row "), "{said}");
        assert!(said.contains("`frontdesk outbox list`"), "{said}");
    }
    script.desk.dev("credits", json!({"balance": 0}));
    let rows: Value = serde_json::from_str(&script.ok(&["outbox", "list", "--json"])).expect("JSON");
    let waiting: Vec<&Value> =
        rows.as_array().expect("rows").iter().filter(|value| value["waitsForYou"] == true).collect();
    assert!(!waiting.is_empty() && rows[0]["operation"] == "send", "{rows:#}");
    // Each row names its reason and the command that resolves it.
    let waits = |at: usize| rows[at]["waitingFor"].clone();
    let retry = format!("frontdesk outbox retry {}", rows[0]["id"].as_str().expect("an id"));
    assert_eq!((&waits(0)["reason"], &waits(0)["command"]), (&json!("decision"), &json!(retry)), "{rows:#}");
    assert_eq!(waits(1)["reason"], "decision", "{rows:#}");
    let listed = script.ok(&["outbox", "list"]);
    for words in ["MAY OR MAY NOT HAVE BEEN SENT", &retry] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let row = |text: &str| -> String {
        let found = rows
            .as_array()
            .expect("rows")
            .iter()
            .find(|value| value["summary"].as_str().is_some_and(|entry| entry.contains(text)));
        found.expect("a row")["id"].as_str().expect("an id").to_owned()
    };
    assert!(script.ok(&["outbox", "list"]).contains("Maria Lopez"));
    let said = script.fails(1, &["outbox", "send-anyway", &row("First.")]);
    assert!(said.contains("`frontdesk outbox list`"), "{said}");
    // A row that was in the outbox before stays there, and the error says what to do.
    let first = row("First.");
    let said = script.fails(3, &["outbox", "retry", &first]);
    for part in ["required 1, available 0", "waits for you", &format!("`frontdesk outbox retry {first}`")] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let rows: Value = serde_json::from_str(&script.ok(&["outbox", "list", "--json"])).expect("JSON");
    let unpaid =
        rows.as_array().expect("rows").iter().find(|value| value["id"] == json!(first)).expect("the row");
    assert_eq!(unpaid["waitingFor"]["reason"], "credits", "{rows:#}");
    assert_eq!(unpaid["waitingFor"]["command"], json!(retry), "{rows:#}");
    assert!(script.ok(&["outbox", "list"]).contains("NOT SENT, out of credits"));
    script.desk.dev("credits", json!({"balance": 10}));
    script.ok(&["outbox", "retry", &first]);
    assert_eq!(script.desk.outbound().iter().filter(|value| value["content"] == "First.").count(), 1);
    let rows: Value = serde_json::from_str(&script.ok(&["outbox", "list", "--json"])).expect("JSON");
    for left in rows.as_array().expect("rows").iter().filter(|value| value["waitsForYou"] == true) {
        script.ok(&["outbox", "drop", left["id"].as_str().expect("an id")]);
    }
    assert!(script.fails(1, &["outbox", "drop", "nothing"]).contains("outbox list"));
}

#[test]
fn searching_and_exporting() {
    let script = Script::new();
    let id =
        script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order 1041?\u{1b}[2J");
    for number in 0..120 {
        script.desk.clock.advance(1_000_000);
        script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", &format!("again {number}"));
    }
    // No server request.
    assert_eq!(script.ok(&["search", "maria"]), "");
    let exported = script.ok(&["export", &id, "--format", "jsonl"]);
    assert_eq!(exported.lines().count(), 121);
    let first: Value = serde_json::from_str(exported.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["raw"]["content"], "where is my order 1041?\u{1b}[2J");
    let text = script.ok(&["export", "--name", "Maria Lopez"]);
    assert!(text.contains("Maria Lopez: where is my order 1041?") && !text.contains('\u{1b}'), "{text}");
    assert_eq!(text.lines().count(), 122);
    let whole: Value = serde_json::from_str(&script.ok(&["export", &id, "--json"])).expect("JSON");
    assert_eq!(whole["messages"].as_array().expect("messages").len(), 121);
    // From now on the server is not needed.
    let config = script.folder.path().join("config.toml");
    let away = std::fs::read_to_string(&config).expect("readable").replace("127.0.0.1", "127.0.0.2");
    std::fs::write(&config, away).expect("written");
    let found = script.ok(&["search", "ORDER", "10"]);
    assert!(found.starts_with("message\t") && found.contains("order 1041"), "{found}");
    let found: Value = serde_json::from_str(&script.ok(&["search", "mar", "--json"])).expect("JSON");
    assert_eq!(found["people"][0]["name"], "Maria Lopez");
    let found: Value =
        serde_json::from_str(&script.ok(&["search", "again", "--limit", "7", "--json"])).expect("JSON");
    assert_eq!((found["messages"].as_array().expect("messages").len(), &found["more"]), (7, &json!(true)));
    assert_eq!(found["messages"][0]["snippet"], "again 119");
    for nothing in ["?!", ""] {
        assert!(script.fails(2, &["search", nothing]).contains("no word"));
    }
    assert!(script.fails(1, &["search", "order", "--refresh", "--timeout", "1"]).contains("Harbor chat"));
}

#[test]
fn a_script_sends_files_links_places_and_templates() {
    let script = Script::new();
    let id = script.desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where are you?");
    let bill = script.folder.path().join("bill.pdf");
    std::fs::write(&bill, b"%PDF-1.7 ...").expect("written");
    let bill = bill.to_str().expect("a plain path");
    let send = |more: &[&'static str]| [&["send", "+34600111222", "--beside-ai"], more].concat();
    script.ok(&["send", &id, "Your bill", "--file", bill, "--beside-ai"]);
    script.ok(&send(&["Harbor Cycles", "--location", "38.7223,-9.1393"]));
    script.ok(&send(&["--template", "hello_again", "--language", "en"]));
    let sent = script.desk.outbound();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[0]["content"].to_string().contains("Your bill"), "{}", sent[0]);
    assert!(sent[1]["content"].to_string().contains("Harbor Cycles"), "{}", sent[1]);
    let cases: [(i32, &[&'static str], &str); 7] = [
        (2, &[], "give a text, or --file"),
        (2, &["--location", "here"], "51.5007,-0.1246"),
        (2, &["hi", "--as", "image"], "--as "),
        (2, &["hi", "--template", "hello_again", "--language", "en"], "a template has its own text"),
        (1, &["--file", "/no/such/bill.pdf"], "there is no file /no/such/bill.pdf"),
        (2, &["--link", "http://shop.example/a.pdf"], "must begin with https://"),
        (2, &["--file", "tests/it/stories/files/bell.png", "--as", "video"], "cannot be sent as video"),
    ];
    let long = "x".repeat(5_000);
    for (text, words) in [("", "there is nothing to send"), (" ", "nothing to send"), (&long, "at most 4096")]
    {
        let said = script.fails(2, &["send", &id, text, "--beside-ai"]);
        assert!(said.contains(words), "{said}");
    }
    for (code, more, words) in cases {
        let said = script.fails(code, &send(more));
        assert!(said.contains(words), "{more:?}: {said}");
    }
    assert_eq!(script.desk.outbound().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_reads_the_top_of_the_list_once() {
    let world = World::start().await;
    // More histories than the rate limit allows.
    for number in 0..130 {
        world.inbound("whatsapp", &format!("+346001{number:05}")).await;
    }
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let folder = Folder::new(&proxy.base_url(), world.key("whatsapp").expose());
    let mut child = folder.start(&["send", "+34600100129", "Hi", "--beside-ai"]);
    let ended = tokio::task::spawn_blocking(move || child.wait()).await.expect("no panic");
    assert!(ended.expect("it ends").success());
    let asked: Vec<_> = proxy.seen().into_iter().map(|seen| seen.asked.target).collect();
    let tops =
        asked.iter().filter(|text| text.starts_with("/v1/conversations?") && !text.contains("cursor="));
    assert_eq!(tops.count(), 1, "{asked:#?}");
}
