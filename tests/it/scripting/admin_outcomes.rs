//! One table of `admin` commands and outcomes, each as text and JSON, with its exit code. A command
//! in clap's definition without a row fails the test.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::CommandFactory;
use frontdesk::service::{self, DatabaseLocation, Options};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::binary::{Binary, Ended};
use crate::desk::HandClock;
use crate::postgres::cluster;
use crate::scripting::failing::last_error;
use crate::scripting::outcomes::{FIELDS, leaves};
use crate::waiting::aside;

const PHONE: &str = "+34600111222";
/// Concurrent commands.
const AT_ONCE: usize = 4;
const NOWHERE: &str = "--workspace Nowhere";
/// No cell; [`NO_CELLS`] holds the reason.
const NONE: &str = "-";

/// A row of the table. Words in capitals are replaced for each cell.
struct Row {
    command: &'static str,
    /// True if a lock on the database blocks it.
    writes: bool,
    /// Arguments of a success.
    done: &'static str,
    /// Arguments that name something absent.
    absent: &'static str,
    /// Arguments the service refuses.
    refused: &'static str,
}

const fn row(
    command: &'static str,
    writes: bool,
    done: &'static str,
    absent: &'static str,
    refused: &'static str,
) -> Row {
    Row { command, writes, done, absent, refused }
}

const TABLE: &[Row] = &[
    row("key create", true, "--channel whatsapp", "--channel whatsapp --workspace Nowhere", NONE),
    row("key list", false, "", NOWHERE, NONE),
    row("key revoke", true, "KEY", "key_nothing", NONE),
    row("channel connect telegram", false, NONE, NONE, "--api-url ftp://nowhere.example"),
    row(
        "channel connect whatsapp",
        false,
        NONE,
        NONE,
        "--phone-number-id 1 --business-account-id 2 --api-url ftp://nowhere.example",
    ),
    row(
        "channel connect email",
        false,
        NONE,
        NONE,
        "--address nobody --imap imaps://a@mail.example --smtp smtps://a@mail.example",
    ),
    row("channel connect voip", false, NONE, NONE, "--account-sid nothing --number +34600111222"),
    row("channel list", false, "", NONE, NONE),
    row("channel test", false, NONE, NONE, "telegram"),
    row("channel folders", false, NONE, NONE, "email"),
    row("channel aliases", false, NONE, NONE, "email"),
    row("channel disconnect", true, NONE, NONE, "telegram"),
    row("assistant show", false, "CONVERSATION", "nothing", NONE),
    row("assistant pause", true, "CONVERSATION", "nothing", NONE),
    row("assistant resume", true, "CONVERSATION", "nothing", NONE),
    row("call list", false, "", NONE, NONE),
    row("call hang-up", false, NONE, NONE, "nothing"),
    row("credits", true, "--add 5", "--add 5 --workspace Nowhere", "--add -999999999"),
    row("erase", true, "PHONE", "+34699999999", NONE),
    row("key-file reset", true, "--yes", NONE, "--yes --db SERVED"),
    row("connection add", false, NONE, "/nowhere/shop.toml", "JUNK"),
    row("connection test", false, NONE, "nothing", NONE),
    row("connection list", false, "", NONE, NONE),
    row("connection log", false, "", NONE, NONE),
    row("connection remove", true, NONE, "nothing", NONE),
    row(
        "move",
        false,
        NONE,
        "--from /nowhere/service.db --to postgres://nobody@127.0.0.1:1/none",
        "--from DATABASE --to NEW",
    ),
    row("backup", false, "--to NEW", NONE, "--to JUNK"),
    row("audit", false, NONE, NOWHERE, NONE),
    row("export", false, "PHONE --to NEW", "+34699999999 --to NEW", "PHONE --to JUNK"),
    row("person add", true, "Ana", "Ana --workspace Nowhere", NONE),
    row("person list", false, "", NOWHERE, NONE),
    row("person remove", true, NONE, "Nobody", NONE),
    row("person role", true, NONE, "Nobody lead", NONE),
    row("proposal list", false, "", NONE, NONE),
    row("proposal carry-out", false, NONE, "nothing", NONE),
    row("proposal drop", true, NONE, "nothing", NONE),
    row("retention plan", false, "", "--config /nowhere/service.toml", "--config JUNK"),
    row("template list", false, "", NOWHERE, NONE),
    row("template put", true, "greeting en TEMPLATE", "greeting en /nowhere/parts.json", "greeting en JUNK"),
    row("template submit", false, NONE, "greeting en /nowhere/parts.json", "greeting en TEMPLATE"),
    row("template remove", true, "hello_again en", "nothing en", NONE),
    row("webhook deliveries", false, "", "nothing", NONE),
    row("webhook disable", true, NONE, "nothing", NONE),
    row("webhook enable", true, NONE, "nothing", NONE),
    row("webhook list", false, "", NOWHERE, NONE),
    row("webhook replay", true, NONE, "nothing", NONE),
    row("workspace add", true, "--name Second", NONE, NONE),
    row("workspace list", false, "", NONE, NONE),
    row("workspace rename", true, "Shop", "Shop --workspace Nowhere", NONE),
    row("workspace resume", true, "--workspace WORKSPACE", NOWHERE, NONE),
    row("workspace suspend", true, "--workspace WORKSPACE", NOWHERE, NONE),
];

