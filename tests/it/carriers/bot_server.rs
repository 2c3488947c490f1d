//! A test double of the bot platform over a real socket, with injected faults.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::stand_in::{self, Answers, Names, Plan, Shared, Wrong, fields};
use crate::raw_http::RawRequest;

pub const TOKEN: &str = "7000001:stand-in-token";
/// Time of a long poll without updates, whatever was requested.
const LONG_POLL: Duration = Duration::from_millis(300);

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
    names: Names,
    /// Chats that saw a typing indicator.
    typing: Vec<String>,
    /// Pressed buttons that were answered, by the id of the press.
    presses: Vec<String>,
    reached: Vec<Reached>,
    numbers: HashMap<String, i64>,
    /// Chats that can be looked up, by address.
    chats: HashMap<String, Value>,
    /// Connections to businesses, by id.
    connections: HashMap<String, Value>,
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
    shared: Arc<Shared<World>>,
}

impl BotServer {
    pub fn start() -> Self {
        Self::start_as(Names::default())
    }

    pub fn start_as(names: Names) -> Self {
        let shared: Arc<Shared<World>> = Arc::default();
        shared.world().names = names;
        Self { address: stand_in::listen(&shared, serve), shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world()
    }

    /// Decides the fault of each request from now on.
    pub fn plan(&self, plan: impl FnMut(&str) -> Option<Wrong> + Send + 'static) {
        self.world().plan = Some(Box::new(plan));
    }

    pub fn nothing_goes_wrong(&self) {
        self.world().plan = None;
    }

    /// Answers sends for which `answers` returns a value, without carrying them out.
    pub fn answer(&self, answers: impl Fn(&Value) -> Option<(u16, Value)> + Send + 'static) {
        self.world().answers = Some(Box::new(answers));
    }

    /// Simulates another program polling the bot.
    pub fn taken(&self, taken: bool) {
        self.world().taken = taken;
    }

    pub fn revoke(&self) {
        self.world().revoked = true;
    }

    pub fn put_file(&self, id: &str, bytes: &[u8]) {
        self.world().files.insert(id.to_owned(), bytes.to_vec());
    }

    pub fn says(&self, chat: i64, text: &str) -> i64 {
        self.sends(chat, json!({ "text": text }))
    }

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

    /// Has a connection to a business that is not reported yet.
    pub fn has_connection(&self, update: &Value) {
        let connection = &update["business_connection"];
        let id = connection["id"].as_str().expect("an id").to_owned();
        self.world().connections.insert(id, connection.clone());
    }

    pub fn update(&self, mut update: Value) {
        if update["business_connection"].is_object() {
            self.has_connection(&update);
        }
        let mut world = self.world();
        world.last_update += 1;
        let id = world.last_update;
        update["update_id"] = id.into();
        let hook = world.webhook.clone();
        if hook.is_none() {
            world.updates.insert(id, update.clone());
        }
        drop(world);
        self.shared.changed();
        if let Some(hook) = hook {
            assert_eq!(call(&hook.0, &hook.1, &update), 200, "the service takes the call");
        }
    }

    /// Restarts the numbering of updates, as the platform does after a quiet week.
    pub fn renumber(&self, last: i64) {
        self.world().last_update = last;
    }

    /// Adds a chat the bot may write to by address.
    pub fn has_chat(&self, address: &str, chat: Value) {
        self.world().chats.insert(address.to_owned(), chat);
    }

    #[track_caller]
    pub fn waits_for_typing(&self, chat: i64) {
        self.shared.wait("a typing sign", |world| {
            world.typing.iter().any(|text| *text == chat.to_string()).then_some(())
        });
    }

    pub fn typing_signs(&self) -> usize {
        self.world().typing.len()
    }

    #[track_caller]
    pub fn waits_for_answered_press(&self, id: &str) {
        self.shared.wait("an answer to a pressed button", |world| {
            world.presses.iter().any(|answered| answered == id).then_some(())
        });
    }

    pub fn reached(&self) -> Vec<Reached> {
        self.world().reached.clone()
    }

    pub fn requests(&self) -> usize {
        self.world().requests
    }

    pub fn most_readers(&self) -> usize {
        self.world().most_readers
    }

    #[track_caller]
    pub fn waits_for(&self, text: &str) -> Reached {
        self.shared
            .wait(text, |world| world.reached.iter().find(|reached| reached.text.contains(text)).cloned())
    }

    #[track_caller]
    pub fn waits_for_requests(&self, count: usize) {
        self.shared.wait("requests", |world| (world.requests >= count).then_some(()));
    }

    #[track_caller]
    pub fn waits_for_webhook(&self) -> (String, String) {
        self.shared.wait("a webhook", |world| world.webhook.clone())
    }
}

fn next_number(world: &mut World, chat: &str) -> i64 {
    let number = world.numbers.entry(chat.to_owned()).or_default();
    *number += 1;
    *number
}

pub fn call(url: &str, secret: &str, update: &Value) -> u16 {
    let header = ("x-telegram-bot-api-secret-token", secret);
    stand_in::call("POST", url, header, &update.to_string()).expect("it listens").0
}

fn serve(mut stream: TcpStream, shared: &Shared<World>) {
    let Some(request) = stand_in::read(&mut stream) else { return };
    let names = shared.world().names;
    let request = names.read(request);
    let method = request.target.rsplit('/').next().unwrap_or("").to_owned();
    let wrong = {
        let mut world = shared.world();
        world.requests += 1;
        shared.changed();
        world.plan.as_mut().and_then(|plan| plan(&method))
    };
    if wrong == Some(Wrong::Repeated) {
        repeat(shared);
    }
    stand_in::respond(&mut stream, wrong, failure, || names.answer(answer(&request, &method, shared)));
}

/// Body of an overload or server error.
fn failure(status: u16) -> Value {
    match status {
        429 => json!({"ok": false, "error_code": 429, "description": "Too Many Requests",
            "parameters": {"retry_after": 1}}),
        _ => error(status, "Internal Server Error"),
    }
}

/// Repeats confirmed updates.
fn repeat(shared: &Shared<World>) {
    let mut world = shared.world();
    let again: Vec<(i64, Value)> = world.told.iter().cloned().collect();
    world.updates.extend(again);
}

fn error(status: u16, words: &str) -> Value {
    json!({"ok": false, "error_code": status, "description": words})
}

fn answer(request: &RawRequest, method: &str, shared: &Shared<World>) -> (u16, Vec<u8>) {
    let world = shared.world();
    let known = request.target.contains(&format!("bot{TOKEN}/")) && !world.revoked;
    if !known {
        return (401, error(401, "Unauthorized").to_string().into_bytes());
    }
    if request.target.starts_with("/file/") {
        let found = world.files.get(method).cloned();
        return found.map_or((404, Vec::new()), |bytes| (200, bytes));
    }
    let body = fields(request);
    if method == "getUpdates" {
        let (status, told) = updates(&body, shared, world);
        return (status, told.to_string().into_bytes());
    }
    let (status, told) = one(method, &body, world);
    shared.changed();
    (status, told.to_string().into_bytes())
}

fn updates(body: &Value, shared: &Shared<World>, mut world: MutexGuard<'_, World>) -> (u16, Value) {
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
        world = shared.rest(world, LONG_POLL);
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
            let url = world.webhook.as_ref().map_or("", |webhook| webhook.0.as_str());
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
        "sendChatAction" => {
            world.typing.push(body["chat_id"].as_str().unwrap_or("").to_owned());
            good(true.into())
        }
        "answerCallbackQuery" => {
            world.presses.push(body["callback_query_id"].as_str().unwrap_or("").to_owned());
            good(true.into())
        }
        "getChat" => {
            let wanted = body["chat_id"].as_i64().map(|id| id.to_string());
            let wanted = wanted.unwrap_or_else(|| body["chat_id"].as_str().unwrap_or("").to_owned());
            match world.chats.get(&wanted) {
                Some(chat) => good(chat.clone()),
                None => (400, error(400, "Bad Request: chat not found")),
            }
        }
        "getBusinessConnection" => {
            let id = body["business_connection_id"].as_str().unwrap_or("");
            match world.connections.get(id) {
                Some(connection) => good(connection.clone()),
                None => (400, error(400, "Bad Request: business connection not found")),
            }
        }
        "getFile" => {
            let id = body["file_id"].as_str().unwrap_or("");
            match world.files.contains_key(id) {
                true => good(json!({ "file_path": id })),
                false => (400, error(400, "Bad Request: wrong file_id")),
            }
        }
        _ => {
            if let Some((status, told)) = world.answers.as_ref().and_then(|answer| answer(body)) {
                return (status, told);
            }
            let chat = body["chat_id"]
                .as_i64()
                .map_or_else(|| body["chat_id"].as_str().unwrap_or("").to_owned(), |i64| i64.to_string());
            let id = next_number(&mut world, &chat);
            let part = |name: &str| body[name].as_str();
            // The name of a contact has two parts.
            let last_name = part("last_name").map_or_else(String::new, |name| format!(" {name}"));
            let words = part("text").or(part("caption")).or(part("first_name"));
            let text = words.unwrap_or("").to_owned() + &last_name;
            world.reached.push(Reached { method: method.to_owned(), chat, text, body: body.clone(), id });
            match method {
                "setMessageReaction" => good(true.into()),
                _ => good(json!({"message_id": id, "date": 1})),
            }
        }
    }
}
