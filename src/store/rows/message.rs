//! Reads a message from columns.

use crate::changed;
use model::ids::ConversationId;
use model::messages::{DeliveryStatus, Direction, Message, MessageAgent, MessageMarks, Sender};
use model::text::SafeText;
use sqlite::{Row, read_row};

macro_rules! agent_columns {
    () => {
        "m.agent, iif(m.agent IS NULL, 0,
             m.agent = (SELECT a.value FROM meta a WHERE a.channel = '' AND a.name = 'desk agent')
             AND EXISTS (SELECT 1 FROM conversation n JOIN desk.team_channel t ON t.channel = n.channel
                 WHERE n.number = m.conversation)) AS is_own_agent"
    };
}

/// Columns for [`read_agent`], of a table with alias `m`.
pub(crate) const AGENT_COLUMNS: &str = agent_columns!();
/// Columns for [`read`], of a table with alias `m`.
pub(crate) const COLUMNS: &str = concat!(
    "m.id, m.platform_id, m.inbound, m.sender, m.content, m.content_type, m.media_url, m.delivery, \
     m.created_at, m.delivered_at, m.read_at, m.quotes, m.unreadable, m.raw, ",
    agent_columns!()
);

pub(crate) fn read(row: &Row<'_>, conversation: &ConversationId) -> rusqlite::Result<Message> {
    Ok(read_row!(row, Message {
        id, platform_id, content: block, media_url: optional_line, created_at, delivered_at, read_at, quotes,
        unreadable, raw;
        agent: read_agent(row)?,
        marks: read_marks(row)?,
        conversation: conversation.clone(),
        // Already part of the row's sort position.
        sent_at: None,
        direction: direction_from_row(row)?,
        sender: row.parse_word("sender", parse_sender)?,
        content_type: row.line("content_type")?.to_string(),
        delivery: row.parse_word("delivery", DeliveryStatus::from_word)?
    }))
}

/// Reads the agent. Only a channel of the team can name the person of this desk.
pub(crate) fn read_agent(row: &Row<'_>) -> rusqlite::Result<Option<MessageAgent>> {
    let name: Option<String> = row.get("agent")?;
    let is_self = row.get::<Option<bool>>("is_own_agent")?.unwrap_or(false);
    Ok(name.and_then(|name| MessageAgent::named(&name)).map(|agent| MessageAgent { is_self, ..agent }))
}

fn read_marks(row: &Row<'_>) -> rusqlite::Result<MessageMarks> {
    Ok(changed::parse_marks(&row.get::<String>("raw")?, &row.get::<String>("content_type")?))
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