/// Commands for the whole service; they refuse `--workspace`.
const OF_SERVICE: &[&str] =
    &["key-file reset", "move", "backup", "retention plan", "workspace add", "workspace list"];

/// Outcomes without a cell, and why.
const NO_CELLS: &[(&str, &str)] = &[
    ("channel connect telegram", "needs a platform; see carriers"),
    ("channel connect whatsapp", "needs a platform; see carriers"),
    ("channel connect email", "needs a platform; see carriers"),
    ("channel connect voip", "needs a platform; see carriers"),
    ("channel test", "needs a platform; see carriers"),
    ("channel folders", "needs a mailbox; see carriers"),
    ("channel aliases", "needs a mailbox; see carriers"),
    ("channel disconnect", "needs a platform; see carriers"),
    ("call hang-up", "needs a platform; see carriers"),
    ("connection add", "needs a service that answers; see connections"),
    ("connection test", "needs a service that answers; see connections"),
    ("connection remove", "needs a service that answers; see connections"),
    ("move", "needs a PostgreSQL server; see postgres"),
    ("person remove", "needs a person; see team"),
    ("person role", "needs a person; see team"),
    ("proposal carry-out", "needs a service that answers; see connections"),
    ("proposal drop", "needs a service that answers; see connections"),
    ("audit", "is empty at first; see service::operating"),
    ("template submit", "needs a platform; see carriers"),
    ("webhook disable", "needs a webhook; see service::operating"),
    ("webhook enable", "needs a webhook; see service::operating"),
    ("webhook replay", "needs a delivery; see service::operating"),
];

#[test]
fn every_admin_command_has_a_row() {
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    let mut all = BTreeSet::new();
    leaves(root.find_subcommand("admin").expect("a command"), "", &mut all);
    let rows: BTreeSet<String> = TABLE.iter().map(|row| row.command.to_owned()).collect();
    assert_eq!(rows, all);
    for row in TABLE.iter().filter(|row| row.done == NONE) {
        assert!(NO_CELLS.iter().any(|(command, _)| *command == row.command), "{}", row.command);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Absent,
    Refused,
    BadUse,
    NoDatabase,
    Locked,
}

impl Outcome {
    fn exit(self) -> i32 {
        match self {
            Self::Done => 0,
            Self::Absent | Self::Refused | Self::NoDatabase | Self::Locked => 1,
            Self::BadUse => 2,
        }
    }

    /// Exit code and cause of the error; `None` on success.
    fn error(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Done => None,
            Self::Absent | Self::NoDatabase => Some(("NOT_FOUND", "not-found")),
            Self::Refused => Some(("REFUSED", "refused")),
            Self::BadUse => Some(("USAGE", "usage")),
            Self::Locked => Some(("FILES", "files")),
        }
    }
}

/// The database each cell copies.
struct Template {
    folder: tempfile::TempDir,
    /// Server and database, unless it is a file.
    server: Option<(&'static Path, String)>,
    conversation: String,
    key: String,
    workspace: String,
}

impl Template {
    /// A template on each installed engine.
    async fn make_each() -> Vec<Self> {
        let mut all = vec![Self::make(None).await];
        if let Some(server) = cluster::server() {
            let url = cluster::database(server).await;
            all.push(Self::make(Some((server, url))).await);
        }
        all
    }

