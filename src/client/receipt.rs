//! Reads the answer to a write as what the interface promises for that
//! operation; anything else is not a success.
//!
//! Interface: the responses of Endpoints. Fields that only inform are read
//! tolerantly: what was done must not look undone because a balance came as a
//! word.

use serde_json::{Map, Value};

use crate::contacts::told_whole;
use model::contacts::ToldContact;
use model::ids::{BroadcastId, ContactId, MessageId, ThreadId, WebhookId};
use model::outbox::Operation;
use model::time::Timestamp;

/// The largest balance that is believed: what a float holds exactly.
const CREDITS_MAX: f64 = 9_007_199_254_740_992.0;

/// Status words that say that nothing reaches anybody: the interface's `failed`, and
/// what platforms call the same.
const FAILED: [&str; 14] = [
    "failed",
    "failure",
    "error",
    "rejected",
    "refused",
    "denied",
    "blocked",
    "undelivered",
    "undeliverable",
    "not-sent",
    "bounced",
    "expired",
    "canceled",
    "cancelled",
];

/// What an accepted operation brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    pub kind: ReceiptKind,
    /// The balance after it, if told.
    pub credits: Option<f64>,
    /// What it cost, if told.
    pub cost: Option<f64>,
    /// Whether nothing was really done: a test key.
    pub test: bool,
    /// Whether it is an answer given before under the same key.
    pub replayed: bool,
    /// Whether the status says that something new was made (201).
    pub created: bool,
    pub server_time: Option<Timestamp>,
}

/// What an accepted operation brought, by operation.
#[derive(Debug, Clone, PartialEq)]
pub enum ReceiptKind {
    /// A chat message or an SMS was sent.
    Sent {
        /// The service's id of the new message.
        message: MessageId,
        platform_id: Option<String>,
        /// The status word, `sent`.
        status: String,
    },
    /// A mail was sent.
    Mailed {
        /// The service's id of the mail.
        message: MessageId,
        /// The thread it is in, if told.
        thread: Option<ThreadId>,
        /// The status word, if told.
        status: Option<String>,
    },
    /// A call was placed.
    Called {
        /// The service's id of the call.
        call: String,
        /// How it stands, in the server's word.
        status: String,
    },
    Broadcasting {
        broadcast: BroadcastId,
        /// The status word, if told.
        status: Option<String>,
    },
    /// A contact was made or changed; a test key may be told no id.
    Saved {
        contact: Option<ContactId>,
        /// What it has now, where the answer tells all of it.
        told: Option<Box<ToldContact>>,
    },
    /// A webhook was registered; a test key may be told no id.
    Registered(Option<WebhookId>),
    /// A file was uploaded; a test key may be told no address.
    Uploaded {
        url: Option<String>,
    },
    /// A contact or a webhook is gone.
    Deleted,
    /// A thread was changed.
    Filed,
    /// The AI switch was set; the state that holds now, if told.
    Automation(Option<bool>),
    Closed,
    /// The reaction was set or removed.
    Reacted,
}

impl Receipt {
    /// What was found out another way than by an answer to the write.
    pub fn of(kind: ReceiptKind) -> Self {
        Self {
            kind,
            credits: None,
            cost: None,
            test: false,
            replayed: false,
            created: false,
            server_time: None,
        }
    }
}

impl ReceiptKind {
    /// Returns how the server says that it stands, such as `sent`; `None` where
    /// its answer has no such word.
    pub fn status(&self) -> Option<&str> {
        match self {
            Self::Sent { status, .. } | Self::Called { status, .. } => Some(status),
            Self::Mailed { status, .. } | Self::Broadcasting { status, .. } => status.as_deref(),
            Self::Closed => Some("closed"),
            Self::Saved { .. }
            | Self::Registered(_)
            | Self::Uploaded { .. }
            | Self::Deleted
            | Self::Filed
            | Self::Automation(_)
            | Self::Reacted => None,
        }
    }

