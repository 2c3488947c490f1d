//! `list` and `show`: conversations and messages, read from the server.

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::top::{self, TopQuery, TopRows};
use crate::cli::scripting::{Common, ConversationArguments, Session};
use model::filter::ConversationFilter;
use model::queries::HistoryQuery;
use model::unreadable;

/// Which conversations are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListStatus {
    /// Open conversations.
    Open,
    /// Open conversations whose customer waits or where the AI asks for a person, and sends to decide.
    NeedsReply,
    /// Closed conversations.
    Closed,
    /// All conversations.
    All,
}

impl ListStatus {
    pub fn filter(self) -> ConversationFilter {
        match self {
            Self::Open => ConversationFilter::open(),
            Self::NeedsReply => ConversationFilter::needing_person(),
            Self::Closed => ConversationFilter::closed(),
            Self::All => ConversationFilter::all(),
        }
    }
}

/// The switches of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Status of the conversations.
    #[arg(long, value_enum, default_value_t = ListStatus::Open)]
    pub status: ListStatus,
    /// Maximum number of conversations of each channel, newest activity first.
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// Maximum number of messages; the newest are shown.
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    #[command(flatten)]
    pub common: Common,
}

pub fn list(session: &Session, arguments: &ListArguments) -> Result<()> {
    let closed = match arguments.status {
        ListStatus::Open | ListStatus::NeedsReply => Some(false),
        ListStatus::Closed => Some(true),
        ListStatus::All => None,
    };
    let wanted = TopQuery { filter: arguments.status.filter(), closed, limit: arguments.limit };
    let (mut items, mut count) = (Vec::new(), 0_usize);
    let channels = session.unmirrored_channels(arguments.common.channel.as_deref())?;
    let listed = session.for_each_channel(channels, |channel| {
        let platform = session.platform(channel)?;
        if !platform.has_conversations() {
            return Ok(());
        }
        let (name, label) = (&channel.spec().name, session.label(channel));
        let TopRows { rows, incomplete } = top::read_rows(session, channel, &platform, &wanted)?;
        let stand_ins = session.reader.counts(&channel.spec().id)?.unreadable;
        if stand_ins > 0 {
            let words = unreadable::describe_unreadable(usize::try_from(stand_ins).unwrap_or(usize::MAX));
            print::print_progress(&format!(
                "{name}: conversations: {words}; each is listed as unreadable-…"
            ))?;
        }
        count += rows.len();
        for row in rows {
            if arguments.common.json {
                let item = print::conversation_json(name, session.is_test(channel), &row);
                items.push(if incomplete.is_none() { item } else { print::mark_incomplete(item) });
            } else {
                print::line(&print::conversation_line(&label, &row, session.now()))?;
            }
        }
        incomplete.map_or(Ok(()), Err)
    });
    print::empty(!arguments.common.json && count == 0 && listed.is_ok(), "conversations");
    print::list(arguments.common.json, items, listed)
}

pub fn show(session: &Session, arguments: &ShowArguments) -> Result<()> {
    let found = session.find(arguments.common.channel.as_deref(), &arguments.wanted)?;
    let id = found.row.conversation.id.clone();
    let channel = &found.channel;
    // Calls and SMS have no history beyond the list.
    if found.platform.has_histories() {
        session.read(channel, "could not read messages", async || channel.pull_history(&id).await)?;
    }
    let query = HistoryQuery {
        channel: found.channel.spec().id.clone(),
        conversation: id.clone(),
        limit: arguments.limit,
    };
    let mut page = session.reader.history(&query)?;
    let mut incomplete = None;
    // A server page holds 50 messages: older ones are read as needed.
    while found.platform.has_histories()
        && page.more_on_server
        && u32::try_from(page.messages.len()).is_ok_and(|number| number < arguments.limit)
    {
        let before = page.messages.len();
        let read =
            session.read(channel, "could not read older messages", async || channel.pull_older(&id).await);
        page = session.reader.history(&query)?;
        if let Err(error) = read {
            // Messages read so far are shown.
            incomplete = Some(error);
            break;
        }
        if page.messages.len() == before {
            if page.more_on_server {
                incomplete = Some(session.incomplete_list_error(channel, "could not read older messages"));
            }
            break;
        }
    }
    let row = page.conversation.as_ref().unwrap_or(&found.row);
    if arguments.common.json {
        let messages: Vec<Value> =
            page.messages.iter().map(|message| print::message_json(&message.message)).collect();
        let conversation = print::conversation_json(&found.channel.spec().name, found.is_test(), row);
        let shown = json!({"conversation": conversation, "messages": messages});
        print::json(&if incomplete.is_none() { shown } else { print::mark_incomplete(shown) })?;
        return incomplete.map_or(Ok(()), Err);
    }
    page.messages
        .iter()
        .try_for_each(|message| print::line(&print::message_line(&message.message, session.zone())))?;
    incomplete.map_or(Ok(()), Err)
}
