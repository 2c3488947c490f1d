//! A stand-in for the bot platform: it speaks its interface over a real socket,
//! remembers all that reached people, and does wrong what it is told to.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use frontdesk::shell::clock::instant;
use serde_json::{Value, json};

use crate::raw_http::RawRequest;
use crate::waiting::PATIENCE;

pub const TOKEN: &str = "7000001:stand-in-token";
/// How long a read waits where nothing is new, whatever was asked for.
const LONG_POLL: Duration = Duration::from_millis(300);

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// The connection ends before anything was read of the request.
    CutBefore,
    /// It is done, and the answer ends in the middle.
    CutDuring,
    /// It is done, and there is no answer.
    CutAfter,
    /// It is not done: too many requests.
    TooMany,
    /// It is not done, and the platform has failed.
    Failed,
    /// It is done, and the platform says that it has failed.
    FailedAfter,
    /// It is done; the answer dawdles.
    Slow,
    /// It is done, and what was told before is told again.
    Repeated,
}

impl Wrong {
    pub const ALL: [Self; 8] = [
        Self::CutBefore,
        Self::CutDuring,
        Self::CutAfter,
        Self::TooMany,
        Self::Failed,
        Self::FailedAfter,
        Self::Slow,
        Self::Repeated,
    ];
}

type Plan = dyn FnMut(&str) -> Option<Wrong> + Send;
type Answers = dyn Fn(&Value) -> Option<(u16, Value)> + Send;

/// Something that reached a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    pub method: String,
    pub chat: String,
    pub text: String,
    pub body: Value,
    pub id: i64,
}

#[derive(Default)]
struct World {
    reached: Vec<Reached>,
    numbers: HashMap<String, i64>,
    updates: BTreeMap<i64, Value>,
    told: VecDeque<(i64, Value)>,
    last_update: i64,
    requests: usize,
    readers: usize,
    most_readers: usize,
    webhook: Option<(String, String)>,
    files: HashMap<String, Vec<u8>>,
    taken: bool,
    revoked: bool,
    plan: Option<Box<Plan>>,
    answers: Option<Box<Answers>>,
}

pub struct BotServer {
    address: SocketAddr,
    shared: Arc<(Mutex<World>, Condvar)>,
}

impl BotServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared: Arc<(Mutex<World>, Condvar)> = Arc::default();
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.shared.0.lock().expect("no one failed")
    }

    /// Decides what goes wrong with each call from now on.
    pub fn plan(&self, plan: impl FnMut(&str) -> Option<Wrong> + Send + 'static) {
        self.world().plan = Some(Box::new(plan));
    }

    pub fn nothing_goes_wrong(&self) {
        self.world().plan = None;
    }

    /// Answers calls that send something, where it says so, and does not do them.
    pub fn answer(&self, answers: impl Fn(&Value) -> Option<(u16, Value)> + Send + 'static) {
        self.world().answers = Some(Box::new(answers));
    }

    /// Another program reads the bot, or does no more.
    pub fn taken(&self, taken: bool) {
        self.world().taken = taken;
    }

    pub fn revoke(&self) {
        self.world().revoked = true;
    }

    pub fn put_file(&self, id: &str, bytes: &[u8]) {
        self.world().files.insert(id.to_owned(), bytes.to_vec());
    }

    /// Somebody writes in a private chat; the message's number.
    pub fn says(&self, chat: i64, text: &str) -> i64 {
        self.sends(chat, json!({ "text": text }))
    }

    /// The same with any content.
    pub fn sends(&self, chat: i64, content: Value) -> i64 {
        let mut world = self.world();
        let number = next_number(&mut world, &chat.to_string());
        let mut message = json!({
            "message_id": number, "date": 1, "chat": {"id": chat, "type": "private", "first_name": format!("Ana {chat}"),
            "username": format!("ana{chat}")}, "from": {"id": chat, "first_name": "Ana"},
        });
        for (name, value) in content.as_object().expect("an object") {
            message[name] = value.clone();
        }
        drop(world);
        self.update(json!({ "message": message }));
        number
    }

    /// Tells something.
    pub fn update(&self, mut update: Value) {
        let mut world = self.world();
        world.last_update += 1;
        let id = world.last_update;
        update["update_id"] = id.into();
        let hook = world.webhook.clone();
        if hook.is_none() {
            world.updates.insert(id, update.clone());
        }
        drop(world);
        self.shared.1.notify_all();
        if let Some(hook) = hook {
            assert_eq!(call(&hook.0, &hook.1, &update), 200, "the service takes the call");
        }
    }

    /// All that reached people, oldest first.
    pub fn reached(&self) -> Vec<Reached> {
        self.world().reached.clone()
    }

    pub fn requests(&self) -> usize {
        self.world().requests
    }

    pub fn most_readers(&self) -> usize {
        self.world().most_readers
    }

    /// Waits for something.
    #[track_caller]
    fn wait<T>(&self, what: &str, mut found: impl FnMut(&World) -> Option<T>) -> T {
        let mut world = self.world();
        let end = instant() + PATIENCE;
        loop {
            if let Some(found) = found(&world) {
                return found;
            }
            let left = end.saturating_duration_since(instant());
            assert!(left > Duration::ZERO, "nothing like it came: {what}");
            world = self.shared.1.wait_timeout(world, left).expect("no one failed").0;
        }
    }

    /// Waits for a text that reaches somebody.
    #[track_caller]
    pub fn waits_for(&self, text: &str) -> Reached {
        self.wait(text, |world| world.reached.iter().find(|it| it.text.contains(text)).cloned())
    }

    #[track_caller]
    pub fn waits_for_requests(&self, count: usize) {
        self.wait("requests", |world| (world.requests >= count).then_some(()));
    }

    /// Where it calls, with the secret it says.
    #[track_caller]
    pub fn waits_for_webhook(&self) -> (String, String) {
        self.wait("a webhook", |world| world.webhook.clone())
    }
}

