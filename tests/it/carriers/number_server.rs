//! A test double of the business chat platform's cloud API over a real socket, with injected
//! faults.
//! Repeats a webhook call until it is accepted.

use std::collections::{HashMap, VecDeque};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use ring::hmac;
use serde_json::{Value, json};

use super::stand_in::{self, Answers, Names, Plan, Shared, Wrong, fields};
use crate::raw_http::RawRequest;

pub const TOKEN: &str = "EAA-stand-in-token";
pub const APP_SECRET: &str = "stand-in-app-secret";
pub const VERIFY: &str = "stand-in-verify";
pub const NUMBER: &str = "106540352242922";
pub const ACCOUNT: &str = "102290129340398";
pub const PHONE: &str = "+15550783881";
/// Header with the signature of a webhook call.
pub const SIGNATURE: &str = "x-hub-signature-256";
/// Delay before a rejected call is repeated.
const AGAIN: Duration = Duration::from_millis(5);
/// Delay between two checks while nothing changes.
const IDLE: Duration = Duration::from_secs(1);
/// Latest calls that are candidates for a repeat.
const REPEATED: usize = 20;

#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    pub to: String,
    pub kind: String,
    /// Text or caption.
    pub text: String,
    pub body: Value,
    pub id: String,
    /// The number the platform has for the recipient.
    known: String,
}

/// Status reports sent automatically for each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reports {
    #[default]
    None,
    /// Sent, delivered and read, in any order and some twice.
    Shuffled,
}

#[derive(Default)]
struct World {
    names: Names,
    reached: Vec<Reached>,
    read: Vec<String>,
    /// Messages whose senders saw a typing indicator.
    typing: Vec<String>,
    brought: Vec<Value>,
    count: usize,
    requests: usize,
    files: HashMap<String, Vec<u8>>,
    templates: Vec<Value>,
    quality: Option<String>,
    followed: bool,
    revoked: bool,
    held: bool,
    /// Numbers the platform knows by another number.
    known_as: HashMap<String, String>,
    reports: Reports,
    plan: Option<Box<Plan>>,
    /// Recipient whose next message is carried out without an answer.
    cut: Option<String>,
    answers: Option<Box<Answers>>,
    /// Base URL of the webhook.
    hook: Option<String>,
    /// Webhook calls: messages, which keep their order, and status reports, which do not.
    said: VecDeque<String>,
    status: Vec<String>,
    told: VecDeque<String>,
    calling: bool,
}

pub struct NumberServer {
    address: SocketAddr,
    shared: Arc<Shared<World>>,
}

impl NumberServer {
    pub fn start() -> Self {
        Self::start_as(Names::default())
    }

