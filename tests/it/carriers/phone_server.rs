//! A test double of the platform of texts and calls over a real socket, with injected faults. Makes
//! each webhook call once, and keeps lists of everything.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use frontdesk::model::time::{Clock, Timestamp};
use frontdesk::shell::clock::SystemClock;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use ring::hmac;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::stand_in::{self, Answers, Names, Plan, Shared, Wrong};
use crate::raw_http::RawRequest;

pub const ACCOUNT: &str = "AC0123456789abcdef0123456789abcdef";
pub const TOKEN: &str = "stand-in-auth-token";
pub const NUMBER: &str = "+15550100200";
pub const SERVICE: &str = "MG0123456789abcdef0123456789abcdef";
/// The other number of the messaging service.
pub const POOL_NUMBER: &str = "+15550100201";
/// Header with the signature of a webhook call.
pub const SIGNATURE: &str = "x-twilio-signature";
/// Delay between two checks while nothing changes.
const IDLE: Duration = Duration::from_secs(1);
/// Latest calls that are candidates for a repeat.
const REPEATED: usize = 20;
/// Entries of one page of a list.
const PAGE: usize = 20;

type Form = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    pub id: String,
    pub to: String,
    /// Text, or the script of a call.
    pub text: String,
    pub form: Form,
}

/// Status reports sent automatically for each text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextReports {
    #[default]
    None,
    /// Sent and delivered, in any order and some twice.
    Shuffled,
}

#[derive(Default)]
struct World {
    names: Names,
    texts: Vec<Carried>,
    calls: Vec<Carried>,
    /// Everything the lists return, oldest first.
    listed: Vec<Value>,
    listed_calls: Vec<Value>,
    files: HashMap<String, Vec<u8>>,
    shown_credentials: bool,
    count: usize,
    sends: usize,
    hook: Option<String>,
    /// Where reports of calls to the number go.
    call_hook: Option<String>,
    /// Where texts to the numbers of the messaging service go.
    service_hook: Option<String>,
    /// Base URL webhook calls are forwarded to, as by a reverse proxy.
    proxied: Option<String>,
    revoked: bool,
    trial: bool,
    held: bool,
    deaf: bool,
    reports: TextReports,
    plan: Option<Box<Plan>>,
    answers: Option<Box<Answers>>,
    /// Webhook calls to make: URL and body.
    said: VecDeque<(String, String)>,
    status: Vec<(String, String)>,
    told: VecDeque<(String, String)>,
    calling: bool,
}

pub struct PhoneServer {
    address: SocketAddr,
    shared: Arc<Shared<World>>,
}

impl PhoneServer {
    pub fn start() -> Self {
        Self::start_as(Names::default())
    }

