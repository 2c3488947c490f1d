//! Sync against misbehaving servers, step by step under a clock that only tests move.

mod accounts;
mod answers;
mod api_response;
mod certificate;
mod crossing;
mod engine;
mod filing;
mod first_sync;
mod leases;
mod lists;
mod odd_servers;
mod outbox_crash;
mod processes;
mod pushing;
mod reading;
mod reconciling;
mod server;
mod steps;
mod unreadable;
mod uploading;

use std::sync::{Arc, Mutex};

use frontdesk::client::prepare;
use frontdesk::model::account::Platform;
use frontdesk::model::filter::ConversationFilter;
use frontdesk::model::ids::{ChannelId, ConversationId, MessageId};
use frontdesk::model::news::{Health, News};
use frontdesk::model::outbox::{Lane, Operation, OutboxRow};
use frontdesk::model::queries::{ConversationPage, ConversationQuery, HistoryPage, HistoryQuery};
use frontdesk::model::secret::Secret;
use frontdesk::model::time::{Clock, SECOND, Timestamp, Zone};
use frontdesk::store::Store;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::{
    AttemptState, BroadcastState, CampaignNotices, ChannelSpec, ChannelSync, ListState, PullOutcome,
    PushState, PushStep, TriggerState,
};
use serde_json::{Value, json};

use tokio::sync::mpsc::UnboundedReceiver;

use server::{Answer, Request, Server};

use crate::desk::HandClock;
use crate::waiting::within;

async fn until(news: &mut UnboundedReceiver<News>, what: &str, mut is: impl FnMut(&News) -> bool) {
    let found = async {
        while let Some(event) = news.recv().await {
            if is(&event) {
                return true;
            }
        }
        false
    };
    assert!(within(what, found).await, "{what} is told no more");
}

/// Server time this many seconds after the start.
fn time(seconds: i64) -> String {
    Timestamp::parse("2026-11-20T10:00:00Z").expect("a valid time").plus(seconds * SECOND).to_string()
}

fn id() -> ChannelId {
    ChannelId::from("harbor")
}

/// State of manual steps, as the loops keep it.
pub struct Steps {
    pub list: ListState,
    pub trigger: TriggerState,
    pub broadcasts: BroadcastState,
    pub push: PushState,
    pub uploads: AttemptState,
    pub waves: CampaignNotices,
}

impl Steps {
    pub fn new(now: Timestamp) -> Self {
        Self {
            list: ListState::default(),
            trigger: TriggerState::default(),
            broadcasts: BroadcastState::default(),
            push: PushState::new(now),
            uploads: AttemptState::default(),
            waves: CampaignNotices::default(),
        }
    }
}

/// Sync of one tab with a server of its own and real files.
struct Hands {
    channel: ChannelSync,
    steps: tokio::sync::Mutex<Steps>,
    store: Store,
    clock: Arc<HandClock>,
    news: Arc<Mutex<Vec<News>>>,
    server: Server,
    folder: tempfile::TempDir,
}

impl Hands {
    async fn on(answer: impl FnMut(&Request) -> Answer + Send + 'static) -> Self {
        Self::with(answer, |_| ()).await
    }

    async fn with(
        answer: impl FnMut(&Request) -> Answer + Send + 'static,
        change: impl FnOnce(&mut ChannelSpec),
    ) -> Self {
        let server = Server::start(answer).await;
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("the files open");
        let clock = HandClock::at("2026-11-20T10:00:00", &Zone::UTC);
        let mut spec = ChannelSpec {
            id: id(),
            name: "Harbor chat".to_owned(),
            base_url: server.base_url.clone(),
            key: Secret::new("svc_live_0123456789"),
            read_only: false,
            draft_only: false,
        };
        change(&mut spec);
        let news = Arc::new(Mutex::new(Vec::new()));
        let channel = open(spec, &store, &clock, &news);
        let steps = tokio::sync::Mutex::new(Steps::new(clock.now()));
        Self { channel, steps, store, clock, news, server, folder }
    }

    /// Ends as kill -9 does and opens the same files again.
    fn reopen(self) -> Self {
        let Self { channel, store, clock, news, server, folder, .. } = self;
        let spec = channel.spec().clone();
        drop((channel, store));
        let store = Store::open(folder.path()).expect("the files open");
        let channel = open(spec, &store, &clock, &news);
        let steps = tokio::sync::Mutex::new(Steps::new(clock.now()));
        Self { channel, steps, store, clock, news, server, folder }
    }

    fn news(&self) -> Vec<News> {
        std::mem::take(&mut *self.news.lock().expect("no one failed"))
    }

    /// Latest health in the news; clears them.
    fn health(&self) -> Option<Health> {
        self.news().into_iter().rev().find_map(|news| match news {
            News::Health(_, health) => Some(health),
            _ => None,
        })
    }

    fn rings(&self) -> Vec<String> {
        let news = self.news().into_iter();
        news.filter_map(|news| if let News::Inbound(_, id) = news { Some(id.to_string()) } else { None })
            .collect()
    }

