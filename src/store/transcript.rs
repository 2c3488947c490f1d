//! Formats a whole history as one text. Text and Markdown contain only printable content; JSON
//! contains the raw item of the server beside the parsed fields.

use serde_json::{Value, json};

use model::conversations::{ConversationRow, Escalation};
use model::json::escape_invisible;
use model::messages::{Message, MessageAgent, MessageRow, Sender};
use model::notes::PrivateNote;
use model::queries::{HistoryPage, TranscriptFormat};
use model::text::SafeText;
use model::time::Zone;

/// Formats a history. Text and Markdown show times in `zone`, JSON in UTC.
pub fn format_history(
    format: TranscriptFormat,
    channel: &str,
    row: &ConversationRow,
    page: HistoryPage,
    zone: &Zone,
) -> String {
    match format {
        TranscriptFormat::Json => escape_invisible(&history_json(channel, row, &page).to_string()),
        TranscriptFormat::Text => {
            let said = merge_entries(page.messages, page.notes).map(|in_order| match &in_order {
                TranscriptEntry::Message(in_order) => message_paragraph(row, in_order, zone),
                TranscriptEntry::Note(note) => note_paragraph(note, zone),
            });
            std::iter::once(conversation_heading(channel, row)).chain(said).collect::<Vec<_>>().join("\n")
        }
        TranscriptFormat::Markdown => {
            let said = merge_entries(page.messages, page.notes).map(|in_order| match &in_order {
                TranscriptEntry::Message(in_order) => message_markdown(row, in_order, zone),
                TranscriptEntry::Note(note) => {
                    format!(
                        "**NOTE, never sent** · {}\n\n{}",
                        note.at.local_timestamp(zone),
                        quote_markdown(note.text.as_str())
                    )
                }
            });
            let heading = format!("# {}", escape_markdown(&conversation_heading(channel, row)));
            std::iter::once(heading).chain(said).collect::<Vec<_>>().join("\n\n")
        }
    }
}

fn history_json(channel: &str, row: &ConversationRow, page: &HistoryPage) -> Value {
    let messages: Vec<Value> = page.messages.iter().map(|message| message_json(&message.message)).collect();
    let notes: Vec<Value> = page.notes.iter().map(note_json).collect();
    json!({"conversation": conversation_json(channel, row), "messages": messages, "notes": notes})
}

pub enum TranscriptEntry {
    Message(Box<MessageRow>),
    Note(PrivateNote),
}

pub fn merge_entries(
    messages: Vec<MessageRow>,
    notes: Vec<PrivateNote>,
) -> impl Iterator<Item = TranscriptEntry> {
    let mut notes = notes.into_iter().peekable();
    let mut all = Vec::with_capacity(messages.len());
    for row in messages {
        let at = row.message.created_at;
        while let Some(note) = notes.next_if(|note| at.is_some_and(|at| note.at < at)) {
            all.push(TranscriptEntry::Note(note));
        }
        all.push(TranscriptEntry::Message(Box::new(row)));
    }
    all.extend(notes.map(TranscriptEntry::Note));
    all.into_iter()
}

/// Returns a note as JSON, with keys that distinguish it from a message.
pub fn note_json(note: &PrivateNote) -> Value {
    json!({"note": note.id.as_str(), "text": note.text.as_str(), "createdAt": note.at.to_string()})
}

fn note_paragraph(note: &PrivateNote, zone: &Zone) -> String {
    format!(
        "{}  NOTE, never sent: {}",
        note.at.local_timestamp(zone),
        note.text.as_str().replace('\n', "\n    ")
    )
}

fn conversation_heading(channel: &str, row: &ConversationRow) -> String {
    let conversation = &row.conversation;
    let address = conversation.address.as_deref().map_or_else(String::new, |address| format!(" · {address}"));
    let line = format!("{}{address} · {channel} · {}", conversation.title(), conversation.id);
    SafeText::line(&line).to_string()
}

/// Formats a message with the sender before its first line.
fn message_paragraph(row: &ConversationRow, message: &MessageRow, zone: &Zone) -> String {
    let MessageRow { message, .. } = message;
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.local_timestamp(zone));
    let title = row.conversation.title();
    let who = speaker_title(message, &title);
    format!("{at}  {who}: {}{}", message.content.as_str().replace('\n', "\n    "), message.describe_media())
}

