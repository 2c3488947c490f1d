//! Two processes on one database behave as one, with and without notifications.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use frontdesk::service::DatabaseLocation;
use serde_json::{Value, json};

use super::cluster;
use crate::binary::Binary;
use crate::carriers::bot_server::{BotServer, TOKEN};
use crate::service::receiver::Receiver;
use crate::waiting::until_found;

/// A process that is killed when dropped.
pub struct Process {
    pub child: Child,
    pub address: String,
    pub http: reqwest::Client,
    _out: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    pub fn begin(binary: &Binary, name: &str, arguments: &[&str]) -> Child {
        let file = |text: &str| binary.folder().join(text).to_str().expect("words").to_owned();
        let listens = arguments.contains(&"--listen");
        let listen: &[&str] = if listens { &[] } else { &["--listen", "127.0.0.1:0"] };
        let own = ["--key-file", &file("service.key"), "--ready-file"];
        let log = std::fs::File::create(file(&format!("{name}.log"))).expect("a log");
        let ready = file(&format!("{name}.json"));
        let mut command = binary.command(&[&["serve"], listen, &own, &[ready.as_str()], arguments].concat());
        command.stderr(Stdio::from(log)).spawn().expect("it runs")
    }

    /// Waits until a process that [`Process::begin`] began says where it is; one that ends before fails the test
    /// with its log.
    pub fn reached_with_log(child: Child, binary: &Binary, name: &str) -> Self {
        let log = binary.folder().join(format!("{name}.log"));
        Self::reached_or(child, || std::fs::read_to_string(log).unwrap_or_default())
    }

    pub fn reached(child: Child) -> Self {
        Self::reached_or(child, String::new)
    }

    fn reached_or(mut child: Child, log: impl FnOnce() -> String) -> Self {
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says where it is");
        let Some((_, rest)) = line.trim().split_once("http://") else {
            panic!("{:?} after {line:?}: {}", child.wait(), log());
        };
        let address = rest.trim_end_matches("/v1").to_owned();
        // The service may close a kept connection just as it is used.
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client");
        Self { child, address, http, _out: out }
    }

    pub async fn ask(&self, path: &str, key: &str, idem: Option<&str>, body: Option<Value>) -> (u16, Value) {
        let answer = self.answer(path, key, idem, body).await;
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.expect("a body")).unwrap_or(Value::Null))
    }

    async fn answer(
        &self,
        path: &str,
        key: &str,
        idem: Option<&str>,
        body: Option<Value>,
    ) -> reqwest::Response {
        let url = format!("http://{}{path}", self.address);
        let mut request = match body {
            Some(body) => {
                let json = "application/json";
                self.http.post(url).header("content-type", json).body(body.to_string())
            }
            None => self.http.get(url),
        };
        if let Some(idem) = idem {
            request = request.header("idempotency-key", idem);
        }
        request.bearer_auth(key).send().await.expect("an answer")
    }

    pub async fn switch(&self, path: &str, body: Value) -> Value {
        let (status, told) = self.ask(&format!("/dev/{path}"), "none", None, Some(body)).await;
        assert_eq!(status, 200, "{told}");
        told
    }

    pub async fn inbound(&self, from: &str, text: &str) -> Value {
        self.switch("inbound", json!({"channel": "whatsapp", "from": from, "text": text})).await
    }

    async fn newest(&self, key: &str) -> String {
        let (status, told) = self.ask("/v1/triggers/new-message", key, None, None).await;
        assert_eq!(status, 200, "{told}");
        told["data"][0]["content"].as_str().unwrap_or_default().to_owned()
    }
}

pub struct Two {
    pub one: Process,
    pub other: Process,
    pub binary: Binary,
    pub url: String,
    pub keys: BTreeMap<String, String>,
}

impl Two {
    pub async fn start(server: &Path, parameters: &str, arguments: &[&str]) -> Self {
        Self::on(cluster::database(server).await, parameters, arguments)
    }

    /// Uses an existing, empty database.
    pub fn on(url: String, parameters: &str, arguments: &[&str]) -> Self {
        frontdesk::client::install_tls();
        let binary = Binary::new();
        let served = cluster::served(&format!("{url}{parameters}"));
        let arguments = [&["--db", served.as_str()], arguments].concat();
        let children = ["one", "other"].map(|text| (Process::begin(&binary, text, &arguments), text));
        let [one, other] = children.map(|(child, text)| Process::reached_with_log(child, &binary, text));
        let told = ["one.json", "other.json"].map(|entry| {
            let text = std::fs::read_to_string(binary.folder().join(entry)).expect("ready");
            serde_json::from_str::<Value>(&text).expect("JSON")
        });
        let keys: Vec<&Value> = told.iter().filter_map(|value| value["keys"].as_array()).flatten().collect();
        assert_eq!(keys.len(), 8, "one of them has made the workspace");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let named = |value: &&Value| {
            (format!("{} {}", text(&value["channel"]), text(&value["environment"])), text(&value["key"]))
        };
        let keys = keys.iter().map(named).collect();
        Self { one, other, binary, url, keys }
    }

