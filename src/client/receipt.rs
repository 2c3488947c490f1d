//! Parses the 2xx response to a write; a response the API does not define is not a success.
//!
//! Informational fields such as the balance are parsed leniently, so that an odd value does not
//! make a successful write look failed.

use serde_json::{Map, Value};

use crate::contacts::complete_contact;
use model::contacts::ReceivedContact;
use model::ids::{BroadcastId, ContactId, MessageId, ThreadId, WebhookId};
use model::outbox::Operation;
use model::time::Timestamp;

/// Maximum accepted balance: the largest integer range a float holds exactly (2^53).
const MAX_CREDITS: f64 = 9_007_199_254_740_992.0;

/// Status words of a failed delivery: the API's `failed` and the platforms' own words.
const FAILED_STATUSES: [&str; 14] = [
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

#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    pub kind: ReceiptKind,
    /// Balance after the operation, if reported.
    pub credits: Option<f64>,
    /// Cost of the operation in credits, if reported.
    pub cost: Option<f64>,
    /// True for a test key: the operation was not executed.
    pub test: bool,
    /// True for the answer kept from an earlier request under the same idempotency key.
    pub replayed: bool,
    /// True for status 201.
    pub created: bool,
    pub server_time: Option<Timestamp>,
}

/// Result of an accepted operation.
#[derive(Debug, Clone, PartialEq)]
pub enum ReceiptKind {
    /// A chat message or an SMS.
    Sent {
        /// The service's id of the new message.
        message: MessageId,
        platform_id: Option<String>,
        /// The status word, `sent`.
        status: String,
    },
    Mailed {
        /// The service's id of the mail.
        message: MessageId,
        /// `None` if the response does not name it.
        thread: Option<ThreadId>,
        /// The status word, if told.
        status: Option<String>,
    },
    Called {
        /// The service's id of the call.
        call: String,
        /// Status word of the server.
        status: String,
    },
    Broadcasting {
        broadcast: BroadcastId,
        /// The status word, if told.
        status: Option<String>,
    },
    /// A contact was created or changed; the id may be missing for a test key.
    Saved {
        contact: Option<ContactId>,
        /// The contact after the change, if the response is complete.
        told: Option<Box<ReceivedContact>>,
    },
    /// The id may be missing for a test key.
    Registered(Option<WebhookId>),
    /// The URL may be missing for a test key.
    Uploaded {
        url: Option<String>,
    },
    /// A contact or a webhook was deleted.
    Deleted,
    /// A thread was changed.
    Filed,
    /// The automation switch was set; its new state, if reported.
    Automation(Option<bool>),
    Closed,
    /// The reaction was set or removed.
    Reacted,
}

impl Receipt {
    /// Creates a receipt for an outcome that was not learned from the response to the write.
    pub fn from_kind(kind: ReceiptKind) -> Self {
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
    /// Returns the server's status word, such as `sent`; `None` if the response has none.
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

    /// Returns the id or URL of the created object.
    pub fn created_id(&self) -> Option<&str> {
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

#[derive(Debug, Clone, Copy)]
pub(crate) struct AcceptedAnswer<'a> {
    pub status: u16,
    pub body: &'a [u8],
    /// True for the answer kept from an earlier request under the same idempotency key.
    pub replayed: bool,
    /// True if rate limit headers are present, which every response of the API has and a proxy's
    /// own response lacks.
    pub is_rated: bool,
    pub server_time: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadReceipt {
    /// The response that the API defines for the operation.
    Promised(Receipt),
    /// The defined response with a status word of [`FAILED`].
    Failed(String),
    /// Any other response; does not prove that the operation was executed.
    Other,
}

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
    // 202 alone does not say that a state was set.
    let is_rated = answer.is_rated && answer.status != 202;
    let wordless = || receipt_without_body(operation, empty && answer.status != 202, is_rated);
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

/// Accepts a success without the defined fields for operations that set a state. Except for
/// the automation switch, it needs rate limit headers: without them the response may come from
/// a proxy.
fn receipt_without_body(operation: &Operation, empty: bool, is_rated: bool) -> Option<ReceiptKind> {
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
            call: told.created_id("callId")?,
            status: told.id("status").unwrap_or_else(|| "not told".to_owned()),
        },
        Operation::Broadcast { .. } => ReceiptKind::Broadcasting {
            broadcast: told.id("broadcastId").map(BroadcastId::new)?,
            status: told.id("status"),
        },
        Operation::SaveContact(_) | Operation::ChangeTags { .. } | Operation::ChangeContact(_) => {
            let contact = told.created_id_or_test("id")?.map(ContactId::new);
            ReceiptKind::Saved { contact, told: complete_contact(&told.0).map(Box::new) }
        }
        Operation::AddWebhook { .. } => {
            ReceiptKind::Registered(told.created_id_or_test("id")?.map(WebhookId::new))
        }
        Operation::SendFile(_) | Operation::Upload { .. } => {
            ReceiptKind::Uploaded { url: told.created_id_or_test("url")? }
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

struct ReceiptFields(Map<String, Value>);

impl ReceiptFields {
    /// Returns a string that is not empty, or a number as a string.
    fn id(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns an id; for a test key it may be in `messageId` instead.
    fn created_id(&self, name: &str) -> Option<String> {
        self.id(name).or_else(|| if self.is_test() { self.id("messageId") } else { None })
    }

    /// Returns the id, `Some(None)` for a test key without one, `None` otherwise.
    fn created_id_or_test(&self, name: &str) -> Option<Option<String>> {
        let id = self.id(name);
        (id.is_some() || self.is_test()).then_some(id)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    fn is_test(&self) -> bool {
        self.flag("test") == Some(true)
    }

    /// True if the body has a code, an error or `success: false`, whatever the HTTP status.
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

    /// Returns the status word if it is one of [`FAILED`].
    fn failure(&self) -> Option<String> {
        let word = self.id("status")?;
        let plain = word.to_ascii_lowercase().replace(['_', ' '], "-");
        FAILED_STATUSES.contains(&plain.as_str()).then_some(word)
    }

    /// Returns an amount of credits; `None` outside 0 to [`CREDITS_MAX`].
    fn number(&self, name: &str) -> Option<f64> {
        let credits = match self.0.get(name)? {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        (0.0..=MAX_CREDITS).contains(&credits).then_some(credits)
    }
}

#[cfg(test)]
pub(crate) mod tests;
