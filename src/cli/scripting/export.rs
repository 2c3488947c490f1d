//! `export`: a whole history, from its first message.
//!
//! JSON holds each item as sent by the server; text holds only printable text.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::cli::scripting::{Common, ConversationArguments, FoundConversation, Session};
use crate::cli::{UsageError, print};
use model::queries::{HistoryPage, HistoryQuery, TranscriptFormat};
use store::transcript::{self, TranscriptEntry, merge_entries, note_json};

/// Maximum messages of one history.
const MAX_MESSAGES: u32 = 1_000_000;

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object with the conversation and its messages.
    Json,
    /// One JSON object per line and message.
    Jsonl,
    /// Plain text.
    Text,
    /// Markdown.
    Md,
}

/// The switches of `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// Output format; without it, text, or JSON with --json.
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    #[command(flatten)]
    pub common: Common,
}

impl ExportArguments {
    /// Format that fits `--json`.
    fn resolve_format(&self) -> Result<ExportFormat> {
        match (self.format, self.common.json) {
            (None, false) => Ok(ExportFormat::Text),
            (None, true) => Ok(ExportFormat::Json),
            (Some(ExportFormat::Text | ExportFormat::Md), true) => {
                let words = "--json works only with --format json or jsonl; leave one of the two out";
                Err(UsageError(words.to_owned()).into())
            }
            (Some(format), _) => Ok(format),
        }
    }
}

pub fn run(session: &Session, arguments: &ExportArguments) -> Result<()> {
    let format = arguments.resolve_format()?;
    let found = session.find(arguments.common.channel.as_deref(), &arguments.wanted)?;
    let page = read_history(session, &found)?;
    let row = &page.conversation.clone().unwrap_or_else(|| found.row.clone());
    let name = &found.channel.spec().name;
    let zone = session.zone();
    match format {
        ExportFormat::Json => {
            print::line(&transcript::format_history(TranscriptFormat::Json, name, row, page, zone))
        }
        ExportFormat::Text => {
            print::line(&transcript::format_history(TranscriptFormat::Text, name, row, page, zone))
        }
        ExportFormat::Md => {
            print::line(&transcript::format_history(TranscriptFormat::Markdown, name, row, page, zone))
        }
        ExportFormat::Jsonl => merge_entries(page.messages, page.notes).try_for_each(|in_order| {
            let mut item = match &in_order {
                TranscriptEntry::Message(row) => print::message_json(&row.message),
                TranscriptEntry::Note(note) => note_json(note),
            };
            item["channel"] = name.clone().into();
            item["test"] = found.is_test().into();
            item["conversation"] = row.conversation.id.as_str().into();
            print::json(&item)
        }),
    }
}

/// Reads the newest page, then older ones to the start.
fn read_history(session: &Session, found: &FoundConversation) -> Result<HistoryPage> {
    let id = &found.row.conversation.id;
    let channel = &found.channel;
    let has_more = found.platform.has_histories();
    if has_more {
        session.read(channel, "could not read messages", async || channel.pull_history(id).await)?;
    }
    let start = |limit| HistoryQuery { channel: channel.spec().id.clone(), conversation: id.clone(), limit };
    let mut stored = usize::MAX;
    while has_more && session.reader.history(&start(1))?.more_on_server {
        session.read(channel, "could not read older messages", async || channel.pull_older(id).await)?;
        let now = session.store().count_stored_messages(&channel.spec().id, id)?;
        if now == stored {
            bail!(
                "{}: could not read older messages: the server reports more messages but returns none",
                channel.spec().name
            );
        }
        stored = now;
    }
    Ok(session.reader.history(&start(MAX_MESSAGES))?)
}
