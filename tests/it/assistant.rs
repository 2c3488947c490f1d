//! An assistant behind an endpoint: what it is asked, what becomes of its
//! answers, and what happens when it fails or a person is faster.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use frontdesk::model::account::Environment;
use frontdesk::service::{self, AssistantChoice, Endpoint};
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::raw_http::RawRequest;

/// An endpoint whose answers a test gives when it likes.
struct Peer {
    url: String,
    asked: Receiver<RawRequest>,
    answers: Sender<(u16, String)>,
}

impl Peer {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (tell, asked) = channel();
        let (answers, waiting) = channel::<(u16, String)>();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                if tell.send(request(&mut stream)).is_err() {
                    return;
                }
                let Ok((status, body)) = waiting.recv() else { return };
                let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
                let answer =
                    format!("{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
                stream.write_all(answer.as_bytes()).expect("it is taken");
            }
        });
        Self { url, asked, answers }
    }

    fn says(&self, text: &str) {
        let body = json!({"choices": [{"message": {"role": "assistant", "content": text}}]});
        self.answers.send((200, body.to_string())).expect("the peer runs");
    }
}

/// Reads one request.
fn request(stream: &mut TcpStream) -> RawRequest {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).expect("a request");
        assert!(count > 0, "the request broke off");
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(request) = RawRequest::parse(&bytes) {
            return request;
        }
    }
}

/// A service whose assistant is the peer.
struct World {
    runtime: tokio::runtime::Runtime,
    running: service::Running,
    http: reqwest::Client,
    key: String,
    _folder: tempfile::TempDir,
}

impl World {
    fn with(peer: &Peer) -> Self {
        frontdesk::client::install_tls();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let endpoint = Endpoint {
            url: peer.url.clone(),
            model: "small".to_owned(),
            key: Some(frontdesk::model::secret::Secret::new("peer-key")),
        };
        let options = service::Options {
            dev: true,
            by_hand: true,
            assistant: AssistantChoice::Remote(endpoint),
            ..service::Options::new(
                SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                folder.path().join("service.db"),
                HandClock::new(),
            )
        };
        let running = runtime.block_on(service::start(options)).expect("it starts");
        let live =
            running.keys.iter().find(|it| it.channel == "whatsapp" && it.environment == Environment::Live);
        let key = live.expect("a key").key.expose().to_owned();
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { runtime, running, http, key, _folder: folder }
    }

    fn call(&self, method: reqwest::Method, url: String, body: Option<Value>) -> Value {
        self.runtime.block_on(async {
            let mut request = self.http.request(method, url).bearer_auth(&self.key);
            if let Some(body) = body {
                request = request.header("content-type", "application/json").body(body.to_string());
            }
            let text = request.send().await.expect("an answer").text().await.expect("a body");
            serde_json::from_str(&text).expect("JSON")
        })
    }

    fn dev(&self, path: &str, body: Value) -> Value {
        self.call(reqwest::Method::POST, format!("{}/{path}", self.running.dev_url), Some(body))
    }

    fn get(&self, path: &str) -> Value {
        self.call(reqwest::Method::GET, format!("{}{path}", self.running.base_url), None)
    }

    /// A customer writes; the conversation's id.
    fn customer(&self, text: &str) -> String {
        let body = json!({"channel": "whatsapp", "from": "+34600111222", "text": text});
        self.dev("inbound", body)["conversationId"].as_str().expect("an id").to_owned()
    }

    /// What stands in a conversation, oldest first.
    fn said(&self, id: &str) -> Vec<(String, String)> {
        let page = self.get(&format!("/conversations/{id}/messages"));
        let rows = page["data"].as_array().expect("rows").iter().rev();
        let text = |it: &Value, name: &str| it[name].as_str().expect("text").to_owned();
        rows.map(|it| (text(it, "senderType"), text(it, "content"))).collect()
    }
}

#[test]
fn a_model_answers_and_may_ask_for_a_person() {
    let peer = Peer::start();
    let world = World::with(&peer);
    let id = world.customer("Are you open?");
    peer.says("Until 19:00 today.");
    world.dev("clock", json!({"advance_seconds": 5}));
    let asked = peer.asked.recv().expect("asked");
    assert_eq!((asked.method.as_str(), asked.target.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(asked.headers["authorization"], "Bearer peer-key");
    let body = asked.json();
    assert_eq!(body["model"], "small");
    assert_eq!(body["messages"][1], json!({"role": "user", "content": "Are you open?"}));
    let last = ("ai".to_owned(), "Until 19:00 today.".to_owned());
    assert_eq!(world.said(&id).last(), Some(&last));
    world.customer("I want my money back");
    peer.says("HANDOVER");
    world.dev("clock", json!({"advance_seconds": 5}));
    assert_eq!(world.said(&id).len(), 3, "it says nothing more");
    let escalation = world.get(&format!("/conversations/{id}"))["escalation"]["reason"].clone();
    assert_eq!(escalation, "the assistant asked for a person");
}

#[test]
fn the_script_answers_where_the_endpoint_fails() {
    let peer = Peer::start();
    let world = World::with(&peer);
    for (count, (status, body)) in
        [(500, "{}"), (200, "<html>"), (200, "{\"choices\":[]}")].iter().enumerate()
    {
        let body_of = json!({"channel": "whatsapp", "from": format!("+3460011120{count}"), "text": "zzz?"});
        let id = world.dev("inbound", body_of)["conversationId"].as_str().expect("an id").to_owned();
        peer.answers.send((*status, (*body).to_owned())).expect("the peer runs");
        world.dev("clock", json!({"advance_seconds": 5}));
        let said = world.said(&id);
        assert_eq!(said.len(), 2, "{body}: {said:?}");
        assert_eq!(said[1].0, "ai");
    }
}

#[test]
fn a_person_is_never_talked_over_by_a_late_thought() {
    let peer = Peer::start();
    let world = World::with(&peer);
    let id = world.customer("Hello?");
    std::thread::scope(|scope| {
        let clock = scope.spawn(|| world.dev("clock", json!({"advance_seconds": 5})));
        peer.asked.recv().expect("it thinks");
        // It thinks, and everything else goes on: a person takes over.
        let url = format!("{}/conversations/{id}", world.running.base_url);
        let paused = world.call(reqwest::Method::PATCH, url, Some(json!({"automationEnabled": false})));
        assert_eq!(paused["automationEnabled"], false);
        peer.says("Too late.");
        clock.join().expect("the clock moved");
    });
    assert_eq!(world.said(&id).len(), 1);
}