    pub fn key(&self) -> &str {
        &self.keys["whatsapp live"]
    }

    pub fn turn(&self, number: usize) -> &Process {
        if number.is_multiple_of(2) { &self.one } else { &self.other }
    }

    pub fn count(&self, sql: &str) -> i64 {
        let place: DatabaseLocation = self.url.parse().expect("an address");
        cluster::count(&place, sql)
    }

    pub async fn waits_for_count(&self, sql: &str, wanted: i64) {
        until_found(sql, async || {
            let seen = self.count(sql);
            if seen == wanted { Ok(()) } else { Err(format!("{seen} and not {wanted}")) }
        })
        .await;
    }

    /// Ends both with SIGTERM, so that nothing is in flight.
    pub async fn end(&mut self) {
        for process in [&mut self.one, &mut self.other] {
            let id = process.child.id().to_string();
            let ended = std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill runs");
            assert!(ended.success());
            assert!(process.child.wait().expect("it ends").success());
        }
    }
}

/// With notifications, and as behind a pooler without them.
const WAYS: [&str; 2] = ["", "&listen=off"];
pub const DEV: [&str; 2] = ["--dev", "--simulate"];
pub const UNLIMITED: [&str; 3] = ["--dev", "--simulate", "--unlimited"];

#[tokio::test]
async fn events_committed_by_one_process_are_reported_by_the_other() {
    let Some(server) = cluster::server() else { return };
    for way in WAYS {
        let two = Two::start(server, way, &UNLIMITED).await;
        for number in 0..20 {
            let text = format!("message {number}");
            // Both have an answer they could have cached.
            two.one.newest(two.key()).await;
            two.other.newest(two.key()).await;
            two.turn(number).inbound(&format!("+3460011122{}", number % 3), &text).await;
            assert_eq!(two.turn(number + 1).newest(two.key()).await, text);
            assert_eq!(two.turn(number).newest(two.key()).await, text);
        }
        // The page cursor of one process works at the other.
        let (path, mut seen) = ("/v1/conversations?limit=1", HashSet::new());
        let mut cursor = String::new();
        for number in 0..3 {
            let (status, told) =
                two.turn(number).ask(&format!("{path}{cursor}"), two.key(), None, None).await;
            assert_eq!(status, 200, "{told}");
            assert!(seen.insert(told["data"][0]["id"].as_str().expect("an id").to_owned()), "{told}");
            cursor = told["nextCursor"].as_str().map(|text| format!("&cursor={text}")).unwrap_or_default();
        }
        assert!(cursor.is_empty(), "three customers wrote");
        let stamps = "SELECT count(*) - count(DISTINCT created_at) FROM messages";
        assert_eq!(two.count(stamps), 0, "no two rows have one time");
    }
}

#[tokio::test]
async fn limits_count_the_calls_of_both() {
    let Some(server) = cluster::server() else { return };
    let two = Two::start(server, "", &DEV).await;
    let two = &two;
    let calls = (0..30).map(|number| async move {
        // A call counts against the limit before it is validated.
        let (status, _) = two.turn(number).ask("/v1/broadcast", two.key(), None, Some(json!({}))).await;
        status
    });
    let told = futures_util::future::join_all(calls).await;
    let count = |status: u16| told.iter().filter(|number| **number == status).count();
    assert_eq!((count(400) + count(422), count(429)), (10, 20), "{told:?}");
    let left = async |process: &Process| {
        let answer = process.answer("/v1/account", &two.keys["email live"], None, None).await;
        answer.headers()["x-ratelimit-remaining"].to_str().expect("text").parse::<u32>().expect("a number")
    };
    for expected in (290..300).rev() {
        let process = two.turn(usize::try_from(expected).expect("few"));
        assert_eq!(left(process).await, expected);
    }
}

