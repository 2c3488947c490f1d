//! The network between a desk and the town: adds latency and injects faults, both from a seed.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::future::pending;
use std::sync::{Arc, Mutex};

use axum::http::Request;
use axum::http::header::{HOST, HeaderMap, HeaderValue};
use frontdesk::client::NotSent;
use frontdesk::client::transport::{
    ExchangeError, IncomingResponse, IncompleteBody, OutgoingRequest, Transport,
};
use frontdesk::model::chance::Chance;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::text::SafeText;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use crate::simulation::notices::Notices;
use crate::simulation::town::Town;
use crate::simulation::trace::Trace;

/// Maximum number of stored answers.
const KEPT: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No connection: no byte leaves.
    NotSent,
    /// The request leaves and is lost.
    CutBefore,
    /// The request is carried out, the answer is lost.
    CutAfter,
    /// The head of the answer arrives, the body does not.
    Torn,
    /// Server error; the request was not carried out.
    ServerError,
    /// Server error after the request was carried out.
    ServerErrorAfter,
    /// 429 although the rate limit is not used up.
    TooMany,
    /// An earlier answer to the same request.
    Stale,
    /// The answer comes late.
    Slow,
    /// Carried out, but the desk's timeout is over.
    TimedOut,
    /// The desk's process ends before the request leaves.
    CrashBefore,
    /// The desk's process ends after the request was carried out.
    CrashAfter,
}

impl Fault {
    /// Faults drawn at random.
    const USUAL: [Self; 10] = [
        Self::NotSent,
        Self::CutBefore,
        Self::CutAfter,
        Self::Torn,
        Self::ServerError,
        Self::ServerErrorAfter,
        Self::TooMany,
        Self::Stale,
        Self::Slow,
        Self::TimedOut,
    ];
}

#[derive(Debug, Clone)]
pub struct Seen {
    pub at: i64,
    pub method: String,
    pub path: String,
    pub key: Option<String>,
    pub status: Option<u16>,
    /// True if a byte may have left.
    pub left: bool,
    /// Text of the message the request sends.
    pub text: Option<String>,
    /// True if an earlier answer was replayed.
    pub was_kept: bool,
}

/// Answers that are stored for a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Keep {
    /// A random selection.
    #[default]
    Some,
    All,
    None,
}

pub struct Line {
    town: Arc<tokio::sync::Mutex<Town>>,
    chance: Chance,
    state: Mutex<State>,
    crash: Notify,
    trace: Trace,
}

#[derive(Default)]
struct State {
    /// Faults per thousand exchanges.
    faults_per_mille: u64,
    /// Outcomes of the next exchanges; random faults follow.
    script: VecDeque<Option<Fault>>,
    /// True if no request gets through.
    dead: bool,
    recent: HashMap<String, (HeaderMap, Vec<u8>)>,
    keep: Keep,
    log: Option<Vec<Seen>>,
    requests: u64,
    early: Option<Early>,
}

/// Planted bug: notifies about messages before they are stored.
struct Early {
    notices: Arc<Mutex<Notices>>,
    rung: BTreeSet<String>,
}

impl Early {
    /// Notifies about every new message in an answer.
    fn notify_new_messages(&mut self, body: &[u8]) {
        let told: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        for message in told["data"].as_array().into_iter().flatten() {
            let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
            if self.rung.insert(text("id")) {
                let mut notices = self.notices.lock().expect("no one failed");
                notices.ring(&ConversationId::new(text("conversationId")));
            }
        }
    }
}

impl Line {
    pub fn new(town: Arc<tokio::sync::Mutex<Town>>, chance: Chance, trace: Trace) -> Arc<Self> {
        Arc::new(Self { town, chance, state: Mutex::default(), crash: Notify::new(), trace })
    }

    fn state<R>(&self, look: impl FnOnce(&mut State) -> R) -> R {
        look(&mut self.state.lock().expect("no one failed"))
    }

    pub fn faults(&self, per_mille: u64) {
        self.state(|state| state.faults_per_mille = per_mille);
    }