    pub fn start_as(names: Names) -> Self {
        let shared: Arc<Shared<World>> = Arc::default();
        shared.world().names = names;
        shared.world().quality = Some("GREEN".to_owned());
        let address = stand_in::listen(&shared, serve);
        let caller = Arc::downgrade(&shared);
        std::thread::spawn(move || {
            let mut random = StdRng::seed_from_u64(7);
            while let Some(shared) = caller.upgrade() {
                call_once(&shared, &mut random);
            }
        });
        Self { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v23.0", self.address)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world()
    }

    /// Sets the webhook, as on the platform's settings pages.
    pub fn calls(&self, base: &str) {
        self.world().hook = Some(format!("{base}/hooks/whatsapp"));
        self.shared.changed();
    }

    /// Decides the fault of each request from now on.
    pub fn plan(&self, plan: impl FnMut(&str) -> Option<Wrong> + Send + 'static) {
        self.world().plan = Some(Box::new(plan));
    }

    /// Loses the answer to the next message to a number (without the plus).
    pub fn cuts_after(&self, to: &str) {
        self.world().cut = Some(to.to_owned());
    }

    pub fn nothing_goes_wrong(&self) {
        self.world().plan = None;
    }

    /// Answers sends for which `answers` returns a value, without carrying them out.
    pub fn answer(&self, answers: impl Fn(&Value) -> Option<(u16, Value)> + Send + 'static) {
        self.world().answers = Some(Box::new(answers));
    }

    pub fn report_all(&self, reports: Reports) {
        self.world().reports = reports;
    }

    /// While held, sends reach people but get no answer.
    pub fn hold(&self, held: bool) {
        self.world().held = held;
        self.shared.changed();
    }

    /// Knows a number as another, both without the plus.
    pub fn knows(&self, number: &str, other: &str) {
        self.world().known_as.insert(number.to_owned(), other.to_owned());
    }

    pub fn revoke(&self) {
        self.world().revoked = true;
    }

    pub fn rate(&self, quality: &str) {
        self.world().quality = Some(quality.to_owned());
    }

    pub fn set_templates(&self, templates: &[Value]) {
        self.world().templates = templates.to_vec();
    }

    pub fn templates(&self) -> Vec<Value> {
        self.world().templates.clone()
    }

    /// Ends the review of a template, and reports it as of the account. The list has the bare reason.
    pub fn reviews(&self, name: &str, status: &str, reason: &str, explained: &Value) {
        let mut world = self.world();
        let found = world.templates.iter_mut().find(|template| template["name"] == name).expect("submitted");
        found["status"] = status.into();
        found["rejected_reason"] = reason.into();
        // Reports write the language with a hyphen.
        let language = found["language"].as_str().expect("a language").replace('_', "-");
        let mut value = json!({"event": status, "message_template_id": 1, "message_template_name": name,
            "message_template_language": language, "reason": reason});
        if explained.is_object() {
            value["rejection_info"] = explained.clone();
        }
        let change = json!({ "field": "message_template_status_update", "value": value });
        let entry = json!({ "id": ACCOUNT, "time": 1, "changes": [change] });
        let call = json!({ "object": "whatsapp_business_account", "entry": [entry] }).to_string();
        world.said.push_back(call);
        drop(world);
        self.shared.changed();
    }

    pub fn put_file(&self, id: &str, bytes: &[u8]) {
        self.world().files.insert(id.to_owned(), bytes.to_vec());
    }

    pub fn says(&self, from: &str, text: &str) -> String {
        self.sends(from, "text", json!({ "body": text }), json!({}))
    }

    pub fn sends(&self, from: &str, kind: &str, content: Value, more: Value) -> String {
        let mut world = self.world();
        world.count += 1;
        let id = format!("wamid.IN{}", world.count);
        let from = from.trim_start_matches('+');
        let mut message = json!({ "id": id, "from": from, "timestamp": "1", "type": kind });
        message[kind] = content;
        for (name, value) in more.as_object().expect("an object") {
            message[name] = value.clone();
        }
        let contact = json!({"wa_id": from, "profile": {"name": format!("Ana {from}")}});
        let value = json!({ "contacts": [contact], "messages": [message] });
        world.said.push_back(change("messages", value));
        drop(world);
        self.shared.changed();
        id
    }

    /// Reports messages with the contacts they come from.
    pub fn report_messages(&self, contacts: Value, messages: Value) {
        let value = json!({ "contacts": contacts, "messages": messages });
        let mut world = self.world();
        world.said.push_back(change("messages", value));
        drop(world);
        self.shared.changed();
    }

    pub fn reports(&self, message: &Reached, status: &str) {
        self.world().status.push(status_of(message, status, true, &Value::Null));
        self.shared.changed();
    }

    pub fn loses(&self, message: &Reached, code: i64, words: &str) {
        let error = json!({"code": code, "title": words, "error_data": {"details": words}});
        self.world().status.push(status_of(message, "failed", true, &error));
        self.shared.changed();
    }

    pub fn changes(&self, field: &str) {
        let mut world = self.world();
        let call = change(field, json!({ "event": "CHANGED" }));
        world.said.push_back(call);
        drop(world);
        self.shared.changed();
    }

    /// Reports a change in a field of the webhook.
    pub fn report(&self, field: &str, value: Value) {
        self.world().said.push_back(change(field, value));
        self.shared.changed();
    }

    /// Reports a text sent with the platform's own app.
    pub fn echoes(&self, to: &str, text: &str) {
        let echo = json!({"id": "wamid.ECHO1", "from": "15550783881", "to": to.trim_start_matches('+'),
            "timestamp": "1", "type": "text", "text": {"body": text}});
        let call = change("smb_message_echoes", json!({ "message_echoes": [echo] }));
        self.world().said.push_back(call);
        self.shared.changed();
    }

    pub fn reached(&self) -> Vec<Reached> {
        self.world().reached.clone()
    }

    pub fn read_marks(&self) -> Vec<String> {
        self.world().read.clone()
    }

    pub fn brought(&self) -> Vec<Value> {
        self.world().brought.clone()
    }

    pub fn is_followed(&self) -> bool {
        self.world().followed
    }

    pub fn requests(&self) -> usize {
        self.world().requests
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
    pub fn waits_until_followed(&self) {
        self.shared.wait("being followed", |world| world.followed.then_some(()));
    }

    #[track_caller]
    pub fn waits_for_read_mark(&self, id: &str) {
        self.shared.wait("a read mark", |world| world.read.iter().any(|text| text == id).then_some(()));
    }

    #[track_caller]
    pub fn waits_for_typing(&self, id: &str) {
        self.shared.wait("a typing sign", |world| world.typing.iter().any(|text| text == id).then_some(()));
    }

    #[track_caller]
    pub fn waits_until_told(&self) {
        self.shared.wait("its calls", |world| {
            (world.said.is_empty() && world.status.is_empty() && !world.calling).then_some(())
        });
    }
}

pub fn change(field: &str, mut value: Value) -> String {
    static TIME: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(1);
    let time = TIME.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    value["messaging_product"] = "whatsapp".into();
    value["metadata"] = json!({ "display_phone_number": "15550783881", "phone_number_id": NUMBER });
    let change = json!({ "field": field, "value": value });
    json!({ "object": "whatsapp_business_account", "entry": [{"id": ACCOUNT, "time": time, "changes": [change]}] })
        .to_string()
}

fn status_of(message: &Reached, status: &str, ours: bool, error: &Value) -> String {
    let mut told =
        json!({"id": message.id, "status": status, "timestamp": "1", "recipient_id": message.known});
    if ours {
        told["biz_opaque_callback_data"] = message.body["biz_opaque_callback_data"].clone();
    }
    if error.is_object() {
        told["errors"] = json!([error]);
    }
    change("messages", json!({ "statuses": [told] }))
}

pub fn signature(body: &str) -> String {
    signature_with(APP_SECRET, body)
}

pub fn signature_with(secret: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let hex: String =
        hmac::sign(&key, body.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

/// Makes one webhook call; puts it back if it was not accepted.
fn call_once(shared: &Shared<World>, random: &mut StdRng) {
    let mut world = shared.world();
    let Some(url) = world.hook.clone().filter(|_| !world.said.is_empty() || !world.status.is_empty()) else {
        drop(shared.rest(world, IDLE));
        return;
    };
    let is_status = world.said.is_empty() || (!world.status.is_empty() && random.random_bool(0.5));
    let body = if is_status {
        let at = random.random_range(0..world.status.len());
        world.status.swap_remove(at)
    } else {
        world.said.pop_front().expect("one")
    };
    world.calling = true;
    let names = world.names;
    drop(world);
    let (said, secret) = (names.say(&body), names.say(APP_SECRET));
    let signed = signature_with(&secret, &said);
    let taken = stand_in::call("POST", &url, (SIGNATURE, &signed), &said).map(|call| call.0);
    let mut world = shared.world();
    world.calling = false;
    match taken {
        Some(200) => {
            world.told.push_back(body);
            let excess = world.told.len().saturating_sub(REPEATED);
            world.told.drain(..excess);
            drop(world);
            shared.changed();
        }
        // The service is not running, or ended meanwhile and may have accepted the call.
        None | Some(500 | 503) => {
            if is_status {
                world.status.push(body);
            } else {
                world.said.push_front(body);
            }
            drop(shared.rest(world, AGAIN));
        }
        Some(other) => panic!("the service answered {other} to {body}"),
    }
}

fn serve(mut stream: TcpStream, shared: &Shared<World>) {
    let Some(request) = stand_in::read(&mut stream) else { return };
    let names = shared.world().names;
    let request = names.read(request);
    let body = fields(&request);
    let path = request.target.split('?').next().unwrap_or("");
    let method = match path.rsplit('/').next().unwrap_or("") {
        "messages" if body["status"] == "read" => "read",
        "message_templates" if request.method == "POST" => "submission",
        "message_templates" if request.method == "DELETE" => "deletion",
        NUMBER => "record",
        other => other,
    };
    let wrong = {
        let mut world = shared.world();
        world.requests += 1;
        let mut wrong = world.plan.as_mut().and_then(|plan| plan(method));
        if method == "messages" && world.cut.take_if(|to| body["to"] == to.as_str()).is_some() {
            wrong = Some(Wrong::CutAfter);
        }
        if wrong == Some(Wrong::Repeated) {
            let again: Vec<String> = world.told.iter().cloned().collect();
            world.status.extend(again);
        }
        shared.changed();
        wrong
    };
    stand_in::respond(&mut stream, wrong, failure, || {
        let known =
            request.headers.get("authorization").is_some_and(|header| *header == format!("Bearer {TOKEN}"));
        if !known || shared.world().revoked {
            return json_of((401, error(190, "Invalid OAuth access token")));
        }
        names.answer(answer(&request, method, &body, shared))
    });
}

fn error(code: i64, words: &str) -> Value {
    json!({"error": {"message": words, "type": "OAuthException", "code": code, "fbtrace_id": "A"}})
}

/// Body of an overload or server error.
fn failure(status: u16) -> Value {
    match status {
        429 => error(130_429, "Rate limit hit"),
        _ => error(131_000, "Something went wrong"),
    }
}

fn json_of((status, told): (u16, Value)) -> (u16, Vec<u8>) {
    (status, told.to_string().into_bytes())
}

fn answer(request: &RawRequest, method: &str, body: &Value, shared: &Shared<World>) -> (u16, Vec<u8>) {
    let mut world = shared.world();
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let known = ["record", "messages", "read", "media", "subscribed_apps", "message_templates"];
    let file = world.files.get(method).cloned();
    json_of(match (request.method.as_str(), method) {
        ("GET", "record") => (
            200,
            json!({"id": NUMBER, "display_phone_number": "+1 555-078-3881", "verified_name": "Harbor Shop",
                "quality_rating": world.quality, "messaging_limit_tier": "TIER_1K"}),
        ),
        ("GET", "message_templates") if path.contains(ACCOUNT) => (200, page(&world.templates, query)),
        ("POST", "submission") if path.contains(ACCOUNT) => submit(body, &mut world.templates),
        ("DELETE", "deletion") if path.contains(ACCOUNT) => delete(query, &mut world.templates),
        (verb, "subscribed_apps") if path.contains(ACCOUNT) => {
            if verb != "GET" {
                world.followed = verb == "POST";
                shared.changed();
            }
            let data = if world.followed { json!([{"whatsapp_business_api_data": {}}]) } else { json!([]) };
            (200, json!({ "success": true, "data": data }))
        }
        ("GET", _) if path.starts_with("/files/") => {
            return file.map_or((404, Vec::new()), |file| (200, file));
        }
        ("GET", id) if file.is_some() => {
            let host = request.headers.get("host").cloned().unwrap_or_default();
            (200, json!({ "id": id, "url": format!("http://{host}/files/{id}") }))
        }
        ("POST", "read") => {
            let id = body["message_id"].as_str().unwrap_or("").to_owned();
            if body["typing_indicator"]["type"] == "text" {
                world.typing.push(id.clone());
            }
            world.read.push(id);
            shared.changed();
            (200, json!({ "success": true }))
        }
        ("POST", "media") if body["messaging_product"] == "whatsapp" && body["file"].is_object() => {
            world.brought.push(body.clone());
            (200, json!({ "id": format!("9{}", world.brought.len()) }))
        }
        ("POST", "messages") if path.contains(NUMBER) => send(body, world, shared),
        (_, other) if known.contains(&other) => (400, error(100, "Unsupported request")),
        _ => (404, error(100, "Unknown path components")),
    })
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

/// Id of a template in one language.
fn template_id(template: &Value) -> String {
    let word = |name: &str| template[name].as_str().expect("a word").to_owned();
    format!("{}.{}", word("name"), word("language"))
}

/// Keeps a template in review, unless it is refused.
fn submit(body: &Value, templates: &mut Vec<Value>) -> (u16, Value) {
    let refused = |subcode: i64, title: &str, words: &str| {
        let mut told = error(100, "Invalid parameter");
        told["error"]["error_subcode"] = subcode.into();
        told["error"]["error_user_title"] = title.into();
        told["error"]["error_user_msg"] = words.into();
        (400, told)
    };
    let list = body["components"].as_array().cloned().unwrap_or_default();
    let text = list.iter().find(|part| part["type"] == "BODY").and_then(|part| part["text"].as_str());
    let text = text.unwrap_or("").trim_end_matches(['.', '!', '?']);
    if templates.iter().any(|template| template_id(template) == template_id(body)) {
        let words = "There is already English content for this template.";
        return refused(2_388_024, "Content in this language already exists", words);
    }
    if text.starts_with("{{") || text.ends_with("}}") {
        return refused(
            2_388_299,
            "Leading or trailing parameters",
            "Variables can't be at the start or end.",
        );
    }
    let mut kept = body.clone();
    kept["status"] = "PENDING".into();
    kept["rejected_reason"] = "NONE".into();
    templates.push(kept);
    // Advertising is put in its own category.
    let category = if text.contains("sale") { "MARKETING" } else { body["category"].as_str().unwrap_or("") };
    (200, json!({ "id": template_id(body), "status": "PENDING", "category": category }))
}

/// Deletes a template in the language that its id names.
fn delete(query: &str, templates: &mut Vec<Value>) -> (u16, Value) {
    let (Some(id), Some(name)) = (parameter(query, "hsm_id"), parameter(query, "name")) else {
        return (400, error(100, "Need either name or hsm_id, which deletes all languages"));
    };
    let before = templates.len();
    templates.retain(|template| template["name"] != name || template_id(template) != id);
    match templates.len() < before {
        true => (200, json!({ "success": true })),
        false => (400, error(100, "Message template was not found")),
    }
}

/// A page of two templates.
fn page(all: &[Value], query: &str) -> Value {
    let after = parameter(query, "after").map_or("0", |after| after.strip_prefix("Q%3D").expect("its own"));
    let from: usize = after.parse().expect("a cursor it gave");
    let named = parameter(query, "name").unwrap_or("");
    let is_named = |template: &&Value| template["name"].as_str().is_some_and(|name| name.contains(named));
    let all: Vec<&Value> = all.iter().filter(is_named).collect();
    let shown = all.iter().skip(from).take(2).map(|template| {
        let mut shown = (*template).clone();
        shown["id"] = template_id(template).into();
        shown
    });
    let data: Vec<Value> = shown.collect();
    let mut told = json!({ "data": data, "paging": {"cursors": {"after": format!("Q={}", from + 2)}} });
    if all.len() > from + 2 {
        told["paging"]["next"] = "https://platform.example/next".into();
    }
    told
}

/// True if each part has all its named variables exactly once; always for numbered ones.
fn is_filled_by_name(template: &Value, given: &Value) -> bool {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or("").to_ascii_lowercase();
    template["parameter_format"] != "NAMED"
        || list(&template["components"]).iter().all(|part| {
            let pattern = part["text"].as_str().unwrap_or("");
            let names = pattern.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
            let mut wanted: Vec<String> = names.map(|name| name.0.to_owned()).collect();
            let filled = list(&given["components"]);
            let mine = filled.iter().filter(|value| word(&value["type"]) == word(&part["type"]));
            let mut told: Vec<String> = mine
                .flat_map(|value| list(&value["parameters"]))
                .map(|value| word(&value["parameter_name"]))
                .collect();
            told.sort_unstable();
            wanted.sort_unstable();
            wanted.dedup();
            told == wanted
        })
}

fn send(body: &Value, mut world: MutexGuard<'_, World>, shared: &Shared<World>) -> (u16, Value) {
    if let Some(told) = world.answers.as_ref().and_then(|answer| answer(body)) {
        return told;
    }
    let kind = body["type"].as_str().unwrap_or("").to_owned();
    let listed = &body[kind.as_str()];
    let object = if kind == "contacts" { &listed[0]["name"] } else { listed };
    if !object.is_object() {
        return (400, error(131_008, "Required parameter is missing"));
    }
    let of_its_name = |value: &&Value| kind == "template" && value["name"] == object["name"];
    if !world.templates.iter().filter(of_its_name).all(|template| is_filled_by_name(template, object)) {
        return (400, error(132_012, "Parameter format does not match format in the created template"));
    }
    world.count += 1;
    let to = body["to"].as_str().unwrap_or("").to_owned();
    let known = world.known_as.get(&to).cloned().unwrap_or_else(|| to.clone());
    let words =
        ["body", "caption", "name", "emoji", "formatted_name"].iter().find_map(|text| object[*text].as_str());
    // The body of buttons and lists is an object.
    let words = words.or_else(|| object["body"]["text"].as_str());
    let message = Reached {
        to,
        known,
        text: words.unwrap_or("").to_owned(),
        kind,
        body: body.clone(),
        id: format!("wamid.OUT{}", world.count),
    };
    world.reached.push(message.clone());
    if world.reports == Reports::Shuffled {
        let mut random = StdRng::seed_from_u64(world.count as u64);
        for status in ["sent", "delivered", "read", "delivered"] {
            // Only the first report has to name the message's owner.
            let ours = status == "sent" || random.random_bool(0.5);
            world.status.push(status_of(&message, status, ours, &Value::Null));
        }
    }
    shared.changed();
    while world.held {
        world = shared.rest(world, IDLE);
    }
    let told = json!({"messaging_product": "whatsapp", "contacts": [{"input": message.to, "wa_id": message.known}],
        "messages": [{"id": message.id}]});
    (200, told)
}
