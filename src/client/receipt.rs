//! Answers that the API defines for each write: the 2xx response and the listed error codes. A response the API does not
//! define is not a success.
//!
//! Informational fields such as the balance are parsed leniently, so that an odd value does not
//! make a successful write look failed.

use serde_json::{Map, Value};

use crate::contacts::contact_from_body;
use crate::errors::ErrorCode;
use api::answers::{AnswerMarks, parse};
use api::broadcasts::BroadcastAccepted;
use api::contacts::ContactBody;
use api::conversations::{AutomationResult, CloseResult, DeskAutomationResult};
use api::email::SentEmail;
use api::media::MediaBody;
use api::messages::SentMessage;
use api::templates::SubmittedTemplateBody;
use api::voip::CallBody;
use api::webhooks::{DeleteResult, WebhookBody};
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

#[derive(Debug, Clone, PartialEq)]
pub enum ReceiptKind {
    /// A chat message or an SMS.
    Sent {
        message: MessageId,
        platform_id: Option<String>,
        /// Status word, normally `sent`.
        status: String,
    },
    Mailed {
        message: MessageId,
        /// `None` if the response does not contain it.
        thread: Option<ThreadId>,
        status: Option<String>,
    },
    Called {
        call: String,
        /// Status word of the server.
        status: String,
    },
    Broadcasting {
        broadcast: BroadcastId,
        /// Status word, if reported.
        status: Option<String>,
    },
    /// A contact was created or changed; the id may be missing for a test key.
    Saved {
        contact: Option<ContactId>,
        /// The contact after the change, if the response is complete.
        reported: Option<Box<ReceivedContact>>,
    },
    /// The id may be missing for a test key.
    Registered(Option<WebhookId>),
    /// The URL may be missing for a test key.
    Uploaded {
        url: Option<String>,
    },
    /// A template is in review; its status, if reported.
    Submitted {
        status: Option<String>,
    },
    Deleted,
    Filed,
    /// The automation switch was set; its new state, if reported.
    Automation(Option<bool>),
    Closed,
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
            Self::Mailed { status, .. } | Self::Broadcasting { status, .. } | Self::Submitted { status } => {
                status.as_deref()
            }
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
            Self::Submitted { .. }
            | Self::Deleted
            | Self::Filed
            | Self::Automation(_)
            | Self::Closed
            | Self::Reacted => None,
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
    /// The defined response with a status word of [`FAILED_STATUSES`].
    Failed(String),
    /// Any other response; does not prove that the operation was executed.
    Other,
}

