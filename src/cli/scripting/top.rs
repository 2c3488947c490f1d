//! The first rows of a channel's list as a full reading would show them, read
//! from the top and no further than they need: the server's pages come newest
//! activity first.
//!
//! A list that was read whole before is taken as it is; only its top is asked
//! for again.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Result;

use crate::cli::scripting::Session;
use crate::cli::scripting::session::ReadAmount;
use model::account::Platform;
use model::conversations::{Automation, ConversationRow, ConversationStatus};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::queries::ConversationQuery;
use model::time::Timestamp;
use sync::{ChannelSync, Reached};

/// Of so many open conversations a list tells whether the AI answers.
const DETAILED: usize = 50;
/// Between two parts of what is behind the top: it waits for the budget.
const MOMENT: Duration = Duration::from_millis(250);

/// Which rows are wanted.
pub struct TopQuery {
    pub filter: ConversationFilter,
    /// Open or closed ones: all that may fit once they are read.
    pub closed: Option<bool>,
    /// At most so many, newest activity first.
    pub limit: u32,
}

/// The first rows of a list.
pub struct TopRows {
    pub rows: Vec<ConversationRow>,
    /// Why rows may be missing, or be told in part: the server's list breaks
    /// off before its end, or what follows the top could not be read.
    pub incomplete: Option<anyhow::Error>,
}

impl TopRows {
    fn whole(rows: Vec<ConversationRow>) -> Self {
        Self { rows, incomplete: None }
    }
}

/// Reads as much as is needed, and the rows.
///
/// # Errors
/// When the top of the list cannot be read within the command's patience. What
/// fails behind it is told with the rows in hand.
pub fn rows(
    session: &Session,
    channel: &ChannelSync,
    platform: &Platform,
    wanted: &TopQuery,
) -> Result<TopRows> {
    let query = ConversationQuery::first(channel.spec().id.clone(), wanted.filter.clone(), wanted.limit);
    let what = "reading conversations";
    // What another process keeps fresh is taken as it stands.
    if session.asks(channel)? {
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
        if !session.asks(channel)? {
            return Ok(TopRows::whole(rows));
        }
        if session.is_over() {
            return Ok(TopRows { rows, incomplete: Some(session.no_room(channel)) });
        }
        let is_full = u32::try_from(rows.len()).is_ok_and(|number| number >= wanted.limit);
        let last = match rows.last().filter(|_| is_full) {
            Some(row) => session.reader.activity(&channel.spec().id, &row.conversation.id)?,
            None => None,
        };
        if let Some((id, told)) = unread(session, channel, platform, wanted, (&rows, last), &asked)? {
            // One at a time: a limit that is waited for repeats no other.
            let read = match told {
                ConversationDetail::History => {
                    let list = &mut session.progress(channel).list;
                    session.read(channel, what, async || channel.pull_behind_of(list, &id).await)
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
        let reached = session.runtime.block_on(channel.reached())?;
        let is_known = match (reached, last) {
            (Reached::End, _) => true,
            (Reached::Above(time), Some(last)) => last > time,
            _ => false,
        };
        if is_known {
            return Ok(TopRows::whole(rows));
        }
        if is_all {
            return Ok(TopRows { rows, incomplete: Some(session.list_breaks_off(channel, what)) });
        }
        let list = &mut session.progress(channel).list;
        match session.read(channel, what, async || channel.pull_rest(list).await) {
            Ok(amount) => is_all = amount == ReadAmount::All,
            Err(error) => return Ok(TopRows { rows, incomplete: Some(error) }),
        }
        if !is_all {
            session.sleep(MOMENT);
        }
    }
}

/// What is read of a conversation by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ConversationDetail {
    History,
    Automation,
}

/// A conversation that must be read before the rows are certain: one that is
/// shown, or one above the last that may come to fit. Each is asked for once:
/// what one reading does not tell, a full one leaves, too.
fn unread(
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
        let lagging = session.reader.lagging(&channel.spec().id, wanted.closed, down_to)?;
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
            .take(DETAILED);
        let unknown = open.filter(|conversation| conversation.automation == Automation::Unknown);
        return Ok(unknown.map(|unknown| (unknown.id.clone(), ConversationDetail::Automation)).find(is_new));
    }
    Ok(None)
}