    /// What the server made, by its id or address, for the person to look up.
    pub fn made(&self) -> Option<&str> {
        match self {
            Self::Sent { message, .. } | Self::Mailed { message, .. } => Some(message.as_str()),
            Self::Called { call, .. } => Some(call),
            Self::Broadcasting { broadcast, .. } => Some(broadcast.as_str()),
            Self::Saved { contact, .. } => contact.as_ref().map(ContactId::as_str),
            Self::Registered(webhook) => webhook.as_ref().map(WebhookId::as_str),
            Self::Uploaded { url } => url.as_deref(),
            Self::Deleted | Self::Filed | Self::Automation(_) | Self::Closed | Self::Reacted => None,
        }
    }
}

/// A 2xx answer as it is read for a receipt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcceptedAnswer<'a> {
    pub status: u16,
    pub body: &'a [u8],
    /// True if it is an answer given before under the same key.
    pub replayed: bool,
    /// True if it carries the rate limit's numbers, as every answer of the
    /// interface does: what else answers in its place does not.
    pub is_rated: bool,
    pub server_time: Option<Timestamp>,
}

/// How a 2xx answer reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadReceipt {
    /// The answer has what the interface promises for the operation.
    Promised(Receipt),
    /// The same with a status that says it failed, in the server's word.
    Failed(String),
    /// The answer does not say that the operation was carried out.
    Other,
}

/// Reads a 2xx answer as what the interface promises for the operation.
pub(crate) fn read(operation: &Operation, answer: AcceptedAnswer<'_>) -> ReadReceipt {
    let empty = answer.body.trim_ascii().is_empty();
    let told: Option<Map<String, Value>> = serde_json::from_slice(answer.body).ok();
    if told.is_none() && !empty {
        return ReadReceipt::Other;
    }
    let told = ReceiptFields(told.unwrap_or_default());
    if told.is_refusal() {
        return ReadReceipt::Other;
    }
    let promised = kind(operation, &told);
    if let Some(word) = told.failure() {
        return if promised.is_some() { ReadReceipt::Failed(word) } else { ReadReceipt::Other };
    }
    // 202 says that it was accepted, and alone not that a state was set.
    let is_rated = answer.is_rated && answer.status != 202;
    let wordless = || without_words(operation, empty && answer.status != 202, is_rated);
    let Some(kind) = promised.or_else(wordless) else { return ReadReceipt::Other };
    ReadReceipt::Promised(Receipt {
        kind,
        credits: told.number("creditsRemaining"),
        cost: told.number("creditsUsed"),
        test: told.is_test(),
        replayed: answer.replayed,
        created: answer.status == 201,
        server_time: answer.server_time,
    })
}

/// A success that says nothing, or nothing the interface has told of, will do
/// where a state was set: if it is known by the rate limit's numbers, which
/// every answer of the interface carries. Whoever else answers in its place
/// has not set anything.
fn without_words(operation: &Operation, empty: bool, is_rated: bool) -> Option<ReceiptKind> {
    match operation {
        // Looked for itself.
        Operation::SetAutomation { .. } if empty => Some(ReceiptKind::Automation(None)),
        Operation::React { .. } if is_rated => Some(ReceiptKind::Reacted),
        Operation::ChangeThread { .. } if is_rated => Some(ReceiptKind::Filed),
        Operation::RemoveWebhook { .. } if is_rated => Some(ReceiptKind::Deleted),
        Operation::Close if empty && is_rated => Some(ReceiptKind::Closed),
        Operation::DeleteContact { .. } if empty && is_rated => Some(ReceiptKind::Deleted),
        _ => None,
    }
}