    async fn make(server: Option<(&'static Path, String)>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let place: DatabaseLocation = match &server {
            Some((_, url)) => url.parse().expect("an address"),
            None => folder.path().join("service.db").into(),
        };
        let options = Options::new(listen, place.clone(), HandClock::new());
        let key_file = server.is_some().then(|| folder.path().join("service.key"));
        let options = Options { dev: true, unlimited: true, by_hand: true, key_file, ..options };
        let running = service::start(options).await.expect("the service starts");
        frontdesk::client::install_tls();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let body = json!({"channel": "whatsapp", "from": PHONE, "text": "Hello"}).to_string();
        let request = client.post(format!("{}/inbound", running.dev_url)).body(body);
        let answer = request.header("content-type", "application/json").send().await.expect("an answer");
        let told: Value = serde_json::from_slice(&answer.bytes().await.expect("a body")).expect("JSON");
        running.shutdown().await;
        if let Some(file) = place.file() {
            let database = rusqlite::Connection::open(file).expect("it opens");
            database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("folded in");
        }
        let first = |sql: &str| cluster::column(&place, sql).remove(0);
        let key = first("SELECT id FROM keys LIMIT 1");
        let workspace = first("SELECT id FROM workspaces LIMIT 1");
        let conversation = told["conversationId"].as_str().expect("an id").to_owned();
        Self { folder, server, conversation, key, workspace }
    }

    /// Copies the database; returns the values of `--db` and `--key-file`.
    async fn copy_for_cell(&self, folder: &Path) -> (String, Option<String>) {
        let Some((server, url)) = &self.server else {
            return (self.copy(folder).display().to_string(), None);
        };
        let name = cluster::copy(server, url).await;
        let key = self.folder.path().join("service.key").display().to_string();
        (cluster::url(server, &name), Some(key))
    }

    fn copy(&self, folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder).expect("made");
        for entry in std::fs::read_dir(self.folder.path()).expect("a folder").flatten() {
            let is_file = entry.path().is_file() && !entry.file_name().to_string_lossy().ends_with(".lock");
            if is_file {
                std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
            }
        }
        folder.join("service.db")
    }
}

struct Cell {
    row: &'static Row,
    outcome: Outcome,
    /// Further arguments.
    more: &'static str,
}

impl Cell {
    async fn run(&self, template: &Template, served: &Path) -> Result<(), String> {
        for json in [true, false] {
            let ended = self.run_once(template, served, json).await;
            let wrong = |why: &str| Err(format!("{why}: {:?} {}{}", ended.code, ended.out, ended.err));
            if ended.code != Some(self.outcome.exit()) {
                return wrong("another exit code");
            }
            let Some((code, cause)) = self.outcome.error() else {
                let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
                if json && !(ended.out.lines().count() > 0 && ended.out.lines().all(is_json)) {
                    return wrong("no JSON");
                }
                continue;
            };
            if !ended.out.is_empty() {
                return wrong("words on standard output");
            }
            if !json {
                let is_words = ended.err.trim().len() > 10 && !ended.err.starts_with('{');
                if !is_words || self.outcome != Outcome::BadUse && ended.err.lines().count() != 1 {
                    return wrong("no line of words");
                }
                continue;
            }
            let error = last_error(&ended);
            let fields = error["error"].as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
            let detail = &error["error"];
            if fields.is_none_or(|fields| fields != FIELDS) || detail["state"] != "not done" {
                return wrong("other fields");
            }
            if detail["code"] != code || detail["cause"] != cause || error["exit"] != self.outcome.exit() {
                return wrong("another error");
            }
        }
        Ok(())
    }