#[tokio::test]
async fn services_that_start_at_once_share_a_new_database() {
    let Some(server) = cluster::server() else { return };
    for _ in 0..3 {
        let binary = Binary::new();
        let served = cluster::served(&cluster::database(server).await);
        let names = ["one", "two", "three", "four"];
        let children = names.map(|name| Process::begin(&binary, name, &["--db", &served]));
        let mut keys = 0;
        let processes: Vec<Process> = children
            .into_iter()
            .zip(names)
            .map(|(child, name)| Process::reached_with_log(child, &binary, name))
            .collect();
        for name in names {
            let text = std::fs::read_to_string(binary.folder().join(format!("{name}.json"))).expect("ready");
            let told: Value = serde_json::from_str(&text).expect("JSON");
            keys += told["keys"].as_array().map_or(0, Vec::len);
        }
        assert_eq!((processes.len(), keys), (4, 8), "one of them has made the workspace");
    }
}

#[tokio::test]
async fn an_idempotency_key_is_one() {
    let Some(server) = cluster::server() else { return };
    let two = Two::start(server, "", &UNLIMITED).await;
    two.one.inbound("+34600111222", "hi").await;
    let two = &two;
    for round in 0..5 {
        let idem = format!("round-{round}");
        let (path, text) = ("/v1/messages/send", format!("answer {round}"));
        let body = json!({"to": "+34600111222", "type": "text", "text": {"body": text}});
        let sends =
            (0..8).map(|number| two.turn(number).ask(path, two.key(), Some(&idem), Some(body.clone())));
        let told = futures_util::future::join_all(sends).await;
        let done: Vec<&Value> = told.iter().filter(|pair| pair.0 == 200).map(|pair| &pair.1).collect();
        let ids: HashSet<&str> = done.iter().filter_map(|value| value["messageId"].as_str()).collect();
        assert_eq!(ids.len(), 1, "{told:?}");
        let running = told.iter().filter(|pair| pair.1["code"] == "IDEMPOTENCY_IN_PROGRESS").count();
        assert_eq!(done.len() + running, 8, "{told:?}");
        let changed = json!({"to": "+34600111222", "type": "text", "text": {"body": "another"}});
        for process in [&two.one, &two.other] {
            let (status, told) = process.ask(path, two.key(), Some(&idem), Some(changed.clone())).await;
            assert_eq!((status, &told["code"]), (409, &json!("IDEMPOTENCY_CONFLICT")), "{told}");
        }
    }
    assert_eq!(two.count("SELECT count(*) FROM messages WHERE sender = 'api'"), 5);
    let kept = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";
    assert_eq!(two.count(kept), 0, "the ledger explains the balance");
}

#[tokio::test]
async fn a_revoked_key_is_refused_everywhere_at_once() {
    let Some(server) = cluster::server() else { return };
    let two = Two::start(server, "", &UNLIMITED).await;
    for (number, key) in ["whatsapp live", "telegram live", "email live"].iter().enumerate() {
        let key = &two.keys[*key];
        for process in [&two.one, &two.other] {
            assert_eq!(process.ask("/v1/account", key, None, None).await.0, 200);
        }
        if number < 2 {
            two.turn(number).switch("keys/revoke", json!({"key": key})).await;
        } else {
            two.binary.ok(&["admin", "--db", &two.url, "key", "revoke", key], "");
        }
        for process in [&two.one, &two.other] {
            let (status, told) = process.ask("/v1/account", key, None, None).await;
            assert_eq!((status, &told["code"]), (401, &json!("REVOKED_KEY")), "{told}");
        }
    }
}

#[tokio::test]
async fn each_event_is_delivered_once_and_each_answer_given_once() {
    let Some(server) = cluster::server() else { return };
    for way in WAYS {
        let mut two = Two::start(server, way, &UNLIMITED).await;
        let receiver = Receiver::start().await;
        let body = json!({"url": receiver.url, "events": ["message.received"]});
        let (status, told) = two.one.ask("/v1/webhooks", two.key(), None, Some(body)).await;
        assert!(status == 200 || status == 201, "{told}");
        receiver.take();
        let customers = 12;
        for number in 0..customers {
            two.turn(number).inbound(&format!("+346001112{number:02}"), &format!("hello {number}")).await;
        }
        let customers = i64::try_from(customers).expect("few");
        two.waits_for_count("SELECT count(*) FROM deliveries WHERE delivered_at IS NOT NULL", customers)
            .await;
        two.waits_for_count("SELECT count(*) FROM messages WHERE sender = 'ai'", customers).await;
        two.end().await;
        let told: Vec<String> = receiver
            .deliveries()
            .iter()
            .map(|delivery| delivery.json()["data"]["content"].as_str().expect("text").to_owned())
            .collect();
        let different: HashSet<&String> = told.iter().collect();
        assert_eq!((told.len(), different.len()), (12, 12), "{told:?}");
        let answers = "SELECT count(*) FROM messages WHERE sender = 'ai'";
        assert_eq!(two.count(answers), customers, "nobody is answered twice");
    }
}