fn next_number(world: &mut World, chat: &str) -> i64 {
    let number = world.numbers.entry(chat.to_owned()).or_default();
    *number += 1;
    *number
}

/// Calls the service, as the platform does; its status.
pub fn call(url: &str, secret: &str, update: &Value) -> u16 {
    let rest = url.strip_prefix("http://").expect("a plain address");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let body = update.to_string();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         x-telegram-bot-api-secret-token: {secret}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status")
}

fn serve(mut stream: TcpStream, shared: &(Mutex<World>, Condvar)) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let request = loop {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return,
        }
        if let Some(request) = RawRequest::parse(&bytes) {
            break request;
        }
    };
    let method = request.target.rsplit('/').next().unwrap_or("").to_owned();
    let wrong = {
        let mut world = shared.0.lock().expect("no one failed");
        world.requests += 1;
        shared.1.notify_all();
        world.plan.as_mut().and_then(|plan| plan(&method))
    };
    let failed = |status: u16, words: &str| (status, error(status, words).to_string().into_bytes());
    let (status, body) = match wrong {
        Some(Wrong::CutBefore) => return,
        Some(Wrong::TooMany) => {
            let told = json!({"ok": false, "error_code": 429, "description": "Too Many Requests",
                "parameters": {"retry_after": 1}});
            (429, told.to_string().into_bytes())
        }
        Some(Wrong::Failed) => failed(500, "Internal Server Error"),
        Some(Wrong::FailedAfter) => {
            answer(&request, &method, shared);
            failed(502, "Bad Gateway")
        }
        Some(Wrong::CutAfter) => {
            answer(&request, &method, shared);
            return;
        }
        Some(Wrong::Repeated) => {
            repeat(shared);
            answer(&request, &method, shared)
        }
        Some(Wrong::Slow | Wrong::CutDuring) | None => answer(&request, &method, shared),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let whole = [head.as_bytes(), &body].concat();
    // Whoever asked may have gone.
    let _ = match wrong {
        Some(Wrong::CutDuring) => stream.write_all(&whole[..whole.len() - body.len() / 2 - 1]),
        Some(Wrong::Slow) => {
            whole.chunks(16).try_for_each(|it| stream.write_all(it).and_then(|()| stream.flush()))
        }
        _ => stream.write_all(&whole),
    };
}

/// What was confirmed already is told once more.
fn repeat(shared: &(Mutex<World>, Condvar)) {
    let mut world = shared.0.lock().expect("no one failed");
    let again: Vec<(i64, Value)> = world.told.iter().cloned().collect();
    world.updates.extend(again);
}

fn error(status: u16, words: &str) -> Value {
    json!({"ok": false, "error_code": status, "description": words})
}

