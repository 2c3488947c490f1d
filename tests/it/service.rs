//! The service against its contract, with a clock moved only by `/dev/clock`.

mod broadcasts;
mod contacts;
mod crowded;
mod erasing;
mod events;
mod media;
mod operating;
pub(crate) mod receiver;
mod webhooks;

use std::collections::HashMap;
use std::path::PathBuf;

use frontdesk::model::time::Zone;
use frontdesk::service::{DatabaseLocation, Options, RunningService, start};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::desk::HandClock;
use crate::postgres::cluster;

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("JSON, not {}", String::from_utf8_lossy(&self.body)))
    }

    #[track_caller]
    pub fn good(self, status: u16) -> Value {
        let text = String::from_utf8_lossy(&self.body).into_owned();
        assert_eq!(self.status, status, "{text}");
        self.json()
    }

    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> String {
        let body = self.json();
        assert_eq!((self.status, body["code"].as_str()), (status, Some(code)), "{body}");
        body["message"].as_str().expect("a message").to_owned()
    }
}

pub struct Desk {
    pub running: RunningService,
    keys: HashMap<String, String>,
    database: PathBuf,
    place: DatabaseLocation,
    _folder: tempfile::TempDir,
}

impl Desk {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("service.db");
        let mut options = options(database.clone());
        cluster::settle(&mut options).await;
        let place = options.database.clone();
        let running = start(options).await.expect("it starts");
        let keys = running
            .keys
            .iter()
            .map(|key| (format!("{} {}", key.channel, key.environment.word()), key.key.expose().to_owned()));
        Self { keys: keys.collect(), running, database, place, _folder: folder }
    }

    async fn restart(self) -> Self {
        let Self { running, keys, database, place, _folder } = self;
        running.shutdown().await;
        let mut options = options(database.clone());
        cluster::settle(&mut options).await;
        let running = start(options).await.expect("it starts again");
        Self { running, keys, database, place, _folder }
    }

    /// Sends bytes; `key` is like `whatsapp live`, or empty for none.
    pub async fn send(
        &self,
        key: &str,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        let mut request = Request::builder().method(method);
        if !key.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.keys[key]));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        fetch(url, request, body).await
    }

    /// Calls the API with a JSON body; null sends none.
    pub async fn call(&self, key: &str, method: &str, path: &str, body: Value) -> Answer {
        self.keyed(key, method, path, body, None).await
    }

    async fn keyed(
        &self,
        key: &str,
        method: &str,
        path: &str,
        body: Value,
        idempotency: Option<&str>,
    ) -> Answer {
        let url = format!("{}{path}", self.running.base_url);
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(idempotency.map(|idempotency| ("idempotency-key", idempotency)));
        self.send(key, method, &url, &headers, bytes).await
    }

    async fn get(&self, key: &str, path: &str) -> Value {
        self.call(key, "GET", path, Value::Null).await.good(200)
    }

    async fn post(&self, key: &str, path: &str, body: Value) -> Value {
        self.call(key, "POST", path, body).await.good(200)
    }

    async fn switch(&self, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.running.dev_url);
        let bytes = body.to_string().into_bytes();
        self.send("", "POST", &url, &[("content-type", "application/json")], bytes).await.good(200)
    }

    /// Advances the clock; due work is done on return.
    async fn advance(&self, seconds: f64) {
        self.switch("/clock", json!({"advance_seconds": seconds})).await;
    }

    async fn inbound(&self, channel: &str, from: &str, text: &str) -> String {
        let told = self.switch("/inbound", json!({"channel": channel, "from": from, "text": text})).await;
        told["conversationId"].as_str().expect("an id").to_owned()
    }

    async fn balance(&self) -> f64 {
        self.get("whatsapp live", "/account").await["creditsBalance"].as_f64().expect("a number")
    }

    /// All rows of all tables except idempotency keys.
    fn dump(&self) -> Vec<String> {
        if self.place.file().is_none() {
            return cluster::dump(&self.place);
        }
        let db = self.sql();
        let mut tables = db
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('idempotency', 'sqlite_stat1')")
            .expect("prepared");
        let tables: Vec<String> = tables
            .query_map([], |row| row.get(0))
            .expect("read")
            .map(|query_map| query_map.expect("a name"))
            .collect();
        let mut rows = Vec::new();
        for table in tables {
            let mut statement = db.prepare(&format!("SELECT * FROM {table}")).expect("prepared");
            let columns = statement.column_count();
            let found = statement.query_map([], |row| {
                let value = |index| row.get::<_, rusqlite::types::Value>(index);
                Ok(format!("{table} {:?}", (0..columns).map(value).collect::<Result<Vec<_>, _>>()?))
            });
            rows.extend(found.expect("read").map(|result| result.expect("a row")));
        }
        rows
    }

    fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.database).expect("it opens")
    }

    #[track_caller]
    fn check_ledger(&self) {
        let sql = "SELECT (SELECT balance FROM workspaces) - (SELECT sum(amount) FROM ledger)";
        assert_eq!(cluster::count(&self.place, sql), 0, "the ledger explains the balance");
    }
}

fn options(database: PathBuf) -> Options {
    let listen = "127.0.0.1:0".parse().expect("an address");
    let options = Options::new(listen, database, HandClock::at("2026-11-20T10:00:00", &Zone::UTC));
    Options { dev: true, unlimited: true, by_hand: true, ..options }
}

/// One request on a new connection.
async fn fetch(url: &str, request: hyper::http::request::Builder, body: Vec<u8>) -> Answer {
    let (host, path) = url.strip_prefix("http://").and_then(|text| text.split_once('/')).expect("a URL");
    let stream = TcpStream::connect(host).await.expect("it listens");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
    let driven = tokio::spawn(connection);
    let request = request
        .uri(format!("/{path}"))
        .header("host", host)
        .body(Full::new(Bytes::from(body)))
        .expect("a request");
    let answer = sender.send_request(request).await.expect("an answer");
    let (head, body) = answer.into_parts();
    let body = body.collect().await.expect("a whole body").to_bytes().to_vec();
    driven.abort();
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    Answer { status: head.status.as_u16(), headers: headers.collect(), body }
}

fn texts(list: &Value, field: &str) -> Vec<String> {
    let rows = list["data"].as_array().expect("a list");
    rows.iter().map(|row| row[field].as_str().unwrap_or("null").to_owned()).collect()
}