    /// Sets the outcomes of the next exchanges; `None` lets one through.
    pub fn script(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.state(|state| state.script.extend(faults));
    }

    pub fn no_script(&self) {
        self.state(|state| state.script.clear());
    }

    /// Makes the server unreachable, or reachable again.
    pub fn dead(&self, dead: bool) {
        self.state(|state| state.dead = dead);
    }

    pub fn keep_everything(&self) {
        self.state(|state| state.keep = Keep::All);
    }

    pub fn keep_nothing_more(&self) {
        self.state(|state| state.keep = Keep::None);
    }

    /// Plants the bug: a trigger event notifies before the message is stored.
    pub fn ring_early(&self, notices: Arc<Mutex<Notices>>) {
        self.state(|state| state.early = Some(Early { notices, rung: BTreeSet::new() }));
    }

    /// Records requests from now on.
    pub fn listen(&self) {
        self.state(|state| state.log = Some(Vec::new()));
    }

    /// Returns and clears the recorded requests.
    pub fn seen(&self) -> Vec<Seen> {
        self.state(|state| state.log.as_mut().map(std::mem::take).unwrap_or_default())
    }

    pub fn requests(&self) -> u64 {
        self.state(|state| state.requests)
    }

    /// Completes when the desk's process has to crash.
    pub async fn crashed(&self) {
        self.crash.notified().await;
    }

    fn draw(&self) -> (Option<Fault>, bool) {
        let (scripted, per_mille, dead) =
            self.state(|state| (state.script.pop_front(), state.faults_per_mille, state.dead));
        if let Some(scripted) = scripted {
            return (scripted, dead);
        }
        if per_mille == 0 || self.chance.below(1000) >= per_mille {
            return (None, dead);
        }
        let index = usize::try_from(self.chance.below(Fault::USUAL.len() as u64)).expect("small");
        (Some(Fault::USUAL[index]), dead)
    }

    /// A random time up to so many milliseconds; in microseconds.
    fn up_to(&self, millis: u64) -> i64 {
        i64::try_from(1 + self.chance.below(millis * 1000)).expect("small")
    }

    async fn carry(&self, request: OutgoingRequest) -> Result<IncomingResponse, ExchangeError> {
        let (fault, dead) = self.draw();
        let path = request.url.split_once("/v1").map_or("", |(_, path)| path).to_owned();
        let mut town = self.town.lock().await;
        let begun = town.now();
        let result = if dead {
            town.pass_until(begun + self.up_to(3)).await;
            Err(ExchangeError::NotSent(NotSent::Offline(SafeText::line("the server refused the connection"))))
        } else {
            self.meet(&mut town, fault, &request).await
        };
        drop(town);
        let status = result.as_ref().ok().map(|result| result.status);
        let bare = path.split("cursor=").next().unwrap_or("").to_owned();
        let length = result.as_ref().ok().and_then(|result| result.body.as_ref().ok().map(Vec::len));
        self.trace.note((begun, request.method.as_str(), bare, fault, status, length));
        let key =
            request.headers.get("idempotency-key").and_then(|header| header.to_str().ok()).map(str::to_owned);
        let was_kept =
            fault == Some(Fault::Stale) && self.state(|state| state.recent.contains_key(&request.url));
        let left = !dead && fault != Some(Fault::NotSent);
        let (method, body) = (request.method.to_string(), request.body);
        self.state(|state| {
            state.requests += 1;
            if let Some(log) = &mut state.log {
                let text = text_in(&body);
                log.push(Seen { at: begun, method, path, key, status, left, text, was_kept });
            }
        });
        if matches!(fault, Some(Fault::CrashBefore | Fault::CrashAfter)) {
            self.crash.notify_one();
            pending::<()>().await;
        }
        result
    }

