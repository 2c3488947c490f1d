//! Reads of the API under faults: how each is requested, and the allowed results.

use std::sync::Mutex;

use frontdesk::client::{Client, PlainTrigger, ReadError};
use frontdesk::model::account::Platform;
use frontdesk::model::email::ThreadFilter;
use frontdesk::model::ids::{BroadcastId, ContactId, ConversationId, MessageId, ThreadId};
use frontdesk::model::text::SafeText;
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::faults::cell::{LONG, NOWHERE, bounds};
use crate::faults::world::World;
use crate::faults::writes::phone;
use crate::proxy::fault::Fault;
use crate::proxy::script::Script;
use crate::proxy::{Door, Proxy};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Method and path of the operation.
    pub name: &'static str,
    /// Channel whose key is needed.
    channel: &'static str,
}

const fn read(name: &'static str, channel: &'static str) -> Read {
    Read { name, channel }
}

impl Read {
    fn platform(self) -> Platform {
        match self.channel {
            "telegram" => Platform::Telegram,
            "email" => Platform::Email,
            "voip" => Platform::Voip,
            _ => Platform::Whatsapp,
        }
    }
}

pub const READS: [Read; 25] = [
    read("GET /account", "whatsapp"),
    read("GET /desk/v1", "whatsapp"),
    read("GET /messages", "whatsapp"),
    read("GET /messages/{messageId}", "whatsapp"),
    read("GET /conversations", "whatsapp"),
    read("GET /conversations/{conversationId}", "whatsapp"),
    read("GET /conversations/{conversationId}/messages", "whatsapp"),
    read("GET /contacts", "whatsapp"),
    read("GET /contacts/{contactId}", "whatsapp"),
    read("GET /broadcast/{broadcastId}", "whatsapp"),
    read("GET /templates", "whatsapp"),
    read("GET /telegram/conversations", "telegram"),
    read("GET /telegram/conversations/{conversationId}/messages", "telegram"),
    read("GET /email/account", "email"),
    read("GET /email/threads", "email"),
    read("GET /email/threads/{threadId}", "email"),
    read("GET /email/contacts", "email"),
    read("GET /email/webhooks", "email"),
    read("GET /webhooks", "whatsapp"),
    read("GET /voip/conversations", "voip"),
    read("GET /triggers/new-message", "whatsapp"),
    read("GET /triggers/new-contact", "whatsapp"),
    read("GET /triggers/new-order", "whatsapp"),
    read("GET /triggers/new-appointment", "whatsapp"),
    read("GET /triggers/campaign-completed", "whatsapp"),
];

