//! Failures of commands: text, exit code and JSON name the true cause and the state that is left.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::binary::{Binary, Ended};
use crate::faults::world::World;
use crate::proxy::fault::Fault;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::scripting;
use crate::waiting::{TryError, aside, with_more_time};

const ANA: &str = "+34600111222";
/// A host name that does not resolve.
const NOWHERE: &str = "https://frontdesk.invalid/v1";
/// Concurrent commands; most of the time they wait.
const AT_ONCE: usize = 8;

pub fn configured(channels: &[(&str, &str, &str)]) -> Binary {
    let mut binary = Binary::new();
    let mut text = String::new();
    for (at, (name, url, key)) in channels.iter().enumerate() {
        let variable = format!("KEY_{at}");
        binary.set(&variable, key);
        text.push_str(&format!(
            "[[channel]]\nname = \"{name}\"\nbase_url = \"{url}\"\nkey_env = \"{variable}\"\n"
        ));
    }
    binary.configure(&text);
    binary
}

/// The last error a command printed as JSON.
pub fn last_error(ended: &Ended) -> Value {
    let last = ended.err.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("no JSON: {:?} {}", ended.code, ended.err))
}

fn changes(asked: &crate::proxy::Asked) -> bool {
    asked.method != "GET"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_is_named_and_ends_with_the_time_given() {
    let world = World::start().await;
    let proxy = Proxy::start(world.address(), Door::Open).await;
    proxy.plan(|_| Script::withhold(Give::Silence));
    let key = world.key("whatsapp").expose().to_owned();
    let binary = configured(&[("Harbor chat", &proxy.base_url(), &key)]);
    let ended = aside(move || {
        let said = binary.fails(1, &["list", "--timeout", "10"], "");
        assert!(said.contains("the server did not answer in time") && !said.contains("rate limit"), "{said}");
        binary.run(&["show", ANA, "--json", "--timeout", "10"], "")
    })
    .await;
    let error = last_error(&ended);
    assert_eq!((ended.code, error["exit"].as_i64()), (Some(1), Some(1)), "{error}");
    assert_eq!(
        (&error["error"]["code"], &error["error"]["channel"]),
        (&json!("NO_ANSWER"), &json!("Harbor chat"))
    );
    // One request per command: its timeout is the command's.
    assert!(proxy.seen().len() <= 4, "{:?}", proxy.seen().len());
}

#[test]
fn one_refused_key_hides_no_other_channel() {
    let desk = crate::desk::Desk::new(80, 24);
    let url = desk.base_url.clone();
    let keys = ["whatsapp", "telegram", "email"].map(|text| desk.key_of(text));
    let binary = configured(&[
        ("Harbor chat", &url, &keys[0]),
        ("Harbor bot", &url, &keys[1]),
        ("Harbor mail", &url, &keys[2]),
    ]);
    desk.customer("telegram", "55555", "Oksana", "Hello?");
    desk.dev(
        "inbound",
        json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A wheel", "text": "See."}),
    );
    binary.ok(&["list"], "");
    desk.dev("keys/revoke", json!({"key": keys[0]}));
    let ended = binary.run(&["list"], "");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.out.contains("Oksana") && ended.out.contains("Bo"), "{}", ended.out);
    assert!(ended.err.contains("Harbor chat: ") && ended.err.contains("REVOKED_KEY"), "{}", ended.err);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    let ended = binary.run(&["list", "--json"], "");
    let rows: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    let error = last_error(&ended);
    assert_eq!(
        (&error["ok"], &error["error"]["code"], &error["error"]["cause"], &error["error"]["channel"]),
        (&json!(false), &json!("REVOKED_KEY"), &json!("key-refused"), &json!("Harbor chat"))
    );
    // Conversations of other channels are found; those of the refused one are not guessed.
    assert!(binary.ok(&["show", "55555"], "").contains("Hello?"));
    let ended = binary.run(&["show", ANA, "--json"], "");
    assert_eq!(last_error(&ended)["error"]["code"], "REVOKED_KEY", "{}", ended.err);
}

