//! `export`: a whole history, from its first message.
//!
//! Knows nothing of paging beyond asking for more. JSON holds each item as
//! the server sent it; text holds what is safe to print.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::{Common, Found, Session};
use crate::model::conversations::ConversationRow;
use crate::model::messages::{Message, MessageRow};
use crate::model::notes::Note;
use crate::model::queries::{HistoryPage, HistoryQuery};

/// Messages of one history at most.
const MOST: u32 = 1_000_000;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One object: the conversation and its messages.
    Json,
    /// One object a line, a message each.
    Jsonl,
    /// For people to read.
    Text,
}

/// The switches of `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The conversation: its id, address or whole name.
    pub conversation: String,
    /// What is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// What all have; `--json` is `--format json`.
    #[command(flatten)]
    pub common: Common,
}

/// `frontdesk export`
pub fn run(session: &Session, arguments: &ExportArguments) -> Result<()> {
    let found = session.find(arguments.common.channel.as_deref(), &arguments.conversation)?;
    let page = whole(session, &found)?;
    let row = &page.conversation.clone().unwrap_or_else(|| found.row.clone());
    let name = &found.channel.spec().name;
    let format = if arguments.common.json { Format::Json } else { arguments.format };
    match format {
        Format::Json => {
            let messages: Vec<Value> =
                page.messages.iter().map(|it| print::message_json(&it.message)).collect();
            let notes: Vec<Value> = page.notes.iter().map(note_json).collect();
            let conversation = print::conversation_json(name, row);
            let all = json!({"conversation": conversation, "messages": messages, "notes": notes});
            print::line(&all.to_string())
        }
        Format::Jsonl => in_order(page.messages, page.notes).try_for_each(|it| {
            let mut item = match &it {
                Said::Message(row) => print::message_json(&row.message),
                Said::Note(note) => note_json(note),
            };
            item["channel"] = name.clone().into();
            item["conversation"] = row.conversation.id.as_str().into();
            print::line(&item.to_string())
        }),
        Format::Text => {
            print::line(&heading(name, row))?;
            in_order(page.messages, page.notes).try_for_each(|it| match &it {
                Said::Message(it) => print::line(&paragraph(row, it)),
                Said::Note(note) => print::line(&note_paragraph(note)),
            })
        }
    }
}

/// What stands in a history: what was said, and what this desk noted.
enum Said {
    Message(Box<MessageRow>),
    Note(Note),
}

/// Each note before what was said after it.
fn in_order(messages: Vec<MessageRow>, notes: Vec<Note>) -> impl Iterator<Item = Said> {
    let mut notes = notes.into_iter().peekable();
    let mut all = Vec::with_capacity(messages.len());
    for row in messages {
        let at = row.message.created_at;
        while let Some(note) = notes.next_if(|it| at.is_some_and(|at| it.at < at)) {
            all.push(Said::Note(note));
        }
        all.push(Said::Message(Box::new(row)));
    }
    all.extend(notes.map(Said::Note));
    all.into_iter()
}

/// A private note, named so that nobody takes it for a message.
fn note_json(note: &Note) -> Value {
    json!({"note": note.id.as_str(), "text": note.text.as_str(), "createdAt": note.at.to_string()})
}

fn note_paragraph(note: &Note) -> String {
    format!("{}  NOTE, never sent: {}", note.at, note.text.as_str().replace('\n', "\n    "))
}

/// Reads the newest page and then older ones until the start.
fn whole(session: &Session, found: &Found) -> Result<HistoryPage> {
    let id = &found.row.conversation.id;
    let channel = &found.channel;
    session.read(channel, "reading messages", async || channel.pull_history(id).await)?;
    let start = |limit| HistoryQuery { channel: channel.spec().id.clone(), conversation: id.clone(), limit };
    let mut stored = usize::MAX;
    while session.reader.history(&start(1))?.more_on_server {
        session.read(channel, "reading older messages", async || channel.pull_older(id).await)?;
        let now = session.store().stored_messages(&channel.spec().id, id)?;
        if now == stored {
            bail!(
                "{}: reading older messages: the server gives no more, but says there are",
                channel.spec().name
            );
        }
        stored = now;
    }
    Ok(session.reader.history(&start(MOST))?)
}

fn heading(channel: &str, row: &ConversationRow) -> String {
    let it = &row.conversation;
    let address = it.address.as_deref().map_or_else(String::new, |address| format!(" · {address}"));
    let line = format!("{}{address} · {channel} · {}", it.title(), it.id);
    crate::model::text::SafeText::line(&line).to_string()
}

/// A message with its first line after who spoke, the others below it.
fn paragraph(row: &ConversationRow, message: &MessageRow) -> String {
    let MessageRow { message, .. } = message;
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    let title = row.conversation.title();
    let who = match print::speaker(&message.sender).as_str() {
        "customer" => title.to_string(),
        "ai" => "AI".to_owned(),
        other => other.to_owned(),
    };
    format!("{at}  {who}: {}{}", message.content.as_str().replace('\n', "\n    "), media(message))
}

fn media(message: &Message) -> String {
    message.media_url.as_ref().map_or_else(String::new, |it| format!(" [{}] {it}", message.content_type))
}
