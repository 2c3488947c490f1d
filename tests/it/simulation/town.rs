//! Everything that is not a desk: the service in this process, customers, the AI, colleagues, and
//! the one clock of all.
//!
//! Time passes only in [`Town::pass_until`], which carries out planned and due events in order.

use std::collections::{BTreeSet, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use axum::http::{Request, Response};
use frontdesk::model::account::Environment;
use frontdesk::model::chance::Chance;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::platforms::Channel;
use frontdesk::service::in_process::InboundMessage;
use frontdesk::service::{AssistantChoice, InProcess, Options};
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::simulation::clock::Skewed;
use crate::simulation::trace::Trace;

const ADDRESS: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 8787);
/// Maximum age of a backdated message, in seconds.
const LATE: u64 = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// A customer sends a message.
    Writes { customer: usize },
    /// Many messages of many customers at once.
    Burst { count: usize, customers: usize },
    /// A message is committed below newer ones.
    Late { customer: usize },
    /// A contact is deleted with its history.
    Deletion { customer: usize },
    /// A colleague answers from another machine.
    Colleague { customer: usize },
}

pub struct Town {
    pub service: InProcess,
    pub clock: Arc<HandClock>,
    /// Microseconds the server's clock is ahead.
    skew: i64,
    chance: Chance,
    plan: VecDeque<(i64, Happening)>,
    /// Time of the service's next due work, on the true clock.
    due: Option<i64>,
    /// The service's database, read and changed directly.
    file: rusqlite::Connection,
    /// Conversations that were deleted with their contacts.
    pub deleted: BTreeSet<String>,
    /// Texts that reached people before their deletion; the service has forgotten them.
    pub reached_before: Vec<String>,
    pub written: u64,
    trace: Trace,
}

pub struct Terms {
    pub seed: u64,
    pub skew: i64,
    pub assistant: AssistantChoice,
}

impl Town {
    pub async fn found(folder: &Path, terms: Terms, clock: Arc<HandClock>, trace: Trace) -> Self {
        let database = folder.join("service.db");
        let time = Skewed::new(clock.clone(), terms.skew);
        let mut options = Options::new(SocketAddr::from(ADDRESS), database.clone(), time);
        options.dev = true;
        options.by_hand = true;
        options.seed = terms.seed;
        options.assistant = terms.assistant;
        let service = InProcess::open(options).await.expect("the service opens");
        let file = rusqlite::Connection::open(database).expect("the service's file opens");
        let chance = Chance::seeded(terms.seed ^ 0x70a2);
        let mut town = Self {
            service,
            clock,
            skew: terms.skew,
            chance,
            plan: VecDeque::new(),
            due: None,
            file,
            deleted: BTreeSet::new(),
            reached_before: Vec::new(),
            written: 0,
            trace,
        };
        town.dev("/dev/credits", &json!({"balance": 1_000_000})).await;
        town
    }

    pub fn plan(&mut self, mut plan: Vec<(i64, Happening)>) {
        plan.extend(std::mem::take(&mut self.plan));
        plan.sort_by_key(|(at, _)| *at);
        self.plan = plan.into();
    }

    pub fn key(&self, channel: &str) -> Secret {
        let of = |issued_key: &&frontdesk::service::IssuedKey| {
            issued_key.channel == channel && issued_key.environment == Environment::Live
        };
        self.service.keys.iter().find(of).expect("a key").key.clone()
    }

    /// Time on the true clock.
    pub fn now(&self) -> i64 {
        self.clock.now().micros()
    }

    /// Time of the next event, on the true clock.
    pub fn next(&self) -> Option<i64> {
        let planned = self.plan.front().map(|(at, _)| *at);
        planned.into_iter().chain(self.due).min()
    }

    /// Advances time and carries out everything planned or due until then.
    pub async fn pass_until(&mut self, until: i64) {
        while let Some(at) = self.next().filter(|number| *number <= until) {
            self.set_clock(at);
            if self.due.is_some_and(|due| due <= at) {
                self.look_ahead().await;
            } else if let Some((_, happening)) = self.plan.pop_front() {
                self.trace.note((at, format!("{happening:?}")));
                self.happen(happening).await;
            }
        }
        self.set_clock(until);
    }

    fn set_clock(&self, to: i64) {
        self.clock.advance((to - self.now()).max(0));
    }

    /// Runs due work of the service and stores when the next is due.
    async fn look_ahead(&mut self) {
        let next = self.service.catch_up().await.expect("the town goes on");
        self.due = next.map(|time| time.micros() - self.skew);
    }

