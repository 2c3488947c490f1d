//! The team: people, sessions and what they share, on the real service.

mod agents;
mod desks;
mod events;
mod idle;
mod interleavings;
mod joining;
mod kills;
mod latency;
mod memory;
mod people;
mod secrets;
mod sharing;
mod statistics;
mod ten_minutes;

use std::path::Path;
use std::sync::Arc;

use frontdesk::api::team::Role;
use frontdesk::model::time::Clock;
use frontdesk::service::admin::Admin;
use frontdesk::service::team::AddedPerson;
use frontdesk::service::{self, DatabaseLocation, Options, RunningService};
use reqwest::Method;
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::postgres::cluster;

/// A service with simulated platforms, under a clock that only tests move.
struct Team {
    base_url: String,
    dev_url: String,
    clock: Arc<HandClock>,
    http: reqwest::Client,
    admin: Admin,
    running: Option<RunningService>,
    place: DatabaseLocation,
    _folder: tempfile::TempDir,
}

/// A signed-in person.
#[derive(Clone)]
struct Colleague {
    session: String,
    person: Value,
    /// The person's own keys by channel.
    keys: Vec<(String, String)>,
}

struct Answer {
    status: u16,
    body: Value,
}

impl Answer {
    #[track_caller]
    fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    #[track_caller]
    fn refused(&self, status: u16, code: &str) -> &str {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{}", self.body);
        let message = self.body["message"].as_str().expect("a sentence");
        assert!(message.len() > 10, "{message}");
        message
    }
}

impl Colleague {
    fn id(&self) -> &str {
        self.person["id"].as_str().expect("an id")
    }

    fn key(&self, channel: &str) -> &str {
        &self.keys.iter().find(|(word, _)| word == channel).expect("a key").1
    }
}

impl Team {
    async fn start() -> Self {
        Self::with(|options| options.unlimited = true).await
    }

    /// On a database server. Processes on one database share the folder with the key.
    async fn at(url: &str, folder: &Path) -> Self {
        Self::with(|options| {
            options.unlimited = true;
            options.database = url.parse().expect("an address");
            options.key_file = Some(folder.join("service.key"));
        })
        .await
    }

    async fn with(change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = HandClock::new();
        let listen = std::net::SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0));
        let mut options = Options::new(listen, folder.path().join("service.db"), clock.clone());
        options.dev = true;
        options.by_hand = true;
        change(&mut options);
        cluster::settle(&mut options).await;
        let place = options.database.clone();
        let running = service::start(options).await.expect("the service starts");
        frontdesk::client::install_tls();
        Self {
            base_url: running.base_url.strip_suffix("/v1").expect("a version").to_owned(),
            dev_url: running.dev_url.clone(),
            clock,
            http: reqwest::Client::builder().no_proxy().build().expect("a client"),
            admin: open_admin(&place).await,
            running: Some(running),
            place,
            _folder: folder,
        }
    }

    async fn add(&self, name: &str, role: Role) -> AddedPerson {
        self.admin.add_person(name, Some(role), self.clock.now()).await.expect("added")
    }

    async fn sign_in(&self, name: &str, role: Role) -> Colleague {
        let token = self.add(name, role).await.token;
        let body = self.exchange(token.expose()).await.ok();
        Colleague {
            session: text(&body["session"]),
            person: body["person"].clone(),
            keys: body["channels"]
                .as_array()
                .expect("channels")
                .iter()
                .map(|channel| (text(&channel["channel"]), text(&channel["key"])))
                .collect(),
        }
    }

    async fn exchange(&self, token: &str) -> Answer {
        self.call("", "POST", "/desk/v1/sign-in", json!({"token": token, "device": "laptop"})).await
    }

    async fn call(&self, bearer: &str, method: &str, path: &str, body: Value) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.http.request(method, format!("{}{path}", self.base_url));
        if !bearer.is_empty() {
            request = request.bearer_auth(bearer);
        }
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let bytes = response.bytes().await.expect("a body");
        Answer { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
    }

    async fn get(&self, colleague: &Colleague, path: &str) -> Answer {
        self.call(&colleague.session, "GET", path, Value::Null).await
    }

    async fn dev(&self, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.dev_url));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let response = request.send().await.expect("an answer");
        assert!(response.status().is_success(), "{path}: {}", response.status());
        serde_json::from_slice(&response.bytes().await.expect("a body")).unwrap_or(Value::Null)
    }

    /// A customer writes; returns the id of the conversation or thread.
    async fn inbound(&self, channel: &str, from: &str, words: &str) -> String {
        let body = self.dev("/inbound", json!({"channel": channel, "from": from, "text": words})).await;
        let id = if channel == "email" { &body["threadId"] } else { &body["conversationId"] };
        text(id)
    }

    async fn advance(&self, seconds: i64) {
        self.dev("/clock", json!({"advance_seconds": seconds})).await;
    }

    fn place(&self) -> &DatabaseLocation {
        &self.place
    }

    async fn shutdown(mut self) {
        self.admin.close();
        self.running.take().expect("it runs").shutdown().await;
    }
}

/// Opens the database for administration, which blocks.
async fn open_admin(place: &DatabaseLocation) -> Admin {
    let place = place.clone();
    let opening = tokio::task::spawn_blocking(move || Admin::open(&place, None).expect("the database opens"));
    opening.await.expect("no panic")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
