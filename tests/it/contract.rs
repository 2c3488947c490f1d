//! The service against its contract: the real service over a real socket with a real file, under a
//! clock that only tests move.
//!
//! Every answer is checked: JSON, the three rate limit headers, and the Error shape below 200 or
//! above 299.

mod account;
mod bot;
mod clock_steps;
mod connections;
mod conversations;
mod credits;
mod faults;
mod hostile;
mod idempotency;
pub(crate) mod killing;
mod limits;
mod living;
#[cfg(target_os = "linux")]
mod memory;
mod messages;
mod paging;
mod sending;
mod switches;
mod templates;
mod testkeys;
mod unparsed;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use frontdesk::model::account::Environment;
use frontdesk::service::{self, DatabaseLocation, IssuedKey, Options, RunningService};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::postgres::cluster;

/// A customer whose messages are delivered and read.
const ANA: &str = "+34600111222";

struct World {
    base_url: String,
    dev_url: String,
    keys: Vec<IssuedKey>,
    clock: Arc<HandClock>,
    http: reqwest::Client,
    place: DatabaseLocation,
    folder: Option<tempfile::TempDir>,
    running: Option<RunningService>,
}

impl World {
    /// Without rate limits.
    async fn new() -> Self {
        Self::with(|options| options.unlimited = true).await
    }

    /// With rate limits unless `change` says otherwise.
    async fn with(change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self::at(folder, HandClock::new(), change).await
    }

    /// Uses a folder that may hold a database already.
    async fn at(folder: tempfile::TempDir, clock: Arc<HandClock>, change: impl FnOnce(&mut Options)) -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut options = Options::new(listen, folder.path().join("service.db"), clock.clone());
        options.dev = true;
        options.by_hand = true;
        change(&mut options);
        cluster::settle(&mut options).await;
        let place = options.database.clone();
        let running = service::start(options).await.expect("the service starts");
        frontdesk::client::install_tls();
        Self {
            base_url: running.base_url.clone(),
            dev_url: running.dev_url.clone(),
            keys: running.keys.clone(),
            clock,
            http: reqwest::Client::builder().no_proxy().build().expect("a client"),
            place,
            folder: Some(folder),
            running: Some(running),
        }
    }

    /// Stops the service and starts another one on the same file.
    async fn restarted(mut self, change: impl FnOnce(&mut Options)) -> Self {
        let (running, folder) = (self.running.take(), self.folder.take());
        running.expect("it runs").shutdown().await;
        let mut next = Self::at(folder.expect("a folder"), self.clock.clone(), change).await;
        assert!(next.keys.is_empty(), "keys are told once");
        next.keys = std::mem::take(&mut self.keys);
        next
    }

    fn database(&self) -> PathBuf {
        self.folder.as_ref().expect("a folder").path().join("service.db")
    }

    fn address(&self) -> String {
        let rest = self.base_url.strip_prefix("http://").expect("http");
        rest.strip_suffix("/v1").expect("a version").to_owned()
    }

    fn key(&self, channel: &str, environment: Environment) -> String {
        let found = self.keys.iter().find(|key| key.channel == channel && key.environment == environment);
        found.expect("a key").key.expose().to_owned()
    }

    fn live(&self, channel: &str) -> String {
        self.key(channel, Environment::Live)
    }

    fn call(&self, method: &str, path: &str) -> Call {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        Call { http: self.http.clone(), request, key: Some(self.live("whatsapp")) }
    }

    async fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send().await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path).json(&body).send().await
    }

    async fn dev(&self, path: &str, body: Value) -> Answer {
        let request = self.http.post(format!("{}{path}", self.dev_url));
        Call { http: self.http.clone(), request, key: None }.json(&body).send().await
    }

    async fn inbound(&self, channel: &str, from: &str, text: &str) -> (String, String) {
        let told = json!({"channel": channel, "from": from, "text": text});
        let body = self.dev("/inbound", told).await.ok();
        let id = |name: &str| body[name].as_str().expect("an id").to_owned();
        (id("conversationId"), id("messageId"))
    }

    fn text(&self, key: &str, body: &str) -> Call {
        self.call("POST", "/messages/send").idem(key).json(&text_to(ANA, body))
    }

    async fn advance(&self, seconds: i64) {
        self.dev("/clock", json!({"advance_seconds": seconds})).await.ok();
    }

    async fn balance(&self) -> i64 {
        self.get("/account").await.ok()["creditsBalance"].as_i64().expect("whole credits")
    }

    /// Everything that reached a platform: recipient, content and key.
    async fn outbound(&self) -> Vec<(String, String, Option<String>)> {
        let body = self.dev("/outbound", json!({})).await.ok();
        let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
        let item = |value: &Value| {
            let content = text(value, "content").expect("a content");
            (text(value, "to").expect("a recipient"), content, text(value, "idempotencyKey"))
        };
        body["data"].as_array().expect("a list").iter().map(item).collect()
    }
}

fn text_to(to: &str, body: &str) -> Value {
    json!({"to": to, "type": "text", "text": {"body": body}})
}

fn ids(body: &Value) -> Vec<String> {
    let items = body["data"].as_array().expect("a list");
    items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

struct Call {
    http: reqwest::Client,
    request: reqwest::RequestBuilder,
    key: Option<String>,
}

impl Call {
    fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    fn keyless(mut self) -> Self {
        self.key = None;
        self
    }

    fn idem(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
        self.request = self.request.header(name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
        self
    }

    fn json(self, body: &Value) -> Self {
        self.raw("application/json", body.to_string())
    }

    fn raw(mut self, kind: &str, body: impl Into<reqwest::Body>) -> Self {
        self.request = self.request.header("content-type", kind).body(body);
        self
    }

    /// Sends the request; an error if no complete answer arrived.
    async fn attempt(self) -> Result<Answer, reqwest::Error> {
        let request = match &self.key {
            Some(key) => self.request.bearer_auth(key),
            None => self.request,
        };
        let request = request.build().expect("a request");
        let shown = format!("{} {}", request.method(), request.url());
        let is_head = request.method() == Method::HEAD;
        let response = self.http.execute(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?.to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let answer = Answer { shown, status, headers, bytes, body };
        answer.check(is_head);
        Ok(answer)
    }

    async fn send(self) -> Answer {
        self.attempt().await.expect("an answer")
    }
}

/// An answer that satisfies the common rules.
struct Answer {
    shown: String,
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
    body: Value,
}

impl Answer {
    fn check(&self, is_head: bool) {
        for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
            assert!(self.number(name).is_some(), "{self:?} lacks {name}");
        }
        assert!(!self.headers.contains_key("access-control-allow-origin"), "{self:?}");
        assert!(self.headers.contains_key("date"), "{self:?}");
        if is_head {
            assert!(self.bytes.is_empty(), "{self:?}");
            return;
        }
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        if !(200..300).contains(&self.status) {
            let text = |name: &str| self.body[name].as_str().is_some_and(|body| !body.is_empty());
            assert!(text("code") && text("message"), "{self:?} is not in the Error shape");
        }
        if self.status == 429 {
            assert!(self.number("retry-after").is_some_and(|number| number >= 1), "{self:?}");
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|header| header.to_str().ok())
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.header(name).and_then(|header| header.parse().ok())
    }

    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }

    fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or("")
    }

    fn replayed(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }

    /// Body of a 200.
    #[track_caller]
    fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.body
    }

    #[track_caller]
    fn refused(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
        self
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body: String = String::from_utf8_lossy(&self.bytes).chars().take(400).collect();
        write!(out, "{} -> {} {body} {:?}", self.shown, self.status, self.headers)
    }
}
