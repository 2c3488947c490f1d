//! `kill -9` during sends, after a random number of requests to the real binary with a real file:
//! no acknowledged message is lost, none is sent twice, each is paid once. The number of kills is a
//! quarter of `FRONTDESK_KILLS`; the rest is in `kills/campaign.rs`.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

/// Kills of a plain test run, here and in `kills/campaign.rs`.
pub const KILLS: usize = 80;
const CALLERS: usize = 8;
/// Maximum number of requests between two kills.
const BETWEEN: usize = 60;
/// Minimum number of files a service has open when it listens.
const FILES: usize = 14;

/// The running binary; killed when dropped.
pub struct Killable {
    pub child: Child,
    ready: Value,
}

impl Killable {
    /// Starts the service on a folder and waits until it listens.
    pub fn start(folder: &Path) -> Self {
        let mut child = Self::spawn(folder);
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("listening on "), "{line}");
        let text = std::fs::read(folder.join("ready.json")).expect("the ready file");
        Self { child, ready: serde_json::from_slice(&text).expect("JSON") }
    }

    pub fn spawn(folder: &Path) -> Child {
        Command::new(env!("CARGO_BIN_EXE_frontdesk"))
            .args(["serve", "--dev", "--unlimited", "--listen", "127.0.0.1:0", "--db"])
            .arg(folder.join("service.db"))
            .arg("--ready-file")
            .arg(folder.join("ready.json"))
            .env("FRONTDESK_DATA_DIR", folder)
            .env("FRONTDESK_CONFIG_DIR", folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts")
    }

    pub fn key(&self, channel: &str) -> String {
        let keys = self.ready["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| key["channel"] == channel && key["environment"] == "live");
        found.expect("a live key")["key"].as_str().expect("text").to_owned()
    }

    pub fn url(&self, name: &str, path: &str) -> String {
        format!("{}{path}", self.ready[name].as_str().expect("an address"))
    }
}

impl Drop for Killable {
    fn drop(&mut self) {
        // SIGKILL; the process may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the service and kills it once it has so many files open, or listens.
pub fn kill_starting(folder: &Path, files: usize) {
    let ready = folder.join("ready.json");
    let _ = std::fs::remove_file(&ready);
    let mut starting = Killable::spawn(folder);
    let open = PathBuf::from(format!("/proc/{}/fd", starting.id()));
    // Without the folder the process is killed at once.
    while std::fs::read_dir(&open).is_ok_and(|entry| entry.count() < files) && !ready.exists() {
        std::thread::sleep(Duration::from_micros(100));
    }
    starting.kill().expect("killed");
    starting.wait().expect("gone");
}

#[derive(Default)]
struct Ledger {
    /// Unanswered keys, to be tried again.
    open: VecDeque<String>,
    /// Id of the message, by key.
    answered: HashMap<String, String>,
    begun: usize,
    /// Requests since the last start of the service.
    asked: usize,
}

impl Ledger {
    fn next(&mut self) -> String {
        self.open.pop_front().unwrap_or_else(|| {
            self.begun += 1;
            format!("kill-{}", self.begun)
        })
    }
}

/// Sends until the service is gone; an unanswered key goes back.
async fn call_on(
    http: reqwest::Client,
    url: String,
    key: String,
    ledger: Arc<Mutex<Ledger>>,
    only_open: bool,
) {
    loop {
        let idem = {
            let mut ledger = ledger.lock().expect("no one failed");
            if only_open && ledger.open.is_empty() {
                return;
            }
            ledger.asked += 1;
            ledger.next()
        };
        let body = text_to(ANA, &format!("text of {idem}")).to_string();
        let request = http.post(&url).bearer_auth(&key).header("idempotency-key", &idem);
        let sent = request.header("content-type", "application/json").body(body).send().await;
        let answer = match sent {
            Ok(answer) => {
                let status = answer.status().as_u16();
                answer.bytes().await.map(|bytes| (status, bytes))
            }
            Err(cause) => Err(cause),
        };
        let mut ledger = ledger.lock().expect("no one failed");
        match answer {
            Ok((200, bytes)) => {
                let body: Value = serde_json::from_slice(&bytes).expect("JSON");
                let id = body["messageId"].as_str().expect("an id").to_owned();
                assert!(ledger.answered.insert(idem, id).is_none(), "answered once");
            }
            Ok((status, bytes)) => panic!("{idem}: {status} {}", String::from_utf8_lossy(&bytes)),
            Err(_) => {
                ledger.open.push_back(idem);
                return;
            }
        }
    }
}

pub fn kills() -> usize {
    std::env::var("FRONTDESK_KILLS").ok().and_then(|var| var.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_text_goes_out_once_and_is_paid_once() {
    let folder = tempfile::tempdir().expect("a folder");
    frontdesk::client::install_tls();
    let seed = std::env::var("FRONTDESK_SEED").ok().and_then(|var| var.parse().ok()).unwrap_or(20_261_120);
    let mut random = StdRng::seed_from_u64(seed);
    let ledger: Arc<Mutex<Ledger>> = Arc::default();
    let mut service = Killable::start(folder.path());
    let key = service.key("whatsapp");
    let post = async |url: String, body: Value| {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let request = http.post(url).header("content-type", "application/json").body(body.to_string());
        let bytes = request.send().await.expect("sent").bytes().await.expect("answered");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")
    };
    let hello = json!({"channel": "whatsapp", "from": ANA, "text": "hi"});
    post(service.url("dev_url", "/inbound"), hello).await;
    let credits = 1_000_000_000_i64;
    post(service.url("dev_url", "/credits"), json!({"balance": credits})).await;
    for kill in 0..kills() / 4 {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let url = service.url("base_url", "/messages/send");
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| tokio::spawn(call_on(http.clone(), url.clone(), key.clone(), ledger.clone(), false)))
            .collect();
        let enough = random.random_range(0..BETWEEN);
        while ledger.lock().expect("no one failed").asked < enough {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        drop(service);
        for caller in callers {
            caller.await.expect("no panic");
        }
        ledger.lock().expect("no one failed").asked = 0;
        if kill % 10 == 7 {
            // Also kills the service during its start.
            kill_starting(folder.path(), random.random_range(0..FILES));
        }
        service = Killable::start(folder.path());
    }
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let url = service.url("base_url", "/messages/send");
    call_on(http, url, key, ledger.clone(), true).await;
    let outbound = post(service.url("dev_url", "/outbound"), json!({})).await;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for item in outbound["data"].as_array().expect("a list") {
        let idem = item["idempotencyKey"].as_str().expect("a key");
        assert_eq!(item["content"], format!("text of {idem}"));
        *seen.entry(idem.to_owned()).or_default() += 1;
    }
    drop(service);
    let ledger = ledger.lock().expect("no one failed");
    assert!(ledger.open.is_empty());
    assert_eq!(ledger.answered.len(), ledger.begun);
    for idem in ledger.answered.keys() {
        assert_eq!(seen.get(idem), Some(&1), "{idem} (FRONTDESK_SEED={seed})");
    }
    assert_eq!(seen.len(), ledger.begun);
    let db = rusqlite::Connection::open(folder.path().join("service.db")).expect("opens");
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
    let begun = i64::try_from(ledger.begun).expect("small");
    assert_eq!(number("SELECT balance FROM workspaces"), credits - begun);
    assert_eq!(number("SELECT sum(amount) FROM ledger"), credits - begun);
    assert_eq!(number("SELECT count(*) FROM messages WHERE direction = 'outbound'"), begun);
    assert_eq!(number("SELECT message_count FROM conversations"), begun + 1);
    let ids: Vec<&String> = ledger.answered.values().collect();
    for id in ids {
        let found: i64 = db
            .query_row("SELECT count(*) FROM messages WHERE id = ?1", [id], |row| row.get(0))
            .expect("a number");
        assert_eq!(found, 1, "{id} was answered");
    }
    let health: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a word");
    assert_eq!(health, "ok");
}