fn kind(operation: &Operation, told: &ReceiptFields) -> Option<ReceiptKind> {
    Some(match operation {
        Operation::SendText { .. } | Operation::SendContent { .. } | Operation::SendSms { .. } => {
            ReceiptKind::Sent {
                message: told.id("messageId").map(MessageId::new)?,
                platform_id: told.id("whatsappMessageId").or_else(|| told.id("telegramMessageId")),
                status: told.id("status").unwrap_or_else(|| "sent".to_owned()),
            }
        }
        Operation::SendMail(_) => ReceiptKind::Mailed {
            message: told.id("messageId").map(MessageId::new)?,
            thread: told.id("threadId").map(ThreadId::new),
            status: told.id("status"),
        },
        Operation::Call { .. } => ReceiptKind::Called {
            call: told.made("callId")?,
            status: told.id("status").unwrap_or_else(|| "not told".to_owned()),
        },
        Operation::Broadcast { .. } => ReceiptKind::Broadcasting {
            broadcast: told.id("broadcastId").map(BroadcastId::new)?,
            status: told.id("status"),
        },
        Operation::SaveContact(_) | Operation::ChangeTags { .. } | Operation::ChangeContact(_) => {
            let contact = told.made_or_test("id")?.map(ContactId::new);
            ReceiptKind::Saved { contact, told: told_whole(&told.0).map(Box::new) }
        }
        Operation::AddWebhook { .. } => ReceiptKind::Registered(told.made_or_test("id")?.map(WebhookId::new)),
        Operation::SendFile(_) | Operation::Upload { .. } => {
            ReceiptKind::Uploaded { url: told.made_or_test("url")? }
        }
        // What the interface says of these is a status, or nothing.
        Operation::React { .. } | Operation::ChangeThread { .. } | Operation::RemoveWebhook { .. } => {
            return None;
        }
        Operation::DeleteContact { .. } => {
            let gone = told.flag("success") == Some(true) || told.id("deleted").is_some() || told.is_test();
            gone.then_some(ReceiptKind::Deleted)?
        }
        Operation::SetAutomation { .. } => {
            let enabled = told.flag("automationEnabled").or_else(|| told.flag("enabled"));
            (enabled.is_some() && told.flag("success") != Some(false) || told.is_test())
                .then_some(ReceiptKind::Automation(enabled))?
        }
        Operation::Close => {
            let closed = told.flag("success") == Some(true) && told.id("status").as_deref() == Some("closed");
            (closed || told.is_test()).then_some(ReceiptKind::Closed)?
        }
    })
}

/// The fields of an answer.
struct ReceiptFields(Map<String, Value>);

impl ReceiptFields {
    /// A text that is not empty, or a number as its text.
    fn id(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// An id; a test key is told a made-up one of another name.
    fn made(&self, name: &str) -> Option<String> {
        self.id(name).or_else(|| if self.is_test() { self.id("messageId") } else { None })
    }

    /// An id, or for a test key nothing; `None` when it is neither.
    fn made_or_test(&self, name: &str) -> Option<Option<String>> {
        let id = self.id(name);
        (id.is_some() || self.is_test()).then_some(id)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    fn is_test(&self) -> bool {
        self.flag("test") == Some(true)
    }

    /// The shape of a refusal, whatever the status says: a code, an error, or
    /// no success in so many words.
    fn is_refusal(&self) -> bool {
        let error = ["error", "errors"].iter().filter_map(|name| self.0.get(*name));
        let has_error = error.into_iter().any(|error| match error {
            Value::Null | Value::Bool(false) => false,
            Value::Array(errors) => !errors.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            Value::String(text) => !text.is_empty(),
            Value::Bool(true) | Value::Number(_) => true,
        });
        let has_code = self.0.get("code").is_some_and(Value::is_string) && !self.is_test();
        has_code || has_error || self.flag("success") == Some(false)
    }

    /// The status word, where it says that it failed.
    fn failure(&self) -> Option<String> {
        let word = self.id("status")?;
        let plain = word.to_ascii_lowercase().replace(['_', ' '], "-");
        FAILED.contains(&plain.as_str()).then_some(word)
    }

    /// Credits; a number nobody can have is not believed.
    fn number(&self, name: &str) -> Option<f64> {
        let credits = match self.0.get(name)? {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        (0.0..=CREDITS_MAX).contains(&credits).then_some(credits)
    }
}

#[cfg(test)]
pub(crate) mod tests;
