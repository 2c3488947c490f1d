//! Conversations and messages as lines and as JSON.
//!
//! Knows nothing of where they come from. What customers wrote is safe text
//! in lines; JSON escapes it.

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::model::conversations::{ConversationRow, Escalation, window_label};
use crate::model::messages::{Message, Sender};
use crate::model::text::SafeText;
use crate::model::time::{Timestamp, short_span};

/// Writes a line to standard output.
///
/// # Errors
/// When it takes none.
pub fn line(text: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").context("writing the answer")
}

/// A conversation as JSON.
pub fn conversation_json(channel: &str, row: &ConversationRow) -> Value {
    let it = &row.conversation;
    let escalation = match &it.escalation {
        Escalation::Asks(why) => Some(why.to_string()),
        Escalation::Untold | Escalation::None => None,
    };
    json!({
        "channel": channel,
        "id": it.id.as_str(),
        "name": it.title().as_str(),
        "address": it.address,
        "status": it.status.word(),
        "ai": it.automation.label(),
        "escalation": escalation,
        "unread": row.unread,
        "waitingSince": row.waiting_since.map(|at| at.to_string()),
        "lastMessageAt": it.last_message_at.map(|at| at.to_string()),
        "preview": it.preview.as_str(),
        "raw": serde_json::from_str::<Value>(&it.raw).unwrap_or(Value::Null),
    })
}

/// A conversation as one line of columns.
pub fn conversation_line(channel: &str, row: &ConversationRow, now: Timestamp) -> String {
    let it = &row.conversation;
    let waits = row.waiting_since.map_or_else(|| "-".to_owned(), |at| short_span(now.since(at)));
    let window = window_label(it.window, row.last_inbound_at, now);
    let columns = [
        it.id.as_str().to_owned(),
        channel.to_owned(),
        it.title().to_string(),
        it.address.as_deref().map_or_else(|| "-".to_owned(), |it| SafeText::line(it).to_string()),
        if row.is_failing() { "AI failing" } else { it.automation.label() }.to_owned(),
        if window.is_empty() { "-".to_owned() } else { window },
        waits,
        SafeText::line(it.preview.as_str()).to_string(),
    ];
    columns.join("\t")
}

/// Who spoke, in one word.
pub fn speaker(sender: &Sender) -> String {
    match sender {
        Sender::Customer => "customer".to_owned(),
        Sender::Ai => "ai".to_owned(),
        Sender::Api => "api".to_owned(),
        Sender::Human => "human".to_owned(),
        Sender::Unknown(word) => word.to_string(),
    }
}

/// A message as JSON.
pub fn message_json(message: &Message) -> Value {
    json!({
        "id": message.id.as_str(),
        "direction": message.direction.word(),
        "sender": speaker(&message.sender),
        "content": message.content.as_str(),
        "contentType": message.content_type,
        "mediaUrl": message.media_url.as_ref().map(SafeText::as_str),
        "status": message.delivery.word(),
        "createdAt": message.created_at.map(|at| at.to_string()),
        "raw": serde_json::from_str::<Value>(&message.raw).unwrap_or(Value::Null),
    })
}

/// A message as one line of columns.
pub fn message_line(message: &Message) -> String {
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    let content = SafeText::line(message.content.as_str());
    let media =
        message.media_url.as_ref().map_or_else(String::new, |it| format!(" [{}] {it}", message.content_type));
    [
        message.id.as_str().to_owned(),
        at,
        speaker(&message.sender),
        message.delivery.word().to_owned(),
        format!("{content}{media}"),
    ]
    .join("\t")
}