fn message_markdown(row: &ConversationRow, message: &MessageRow, zone: &Zone) -> String {
    let MessageRow { message, .. } = message;
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.local_timestamp(zone));
    let who = speaker_title(message, &row.conversation.title());
    format!(
        "**{}** · {at}\n\n{}",
        escape_markdown(&who),
        quote_markdown(&format!("{}{}", message.content, message.describe_media()))
    )
}

/// Quotes a text and escapes all Markdown.
fn quote_markdown(text: &str) -> String {
    text.lines().map(|line| format!("> {}", escape_markdown(line))).collect::<Vec<_>>().join("\n")
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_punctuation() && !",.:;?/'".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

pub fn conversation_json(channel: &str, row: &ConversationRow) -> Value {
    let conversation = &row.conversation;
    let escalation = match &conversation.escalation {
        Escalation::Requested(why) => Some(why.to_string()),
        Escalation::Unknown | Escalation::None => None,
    };
    let mut item = json!({
        "channel": channel,
        "id": conversation.id.as_str(),
        "name": conversation.title().as_str(),
        "address": conversation.address,
        "status": conversation.status.word(),
        "ai": conversation.automation.label(),
        "escalation": escalation,
        "unread": row.unread,
        "waitingSince": row.waiting_since.map(|at| at.to_string()),
        "firstMessageAt": conversation.first_message_at.map(|at| at.to_string()),
        "lastMessageAt": conversation.last_message_at.map(|at| at.to_string()),
        "closedAt": conversation.closed_at.map(|at| at.to_string()),
        "preview": conversation.preview.as_str(),
        "raw": serde_json::from_str::<Value>(&conversation.raw).unwrap_or(Value::Null),
    });
    if conversation.id.is_stand_in() {
        item["unreadable"] = true.into();
    }
    item
}

/// Name of a speaker in a text: a person by name, or the place where somebody answered.
fn speaker_title(message: &Message, customer: &SafeText) -> String {
    match (&message.agent, &message.sender, message.answer_place()) {
        (None, Sender::Customer, _) => customer.to_string(),
        (None, Sender::Ai, _) => "AI".to_owned(),
        (None, _, Some(place)) => place.label().to_owned(),
        (agent, sender, _) => speaker_name(sender, agent.as_ref()),
    }
}

/// Name of a speaker in a column: the person of a team, or the word of the sender.
pub fn speaker_name(sender: &Sender, agent: Option<&MessageAgent>) -> String {
    if let Some(agent) = agent {
        return agent.name.to_string();
    }
    sender_word(sender)
}

pub fn sender_word(sender: &Sender) -> String {
    match sender {
        Sender::Customer => "customer".to_owned(),
        Sender::Ai => "ai".to_owned(),
        Sender::Api => "api".to_owned(),
        Sender::Broadcast => "broadcast".to_owned(),
        Sender::Human => "human".to_owned(),
        Sender::Unknown(word) => word.to_string(),
    }
}

/// Fields outside the documented interface, included if present.
const EXTRA_FIELDS: [&str; 8] =
    ["structure", "voice", "sticker", "forwarded", "sentFrom", "editedAt", "withdrawnAt", "formerContents"];

pub fn message_json(message: &Message) -> Value {
    let raw = serde_json::from_str::<Value>(&message.raw).unwrap_or(Value::Null);
    let mut shown = json!({
        "id": message.id.as_str(),
        "direction": message.direction.word(),
        "sender": sender_word(&message.sender),
        "agent": message.agent.as_ref().map(|agent| agent.name.as_str()),
        "content": message.content.as_str(),
        "contentType": message.content_type,
        "mediaUrl": message.media_url.as_ref().map(SafeText::as_str),
        "status": message.delivery.word(),
        "createdAt": message.created_at.map(|at| at.to_string()),
    });
    for field in EXTRA_FIELDS.into_iter().filter(|field| !raw[*field].is_null()) {
        shown[field] = raw[field].clone();
    }
    shown["raw"] = raw;
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_customers_write_means_nothing_in_markdown() {
        assert_eq!(quote_markdown("# hi\n*a* [x](y)"), "> \\# hi\n> \\*a\\* \\[x\\]\\(y\\)");
        assert_eq!(quote_markdown("<b>, 1. ok?"), "> \\<b\\>, 1. ok?");
    }
}