    async fn run_once(&self, template: &Template, served: &Path, json: bool) -> Ended {
        let binary = Arc::new(Binary::new());
        let folder = binary.folder().to_owned();
        let (database, key_file) = template.copy_for_cell(&folder.join("cell")).await;
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path.display().to_string()
        };
        let own = match self.outcome {
            Outcome::Absent => self.row.absent,
            Outcome::Refused => self.row.refused,
            Outcome::BadUse => "--no-such-switch",
            Outcome::NoDatabase if self.row.done == NONE && self.row.absent == NONE => self.row.refused,
            Outcome::NoDatabase if self.row.done == NONE => self.row.absent,
            Outcome::Done | Outcome::NoDatabase | Outcome::Locked => self.row.done,
        };
        let named = |word: &str| match word {
            "CONVERSATION" => template.conversation.clone(),
            "KEY" => template.key.clone(),
            "WORKSPACE" => template.workspace.clone(),
            "PHONE" => PHONE.to_owned(),
            "NEW" => folder.join("new.db").display().to_string(),
            "DATABASE" => database.clone(),
            "SERVED" => served.display().to_string(),
            "JUNK" => file("junk.txt", "[ junk"),
            "TEMPLATE" => file("parts.json", r#"[{"type":"BODY","text":"Hello"}]"#),
            word => word.to_owned(),
        };
        let words = self.row.command.split(' ').chain(own.split(' ')).chain(self.more.split(' '));
        let words = words.filter(|word| !word.is_empty());
        let mut arguments = vec!["admin".to_owned()];
        arguments.extend(words.map(named));
        if self.row.command != "move" && !arguments.iter().any(|word| word == "--db") {
            let is_there = self.outcome != Outcome::NoDatabase;
            let nowhere = || folder.join("nowhere/service.db").display().to_string();
            let database = if is_there { database.clone() } else { nowhere() };
            arguments.extend(["--db".to_owned(), database]);
            arguments.extend(key_file.into_iter().flat_map(|path| ["--key-file".to_owned(), path]));
        }
        arguments.extend(json.then(|| "--json".to_owned()));
        let lock = (self.outcome == Outcome::Locked).then(|| {
            let other = rusqlite::Connection::open(&database).expect("it opens");
            other.execute_batch("BEGIN IMMEDIATE").expect("locked");
            other
        });
        let ended = aside(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            binary.run(&arguments, "secret\nsecret\nsecret\n")
        })
        .await;
        drop(lock);
        ended
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_admin_command_ends_as_the_table_says() {
    let template = Template::make(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let served = template.copy(folder.path());
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let running = service::start(Options::new(listen, served.clone(), HandClock::new())).await;
    let running = running.expect("the service starts");
    let only = std::env::var("FRONTDESK_CELL").unwrap_or_default();
    let mut cells = Vec::new();
    for row in TABLE.iter().filter(|row| row.command.starts_with(&only)) {
        let cell = |outcome| Cell { row, outcome, more: "" };
        cells.push(cell(Outcome::BadUse));
        let named =
            [(row.done, Outcome::Done), (row.absent, Outcome::Absent), (row.refused, Outcome::Refused)];
        let there = named.into_iter().filter(|(arguments, _)| *arguments != NONE);
        cells.extend(there.map(|(_, outcome)| cell(outcome)));
        // `move` names its database by another option.
        if row.command != "move" {
            cells.push(cell(Outcome::NoDatabase));
        }
        if row.writes && row.done != NONE {
            cells.push(cell(Outcome::Locked));
        }
    }
    let (template, served) = (&template, &served);
    let outcomes = futures_util::stream::iter(cells.iter().map(|cell| async move {
        let outcome = cell.run(template, served).await;
        outcome.err().map(|why| format!("{} x {:?}: {why}", cell.row.command, cell.outcome))
    }));
    let failures: Vec<String> =
        outcomes.buffer_unordered(AT_ONCE).filter_map(|failure| async { failure }).collect().await;
    running.shutdown().await;
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cells.len(), failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_admin_command_takes_a_workspace_or_refuses_it() {
    let mut failures = Vec::new();
    for template in Template::make_each().await {
        failures.extend(workspace_failures(&template).await);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

async fn workspace_failures(template: &Template) -> Vec<String> {
    let mut failures = Vec::new();
    // `audit` has no other arguments than that of a workspace.
    let is_tried = |row: &&Row| !row.done.contains("--workspace") && row.command != "audit";
    for row in TABLE.iter().filter(is_tried) {
        let is_of_service = OF_SERVICE.contains(&row.command);
        let (outcome, expected) = match (is_of_service, row.done, row.absent) {
            (true, NONE, _) => (Outcome::Absent, 2),
            (true, ..) => (Outcome::Done, 2),
            (false, NONE, NONE) => (Outcome::Refused, 1),
            (false, NONE, _) => (Outcome::Absent, 1),
            (false, ..) => (Outcome::Done, 0),
        };
        // A move names its databases by other options.
        if template.server.is_some() && row.command == "move" {
            continue;
        }
        let cell = Cell { row, outcome, more: "--workspace WORKSPACE" };
        let ended = cell.run_once(template, Path::new("/nowhere"), false).await;
        let is_told = !is_of_service || ended.err.contains("acts on the whole service");
        if ended.code != Some(expected) || !is_told {
            failures.push(format!("{}: {:?} {}{}", row.command, ended.code, ended.out, ended.err));
        }
    }
    failures
}

/// The successes of the table, on a server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_admin_command_works_on_a_server() {
    let Some(server) = cluster::server() else { return };
    let template = Template::make(Some((server, cluster::database(server).await))).await;
    let template = &template;
    let rows = TABLE.iter().filter(|row| row.done != NONE);
    let outcomes = futures_util::stream::iter(rows.map(|row| async move {
        let cell = Cell { row, outcome: Outcome::Done, more: "" };
        let ended = cell.run_once(template, Path::new("/nowhere"), true).await;
        let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
        let is_done = ended.code == Some(0) && !ended.out.is_empty() && ended.out.lines().all(is_json);
        (!is_done).then(|| format!("{}: {:?} {}{}", row.command, ended.code, ended.out, ended.err))
    }));
    let failures: Vec<String> =
        outcomes.buffer_unordered(AT_ONCE).filter_map(|failure| async { failure }).collect().await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