    fn list(&self) -> ConversationPage {
        let query = ConversationQuery::first(id(), ConversationFilter::all(), 500);
        self.store.reader().expect("a reader").conversations(&query).expect("a page")
    }

    fn history(&self, conversation: &str) -> HistoryPage {
        let conversation = ConversationId::from(conversation);
        let query = HistoryQuery { channel: id(), conversation, limit: 1000 };
        self.store.reader().expect("a reader").history(&query).expect("a page")
    }

    fn messages(&self, conversation: &str) -> Vec<String> {
        self.history(conversation)
            .messages
            .into_iter()
            .map(|message| message.message.id.to_string())
            .collect()
    }

    fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    fn queue(&self, conversation: &str, operation: Operation) -> OutboxRow {
        queue_on(&self.store, self.clock.now(), conversation, operation)
    }

    fn queue_text(&self, conversation: &str, text: &str) -> OutboxRow {
        self.queue(conversation, send_text(text))
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn pass(&self, seconds: i64) {
        self.clock.advance(seconds * SECOND);
    }

    async fn push(&self) -> PushStep {
        self.channel.push_all(&mut self.steps.lock().await.push, self.clock.now()).await
    }

    async fn push_once(&self) -> PushStep {
        self.channel.push_once(&mut self.steps.lock().await.push, self.clock.now()).await
    }

    async fn upload(&self) -> PushStep {
        self.channel.upload_all(&mut self.steps.lock().await.uploads, self.clock.now()).await
    }

    async fn pull_trigger(&self) -> PullOutcome {
        self.channel.pull_trigger(&mut self.steps.lock().await.trigger).await
    }

    async fn pull_conversations(&self) -> PullOutcome {
        self.channel.pull_conversations(&mut self.steps.lock().await.list).await
    }

    async fn pull(&self) -> [PullOutcome; 3] {
        let account = self.channel.pull_account().await;
        let list = self.pull_conversations().await;
        [account, list, self.pull_trigger().await]
    }
}

fn send_text(text: &str) -> Operation {
    Operation::SendText { to: "+34600111222".into(), text: text.into(), reply_to: None }
}

fn queue_on(store: &Store, now: Timestamp, conversation: &str, operation: Operation) -> OutboxRow {
    store.enqueue(new_row(conversation, operation), now).expect("queued")
}

/// A row that is sent at once, whatever is said meanwhile.
fn new_row(conversation: &str, operation: Operation) -> NewRow {
    let lane = Lane::Conversation(conversation.into());
    let request = prepare(&Platform::Whatsapp, &lane, &operation).expect("can be sent");
    NewRow { channel: id(), lane, operation, request, hold_micros: 0, seen: None, planned_at: None }
}

fn open(
    spec: ChannelSpec,
    store: &Store,
    clock: &Arc<HandClock>,
    news: &Arc<Mutex<Vec<News>>>,
) -> ChannelSync {
    let told = news.clone();
    let tell = Arc::new(move |news: News| told.lock().expect("no one failed").push(news));
    ChannelSync::new(spec, store.clone(), clock.clone(), tell).expect("a channel")
}

fn account(platform: &str) -> Value {
    json!({
        "id": "acc", "assistantId": "as", "keyId": "key",
        "workspace": {"id": "ws", "name": "Harbor", "email": null},
        "assistant": {"id": "as", "name": "Ada", "platform": platform},
        "whatsappNumber": "+34600000000", "creditsBalance": 412.0, "environment": "live"
    })
}

fn conversation(id: &str, count: u64, last_at: i64) -> Value {
    json!({
        "id": id, "customerPhone": "+34600111222", "customerName": id, "status": "active",
        "messageCount": count, "lastMessagePreview": "hello", "lastMessageAt": time(last_at),
        "createdAt": time(-100_000), "referral": null, "serviceWindowOpen": true
    })
}

fn detail(id: &str, enabled: bool) -> Value {
    let mut detail = conversation(id, 1, 0);
    detail["automationEnabled"] = json!(enabled);
    detail
}

fn message(id: &str, conversation: &str, direction: &str, at: i64) -> Value {
    let sender = if direction == "inbound" { "customer" } else { "ai" };
    json!({
        "id": id, "conversationId": conversation, "direction": direction, "senderType": sender,
        "content": format!("text {id}"), "contentType": "text", "status": "delivered", "createdAt": time(at)
    })
}

fn page(items: &[Value], next: Option<&str>) -> Value {
    json!({"data": items, "hasMore": next.is_some(), "nextCursor": next})
}

/// Answers of a healthy, quiet business chat.
fn quiet(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /account" => Answer::ok(account("WHATSAPP")),
        "GET /conversations/c1" => Answer::ok(detail("c1", true)),
        _ if request.method == "GET" => Answer::ok(page(&[], None)),
        _ => Answer::refusal(404, "NOT_FOUND", "no such operation"),
    }
}

fn message_id(text: &str) -> MessageId {
    MessageId::from(text)
}
