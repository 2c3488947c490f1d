//! A message as columns.
//!
//! Knows nothing of the order messages are shown in.

use rusqlite::Row;

use crate::model::ids::{ConversationId, MessageId};
use crate::model::messages::{Delivery, Direction, Message, Sender};
use crate::model::text::SafeText;
use crate::store::rows::{optional_line, time};

/// The columns [`read`] expects, in order, of a table called `m`.
pub(crate) const COLUMNS: &str = "m.id, m.platform_id, m.inbound, m.sender, m.content, m.content_type, \
     m.media_url, m.delivery, m.created_at, m.delivered_at, m.read_at, m.quotes, m.unreadable, m.raw";
/// How many they are.
pub(crate) const WIDTH: usize = 14;

/// Reads the columns above where they come first.
pub(crate) fn read(row: &Row<'_>, conversation: &ConversationId) -> rusqlite::Result<Message> {
    read_from(row, 0, conversation)
}

/// Reads the columns above from a place among others.
pub(crate) fn read_from(
    row: &Row<'_>,
    first: usize,
    conversation: &ConversationId,
) -> rusqlite::Result<Message> {
    let inbound: bool = row.get(first + 2)?;
    let sender: String = row.get(first + 3)?;
    let content: String = row.get(first + 4)?;
    let content_type: String = row.get(first + 5)?;
    let delivery: String = row.get(first + 7)?;
    let quotes: Option<String> = row.get(first + 11)?;
    let id: String = row.get(first)?;
    Ok(Message {
        id: MessageId::new(id),
        conversation: conversation.clone(),
        platform_id: row.get(first + 1)?,
        direction: if inbound { Direction::Inbound } else { Direction::Outbound },
        sender: sender_from(&sender),
        content: SafeText::block(&content),
        content_type: SafeText::line(&content_type).to_string(),
        media_url: optional_line(row, first + 6)?,
        delivery: Delivery::from_word(&delivery),
        created_at: time(row, first + 8)?,
        delivered_at: time(row, first + 9)?,
        read_at: time(row, first + 10)?,
        quotes: quotes.map(MessageId::new),
        unreadable: row.get(first + 12)?,
        raw: row.get(first + 13)?,
    })
}

/// The word a sender is stored as; an unknown one keeps its own after `?`.
pub(crate) fn sender_word(sender: &Sender) -> String {
    match sender {
        Sender::Customer => "customer".to_owned(),
        Sender::Ai => "ai".to_owned(),
        Sender::Api => "api".to_owned(),
        Sender::Human => "human".to_owned(),
        Sender::Unknown(word) => format!("?{word}"),
    }
}

fn sender_from(word: &str) -> Sender {
    match word {
        "customer" => Sender::Customer,
        "ai" => Sender::Ai,
        "api" => Sender::Api,
        "human" => Sender::Human,
        other => Sender::Unknown(SafeText::line(other.trim_start_matches('?'))),
    }
}
