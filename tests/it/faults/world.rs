//! The service all cells share: each creates its own objects and checks its database.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use frontdesk::model::account::Environment;
use frontdesk::model::secret::Secret;
use frontdesk::service::{self, Options, RunningService};
use rusqlite::{Connection, OpenFlags, Params};
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::service::receiver::Receiver;

/// Credits that cannot be used up.
const CREDITS: i64 = 1_000_000_000;

pub struct World {
    running: RunningService,
    http: reqwest::Client,
    truth: Mutex<Connection>,
    /// Answers the challenges of webhooks.
    pub receiver: Receiver,
    _folder: tempfile::TempDir,
}

impl World {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("service.db");
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut options = Options::new(listen, database.clone(), HandClock::new());
        options.dev = true;
        options.unlimited = true;
        options.by_hand = true;
        let running = service::start(options).await.expect("the service starts");
        frontdesk::client::install_tls();
        let truth =
            Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the file opens");
        let world = Self {
            running,
            // The service may close a kept connection just as it is used.
            http: reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client"),
            truth: Mutex::new(truth),
            receiver: Receiver::start().await,
            _folder: folder,
        };
        world.dev("/credits", json!({ "balance": CREDITS })).await;
        world
    }

    pub fn address(&self) -> SocketAddr {
        let address = self.running.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
        address.parse().expect("an address")
    }

    pub fn key(&self, channel: &str) -> Secret {
        let live = |issued_key: &&service::IssuedKey| {
            issued_key.channel == channel && issued_key.environment == Environment::Live
        };
        self.running.keys.iter().find(live).expect("a live key").key.clone()
    }

    pub async fn dev(&self, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.running.dev_url);
        answer(self.http.post(url).header("content-type", "application/json").body(body.to_string())).await
    }

    /// Calls the API without the proxy.
    pub async fn post(&self, channel: &str, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.running.base_url);
        let request = self.http.post(url).bearer_auth(self.key(channel).expose());
        let request = request.header("content-type", "application/json").body(body.to_string());
        // A busy machine can miss the service's five seconds for repeating a challenge.
        let mut tries = 0;
        loop {
            let told = send_request(request.try_clone().expect("a body in memory")).await;
            tries += 1;
            if tries > 10 || !told.text.contains("WEBHOOK_VERIFICATION_FAILED") {
                return told.value();
            }
        }
    }

    /// Reads from the API without the proxy.
    pub async fn get(&self, channel: &str, path: &str) -> Value {
        let url = format!("{}{path}", self.running.base_url);
        answer(self.http.get(url).bearer_auth(self.key(channel).expose())).await
    }

    pub async fn inbound(&self, channel: &str, from: &str) -> Value {
        let told =
            json!({"channel": channel, "from": from, "text": "hello", "subject": format!("About {from}")});
        self.dev("/inbound", told).await
    }

    pub fn number(&self, sql: &str, values: impl Params) -> i64 {
        let truth = self.truth.lock().expect("no one failed");
        truth.query_row(sql, values, |row| row.get(0)).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Removes the webhooks of a URL; their number is limited.
    pub async fn forget_webhooks(&self, channel: &str, path: &str, url: &str) {
        let sql = "SELECT coalesce(group_concat(id), '') FROM webhooks WHERE url = ?1";
        let ids: String = {
            let truth = self.truth.lock().expect("no one failed");
            truth.query_row(sql, [url], |row| row.get(0)).expect("ids")
        };
        for id in ids.split(',').filter(|part| !part.is_empty()) {
            let url = format!("{}{path}/{id}", self.running.base_url);
            answer(self.http.delete(url).bearer_auth(self.key(channel).expose())).await;
        }
    }

    /// Number of successful requests with an idempotency key.
    pub fn done_under(&self, key: &str) -> i64 {
        let sql = "SELECT count(*) FROM idempotency WHERE name = ?1 AND status BETWEEN 200 AND 299";
        self.number(sql, [key])
    }

    /// Checks that the balance equals the ledger and each entry has a reason.
    pub fn check_ledger(&self) {
        let balance = self.number("SELECT balance FROM workspaces", []);
        assert_eq!(balance, self.number("SELECT sum(amount) FROM ledger", []), "the ledger adds up");
        let paid = self.number("SELECT count(*) FROM ledger WHERE amount < 0", []);
        let sql = "SELECT (SELECT count(*) FROM messages WHERE cost > 0 AND broadcast IS NULL)
                        + (SELECT count(*) FROM emails WHERE cost > 0)
                        + (SELECT count(*) FROM broadcasts)";
        assert_eq!(paid, self.number(sql, []), "each thing is paid once");
    }
}

struct Told {
    status: reqwest::StatusCode,
    url: reqwest::Url,
    text: String,
}

impl Told {
    fn value(&self) -> Value {
        let Self { status, url, text } = self;
        assert!(status.is_success(), "{url}: {status} {text}");
        serde_json::from_str(text).expect("JSON")
    }
}

async fn send_request(request: reqwest::RequestBuilder) -> Told {
    let answer = request.send().await.expect("the service answers");
    let (status, url) = (answer.status(), answer.url().clone());
    Told { status, url, text: answer.text().await.expect("a body") }
}

async fn answer(request: reqwest::RequestBuilder) -> Value {
    send_request(request).await.value()
}