#[test]
fn mistyped_id_leaves_no_row_that_waits() {
    let desk = crate::desk::Desk::new(80, 24);
    let (chat, mail) = (desk.key_of("whatsapp"), desk.key_of("email"));
    let binary =
        configured(&[("Harbor chat", &desk.base_url, &chat), ("Harbor mail", &desk.base_url, &mail)]);
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let wrong: [&[&str]; 3] = [
        &["mail", "change", "thr_mistyped", "--star", "true"],
        &["react", &id, "msg_mistyped", "x"],
        &["contacts", "create", ANA, "--email", "no address"],
    ];
    for arguments in wrong {
        let ended = binary.run(&[arguments, &["--json"]].concat(), "");
        assert!(matches!(ended.code, Some(1 | 2)), "{arguments:?}: {:?} {}", ended.code, ended.err);
        assert_eq!(binary.ok(&["outbox", "list"], ""), "", "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queued_change_is_reported_and_sent_later() {
    let world = World::start().await;
    let id = world.inbound("whatsapp", ANA).await["conversationId"].as_str().expect("an id").to_owned();
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let key = world.key("whatsapp").expose().to_owned();
    let binary = Arc::new(configured(&[("Harbor chat", &proxy.base_url(), &key)]));
    let run = async |arguments: Vec<String>| {
        let binary = binary.clone();
        aside(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            binary.run(&arguments, "")
        })
        .await
    };
    let words = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    // A redirect may follow a request that was carried out.
    let trap = proxy.trap();
    proxy.plan(move |proxy| if changes(proxy) { Fault::Redirect.script(0, trap) } else { Script::pass() });
    let ended = run(words(&["send", &id, "Hi", "--beside-ai", "--json"])).await;
    let error = last_error(&ended);
    assert_eq!((ended.code, &error["error"]["code"]), (Some(3), &json!("UNCLEAR")), "{error}");
    let row = error["error"]["row"].as_str().expect("a row").to_owned();
    run(words(&["outbox", "drop", &row])).await;
    assert_eq!(run(words(&["outbox", "list"])).await.out, "");
    // The connection ends before the request is read: the outcome is unknown.
    proxy.plan(|proxy| if changes(proxy) { Script::withhold(Give::Silence) } else { Script::pass() });
    let ended = run(words(&["send", &id, "Once", "--beside-ai", "--json", "--timeout", "30"])).await;
    let error = last_error(&ended);
    assert_eq!((ended.code, error["exit"].as_i64()), (Some(3), Some(3)), "{error}");
    assert!(error["error"]["row"].is_string(), "{error}");
    let listed: Value =
        serde_json::from_str(&run(words(&["outbox", "list", "--json"])).await.out).expect("JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn wrong_usage_is_json_too() {
    let binary = Binary::new();
    for arguments in [&["list", "--json", "--limit", "x"][..], &["list", "--json"], &["send", "--json"]] {
        let ended = binary.run(arguments, "");
        let error = last_error(&ended);
        assert_eq!(
            (ended.code, &error["error"]["code"]),
            (Some(2), &json!("USAGE")),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn json_holds_nothing_that_acts_on_a_terminal() {
    let script = scripting::Script::new();
    let hostile =
        "a\u{1b}[2J\u{9d}0;x\u{9c}\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{2028}f\u{85}g\u{ad}h\u{e0041}i";
    let id = script.desk.customer("whatsapp", ANA, hostile, hostile);
    script.ok(&["list"]);
    let commands: [&[&str]; 8] = [
        &["list", "--json"],
        &["show", &id, "--json"],
        &["export", &id, "--json"],
        &["export", &id, "--format", "jsonl"],
        &["search", "a", "--json"],
        &["events", "--json"],
        &["contacts", "list", "--json"],
        &["contacts", "show", ANA, "--json"],
    ];
    for arguments in commands {
        let out = script.ok(arguments);
        let acts = |character: char| {
            matches!(character, '\0'..='\x09' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        };
        assert_eq!(out.chars().find(|character| acts(*character)), None, "{arguments:?}: {out:?}");
        for line in out.lines() {
            serde_json::from_str::<Value>(line).expect("JSON");
        }
    }
    let shown = script.ok(&["show", &id, "--json"]);
    assert!(shown.contains("\\u009d") && shown.contains("\\u202e"), "{shown}");
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["messages"][0]["raw"]["content"], hostile, "it means the same");
}

/// Timeout in seconds that is enough on any machine.
const LONGEST: u32 = 64;
/// Upper bound for the number of cells.
const MOST: usize = 1_000;

struct Cell {
    command: &'static str,
    fault: Fault,
    number: usize,
    /// Timeout in seconds of a command that waits until its timeout.
    patience: u32,
}

impl Cell {
    fn changes(&self) -> bool {
        matches!(self.command, "send" | "react" | "pause" | "resume" | "close" | "broadcast")
    }

    /// A text unique to this cell.
    fn text(&self) -> String {
        format!("cell {}", self.number)
    }

    fn arguments(&self, ids: &Ids) -> Vec<String> {
        let text = self.text();
        let own: Vec<&str> = match self.command {
            "list" => vec!["list"],
            "show" => vec!["show", ANA],
            "export" => vec!["export", ANA],
            "search" => vec!["search", "hello", "--refresh"],
            "send" => vec!["send", ANA, &text, "--beside-ai"],
            "react" => vec!["react", &ids.conversation, &ids.message, "x"],
            "broadcast" => vec!["broadcast", "send", &text, "--to", &ids.people, "--confirm", "1"],
            other => vec![other, ANA],
        };
        let timeout = if self.waits() { self.patience } else { LONGEST }.to_string();
        own.into_iter().chain(["--json", "--timeout", &timeout]).map(str::to_owned).collect()
    }

    /// True if only its timeout ends the command.
    fn waits(&self) -> bool {
        self.fault.lasts() || matches!(self.fault, Fault::Limited | Fault::RefusedConnect | Fault::Kept)
    }

    fn causes(&self) -> &'static [&'static str] {
        match self.fault {
            Fault::RefusedConnect | Fault::DeadName => &["offline", "no-answer"],
            Fault::HangingConnect | Fault::Silence | Fault::TooLate => &["offline", "no-answer", "unclear"],
            Fault::Limited => &["rate-limited", "rate-budget", "no-answer"],
            Fault::Unauthorised => &["key-refused"],
            // A redirected change may have been carried out.
            Fault::Redirect if self.changes() => &["unclear"],
            Fault::Redirect => &["redirected"],
            Fault::Portal | Fault::ServerError | Fault::Bomb => &["server-trouble", "unclear"],
            Fault::Kept => &["refused", "server-trouble", "unclear", "no-answer", "rate-budget"],
            _ => &["no-answer", "offline", "server-trouble", "unclear", "refused", "not-found"],
        }
    }

    /// Runs the cell, with a longer timeout if a busy machine did not reach the fault.
    async fn run(&self, world: &World, ids: &Ids) -> Result<(), String> {
        with_more_time(|before| async move {
            let number = self.number + MOST * before as usize;
            let again = Self { number, patience: self.patience << before, ..*self };
            again.run_once(world, ids).await
        })
        .await
    }

    async fn run_once(&self, world: &World, ids: &Ids) -> Result<(), TryError> {
        let proxy = Proxy::start(world.address(), self.fault.door()).await;
        let (fault, number, trap, only) = (self.fault, self.number, proxy.trap(), self.changes());
        proxy.plan(
            move |asked| if only && !changes(asked) { Script::pass() } else { fault.script(number, trap) },
        );
        let url = if self.fault == Fault::DeadName { NOWHERE.to_owned() } else { proxy.base_url() };
        let binary = configured(&[("Harbor chat", &url, world.key("whatsapp").expose())]);
        let arguments = self.arguments(ids);
        let (ended, left) = aside(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let ended = binary.run(&arguments, "");
            (ended, binary.run(&["outbox", "list"], "").out.lines().count())
        })
        .await;
        let outbound = world.dev("/outbound", json!({})).await;
        let is_text = |value: &Value| value["content"] == self.text();
        let was_sent = outbound["data"].as_array().is_some_and(|all| all.iter().any(is_text));
        if ended.code == Some(0) {
            return match self.command {
                "send" if !was_sent => Err(TryError::Wrong("said to be sent, and was not".to_owned())),
                _ if left > 0 => Err(TryError::Wrong("said to be done, and a row is left".to_owned())),
                _ => Ok(()),
            };
        }
        let error = last_error(&ended);
        let (cause, message) = (&error["error"]["cause"], &error["error"]["message"]);
        match (ended.code, left) {
            _ if error["exit"].as_i64().map(|i64| i64 as i32) != ended.code => {
                Err(TryError::Wrong(format!("{:?}: {error}", ended.code)))
            }
            (Some(1), 0) if was_sent => {
                Err(TryError::Wrong(format!("said not to be done, and was: {error}")))
            }
            (Some(1), 0) | (Some(3), 1..) => {
                let fits = self.causes().iter().any(|text| cause == *text);
                let has_words = message.as_str().is_some_and(|message| message.contains("Harbor chat"));
                if fits && has_words && error["error"]["advice"].is_string() {
                    Ok(())
                } else if self.waits() || cause == "no-answer" {
                    // A busy machine reads an answer until the request's own timeout.
                    Err(TryError::TooLittleTime(error.to_string()))
                } else {
                    Err(TryError::Wrong(error.to_string()))
                }
            }
            (code, left) => Err(TryError::Wrong(format!("exit {code:?} with {left} rows left: {error}"))),
        }
    }
}

struct Ids {
    conversation: String,
    message: String,
    people: String,
    _folder: tempfile::TempDir,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_command_reports_the_true_outcome_under_each_fault() {
    let world = World::start().await;
    let told = world.inbound("whatsapp", ANA).await;
    let contacts = world.get("whatsapp", "/contacts").await;
    let folder = tempfile::tempdir().expect("a folder");
    let people = folder.path().join("people.txt");
    std::fs::write(&people, contacts["data"][0]["id"].as_str().expect("a contact")).expect("written");
    let text = |name: &str| told[name].as_str().expect("an id").to_owned();
    let people = people.to_str().expect("a plain path").to_owned();
    let ids =
        Ids { conversation: text("conversationId"), message: text("messageId"), people, _folder: folder };
    let mut cells = Vec::new();
    for (at, (fault, _)) in Fault::ALL.into_iter().enumerate() {
        let switch = ["pause", "resume", "close"][at % 3];
        for command in ["list", "show", "export", "search", "send", "react", "broadcast", switch] {
            let number = cells.len() + at;
            cells.push(Cell { command, fault, number, patience: 4 });
        }
    }
    let (world, ids) = (&world, &ids);
    let outcomes = futures_util::stream::iter(cells.iter().map(|cell| async move {
        let outcome = cell.run(world, ids).await;
        outcome.err().map(|why| format!("{} x {}: {why}", cell.command, cell.fault.name()))
    }));
    let failures: Vec<String> =
        outcomes.buffer_unordered(AT_ONCE).filter_map(|text| async { text }).collect().await;
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cells.len(), failures.join("\n"));
}