/// Objects that can be read.
pub struct Ids(Vec<(&'static str, String)>);

impl Ids {
    pub async fn make(world: &World) -> Self {
        let peer = phone(99_999);
        let chat = world.inbound("whatsapp", &peer).await;
        let bot = world.inbound("telegram", "4711").await;
        let mail = world.inbound("email", "maria@mail.example").await;
        let contact = world.post("whatsapp", "/contacts", json!({ "phone": peer })).await;
        let message = json!({"type": "text", "text": {"body": "news"}});
        let broadcast = world
            .post("whatsapp", "/broadcast", json!({"contactIds": [contact["id"]], "message": message}))
            .await;
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        Self(vec![
            ("{messageId}", text(&chat["messageId"])),
            ("whatsapp", text(&chat["conversationId"])),
            ("telegram", text(&bot["conversationId"])),
            ("{threadId}", text(&mail["threadId"])),
            ("{contactId}", text(&contact["id"])),
            ("{broadcastId}", text(&broadcast["broadcastId"])),
        ])
    }

    fn of(&self, name: &str) -> &str {
        self.0.iter().find(|pair| pair.0 == name).map_or("", |pair| pair.1.as_str())
    }
}

/// A read, a fault and a number that chooses the fault's variant.
pub struct ReadCell {
    pub read: Read,
    pub fault: Fault,
    pub variant: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Done,
    Offline,
    Trouble,
    Limited,
    Refused,
    Misconfigured,
    Rejected,
    NoSuchPath,
    Other,
}

impl ReadCell {
    /// Name for the command line.
    pub fn name(&self) -> String {
        format!("{} x {}", self.read.name, self.fault.name())
    }

    /// Runs the cell.
    ///
    /// # Errors
    /// Describes the first violated expectation.
    pub async fn run(&self, world: &World, ids: &Ids) -> Result<(), String> {
        let proxy = Proxy::start(world.address(), self.fault.door()).await;
        let script = self.fault.script(self.variant, proxy.trap());
        let first = Mutex::new(Some(script));
        proxy.plan(move |_| first.lock().expect("no one failed").take().unwrap_or_else(Script::pass));
        let key = world.key(self.read.channel);
        let at =
            |url: &str, bounds| Client::with_timeouts(url, &key, HandClock::new(), bounds).expect("a client");
        let url = if self.fault == Fault::DeadName { NOWHERE.to_owned() } else { proxy.base_url() };
        let label = label(self.ask(&at(&url, bounds(self.fault)), ids).await);
        let may_say = self.may_say();
        if !may_say.contains(&label) {
            return Err(format!("said to be {label:?}"));
        }
        proxy.door(Door::Open).await;
        let healthy = at(&proxy.base_url(), LONG);
        let mut again = self.ask(&healthy, ids).await;
        // A machine too busy to answer within a minute is no failure.
        for _ in 0..10 {
            if matches!(again, Err(ReadError::Offline(_))) {
                again = self.ask(&healthy, ids).await;
            }
        }
        match again {
            Ok(()) if proxy.trapped() == 0 => Ok(()),
            Ok(()) => Err("a redirect was followed".to_owned()),
            Err(other) => Err(format!("not read when all is well: {other}")),
        }
    }

    /// Reads as sync does.
    async fn ask(&self, client: &Client, ids: &Ids) -> Result<(), ReadError> {
        let conversation = ConversationId::from(ids.of(self.read.channel));
        match self.read.name {
            "GET /account" => client.account().await.map(drop),
            // A foreign page with 403 or 404 reads as a service without extensions.
            "GET /desk/v1" => match client.desk_service().await {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err(ReadError::NoSuchPath(SafeText::line("no extensions"))),
                Err(error) => Err(error),
            },
            "GET /messages" => client.inbound(None).await.map(drop),
            "GET /messages/{messageId}" => {
                client.message(&MessageId::from(ids.of("{messageId}"))).await.map(drop)
            }
            "GET /conversations/{conversationId}" => client.conversation(&conversation).await.map(drop),
            "GET /conversations" | "GET /telegram/conversations" => {
                client.conversations(&self.read.platform(), None).await.map(drop)
            }
            "GET /conversations/{conversationId}/messages"
            | "GET /telegram/conversations/{conversationId}/messages" => {
                client.history(&self.read.platform(), &conversation, None).await.map(drop)
            }
            "GET /contacts" => client.contacts(None, None).await.map(drop),
            "GET /contacts/{contactId}" => {
                client.contact(&ContactId::from(ids.of("{contactId}"))).await.map(drop)
            }
            "GET /broadcast/{broadcastId}" => {
                client.broadcast(&BroadcastId::from(ids.of("{broadcastId}"))).await.map(drop)
            }
            "GET /templates" => client.templates().await.map(drop),
            "GET /triggers/new-message" => client.new_messages().await.map(drop),
            _ => self.ask_elsewhere(client, ids).await,
        }
    }

    /// Reads resources outside a chat.
    async fn ask_elsewhere(&self, client: &Client, ids: &Ids) -> Result<(), ReadError> {
        let trigger = async |trigger| client.trigger(trigger).await.map(drop);
        match self.read.name {
            "GET /email/account" => client.email_account().await.map(drop),
            "GET /email/threads" => client.email_threads(&ThreadFilter::default(), None).await.map(drop),
            "GET /email/threads/{threadId}" => {
                client.email_thread(&ThreadId::from(ids.of("{threadId}")), None).await.map(drop)
            }
            "GET /email/contacts" => client.email_contacts(None, None).await.map(drop),
            "GET /webhooks" | "GET /email/webhooks" => client.webhooks(&self.read.platform()).await.map(drop),
            "GET /voip/conversations" => client.conversations(&Platform::Voip, None).await.map(drop),
            "GET /triggers/new-contact" => trigger(PlainTrigger::NewContact).await,
            "GET /triggers/new-order" => trigger(PlainTrigger::NewOrder).await,
            "GET /triggers/new-appointment" => trigger(PlainTrigger::NewAppointment).await,
            "GET /triggers/campaign-completed" => trigger(PlainTrigger::CampaignCompleted).await,
            other => panic!("nobody asks {other}"),
        }
    }

    /// Allowed results.
    fn may_say(&self) -> &'static [Label] {
        match self.fault {
            Fault::Late => &[Label::Done],
            // Some variants end without an answer.
            Fault::Interims => &[Label::Done, Label::Offline, Label::Trouble],
            Fault::CutBody | Fault::Drip | Fault::Bomb => &[Label::Offline, Label::Trouble],
            Fault::ServerError | Fault::Empty | Fault::OtherShape => &[Label::Trouble, Label::Offline],
            // A page with a foreign 404 means that the path is not the API's.
            Fault::Portal => &[Label::Trouble, Label::NoSuchPath],
            Fault::Limited => &[Label::Limited],
            Fault::Unauthorised => &[Label::Refused],
            Fault::Redirect => &[Label::Misconfigured],
            Fault::Kept => &[Label::Rejected, Label::Trouble],
            _ => &[Label::Offline],
        }
    }
}

fn label(outcome: Result<(), ReadError>) -> Label {
    match outcome {
        Ok(()) => Label::Done,
        Err(ReadError::Offline(_)) => Label::Offline,
        Err(ReadError::Trouble(_)) => Label::Trouble,
        Err(ReadError::Limited(_)) => Label::Limited,
        Err(ReadError::Refused { .. }) => Label::Refused,
        Err(ReadError::Misconfigured(_)) => Label::Misconfigured,
        Err(ReadError::Rejected(_)) => Label::Rejected,
        Err(ReadError::NoSuchPath(_)) => Label::NoSuchPath,
        Err(_) => Label::Other,
    }
}
