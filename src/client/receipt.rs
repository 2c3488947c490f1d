//! Reads the answer to a write as what the interface promises for that
//! operation; anything else is not a success.
//!
//! Knows nothing of rows. Interface: SentMessage; Conversations.

use serde_json::Value;

use crate::client::connect::Client;
use crate::client::errors::{Outcome, Unclear};
use crate::client::request::Reply;
use crate::model::ids::{IdempotencyKey, MessageId};
use crate::model::outbox::{Operation, PreparedRequest};
use crate::model::time::Timestamp;
use crate::wire::conversations::{AutomationResult, CloseResult};
use crate::wire::messages::SentMessage;

/// What an accepted operation brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// What it was.
    pub kind: ReceiptKind,
    /// Whether it is an answer given before under the same key.
    pub replayed: bool,
    /// The server's own time.
    pub server_time: Option<Timestamp>,
}

/// What an accepted operation brought, by operation.
#[derive(Debug, Clone, PartialEq)]
pub enum ReceiptKind {
    /// A text was sent.
    Sent {
        /// The service's id of the new message.
        message: MessageId,
        /// The platform's id.
        platform_id: Option<String>,
        /// The status word, `sent`.
        status: String,
        /// The balance after it, if told.
        credits: Option<f64>,
        /// Whether nothing was really sent: a test key.
        test: bool,
    },
    /// The AI switch was set; the state that holds now, if told.
    Automation(Option<bool>),
    /// The conversation was closed.
    Closed,
    /// The reaction was set or removed.
    Reacted,
}

impl Client {
    /// Sends a row's bytes under its key, once, and reads the answer.
    pub async fn carry_out(
        &self,
        operation: &Operation,
        request: &PreparedRequest,
        key: &IdempotencyKey,
    ) -> Outcome<Receipt> {
        self.write(request, key).await.and_then(|reply| read(operation, &reply))
    }
}

/// Reads a reply as the operation's receipt.
fn read(operation: &Operation, reply: &Reply) -> Outcome<Receipt> {
    let kind = match operation {
        Operation::SendText { .. } => sent(&reply.body),
        Operation::React { .. } => Some(ReceiptKind::Reacted),
        Operation::SendContent { .. } => sent(&reply.body),
        Operation::SetAutomation { .. } if is_empty(reply) => Some(ReceiptKind::Automation(None)),
        Operation::SetAutomation { .. } => serde_json::from_slice::<AutomationResult>(&reply.body)
            .ok()
            .map(|it| ReceiptKind::Automation(Some(it.automation_enabled))),
        Operation::Close if is_empty(reply) => Some(ReceiptKind::Closed),
        Operation::Close => serde_json::from_slice::<CloseResult>(&reply.body)
            .ok()
            .filter(|it| it.success && it.status == "closed")
            .map(|_| ReceiptKind::Closed),
        _ => None,
    };
    match kind {
        Some(kind) => {
            Outcome::Done(Receipt { kind, replayed: reply.replayed, server_time: reply.server_time })
        }
        None => {
            let why = format!("the server answered, but not with what was promised ({})", reply.status);
            let unclear = Unclear::new(&why, Some(reply.status));
            Outcome::Unknown(Unclear { replayed: reply.replayed, ..unclear })
        }
    }
}

fn is_empty(reply: &Reply) -> bool {
    reply.body.trim_ascii().is_empty()
}

fn sent(body: &[u8]) -> Option<ReceiptKind> {
    let told: Value = serde_json::from_slice(body).ok()?;
    let sent: SentMessage = serde_json::from_slice(body).ok()?;
    if sent.message_id.is_empty() {
        return None;
    }
    let platform_id = sent.whatsapp_message_id.or(sent.telegram_message_id.map(|it| it.to_string()));
    Some(ReceiptKind::Sent {
        message: MessageId::new(sent.message_id),
        platform_id,
        status: sent.status,
        // Absent is not zero.
        credits: told.get("creditsRemaining").map(|_| sent.credits_remaining).filter(|it| it.is_finite()),
        test: sent.test.unwrap_or(false),
    })
}
