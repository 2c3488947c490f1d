//! Contract of mail, voice and triggers, with a clock that only tests move.

mod demo;
mod events;
mod sending;
mod threads;
mod triggers;
mod voice;

use std::net::{Ipv4Addr, SocketAddr};

use frontdesk::model::account::Environment;
use frontdesk::model::time::Zone;
use frontdesk::service::{self, RunningService};
use serde_json::{Value, json};

use crate::desk::HandClock;

/// Status, replay flag and body.
#[derive(Debug, Clone, PartialEq)]
struct Answer {
    status: u16,
    replayed: bool,
    body: Value,
}

impl Answer {
    #[track_caller]
    fn good(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    #[track_caller]
    fn refused(self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{}", self.body);
        self.body["message"].as_str().expect("a message").to_owned()
    }
}

struct World {
    http: reqwest::Client,
    running: RunningService,
    folder: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        Self::start(false).await
    }

    async fn start(demo: bool) -> Self {
        frontdesk::client::install_tls();
        let folder = tempfile::tempdir().expect("a folder");
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut options = service::Options::new(
            listen,
            folder.path().join("service.db"),
            HandClock::at("2026-11-20T10:00:00", &Zone::UTC),
        );
        (options.dev, options.unlimited, options.by_hand, options.demo) = (true, true, true, demo);
        let running = service::start(options).await.expect("the service starts");
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { http, running, folder }
    }

    /// The key of a channel: `email`, or `email test`.
    fn key(&self, whose: &str) -> &str {
        let (channel, test) = whose.split_once(' ').map_or((whose, false), |(text, _)| (text, true));
        let wanted = if test { Environment::Test } else { Environment::Live };
        let found = self.running.keys.iter().find(|key| key.channel == channel && key.environment == wanted);
        found.expect("a key").key.expose()
    }

    async fn ask(&self, whose: &str, method: &str, path: &str, body: Option<Value>, key: &str) -> Answer {
        let method = method.parse().expect("a method");
        let mut request = self.http.request(method, format!("{}{path}", self.running.base_url));
        request = request.bearer_auth(self.key(whose));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let replayed = response.headers().contains_key("idempotent-replayed");
        assert!(response.headers().contains_key("x-ratelimit-limit"), "{path}");
        let body = response.bytes().await.expect("a body");
        Answer { status, replayed, body: serde_json::from_slice(&body).expect("JSON") }
    }

    async fn get(&self, whose: &str, path: &str) -> Answer {
        self.ask(whose, "GET", path, None, "").await
    }

    async fn post(&self, whose: &str, path: &str, body: Value) -> Answer {
        self.ask(whose, "POST", path, Some(body), "").await
    }

    async fn patch(&self, path: &str, body: Value) -> Answer {
        self.ask("email", "PATCH", path, Some(body), "").await
    }

    async fn dev(&self, path: &str, body: Value) -> Answer {
        let url = format!("{}{path}", self.running.dev_url);
        let request = self.http.post(url).header("content-type", "application/json").body(body.to_string());
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let body = response.bytes().await.expect("a body");
        Answer { status, replayed: false, body: serde_json::from_slice(&body).expect("JSON") }
    }

    async fn advance(&self, seconds: f64) {
        self.dev("/clock", json!({"advance_seconds": seconds})).await.good();
    }

    async fn mail_from(&self, from: &str, subject: &str, text: &str) -> Value {
        let body = json!({"channel": "email", "from": from, "subject": subject, "text": text});
        self.dev("/inbound", body).await.good()
    }

    async fn balance(&self) -> i64 {
        let account = self.get("email", "/account").await.good();
        account["creditsBalance"].as_i64().expect("whole credits")
    }

    async fn thread_of(&self, sent: &Value) -> Value {
        let id = sent["threadId"].as_str().expect("an id");
        self.get("email", &format!("/email/threads/{id}")).await.good()
    }

    async fn outbound(&self) -> Vec<Value> {
        self.dev("/outbound", json!({})).await.good()["data"].as_array().expect("a list").clone()
    }

    /// True if the ledger explains the balance.
    fn ledger_adds_up(&self) -> bool {
        let db = rusqlite::Connection::open(self.folder.path().join("service.db")).expect("opens");
        let sql = "SELECT (SELECT sum(amount) FROM ledger) = (SELECT balance FROM workspaces)";
        db.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// One field of each row on all pages of a list.
    async fn walk(&self, whose: &str, path: &str, limit: usize, field: &str) -> Vec<String> {
        let mark = if path.contains('?') { '&' } else { '?' };
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(whose, &format!("{path}{mark}limit={limit}{cursor}")).await.good();
            let rows = page["data"].as_array().expect("rows");
            assert!(rows.len() <= limit);
            found.extend(rows.iter().map(|row| row[field].as_str().unwrap_or("").to_owned()));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => {
                    assert_eq!(page["hasMore"], json!(false));
                    return found;
                }
            }
        }
    }
}