#[tokio::test]
async fn clock_is_shared_and_taken_over() {
    let Some(server) = cluster::server() else { return };
    let mut two = Two::start(server, "", &UNLIMITED).await;
    let holder = "SELECT process FROM leases WHERE name = 'background' AND until > 0";
    let leads = two.count(holder);
    let send = |number: usize| {
        let body = json!({"to": format!("+346001112{number:02}"), "type": "text", "text": {"body": "hi"}});
        (format!("send-{number}"), body)
    };
    for number in 0..4 {
        two.turn(number).inbound(&format!("+346001112{number:02}"), "hello").await;
        let (idem, body) = send(number);
        let (status, told) =
            two.turn(number).ask("/v1/messages/send", two.key(), Some(&idem), Some(body)).await;
        assert_eq!(status, 200, "{told}");
    }
    // Time advanced at one process is advanced for both.
    let under_way = "SELECT count(*) FROM messages WHERE sender = 'api' AND status IN ('queued', 'sent')";
    for process in [&two.one, &two.other] {
        process.switch("clock", json!({"advance_seconds": 3600})).await;
    }
    two.waits_for_count(under_way, 0).await;
    assert_eq!(
        two.count("SELECT CAST(convert_from(value, 'UTF8') AS BIGINT) FROM meta WHERE name = 'clock_shift'"),
        7_200_000_000
    );
    // The leader is killed; the other does the due work.
    let (killed, left) = if i64::from(two.one.child.id()) == leads {
        (&mut two.one, &two.other)
    } else {
        assert_eq!(i64::from(two.other.child.id()), leads);
        (&mut two.other, &two.one)
    };
    killed.child.kill().expect("killed");
    killed.child.wait().expect("ended");
    let (idem, body) = send(0);
    let (status, told) =
        left.ask("/v1/messages/send", &two.keys["whatsapp live"], Some(&idem), Some(body)).await;
    assert_eq!(status, 200, "what was answered there is answered here: {told}");
    left.inbound("+34600111222", "zzz qqq").await;
    let left = i64::from(left.child.id());
    two.waits_for_count(holder, left).await;
    let answered = "SELECT count(*) FROM messages WHERE sender = 'ai' AND conversation =
                    (SELECT conversation FROM messages WHERE content = 'zzz qqq')";
    two.waits_for_count(answered, 1).await;
}

#[tokio::test]
async fn lane_is_sent_in_order_and_a_platform_is_read_by_one_process() {
    let Some(server) = cluster::server() else { return };
    let (two, bot) = (Two::start(server, "", &[]).await, BotServer::start());
    let key_file = two.binary.folder().join("service.key");
    let connect = ["admin", "--db", &two.url, "--key-file", key_file.to_str().expect("words")];
    let to = ["channel", "connect", "telegram", "--api-url", &bot.url()];
    two.binary.ok(&[&connect[..], &to[..]].concat(), &format!("{TOKEN}\n"));
    bot.says(7, "hello");
    let key = two.keys["telegram live"].clone();
    two.waits_for_count("SELECT count(*) FROM messages WHERE content = 'hello'", 1).await;
    // Each process must know the channel before it accepts a message for it.
    for process in [&two.one, &two.other] {
        until_found("the channel", async || {
            let body = json!({"chatId": 7, "type": "text", "text": "ready?"});
            let (status, told) = process.ask("/v1/telegram/send", &key, None, Some(body)).await;
            // The last send came after all earlier work.
            if status == 200 && told["status"] == "sent" { Ok(()) } else { Err(told) }
        })
        .await;
    }
    let before = bot.reached().len();
    for number in 0..10 {
        let body = json!({"chatId": 7, "type": "text", "text": format!("line {number}")});
        let idem = format!("line-{number}");
        let (status, told) = two.turn(number).ask("/v1/telegram/send", &key, Some(&idem), Some(body)).await;
        assert_eq!(status, 200, "{told}");
        assert!(told["status"] == "sent", "{told}");
    }
    let reached: Vec<String> = bot.reached().into_iter().skip(before).map(|reached| reached.text).collect();
    let wanted: Vec<String> = (0..10).map(|entry| format!("line {entry}")).collect();
    assert_eq!(reached, wanted);
    assert_eq!(bot.most_readers(), 1);
    // `doctor` treats a server like a file.
    let doctor = || two.binary.run(&["doctor", "--offline", "--db", &two.url], "").out;
    let said = doctor();
    assert!(said.contains("telegram channel") && said.contains("connected"), "{said}");
    bot.revoke();
    until_found("the trouble", async || {
        let said = doctor();
        if said.contains("admin channel test telegram") { Ok(()) } else { Err(said) }
    })
    .await;
}
