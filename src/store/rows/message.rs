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

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>, conversation: &ConversationId) -> rusqlite::Result<Message> {
    let inbound: bool = row.get(2)?;
    let sender: String = row.get(3)?;
    let content: String = row.get(4)?;
    let content_type: String = row.get(5)?;
    let delivery: String = row.get(7)?;
    let quotes: Option<String> = row.get(11)?;
    let id: String = row.get(0)?;
    Ok(Message {
        id: MessageId::new(id),
        conversation: conversation.clone(),
        platform_id: row.get(1)?,
        direction: if inbound { Direction::Inbound } else { Direction::Outbound },
        sender: sender_from(&sender),
        content: SafeText::block(&content),
        content_type: SafeText::line(&content_type).to_string(),
        media_url: optional_line(row, 6)?,
        delivery: Delivery::from_word(&delivery),
        created_at: time(row, 8)?,
        delivered_at: time(row, 9)?,
        read_at: time(row, 10)?,
        quotes: quotes.map(MessageId::new),
        unreadable: row.get(12)?,
        raw: row.get(13)?,
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

/// The sender a word was stored for.
pub(crate) fn sender_from(word: &str) -> Sender {
    match word {
        "customer" => Sender::Customer,
        "ai" => Sender::Ai,
        "api" => Sender::Api,
        "human" => Sender::Human,
        other => Sender::Unknown(SafeText::line(other.trim_start_matches('?'))),
    }
}