    pub fn start_as(names: Names) -> Self {
        let shared: Arc<Shared<World>> = Arc::default();
        shared.world().names = names;
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

    pub fn report_all(&self, reports: TextReports) {
        self.world().reports = reports;
    }

    /// While held, sends reach people but get no answer.
    pub fn hold(&self, held: bool) {
        self.world().held = held;
        self.shared.changed();
    }

    /// Stops webhook calls: events appear only in the lists.
    pub fn calls_nobody(&self, deaf: bool) {
        self.world().deaf = deaf;
        self.shared.changed();
    }

    /// Forwards webhook calls to another service, as a reverse proxy does.
    pub fn is_proxied_to(&self, base: &str) {
        self.world().proxied = Some(base.to_owned());
    }

    pub fn revoke(&self) {
        self.world().revoked = true;
    }

    pub fn is_trial(&self) {
        self.world().trial = true;
    }

    pub fn put_file(&self, id: &str, bytes: &[u8]) {
        self.world().files.insert(id.to_owned(), bytes.to_vec());
    }

    /// True if credentials were sent to the host of the files.
    pub fn has_shown_credentials(&self) -> bool {
        self.world().shown_credentials
    }

    pub fn says(&self, from: &str, text: &str) -> String {
        self.sends(from, text, &[])
    }

    /// Sends a text with files, given by id and media type.
    pub fn sends(&self, from: &str, text: &str, files: &[(&str, &str)]) -> String {
        self.sends_to((NUMBER, None), from, text, files)
    }

    /// Sends a text to the other number of the messaging service.
    pub fn says_to_service(&self, from: &str, text: &str) -> String {
        self.sends_to((POOL_NUMBER, Some(SERVICE)), from, text, &[])
    }

    fn sends_to(
        &self,
        (to, service): (&str, Option<&str>),
        from: &str,
        text: &str,
        files: &[(&str, &str)],
    ) -> String {
        let mut world = self.world();
        world.count += 1;
        let id = format!("SM{:032x}", world.count);
        let mut form = form_of(&[("MessageSid", &id), ("From", from), ("To", to), ("Body", text)]);
        if let Some(service) = service {
            form.insert("MessagingServiceSid".to_owned(), service.to_owned());
        }
        form.insert("NumMedia".to_owned(), files.len().to_string());
        let mut listed = Vec::new();
        for (at, (file, kind)) in files.iter().enumerate() {
            let path = format!("/2010-04-01/Accounts/{ACCOUNT}/Messages/{id}/Media/{file}");
            form.insert(format!("MediaUrl{at}"), format!("{}{path}", self.url()));
            form.insert(format!("MediaContentType{at}"), (*kind).to_owned());
            listed.push(json!({"uri": format!("{path}.json"), "content_type": kind}));
        }
        world.listed.push(json!({
            "sid": id, "from": from, "to": to, "body": text, "status": "received", "direction": "inbound",
            "messaging_service_sid": service, "num_media": files.len().to_string(), "date_sent": date(), "error_code": null, "media": listed,
        }));
        let hook = if service.is_some() { world.service_hook.clone() } else { world.hook.clone() };
        if let Some(hook) = hook.filter(|_| !world.deaf) {
            world.said.push_back((hook, encoded(&form)));
        }
        drop(world);
        self.shared.changed();
        id
    }

    /// A call to the number ends; returns its id.
    pub fn is_called(&self, from: &str, status: &str) -> String {
        let mut world = self.world();
        world.count += 1;
        let id = format!("CA{:032x}", world.count);
        world.listed_calls.push(json!({
            "sid": id, "from": from, "to": NUMBER, "status": status, "direction": "inbound",
            "start_time": date(), "duration": "0",
        }));
        if let Some(hook) = world.call_hook.clone().filter(|_| !world.deaf) {
            let fields = [
                ("CallSid", id.as_str()),
                ("From", from),
                ("To", NUMBER),
                ("Direction", "inbound"),
                ("CallStatus", status),
            ];
            world.said.push_back((hook, encoded(&form_of(&fields))));
        }
        drop(world);
        self.shared.changed();
        id
    }

    pub fn call_hook(&self) -> Option<String> {
        self.world().call_hook.clone()
    }

    /// Sets where reports of calls go, as on the platform's settings pages.
    pub fn reports_calls_to(&self, url: &str) {
        self.world().call_hook = Some(url.to_owned());
    }

    /// Lists a text that was sent these microseconds ago and of which the service was not told.
    pub fn lists_earlier(&self, from: &str, text: &str, micros: i64) {
        let mut world = self.world();
        world.count += 1;
        let id = format!("SM{:032x}", world.count);
        let sent = date_of(SystemClock.now().plus(-micros));
        world.listed.push(json!({
            "sid": id, "from": from, "to": NUMBER, "body": text, "status": "received", "direction": "inbound",
            "num_media": "0", "date_sent": sent, "error_code": null, "media": [],
        }));
        drop(world);
        self.shared.changed();
    }

    /// Sends an opt-out word, which the platform itself understands.
    pub fn asks(&self, from: &str, text: &str, opt_out: &str) {
        let mut world = self.world();
        world.count += 1;
        let id = format!("SM{:032x}", world.count);
        let fields = [
            ("MessageSid", id.as_str()),
            ("From", from),
            ("To", NUMBER),
            ("Body", text),
            ("OptOutType", opt_out),
        ];
        if let Some(hook) = world.hook.clone() {
            world.said.push_back((hook, encoded(&form_of(&fields))));
        }
        drop(world);
        self.shared.changed();
    }

    pub fn reports(&self, text: &Carried, status: &str) {
        self.loses(text, status, None);
    }

    /// Reports the status of a text with the platform's error code.
    pub fn loses(&self, text: &Carried, status: &str, error: Option<i64>) {
        let mut world = self.world();
        tell(&mut world, text, status, error);
        drop(world);
        self.shared.changed();
    }

    pub fn call_is(&self, call: &Carried, status: &str, seconds: i64) {
        move_call(&mut self.world(), call, status, seconds);
        self.shared.changed();
    }

    pub fn texts(&self) -> Vec<Carried> {
        self.world().texts.clone()
    }

    pub fn calls(&self) -> Vec<Carried> {
        self.world().calls.clone()
    }

    /// Number of requests for a text or call.
    pub fn asked_to_send(&self) -> usize {
        self.world().sends
    }

    pub fn hook(&self) -> Option<String> {
        self.world().hook.clone()
    }

    #[track_caller]
    pub fn waits_for(&self, text: &str) -> Carried {
        self.shared
            .wait(text, |world| world.texts.iter().find(|carried| carried.text.contains(text)).cloned())
    }

    #[track_caller]
    pub fn waits_for_call(&self, to: &str) -> Carried {
        self.shared.wait(to, |world| world.calls.iter().find(|call| call.to == to).cloned())
    }

    #[track_caller]
    pub fn waits_for_sends(&self, count: usize) {
        self.shared.wait("requests", |world| (world.sends >= count).then_some(()));
    }

    #[track_caller]
    pub fn waits_until_followed(&self) {
        self.shared.wait("being followed", |world| world.hook.clone());
    }

    #[track_caller]
    pub fn waits_until_service_followed(&self) {
        self.shared.wait("its messaging service being followed", |world| world.service_hook.clone());
    }

    #[track_caller]
    pub fn waits_until_told(&self) {
        self.shared.wait("its calls", |world| {
            (world.said.is_empty() && world.status.is_empty() && !world.calling).then_some(())
        });
    }
}

fn form_of(fields: &[(&str, &str)]) -> Form {
    let account = [("AccountSid", ACCOUNT), ("ApiVersion", "2010-04-01")];
    let all = fields.iter().chain(&account);
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn encoded(form: &Form) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish()
}

fn date() -> String {
    date_of(SystemClock.now())
}

fn date_of(at: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let now = at.to_string();
    let month: usize = now[5..7].parse().expect("a month");
    format!("Mon, {} {} {} {} +0000", &now[8..10], MONTHS[month - 1], &now[..4], &now[11..19])
}

pub fn signature(url: &str, body: &str) -> String {
    signature_with(TOKEN, url, body)
}

pub fn signature_with(token: &str, url: &str, body: &str) -> String {
    let mut fields: Vec<_> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    fields.sort();
    let fields: String = fields.into_iter().flat_map(|(name, value)| [name, value]).collect();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
    BASE64_STANDARD.encode(hmac::sign(&key, format!("{url}{fields}").as_bytes()))
}

fn tell(world: &mut World, text: &Carried, status: &str, error: Option<i64>) {
    if let Some(listed) = world.listed.iter_mut().find(|value| value["sid"] == *text.id)
        && listed["status"] != "delivered"
    {
        listed["status"] = status.into();
        listed["error_code"] = error.into();
    }
    let mut form =
        form_of(&[("MessageSid", &text.id), ("From", NUMBER), ("To", &text.to), ("MessageStatus", status)]);
    if let Some(service) = text.form.get("MessagingServiceSid") {
        form.insert("MessagingServiceSid".to_owned(), service.clone());
        form.insert("From".to_owned(), POOL_NUMBER.to_owned());
    }
    if let Some(error) = error {
        form.insert("ErrorCode".to_owned(), error.to_string());
    }
    if let Some(url) = text.form.get("StatusCallback").filter(|_| !world.deaf) {
        world.status.push((url.clone(), encoded(&form)));
    }
}

fn move_call(world: &mut World, call: &Carried, status: &str, seconds: i64) {
    if let Some(listed) = world.listed_calls.iter_mut().find(|listed_call| listed_call["sid"] == *call.id) {
        listed["status"] = status.into();
        listed["duration"] = seconds.to_string().into();
    }
    let mut form =
        form_of(&[("CallSid", &call.id), ("From", NUMBER), ("To", &call.to), ("CallStatus", status)]);
    if seconds > 0 {
        form.insert("CallDuration".to_owned(), seconds.to_string());
    }
    if let Some(url) = call.form.get("StatusCallback").filter(|_| !world.deaf) {
        world.status.push((url.clone(), encoded(&form)));
    }
}

/// Makes one webhook call; a failed call is not repeated.
fn call_once(shared: &Shared<World>, random: &mut StdRng) {
    let mut world = shared.world();
    if world.said.is_empty() && world.status.is_empty() {
        drop(shared.rest(world, IDLE));
        return;
    }
    let is_status = world.said.is_empty() || (!world.status.is_empty() && random.random_bool(0.5));
    let (url, body) = if is_status {
        let at = random.random_range(0..world.status.len());
        world.status.swap_remove(at)
    } else {
        world.said.pop_front().expect("one")
    };
    world.calling = true;
    // A proxy forwards the call; the signature covers the original URL.
    let reached = world.proxied.as_ref().map(|base| {
        let path = url.split_once("://").and_then(|pair| pair.1.split_once('/')).map_or("", |pair| pair.1);
        format!("{base}/{path}")
    });
    let (said, token) = (world.names.say(&body), world.names.say(TOKEN));
    drop(world);
    let signed = signature_with(&token, &url, &said);
    let taken = stand_in::call("POST", reached.as_ref().unwrap_or(&url), (SIGNATURE, &signed), &said);
    let mut world = shared.world();
    world.calling = false;
    match taken {
        Some((200, said)) => {
            assert_eq!(said, "<Response/>", "what it takes for no answer");
            world.told.push_back((url, body));
            let excess = world.told.len().saturating_sub(REPEATED);
            world.told.drain(..excess);
        }
        // The service is not running, or ended meanwhile.
        None | Some((500 | 503 | 404, _)) => {}
        Some(other) => panic!("the service answered {other:?} to {body}"),
    }
    drop(world);
    shared.changed();
}

fn serve(mut stream: TcpStream, shared: &Shared<World>) {
    let Some(request) = stand_in::read(&mut stream) else { return };
    let names = shared.world().names;
    let request = names.read(request);
    let form: Form = form_urlencoded::parse(&request.body).into_owned().collect();
    let path = request.target.split('?').next().unwrap_or("").to_owned();
    let account = format!("/2010-04-01/Accounts/{ACCOUNT}");
    let known = format!("Basic {}", BASE64_STANDARD.encode(names.say(&format!("{ACCOUNT}:{TOKEN}"))));
    let is_known = request.headers.get("authorization").is_some_and(|header| *header == known);
    if let Some(file) = path.strip_prefix("/files/") {
        return give_file(&mut stream, shared, file, request.headers.contains_key("authorization"));
    }
    let of_account = path.strip_prefix(&account).unwrap_or("");
    let name = if path.starts_with("/v1/") { path.clone() } else { of_account.to_owned() };
    if name.contains("/Media/") && is_known {
        let file = name.rsplit('/').next().unwrap_or("");
        // This machine by a name that counts as another host for the client.
        let elsewhere = request.headers["host"].replace("127.0.0.1", "localhost");
        let head = format!(
            "HTTP/1.1 307 X\r\nlocation: http://{elsewhere}/files/{file}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
        let _ = stream.write_all(head.as_bytes());
        return;
    }
    let is_send = request.method == "POST" && matches!(name.as_str(), "/Messages.json" | "/Calls.json");
    let wrong = {
        let mut world = shared.world();
        world.sends += usize::from(is_send);
        let wrong = world.plan.as_mut().and_then(|plan| plan(if is_send { "send" } else { &name }));
        if wrong == Some(Wrong::Repeated) {
            let again: Vec<_> = world.told.iter().cloned().collect();
            world.status.extend(again);
        }
        shared.changed();
        wrong
    };
    stand_in::respond(&mut stream, wrong, failure, || {
        let (status, told) = match is_known && !shared.world().revoked {
            true => answer(&request, &name, form, shared),
            false => (401, error(20_003, "Authenticate")),
        };
        names.answer((status, told.to_string().into_bytes()))
    });
}

/// Serves a file as a foreign host would.
fn give_file(stream: &mut TcpStream, shared: &Shared<World>, file: &str, is_shown: bool) {
    let mut world = shared.world();
    world.shown_credentials |= is_shown;
    let bytes = world.files.get(file).cloned();
    drop(world);
    stand_in::respond(stream, None, failure, || bytes.map_or((404, Vec::new()), |byte| (200, byte)));
}

fn error(code: i64, words: &str) -> Value {
    json!({"code": code, "message": words, "more_info": "https://platform.example/errors"})
}

/// Body of an overload or server error.
fn failure(status: u16) -> Value {
    match status {
        429 => error(20_429, "Too Many Requests"),
        _ => error(20_500, "An internal server error has occurred"),
    }
}

fn answer(request: &RawRequest, name: &str, form: Form, shared: &Shared<World>) -> (u16, Value) {
    let mut world = shared.world();
    let query: HashMap<String, String> = request
        .target
        .split_once('?')
        .map_or_else(HashMap::new, |pair| form_urlencoded::parse(pair.1.as_bytes()).into_owned().collect());
    match (request.method.as_str(), name) {
        ("GET", ".json") => {
            let kind = if world.trial { "Trial" } else { "Full" };
            (200, json!({"sid": ACCOUNT, "friendly_name": "Harbor Shop", "status": "active", "type": kind}))
        }
        ("GET", "/IncomingPhoneNumbers.json") => {
            let number = json!({"sid": "PN1", "phone_number": NUMBER, "sms_url": world.hook,
                "status_callback": world.call_hook,
                "capabilities": {"sms": true, "voice": true, "mms": true}});
            let is_it = query.get("PhoneNumber").is_some_and(|text| text == NUMBER);
            (200, json!({"incoming_phone_numbers": if is_it { vec![number] } else { Vec::new() }}))
        }
        ("POST", "/IncomingPhoneNumbers/PN1.json") => {
            world.hook = form.get("SmsUrl").filter(|text| !text.is_empty()).cloned();
            if let Some(url) = form.get("StatusCallback") {
                world.call_hook = Some(url.clone()).filter(|text| !text.is_empty());
            }
            shared.changed();
            (200, json!({"sid": "PN1"}))
        }
        ("GET" | "POST", service) if service.strip_prefix("/v1/Services/") == Some(SERVICE) => {
            if let Some(url) = form.get("InboundRequestUrl") {
                assert_eq!(form.get("UseInboundWebhookOnNumber").map(String::as_str), Some("false"));
                world.service_hook = Some(url.clone()).filter(|text| !text.is_empty());
                shared.changed();
            }
            (200, json!({"sid": SERVICE, "friendly_name": "Harbor texts"}))
        }
        ("POST", "/Messages.json") => send(form, false, world, shared),
        ("POST", "/Calls.json") => send(form, true, world, shared),
        ("GET", "/Messages.json") => (200, page("messages", &world.listed, &query)),
        ("GET", "/Calls.json") => (200, page("calls", &world.listed_calls, &query)),
        ("GET", media) if media.ends_with("/Media.json") => {
            let of = |value: &&Value| media.contains(value["sid"].as_str().unwrap_or("nothing"));
            let found = world.listed.iter().find(of).map(|value| value["media"].clone());
            (200, json!({"media_list": found.unwrap_or_default()}))
        }
        ("POST", call)
            if call.starts_with("/Calls/") && form.get("Status").is_some_and(|text| text == "completed") =>
        {
            let found = world.calls.iter().find(|carried| call.contains(&carried.id)).cloned();
            let Some(found) = found else { return (404, error(20_404, "no such call")) };
            move_call(&mut world, &found, "completed", 61);
            shared.changed();
            (200, json!({"sid": found.id, "status": "completed"}))
        }
        _ => (404, error(20_404, "The requested resource was not found")),
    }
}

/// A page of entries to or from a number, newest first.
fn page(member: &str, all: &[Value], query: &HashMap<String, String>) -> Value {
    let is = |value: &Value, field: &str, name: &str| {
        query.get(name).is_none_or(|wanted| value[field] == **wanted)
    };
    let wanted = all.iter().rev().filter(|value| is(value, "from", "From") && is(value, "to", "To"));
    let from: usize = query.get("Page").and_then(|text| text.parse().ok()).unwrap_or(0);
    let found: Vec<&Value> = wanted.skip(from).take(PAGE + 1).collect();
    let next = (found.len() > PAGE).then(|| {
        let mut query = query.clone();
        query.insert("Page".to_owned(), (from + PAGE).to_string());
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&query).finish();
        let name = if member == "calls" { "Calls" } else { "Messages" };
        format!("/2010-04-01/Accounts/{ACCOUNT}/{name}.json?{query}")
    });
    json!({ member: found.iter().take(PAGE).collect::<Vec<_>>(), "next_page_uri": next })
}

fn send(form: Form, is_call: bool, mut world: MutexGuard<'_, World>, shared: &Shared<World>) -> (u16, Value) {
    let of = |name: &str| form.get(name).cloned().unwrap_or_default();
    if let Some(told) = world.answers.as_ref().and_then(|answer| answer(&json!(form))) {
        return told;
    }
    let text = of(if is_call { "Twiml" } else { "Body" });
    let is_of_service = of("MessagingServiceSid") == SERVICE && !is_call;
    let from = if is_of_service { POOL_NUMBER } else { NUMBER };
    let is_known = is_of_service || of("From") == NUMBER;
    if !is_known || !of("To").starts_with('+') || text.is_empty() {
        return (400, error(21_604, "A 'To' phone number is required."));
    }
    world.count += 1;
    let id = format!("{}{:032x}", if is_call { "CA" } else { "SM" }, world.count);
    let carried = Carried { id: id.clone(), to: of("To"), text: text.clone(), form: form.clone() };
    let listed = json!({
        "sid": id, "from": from, "to": of("To"), "body": text, "status": "queued", "direction": "outbound-api",
        "messaging_service_sid": is_of_service.then_some(SERVICE),
        "num_media": "0", "date_sent": date(), "start_time": date(), "error_code": null, "duration": null,
    });
    if is_call {
        world.calls.push(carried);
        world.listed_calls.push(listed);
    } else {
        world.texts.push(carried.clone());
        world.listed.push(listed);
        if world.reports == TextReports::Shuffled {
            for status in ["sent", "delivered", "delivered"] {
                tell(&mut world, &carried, status, None);
            }
        }
    }
    shared.changed();
    while world.held {
        world = shared.rest(world, IDLE);
    }
    (201, json!({"sid": id, "status": "queued", "error_code": null, "num_segments": "1"}))
}
