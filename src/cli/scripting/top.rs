//! The first rows of a channel's list, equal to those of a full reading, from as few pages as needed: the
//! server sorts by newest activity.
//!
//! If the list was read completely before, only its top is read again.

use std::collections::HashSet;

use anyhow::Result;

use crate::cli::scripting::Session;
use crate::cli::scripting::session::{PAGE_PAUSE, ReadAmount};
use model::account::Platform;
use model::conversations::{Automation, ConversationRow, ConversationStatus};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::queries::ConversationQuery;
use model::time::Timestamp;
use sync::{ChannelSync, ListDepth};

/// Number of open conversations for which a list includes the AI state.
const MAX_DETAILED_CONVERSATIONS: usize = 50;

pub struct TopQuery {
    pub filter: ConversationFilter,
    /// Only closed or only open rows.
    pub closed: Option<bool>,
    /// Maximum rows, newest activity first.
    pub limit: u32,
}

pub struct TopRows {
    pub rows: Vec<ConversationRow>,
    /// Reason rows may be missing or incomplete: the list breaks off, or the part behind the top could not be
    /// read.
    pub incomplete: Option<anyhow::Error>,
}

impl TopRows {
    fn complete(rows: Vec<ConversationRow>) -> Self {
        Self { rows, incomplete: None }
    }
}

/// Reads as much as needed and returns the rows.
///
/// # Errors
/// When the top of the list cannot be read within the time limit. Later failures are returned with the rows.
pub fn read_rows(
    session: &Session,
    channel: &ChannelSync,
    platform: &Platform,
    wanted: &TopQuery,
) -> Result<TopRows> {
    let query = ConversationQuery::first(channel.spec().id.clone(), wanted.filter.clone(), wanted.limit);
    let what = "could not read conversations";
    // Rows kept fresh by another process are used as they are.
    if session.is_polling_needed(channel)? {
        if *platform == Platform::Whatsapp {
            session.read_new_messages(channel)?;
        }
        let list = &mut session.progress(channel).list;
        session.read(channel, what, async || channel.pull_top(list).await)?;
    }
    let mut asked = HashSet::new();
    let mut is_all = false;
    loop {
        let rows = session.reader.conversations(&query)?.rows;
        if !session.is_polling_needed(channel)? {
            return Ok(TopRows::complete(rows));
        }
        if session.is_timed_out() {
            return Ok(TopRows { rows, incomplete: Some(session.rate_budget_error(channel)) });
        }
        let is_full = u32::try_from(rows.len()).is_ok_and(|number| number >= wanted.limit);
        let last = match rows.last().filter(|_| is_full) {
            Some(row) => session.reader.last_activity(&channel.spec().id, &row.conversation.id)?,
            None => None,
        };
        if let Some((id, told)) = next_detail(session, channel, platform, wanted, (&rows, last), &asked)? {
            // One at a time: waiting for a rate limit must not repeat others.
            let read = match told {
                ConversationDetail::History => {
                    let list = &mut session.progress(channel).list;
                    session.read(channel, what, async || channel.pull_lagging_history(list, &id).await)
                }
                ConversationDetail::Automation => {
                    session.read(channel, what, async || channel.pull_detail(&id).await)
                }
            };
            if let Err(error) = read {
                let rows = session.reader.conversations(&query)?.rows;
                return Ok(TopRows { rows, incomplete: Some(error) });
            }
            asked.insert((id, told));
            continue;
        }
        let reached = session.runtime.block_on(channel.list_depth())?;
        let is_known = match (reached, last) {
            (ListDepth::End, _) => true,
            (ListDepth::Above(time), Some(last)) => last > time,
            _ => false,
        };
        if is_known {
            return Ok(TopRows::complete(rows));
        }
        if is_all {
            return Ok(TopRows { rows, incomplete: Some(session.incomplete_list_error(channel, what)) });
        }
        let list = &mut session.progress(channel).list;
        match session.read(channel, what, async || channel.pull_remaining(list).await) {
            Ok(amount) => is_all = amount == ReadAmount::All,
            Err(error) => return Ok(TopRows { rows, incomplete: Some(error) }),
        }
        if !is_all {
            session.sleep(PAGE_PAUSE);
        }
    }
}

/// Separately read part of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ConversationDetail {
    History,
    Automation,
}

/// Returns a conversation to be read before the rows are final: a shown one, or one above the last row that
/// may come to match. Each is read once; a full reading would learn no more.
fn next_detail(
    session: &Session,
    channel: &ChannelSync,
    platform: &Platform,
    wanted: &TopQuery,
    (rows, last): (&[ConversationRow], Option<Timestamp>),
    asked: &HashSet<(ConversationId, ConversationDetail)>,
) -> Result<Option<(ConversationId, ConversationDetail)>> {
    let is_new = |pair: &(ConversationId, ConversationDetail)| !asked.contains(pair);
    if platform.has_histories() {
        let down_to = last.unwrap_or(Timestamp::from_micros(i64::MIN));
        let lagging = session.reader.lagging_conversations(&channel.spec().id, wanted.closed, down_to)?;
        let next = lagging
            .into_iter()
            .map(|conversation_id| (conversation_id, ConversationDetail::History))
            .find(is_new);
        if next.is_some() {
            return Ok(next);
        }
    }
    if platform.can_take_over() {
        let open = rows
            .iter()
            .map(|row| &row.conversation)
            .filter(|conversation| conversation.status != ConversationStatus::Closed)
            .take(MAX_DETAILED_CONVERSATIONS);
        let unknown = open.filter(|conversation| conversation.automation == Automation::Unknown);
        return Ok(unknown.map(|unknown| (unknown.id.clone(), ConversationDetail::Automation)).find(is_new));
    }
    Ok(None)
}
