//! Commands of an operator with the real binary, each on a file and on a PostgreSQL server.

mod stopping;

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use frontdesk::shell::clock::instant;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::carriers::bot_server::{BotServer, TOKEN};
use crate::postgres::cluster;
use crate::postgres::together::Process;
use crate::service::receiver::Receiver;
use crate::waiting::{aside, until_found, until_so};

const CUSTOMER: &str = "+34600111222";
/// Larger than what a test adds to a log file, in bytes.
const LOG_REST: usize = 2_000;

/// A service on one engine, with the folder of its operator.
struct Operated {
    binary: Binary,
    /// `--db` of `serve` and `admin`.
    place: String,
    served: String,
    process: Option<Process>,
}

impl Operated {
    /// One without a process on each installed engine.
    async fn each() -> Vec<Self> {
        frontdesk::client::install_tls();
        let binary = Binary::new();
        let file = binary.folder().join("service.db").to_str().expect("words").to_owned();
        let mut all = vec![Self::on(binary, file.clone(), file)];
        if let Some(server) = cluster::server() {
            let url = cluster::database(server).await;
            all.push(Self::on(Binary::new(), url.clone(), cluster::served(&url)));
        }
        all
    }

    fn on(binary: Binary, place: String, served: String) -> Self {
        Self { binary, place, served, process: None }
    }

    fn path(&self, name: &str) -> String {
        self.binary.folder().join(name).to_str().expect("words").to_owned()
    }

    /// Starts a process; its log and ready file are named after it.
    fn serve(&mut self, name: &str, arguments: &[&str]) {
        let all = [&["--db", self.served.as_str()], arguments].concat();
        let child = Process::begin(&self.binary, name, &all);
        self.process = Some(Process::reached_with_log(child, &self.binary, name));
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("it runs")
    }

    /// Sends SIGTERM and returns the exit code.
    async fn stop(&mut self) -> Option<i32> {
        let mut process = self.process.take().expect("it runs");
        crate::binary::signal(process.child.id(), "TERM");
        aside(move || process.child.wait().expect("it ends").code()).await
    }

    /// Live key of a channel, made by the process `first`.
    fn key(&self, channel: &str) -> String {
        let text = std::fs::read_to_string(self.path("first.json")).expect("ready");
        let told: Value = serde_json::from_str(&text).expect("JSON");
        let keys = told["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| key["channel"] == channel && key["environment"] == "live");
        found.expect("a key")["key"].as_str().expect("text").to_owned()
    }

    fn arguments<'a>(&'a self, key: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
        [&["admin", "--db", self.place.as_str(), "--key-file", key], arguments].concat()
    }

    fn admin(&self, arguments: &[&str], input: &str) -> String {
        let key = self.path("service.key");
        self.binary.ok(&self.arguments(&key, arguments), input)
    }

    fn admin_json(&self, arguments: &[&str]) -> Value {
        let told = self.admin(&[arguments, &["--json"]].concat(), "");
        serde_json::from_str(&told).unwrap_or_else(|_| panic!("JSON, not {told}"))
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let key = self.path("service.key");
        self.binary.fails(1, &self.arguments(&key, arguments), "")
    }

    /// Entries of the audit log: one JSON object a line.
    fn audit(&self) -> Vec<Value> {
        let told = self.admin(&["audit", "--json"], "");
        told.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    }

    async fn advance(&self, seconds: f64) {
        self.process().switch("clock", json!({"advance_seconds": seconds})).await;
    }

    async fn get(&self, path: &str) -> Value {
        let (status, told) = self.process().ask(path, &self.key("whatsapp"), None, None).await;
        assert_eq!(status, 200, "{path} {told}");
        told
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let (status, told) = self.process().ask(path, &self.key("whatsapp"), None, Some(body)).await;
        assert!((200..300).contains(&status), "{path} {status} {told}");
        told
    }
}