    /// Answers a request at once; a write may make work due.
    pub async fn answer(&mut self, request: Request<Vec<u8>>) -> Response<axum::body::Bytes> {
        let writes = request.method() != "GET";
        let response = self.service.answer(request).await.expect("no fault of the service's own");
        if writes {
            self.look_ahead().await;
        }
        response
    }

    async fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Writes { customer } => {
                self.customers_write(vec![customer]).await;
            }
            Happening::Burst { count, customers } => {
                let each = (0..count).map(|_| 1000 + self.below(customers)).collect();
                self.customers_write(each).await;
            }
            Happening::Late { customer } => {
                let ids = self.customers_write(vec![customer]).await;
                let back = i64::try_from(1 + self.chance.below(LATE)).expect("small") * SECOND;
                self.backdate(&ids[0], back).await;
            }
            Happening::Deletion { customer } => {
                // The desks use up the key's rate limit: a rejected delete is tried again.
                if self.delete(&phone(customer)).await == 429 {
                    let at = self.now() + SECOND / 2;
                    let place = self.plan.partition_point(|plan| plan.0 <= at);
                    self.plan.insert(place, (at, Happening::Deletion { customer }));
                }
            }
            Happening::Colleague { customer } => {
                let text = format!("A colleague's word {}", self.written);
                let body = json!({"to": phone(customer), "type": "text", "text": {"body": text}});
                // The service window may be closed, or the conversation gone.
                self.call("POST", "/v1/messages/send", Some(&body)).await;
            }
        }
    }

    fn below(&self, count: usize) -> usize {
        usize::try_from(self.chance.below(count as u64)).expect("small")
    }

    /// One message of each customer at the same time; returns their ids.
    pub async fn customers_write(&mut self, customers: Vec<usize>) -> Vec<String> {
        let inbound = customers.into_iter().map(|customer| {
            self.written += 1;
            InboundMessage {
                from: phone(customer),
                name: Some(format!("Customer {customer}")),
                text: format!("Question {} of customer {customer}", self.written),
                kind: "text".to_owned(),
                ..InboundMessage::default()
            }
        });
        let inbound = inbound.collect();
        let received = self.service.receive_messages(Channel::Whatsapp, inbound).await.expect("it arrives");
        self.look_ahead().await;
        received.into_iter().map(|received| received.message).collect()
    }

    /// Backdates a message, as if committed late.
    pub async fn backdate(&mut self, message: &str, micros: i64) {
        let changed = self
            .sql()
            .execute("UPDATE messages SET created_at = created_at - ?2 WHERE id = ?1", (message, micros))
            .expect("changed");
        assert_eq!(changed, 1);
        // Makes the service read its database again.
        self.customers_write(Vec::new()).await;
    }

    /// Deletes the contact and its conversation; returns the status, 404 without a contact.
    pub async fn delete(&mut self, number: &str) -> u16 {
        let found = self.sql().query_row(
            "SELECT t.id, c.id FROM contacts t JOIN conversations c ON c.peer = t.phone WHERE t.phone = ?1",
            [number],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
        );
        let Ok((contact, conversation)) = found else { return 404 };
        let reached = self.reached(number);
        let (status, _) = self.call("DELETE", &format!("/v1/contacts/{contact}"), None).await;
        if status == 200 {
            self.deleted.insert(conversation);
            self.reached_before.extend(reached);
        }
        status
    }

    fn reached(&self, number: &str) -> Vec<String> {
        let mut asked =
            self.sql().prepare("SELECT content FROM outbound WHERE recipient = ?1").expect("prepared");
        let rows = asked.query_map([number], |row| row.get(0)).expect("rows");
        rows.map(|content| content.expect("a text")).collect()
    }

    pub fn sql(&self) -> &rusqlite::Connection {
        &self.file
    }

    /// A call by somebody else with the business chat's key.
    pub async fn call(&mut self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let key = self.key("whatsapp");
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        request = request.header("authorization", format!("Bearer {}", key.expose()));
        request = request.header("content-type", "application/json");
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let response = self.answer(request.body(body).expect("a request")).await;
        let status = response.status().as_u16();
        (status, serde_json::from_slice(response.body()).unwrap_or(Value::Null))
    }

    pub async fn dev(&mut self, path: &str, body: &Value) -> Value {
        let (status, value) = self.call("POST", path, Some(body)).await;
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    pub fn conversation_of(&self, number: &str) -> Option<String> {
        let sql = "SELECT id FROM conversations WHERE peer = ?1";
        self.sql().query_row(sql, [number], |row| row.get(0)).ok()
    }
}

/// Number of a customer, without an ending that has a meaning for the simulated platform.
pub fn phone(customer: usize) -> String {
    format!("+346{:06}55", customer)
}