pub(crate) fn read(operation: &Operation, answer: AcceptedAnswer<'_>) -> ReadReceipt {
    let empty = answer.body.trim_ascii().is_empty();
    let fields: Option<Map<String, Value>> = serde_json::from_slice(answer.body).ok();
    if fields.is_none() && !empty {
        return ReadReceipt::Other;
    }
    let body = Value::Object(fields.unwrap_or_default());
    let Some(marks) = parse::<AnswerMarks>(&body).filter(|marks| !marks.is_refusal()) else {
        return ReadReceipt::Other;
    };
    let promised = kind(operation, &body, &marks);
    if let Some(word) = marks.status.as_deref().filter(|word| is_failed_status(word)) {
        let word = word.to_owned();
        return if promised.is_some() { ReadReceipt::Failed(word) } else { ReadReceipt::Other };
    }
    // 202 alone does not say that a state was set.
    let is_rated = answer.is_rated && answer.status != 202;
    let wordless = || receipt_without_body(operation, empty && answer.status != 202, is_rated);
    let Some(kind) = promised.or_else(wordless) else { return ReadReceipt::Other };
    let plausible = |credits: &f64| (0.0..=MAX_CREDITS).contains(credits);
    ReadReceipt::Promised(Receipt {
        kind,
        credits: marks.credits_remaining.filter(plausible),
        cost: marks.credits_used.filter(plausible),
        test: marks.test,
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
        // The new state is read separately.
        Operation::SetAutomation { .. } if empty => Some(ReceiptKind::Automation(None)),
        Operation::React { .. } if is_rated => Some(ReceiptKind::Reacted),
        Operation::ChangeThread { .. } if is_rated => Some(ReceiptKind::Filed),
        Operation::RemoveWebhook { .. } if is_rated => Some(ReceiptKind::Deleted),
        Operation::Close if empty && is_rated => Some(ReceiptKind::Closed),
        Operation::DeleteContact { .. } if empty && is_rated => Some(ReceiptKind::Deleted),
        _ => None,
    }
}

/// Reads the answer that the API defines for the operation; `None` for any other answer.
fn kind(operation: &Operation, body: &Value, marks: &AnswerMarks) -> Option<ReceiptKind> {
    Some(match operation {
        Operation::SendText { .. } | Operation::SendContent { .. } | Operation::SendSms { .. } => {
            let sent: SentMessage = parse(body)?;
            ReceiptKind::Sent {
                message: MessageId::new(sent.message_id),
                platform_id: sent.whatsapp_message_id.or(sent.telegram_message_id),
                status: filled(sent.status).unwrap_or_else(|| "sent".to_owned()),
            }
        }
        Operation::SendMail(_) => {
            let sent: SentEmail = parse(body)?;
            ReceiptKind::Mailed {
                message: MessageId::new(sent.message_id),
                thread: filled(sent.thread_id).map(ThreadId::new),
                status: filled(sent.status),
            }
        }
        Operation::Call { .. } => {
            let placed: Option<CallBody> = parse(body);
            let call = placed.map(|call_body| call_body.call_id);
            ReceiptKind::Called {
                call: call.or_else(|| marks.message_id.clone().filter(|_| marks.test))?,
                status: marks.status.clone().unwrap_or_else(|| "not reported".to_owned()),
            }
        }
        Operation::Broadcast { .. } => {
            let accepted: BroadcastAccepted = parse(body)?;
            ReceiptKind::Broadcasting {
                broadcast: BroadcastId::new(accepted.broadcast_id),
                status: filled(accepted.status),
            }
        }
        Operation::SaveContact(_) | Operation::ChangeTags { .. } | Operation::ChangeContact(_) => {
            let saved = marks.parse_or_test::<ContactBody>(body)?;
            ReceiptKind::Saved {
                contact: saved.map(|contact_body| ContactId::new(contact_body.id)),
                reported: ContactBody::read_complete(body).map(contact_from_body).map(Box::new),
            }
        }
        Operation::AddWebhook { .. } => {
            let added = marks.parse_or_test::<WebhookBody>(body)?;
            ReceiptKind::Registered(added.map(|webhook_body| WebhookId::new(webhook_body.id)))
        }
        Operation::SubmitTemplate(_) => {
            let submitted = marks.parse_or_test::<SubmittedTemplateBody>(body)?;
            ReceiptKind::Submitted { status: submitted.and_then(|body| filled(body.template.status)) }
        }
        Operation::SendFile(_) | Operation::Upload { .. } => {
            let uploaded = marks.parse_or_test::<MediaBody>(body)?;
            ReceiptKind::Uploaded { url: uploaded.map(|media_body| media_body.url) }
        }
        // The API defines only a status for these, or nothing.
        Operation::React { .. } | Operation::ChangeThread { .. } | Operation::RemoveWebhook { .. } => {
            return None;
        }
        Operation::DeleteContact { .. } => {
            let result: DeleteResult = parse(body)?;
            let is_deleted = result.success || !result.deleted.is_empty() || marks.test;
            is_deleted.then_some(ReceiptKind::Deleted)?
        }
        Operation::SetAutomation { .. } => {
            let enabled = read_automation(body);
            (enabled.is_some() || marks.test).then_some(ReceiptKind::Automation(enabled))?
        }
        Operation::Close => {
            let result: CloseResult = parse(body)?;
            let is_closed = result.success && result.status == "closed";
            (is_closed || marks.test).then_some(ReceiptKind::Closed)?
        }
    })
}

/// True if the API lists the code for the operation.
pub(crate) fn is_listed_error(operation: &Operation, code: ErrorCode) -> bool {
    use ErrorCode::*;
    if matches!(code, InvalidAuth | InvalidKey | RevokedKey | Forbidden) {
        return true;
    }
    match operation {
        Operation::SendText { .. } | Operation::SendContent { .. } => matches!(
            code,
            ValidationError
                | NotConfigured
                | SessionExpired
                | InvalidRecipient
                | TemplateError
                | UnsupportedType
                | MediaFetchFailed
                | InsufficientCredits
                | Answered
        ),
        Operation::SendMail(_) => {
            matches!(
                code,
                ValidationError | NotConfigured | MediaFetchFailed | InsufficientCredits | Answered
            )
        }
        Operation::SendSms { .. } => matches!(
            code,
            ValidationError | NotConfigured | InvalidRecipient | InsufficientCredits | Answered
        ),
        Operation::Call { .. } => {
            matches!(code, ValidationError | NotConfigured | InvalidRecipient | InsufficientCredits)
        }
        Operation::Broadcast { .. } => matches!(
            code,
            ValidationError
                | NotConfigured
                | NoRecipients
                | TemplateError
                | UnsupportedType
                | MediaFetchFailed
                | InsufficientCredits
        ),
        Operation::AddWebhook { .. } => matches!(code, ValidationError | WebhookVerificationFailed),
        Operation::SubmitTemplate(_) => matches!(code, ValidationError | NotConfigured | TemplateError),
        Operation::React { .. } | Operation::SetAutomation { .. } => {
            matches!(code, ValidationError | NotConfigured | NotFound)
        }
        Operation::ChangeThread { .. } => matches!(code, ValidationError | NotFound),
        Operation::SaveContact(_)
        | Operation::ChangeTags { .. }
        | Operation::ChangeContact(_)
        | Operation::SendFile(_)
        | Operation::Upload { .. } => code == ValidationError,
        Operation::Close | Operation::DeleteContact { .. } | Operation::RemoveWebhook { .. } => {
            code == NotFound
        }
    }
}

/// True if 404 means that the operation has reached its goal.
pub(crate) fn is_removal(operation: &Operation) -> bool {
    matches!(operation, Operation::DeleteContact { .. } | Operation::RemoveWebhook { .. })
}

/// Returns the new state of the AI switch, in the form of the API or of the service's extension.
fn read_automation(body: &Value) -> Option<bool> {
    let defined: Option<AutomationResult> = parse(body);
    let extension = || parse(body).map(|result: DeskAutomationResult| result.enabled);
    defined.map(|result| result.automation_enabled).or_else(extension)
}

fn filled(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// True for one of [`FAILED_STATUSES`], in any case and with any separator.
fn is_failed_status(word: &str) -> bool {
    let plain = word.to_ascii_lowercase().replace(['_', ' '], "-");
    FAILED_STATUSES.contains(&plain.as_str())
}

#[cfg(test)]
pub(crate) mod tests;
