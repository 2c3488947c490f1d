//! Reads a message from columns.

use model::ids::ConversationId;
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::text::SafeText;
use sqlite::{Row, read_row};

/// Columns for [`read`], of a table with alias `m`.
pub(crate) const COLUMNS: &str = "m.id, m.platform_id, m.inbound, m.sender, m.content, m.content_type, \
     m.media_url, m.delivery, m.created_at, m.delivered_at, m.read_at, m.quotes, m.unreadable, m.raw";

pub(crate) fn read(row: &Row<'_>, conversation: &ConversationId) -> rusqlite::Result<Message> {
    Ok(read_row!(row, Message {
        id, platform_id, content: block, media_url: optional_line, created_at, delivered_at, read_at, quotes,
        unreadable, raw;
        conversation: conversation.clone(),
        // Already part of the row's sort position.
        sent_at: None,
        direction: direction_from_row(row)?,
        sender: row.parse_word("sender", parse_sender)?,
        content_type: row.line("content_type")?.to_string(),
        delivery: row.parse_word("delivery", DeliveryStatus::from_word)?
    }))
}

pub(crate) fn direction_from_row(row: &Row<'_>) -> rusqlite::Result<Direction> {
    Ok(if row.get("inbound")? { Direction::Inbound } else { Direction::Outbound })
}

/// Returns the stored word of a sender; an unknown one is prefixed with `?`.
pub(crate) fn sender_word(sender: &Sender) -> String {
    match sender {
        Sender::Customer => "customer".to_owned(),
        Sender::Ai => "ai".to_owned(),
        Sender::Api => "api".to_owned(),
        Sender::Broadcast => "broadcast".to_owned(),
        Sender::Human => "human".to_owned(),
        Sender::Unknown(word) => format!("?{word}"),
    }
}

pub(crate) fn parse_sender(word: &str) -> Sender {
    match word {
        "customer" => Sender::Customer,
        "ai" => Sender::Ai,
        "api" => Sender::Api,
        "broadcast" => Sender::Broadcast,
        "human" => Sender::Human,
        other => Sender::Unknown(SafeText::line(other.trim_start_matches('?'))),
    }
}