/// Id of the only webhook, which subscribed to incoming messages.
async fn subscribe(operated: &Operated, url: &str) -> String {
    let made = operated.post("/v1/webhooks", json!({"url": url, "events": ["message.received"]})).await;
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhook_commands_list_replay_and_switch() {
    for mut operated in Operated::each().await {
        operated.serve("first", &["--dev", "--simulate"]);
        let receiver = Receiver::start().await;
        let id = subscribe(&operated, &receiver.url).await;
        receiver.answer(500, "");
        operated.process().inbound(CUSTOMER, "is lost at first").await;
        let failed = until_found("an attempt", async || {
            let listed = operated.admin_json(&["webhook", "deliveries", &id, "--failed"]);
            if listed[0]["status"] == 500 { Ok(listed[0].clone()) } else { Err(listed) }
        })
        .await;
        for (name, value) in [
            ("webhook", json!(id)),
            ("name", json!("message.received")),
            ("attempt", json!(1)),
            ("outcome", json!("failed")),
        ] {
            assert_eq!(failed[name], value, "{failed}");
        }
        let (at, next) = (failed["at"].as_str().expect("a time"), failed["nextAt"].as_str().expect("a time"));
        assert!(next > at && failed["event"].is_string() && failed["milliseconds"].is_number(), "{failed}");
        let text = operated.admin(&["webhook", "deliveries"], "");
        assert!(text.contains("attempt 1 · failed · 500 · ") && text.contains(" · next try "), "{text}");
        let failing = operated.admin_json(&["webhook", "list"]);
        assert!(failing[0]["isActive"] == true && failing[0]["failingSince"].is_string(), "{failing}");

        operated.admin(&["webhook", "disable", &id], "");
        let dead = operated.admin_json(&["webhook", "deliveries", "--dead"]);
        assert_eq!((dead.as_array().map(Vec::len), &dead[0]["event"]), (Some(1), &failed["event"]));
        assert!(operated.refused(&["webhook", "replay", &id]).contains("webhook enable"));
        let off = operated.admin_json(&["webhook", "list"]);
        assert_eq!((&off[0]["isActive"], &off[0]["endedWhy"]), (&json!(false), &json!("operator")));
        operated.admin(&["webhook", "enable", &id], "");
        receiver.answer(204, "");
        receiver.take();
        assert_eq!(operated.admin_json(&["webhook", "replay", &id]), json!({"id": id, "replayed": 1}));
        let arrived = until_found("the replayed event", async || {
            operated.advance(1.0).await;
            receiver.deliveries().pop().ok_or("none yet")
        })
        .await;
        assert_eq!(arrived.headers["webhook-id"], failed["event"].as_str().expect("an id"));
        until_found("its outcome", async || {
            let listed = operated.admin_json(&["webhook", "deliveries", "--limit", "1"]);
            if listed[0]["outcome"] == "arrived" { Ok(()) } else { Err(listed) }
        })
        .await;
        assert_eq!(operated.admin_json(&["webhook", "deliveries", "--dead"]), json!([]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_says_who_created_revoked_connected_paused_and_erased() {
    for mut operated in Operated::each().await {
        let bot = BotServer::start();
        operated.serve("first", &["--dev", "--simulate"]);
        let told = operated.process().inbound(CUSTOMER, "hello").await;
        let conversation = told["conversationId"].as_str().expect("an id").to_owned();
        let key = operated.key("whatsapp");
        let url = format!("http://{}/v1/conversations/{conversation}", operated.process().address);
        let request = operated.process().http.patch(url).bearer_auth(&key);
        let body = json!({"automationEnabled": false}).to_string();
        let answer = request.header("content-type", "application/json").body(body).send().await;
        assert!(answer.expect("an answer").status().is_success());
        let made = operated.admin_json(&["key", "create", "--channel", "whatsapp"]);
        let made = made["id"].as_str().expect("an id");
        operated.admin(&["key", "revoke", made], "");
        let connect = ["channel", "connect", "telegram", "--api-url", &bot.url()];
        operated.admin(&connect, &format!("{TOKEN}\n"));
        operated.admin(&["channel", "disconnect", "telegram"], "");
        operated.admin(&["assistant", "resume", &conversation], "");
        operated.admin(&["assistant", "pause", &conversation], "");
        operated.admin(&["person", "add", "Beatriz"], "");
        operated.admin(&["person", "remove", "Beatriz"], "");
        let erased = operated.admin_json(&["erase", CUSTOMER]);

        let entries = operated.audit();
        let text = |entry: &Value, name: &str| entry[name].as_str().expect("text").to_owned();
        let who = text(&entries[0], "actor");
        assert!(who.starts_with("key_"), "a key paused: {entries:?}");
        let told: Vec<(String, String)> =
            entries.iter().map(|entry| (text(entry, "actor"), text(entry, "action"))).collect();
        let by_admin = [
            "key create",
            "key revoke",
            "channel connect",
            "channel disconnect",
            "hand back",
            "pause",
            "person add",
            "person remove",
            "erase",
        ];
        let mut wanted = vec![(who, "pause".to_owned())];
        wanted.extend(by_admin.map(|action| ("admin".to_owned(), action.to_owned())));
        assert_eq!(told, wanted);
        let subjects: Vec<String> = entries.iter().map(|entry| text(entry, "subject")).collect();
        assert_eq!((subjects[1].as_str(), subjects[2].as_str()), (made, made));
        assert_eq!((subjects[3].as_str(), &subjects[6]), ("ch_telegram", &conversation));
        assert_eq!(json!(subjects[9]), erased["id"]);
        for entry in &entries {
            assert!(text(entry, "workspace") == "ws_1" && text(entry, "at").ends_with('Z'), "{entry}");
            let line = entry.to_string();
            assert!(!line.contains("600111222") && !line.contains("Beatriz"), "ids only: {line}");
        }
        let text = operated.admin(&["audit", "--since", "1h", "--limit", "1"], "");
        assert!(text.lines().count() == 1 && text.contains(" · admin · erase · "), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn person_is_exported_to_a_file_and_erased_with_a_certificate() {
    for mut operated in Operated::each().await {
        operated.serve("first", &["--dev", "--simulate"]);
        let receiver = Receiver::start().await;
        subscribe(&operated, &receiver.url).await;
        receiver.answer(500, "");
        operated.process().inbound(CUSTOMER, "where is my quagga?").await;
        operated.process().inbound("+34600111333", "somebody else").await;
        let (copy, certificate) = (operated.path("person.json"), operated.path("erased.json"));
        operated.admin(&["export", CUSTOMER, "--to", &copy], "");
        let told = std::fs::read_to_string(&copy).expect("a copy");
        assert!(told.contains("where is my quagga?") && told.contains(CUSTOMER), "{told}");
        assert!(!told.contains("somebody else"), "{told}");
        assert!(operated.refused(&["export", CUSTOMER, "--to", &copy]).contains("exists already"));
        let erase = ["erase", CUSTOMER, "--certificate", &certificate];
        assert!(operated.admin(&erase, "").contains("1 conversation"));
        for path in [&copy, &certificate] {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(path).expect("there").permissions().mode() & 0o777, 0o600);
        }
        let text = std::fs::read_to_string(&certificate).expect("a certificate");
        assert!(!text.contains("600111222") && !text.contains("quagga"), "{text}");
        let told: Value = serde_json::from_str(&text).expect("JSON");
        for (name, count) in [("histories", 1), ("contacts", 1), ("files", 0)] {
            assert_eq!(told[name], json!(count), "{name} {told}");
        }
        assert!(told["messages"].as_u64().is_some_and(|count| count > 0), "{told}");
        assert!(told["at"].is_string() && told["unchanged"].is_array(), "{told}");
        let last = operated.audit().pop().expect("an entry");
        assert_eq!((&last["action"], &last["subject"]), (&json!("erase"), &told["id"]));
        let said = operated.refused(&["erase", CUSTOMER]);
        assert!(said.contains("nothing was erased"), "{said}");
        let left = operated.get("/v1/messages").await;
        let contents: Vec<&str> = left["data"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|row| row["direction"] == "inbound")
            .filter_map(|row| row["content"].as_str())
            .collect();
        assert_eq!(contents, ["somebody else"], "the scripted assistant may have answered, too");
        // No event about the person reaches a receiver that works again.
        receiver.answer(200, "");
        receiver.take();
        operated.advance(86_400.0).await;
        let delivered = until_found("the event about the other", async || {
            let found = receiver.deliveries();
            if found.is_empty() { Err("none yet") } else { Ok(found) }
        })
        .await;
        assert!(delivered.iter().all(|delivery| !String::from_utf8_lossy(&delivery.body).contains("quagga")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suspend_and_resume_act_on_the_named_workspace() {
    for mut operated in Operated::each().await {
        operated.serve("first", &["--dev", "--simulate", "--unlimited"]);
        let added = operated.admin_json(&["workspace", "add", "--name", "Second shop"]);
        let id = added["id"].as_str().expect("an id").to_owned();
        let second = ["--workspace", "Second shop"];
        let made = operated.admin_json(&[&second[..], &["key", "create", "--channel", "whatsapp"]].concat());
        let key = made["key"].as_str().expect("a key").to_owned();
        let template = json!({"to": CUSTOMER, "type": "text", "text": {"body": "hi"}});
        let send =
            async || operated.process().ask("/v1/messages/send", &key, None, Some(template.clone())).await;
        operated.admin(&[&second[..], &["workspace", "suspend"]].concat(), "");
        let (status, told) = send().await;
        assert!(
            status == 403 && told["message"].as_str().is_some_and(|text| text.contains("suspended")),
            "{told}"
        );
        let (status, _) = operated.process().ask("/v1/messages", &key, None, None).await;
        assert_eq!(status, 200, "it reads");
        operated.process().inbound(CUSTOMER, "hello").await;
        operated.post("/v1/messages/send", template.clone()).await;
        let page = operated.process().http.get(format!("http://{}/metrics", operated.process().address));
        let page = page.send().await.expect("an answer").text().await.expect("a body");
        assert!(page.contains("frontdesk_workspaces_suspended 1"), "{page}");
        assert!(page.contains(&format!("frontdesk_credits{{workspace=\"{id}\"}}")), "{page}");
        assert!(!page.contains("Second shop") && !page.contains("600111222"), "{page}");
        operated.admin(&[&second[..], &["workspace", "resume"]].concat(), "");
        let (status, told) = send().await;
        assert!(status != 403, "{status} {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_is_json_lines_with_request_ids_in_files_that_rotate() {
    for mut operated in Operated::each().await {
        operated.binary.set("FRONTDESK_LOG", "info");
        let log = operated.path("service.log");
        // An earlier run has nearly filled the file.
        let record = format!("{}\n", json!({"message": "x".repeat(1_000)}));
        let earlier = (1 << 20) / record.len() - LOG_REST / record.len() - 1;
        std::fs::write(&log, record.repeat(earlier)).expect("written");
        let arguments =
            ["--log-file", &log, "--log-format", "json", "--log-file-size", "1", "--dev", "--simulate"];
        operated.serve("first", &arguments);
        let url = format!("http://{}/v1/account", operated.process().address);
        let ask = async |id: Option<&str>| {
            let mut request = operated.process().http.get(&url).bearer_auth(operated.key("whatsapp"));
            if let Some(id) = id {
                request = request.header("x-request-id", id);
            }
            let answer = request.send().await.expect("an answer");
            answer.headers()["x-request-id"].to_str().expect("text").to_owned()
        };
        assert_eq!(ask(Some("trace-1:a")).await, "trace-1:a");
        let made = [ask(None).await, ask(Some("two words")).await];
        assert!(made.iter().all(|id| id.starts_with("req_")) && made[0] != made[1], "{made:?}");
        let older = format!("{log}.1");
        while !std::path::Path::new(&older).exists() {
            ask(Some("more")).await;
        }
        operated.stop().await;
        let text = [&older, &log].map(|path| std::fs::read_to_string(path).expect("a file"));
        assert!(text[0].len() <= 1 << 20 && text[0].ends_with('\n'), "a record is not divided");
        let records: Vec<Value> =
            text.concat().lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        assert!(records.len() > earlier + 3, "none is lost");
        for id in ["trace-1:a", &made[0], &made[1]] {
            let of_request: Vec<_> = records.iter().filter(|record| record["request"] == id).collect();
            assert_eq!(of_request.len(), 1, "{id}");
            assert_eq!(of_request[0]["status"], json!(200), "{of_request:?}");
            assert!(of_request[0]["time"].is_string() && of_request[0]["level"] == "INFO", "{of_request:?}");
        }
    }
}

/// Figures of the process itself, which Linux tells.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_tell_files_and_memory_of_the_process() {
    for mut operated in Operated::each().await {
        operated.serve("first", &["--dev", "--simulate"]);
        let page = operated.process().http.get(format!("http://{}/metrics", operated.process().address));
        let page = page.send().await.expect("an answer").text().await.expect("a body");
        let figure = |name: &str| -> u64 {
            let found = page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
            found.unwrap_or_else(|| panic!("{name}: {page}"))
        };
        let proc = format!("/proc/{}", operated.process().child.id());
        let open = std::fs::read_dir(format!("{proc}/fd")).expect("its files").count();
        // Connections come and go.
        let told = usize::try_from(figure("frontdesk_process_open_fds ")).expect("small");
        assert!(told.abs_diff(open) < 30 && told > 5, "{told} and {open}");
        assert!(figure("frontdesk_process_max_fds ") > figure("frontdesk_process_open_fds "));
        let status = std::fs::read_to_string(format!("{proc}/status")).expect("its memory");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
        let kibibytes: u64 =
            resident.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
        let bytes = figure("frontdesk_process_resident_bytes ");
        assert!(bytes > kibibytes * 512 && bytes < kibibytes * 2_048, "{bytes} and {kibibytes} KiB");
    }
}

/// The listener counts connections and ends each at once, as a database that is not up yet.
#[test]
fn database_is_tried_again_after_growing_pauses_and_that_is_said_once() {
    const ATTEMPTS: usize = 6;
    let binary = Binary::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let url = format!("postgres://frontdesk@127.0.0.1:{port}/frontdesk");
    let mut child = Process::begin(&binary, "waits", &["--db", &url]);
    let times = Arc::new(Mutex::new(Vec::new()));
    let counted = Arc::clone(&times);
    std::thread::spawn(move || {
        while let Ok(attempt) = listener.accept() {
            counted.lock().expect("no one failed").push(instant());
            drop(attempt);
        }
    });
    let count = || times.lock().expect("no one failed").len();
    until_so("some attempts", || count() >= ATTEMPTS);
    let times: Vec<_> = times.lock().expect("no one failed").iter().copied().take(ATTEMPTS).collect();
    assert!(child.try_wait().expect("known").is_none(), "it waits on");
    child.kill().and_then(|()| child.wait()).expect("ended");
    let log = std::fs::read_to_string(binary.folder().join("waits.log")).expect("a log");
    assert_eq!(log.matches("waiting for the database server").count(), 1, "{log}");
    // A pause is never shorter than it should be, however slow the machine is.
    let pauses: Vec<u128> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    let total: u128 = pauses.iter().sum();
    assert!(total >= 200 + 400 + 800, "{pauses:?}");
    assert!(pauses.last() > pauses.first(), "{pauses:?}");
}