fn answer(request: &RawRequest, method: &str, shared: &(Mutex<World>, Condvar)) -> (u16, Vec<u8>) {
    let world = shared.0.lock().expect("no one failed");
    let known = request.target.contains(&format!("bot{TOKEN}/")) && !world.revoked;
    if !known {
        return (401, error(401, "Unauthorized").to_string().into_bytes());
    }
    if request.target.starts_with("/file/") {
        let found = world.files.get(method).cloned();
        return found.map_or((404, Vec::new()), |it| (200, it));
    }
    let body = fields(request);
    if method == "getUpdates" {
        let (status, told) = updates(&body, shared, world);
        return (status, told.to_string().into_bytes());
    }
    let (status, told) = one(method, &body, world);
    shared.1.notify_all();
    (status, told.to_string().into_bytes())
}

/// The values of a body, JSON or a form with a file in it.
fn fields(request: &RawRequest) -> Value {
    let kind = request.headers.get("content-type").map_or("", String::as_str);
    let Some((_, boundary)) = kind.split_once("boundary=") else {
        return serde_json::from_slice(&request.body).unwrap_or_default();
    };
    let text = String::from_utf8_lossy(&request.body).into_owned();
    let mut all = json!({});
    for part in text.split(&format!("--{boundary}")).filter(|it| it.contains("name=\"")) {
        let (head, content) = part.split_once("\r\n\r\n").expect("a part");
        let name = head.split("name=\"").nth(1).and_then(|it| it.split('"').next()).expect("a name");
        let content = content.strip_suffix("\r\n").unwrap_or(content);
        all[name] = match head.contains("filename=") {
            true => json!({ "bytes": content.len() }),
            false => serde_json::from_str(content).unwrap_or_else(|_| content.into()),
        };
    }
    all
}

fn updates(body: &Value, shared: &(Mutex<World>, Condvar), mut world: MutexGuard<'_, World>) -> (u16, Value) {
    if world.webhook.is_some() {
        return (409, error(409, "Conflict: can't use getUpdates method while webhook is active"));
    }
    if world.taken {
        return (409, error(409, "Conflict: terminated by other getUpdates request"));
    }
    let offset = body["offset"].as_i64().unwrap_or(0);
    world.readers += 1;
    world.most_readers = world.most_readers.max(world.readers);
    let kept = world.updates.split_off(&offset);
    let confirmed = std::mem::replace(&mut world.updates, kept);
    world.told.extend(confirmed);
    let excess = world.told.len().saturating_sub(20);
    world.told.drain(..excess);
    if world.updates.is_empty() {
        world = shared.1.wait_timeout(world, LONG_POLL).expect("no one failed").0;
    }
    world.readers -= 1;
    let told: Vec<Value> = world.updates.values().take(100).cloned().collect();
    (200, json!({"ok": true, "result": told}))
}

fn one(method: &str, body: &Value, mut world: MutexGuard<'_, World>) -> (u16, Value) {
    let good = |result: Value| (200, json!({"ok": true, "result": result}));
    match method {
        "getMe" => good(json!({"id": 7_000_001, "is_bot": true, "username": "harbor_bot"})),
        "getWebhookInfo" => {
            let url = world.webhook.as_ref().map_or("", |it| it.0.as_str());
            good(json!({ "url": url }))
        }
        "setWebhook" => {
            let text = |name: &str| body[name].as_str().unwrap_or("").to_owned();
            world.webhook = Some((text("url"), text("secret_token")));
            good(true.into())
        }
        "deleteWebhook" => {
            world.webhook = None;
            good(true.into())
        }
        "getFile" => {
            let id = body["file_id"].as_str().unwrap_or("");
            match world.files.contains_key(id) {
                true => good(json!({ "file_path": id })),
                false => (400, error(400, "Bad Request: wrong file_id")),
            }
        }
        _ => {
            if let Some((status, told)) = world.answers.as_ref().and_then(|it| it(body)) {
                return (status, told);
            }
            let chat = body["chat_id"]
                .as_i64()
                .map_or_else(|| body["chat_id"].as_str().unwrap_or("").to_owned(), |it| it.to_string());
            let id = next_number(&mut world, &chat);
            let text = body["text"].as_str().or(body["caption"].as_str()).unwrap_or("").to_owned();
            world.reached.push(Reached { method: method.to_owned(), chat, text, body: body.clone(), id });
            match method {
                "setMessageReaction" => good(true.into()),
                _ => good(json!({"message_id": id, "date": 1})),
            }
        }
    }
}