    async fn meet(
        &self,
        town: &mut Town,
        fault: Option<Fault>,
        request: &OutgoingRequest,
    ) -> Result<IncomingResponse, ExchangeError> {
        let begun = town.now();
        let midway = |why: &str| Err(ExchangeError::Midway(SafeText::line(why)));
        let total = i64::try_from(request.total.as_micros()).expect("short");
        town.pass_until(begun + self.up_to(40)).await;
        match fault {
            Some(Fault::NotSent) => {
                town.pass_until(begun + self.up_to(5_000)).await;
                let why = SafeText::line("the server could not be reached");
                return Err(ExchangeError::NotSent(NotSent::Offline(why)));
            }
            Some(Fault::CutBefore | Fault::CrashBefore) => {
                town.pass_until(begun + self.up_to(200)).await;
                return midway("the connection broke before the answer was complete");
            }
            Some(Fault::ServerError) => return Ok(refusal(500, "INTERNAL_ERROR", None)),
            Some(Fault::TooMany) => {
                let wait = 1 + self.chance.below(20);
                return Ok(refusal(429, "RATE_LIMIT_EXCEEDED", Some(wait)));
            }
            Some(Fault::Stale) if request.method == "GET" => {
                let kept = self.state(|state| state.recent.get(&request.url).cloned());
                if let Some((headers, body)) = kept {
                    return Ok(IncomingResponse { status: 200, headers, body: Ok(body) });
                }
            }
            _ => {}
        }
        let answer = self.ask(town, request).await;
        let late = if fault == Some(Fault::Slow) { self.up_to(28_000) } else { self.up_to(80) };
        town.pass_until(town.now() + late).await;
        match fault {
            Some(Fault::CutAfter | Fault::CrashAfter) => {
                midway("the connection broke before the answer was complete")
            }
            Some(Fault::TimedOut) => {
                town.pass_until(begun + total).await;
                midway("the server did not answer in time")
            }
            Some(Fault::ServerErrorAfter) => Ok(refusal(502, "WHATSAPP_ERROR", None)),
            Some(Fault::Torn) => {
                let why = SafeText::line("the answer was incomplete or could not be decompressed");
                Ok(IncomingResponse { body: Err(IncompleteBody { why, too_large: false }), ..answer })
            }
            _ => Ok(answer),
        }
    }

    /// Asks the service and may store the answer for a replay.
    async fn ask(&self, town: &mut Town, request: &OutgoingRequest) -> IncomingResponse {
        let path = request.url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        let mut asked = Request::new(request.body.clone());
        *asked.method_mut() = request.method.clone();
        *asked.uri_mut() = path.expect("a path").parse().expect("an address");
        *asked.headers_mut() = request.headers.clone();
        asked.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        let (head, body) = town.answer(asked).await.into_parts();
        if request.url.ends_with("/triggers/new-message") {
            self.state(|state| state.early.iter_mut().for_each(|early| early.notify_new_messages(&body)));
        }
        let answer =
            IncomingResponse { status: head.status.as_u16(), headers: head.headers, body: Ok(body.into()) };
        let keeps = match self.state(|state| state.keep) {
            Keep::Some => self.chance.below(32) == 0,
            Keep::All => true,
            Keep::None => false,
        };
        if request.method == "GET" && answer.status == 200 && keeps {
            let kept = (answer.headers.clone(), answer.body.clone().unwrap_or_default());
            self.state(|entry| {
                if entry.recent.len() >= KEPT {
                    entry.recent.clear();
                }
                entry.recent.insert(request.url.clone(), kept)
            });
        }
        answer
    }
}

impl Transport for Line {
    fn exchange(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<IncomingResponse, ExchangeError>> {
        Box::pin(self.carry(request))
    }
}

fn text_in(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some(body["text"]["body"].as_str()?.to_owned())
}

fn refusal(status: u16, code: &str, retry_after: Option<u64>) -> IncomingResponse {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    if let Some(seconds) = retry_after {
        headers.insert("retry-after", HeaderValue::from(seconds));
    }
    let body = format!(r#"{{"code":"{code}","message":"a fault of the line"}}"#);
    IncomingResponse { status, headers, body: Ok(body.into_bytes()) }
}
