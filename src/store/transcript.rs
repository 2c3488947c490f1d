//! A whole history as one text: for people, for programs, for documents.
//!
//! Text and Markdown hold what is safe to print; JSON holds each item as the
//! server sent it, beside what was read of it.

use serde_json::{Value, json};

use model::conversations::{ConversationRow, Escalation};
use model::json::escape_invisible;
use model::messages::{Message, MessageRow, Sender};
use model::notes::PrivateNote;
use model::queries::{HistoryPage, TranscriptFormat};
use model::text::SafeText;
use model::time::Zone;

/// Writes a history of a channel of this name; people read the times of a
/// zone, programs those of UTC.
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

/// What stands in a history: what was said, and what this desk noted.
pub enum TranscriptEntry {
    Message(Box<MessageRow>),
    /// A private note.
    Note(PrivateNote),
}

/// Each note before what was said after it.
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

/// A private note, named so that nobody takes it for a message.
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
    let it = &row.conversation;
    let address = it.address.as_deref().map_or_else(String::new, |address| format!(" · {address}"));
    let line = format!("{}{address} · {channel} · {}", it.title(), it.id);
    SafeText::line(&line).to_string()
}

/// A message with its first line after who spoke, the others below it.
fn message_paragraph(row: &ConversationRow, message: &MessageRow, zone: &Zone) -> String {
    let MessageRow { message, .. } = message;
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.local_timestamp(zone));
    let title = row.conversation.title();
    let who = match speaker_name(&message.sender).as_str() {
        "customer" => title.to_string(),
        "ai" => "AI".to_owned(),
        other => other.to_owned(),
    };
    format!("{at}  {who}: {}{}", message.content.as_str().replace('\n', "\n    "), media_text(message))
}

fn media_text(message: &Message) -> String {
    message
        .media_url
        .as_ref()
        .map_or_else(String::new, |media_url| format!(" [{}] {media_url}", message.content_type))
}

fn message_markdown(row: &ConversationRow, message: &MessageRow, zone: &Zone) -> String {
    let MessageRow { message, .. } = message;
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.local_timestamp(zone));
    let who = match speaker_name(&message.sender).as_str() {
        "customer" => row.conversation.title().to_string(),
        "ai" => "AI".to_owned(),
        other => other.to_owned(),
    };
    format!(
        "**{}** · {at}\n\n{}",
        escape_markdown(&who),
        quote_markdown(&format!("{}{}", message.content, media_text(message)))
    )
}

/// A text as a quotation, in which no character means anything.
fn quote_markdown(text: &str) -> String {
    text.lines().map(|line| format!("> {}", escape_markdown(line))).collect::<Vec<_>>().join("\n")
}

/// Characters that mean something in Markdown, with a backslash before them.
fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        if it.is_ascii_punctuation() && !",.:;?/'".contains(it) {
            out.push('\\');
        }
        out.push(it);
    }
    out
}

/// A conversation as JSON.
pub fn conversation_json(channel: &str, row: &ConversationRow) -> Value {
    let it = &row.conversation;
    let escalation = match &it.escalation {
        Escalation::Requested(why) => Some(why.to_string()),
        Escalation::Unknown | Escalation::None => None,
    };
    let mut item = json!({
        "channel": channel,
        "id": it.id.as_str(),
        "name": it.title().as_str(),
        "address": it.address,
        "status": it.status.word(),
        "ai": it.automation.label(),
        "escalation": escalation,
        "unread": row.unread,
        "waitingSince": row.waiting_since.map(|at| at.to_string()),
        "firstMessageAt": it.first_message_at.map(|at| at.to_string()),
        "lastMessageAt": it.last_message_at.map(|at| at.to_string()),
        "preview": it.preview.as_str(),
        "raw": serde_json::from_str::<Value>(&it.raw).unwrap_or(Value::Null),
    });
    if it.id.is_stand_in() {
        item["unreadable"] = true.into();
    }
    item
}

/// Who spoke, in one word.
pub fn speaker_name(sender: &Sender) -> String {
    match sender {
        Sender::Customer => "customer".to_owned(),
        Sender::Ai => "ai".to_owned(),
        Sender::Api => "api".to_owned(),
        Sender::Broadcast => "broadcast".to_owned(),
        Sender::Human => "human".to_owned(),
        Sender::Unknown(word) => word.to_string(),
    }
}

/// Fields of a message beside the interface's that are shown where there are any.
const EXTRA_FIELDS: [&str; 4] = ["structure", "editedAt", "withdrawnAt", "formerContents"];

/// A message as JSON.
pub fn message_json(message: &Message) -> Value {
    let raw = serde_json::from_str::<Value>(&message.raw).unwrap_or(Value::Null);
    let mut shown = json!({
        "id": message.id.as_str(),
        "direction": message.direction.word(),
        "sender": speaker_name(&message.sender),
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
