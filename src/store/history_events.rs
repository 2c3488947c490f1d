//! Events of a history that are not messages: takeovers, hand-backs and closes.
//!
//! An event is written in the transaction that settles the change or ends the pause, so a restart
//! repeats none.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::history_events::{EventAuthor, HistoryEvent, HistoryEventKind};
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;
use model::time::{DAY, Timestamp};
use sqlite::{Queries, Row};

/// Time an event is kept, in microseconds.
const EVENT_HISTORY_LIMIT: i64 = 366 * DAY;
/// Maximum number of newest events read per history.
const MAX_EVENTS: u32 = 1_000;

impl Store {
    /// Records that another desk paused the AI. `who` did it, if known.
    pub async fn record_takeover_elsewhere(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        who: Option<SafeText>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .call_async(move |connection| {
                let place = (channel.as_str(), conversation.as_str());
                let who = who.as_ref().map(SafeText::as_str);
                Ok(record(connection, place, HistoryEventKind::TookOver, who, at)?)
            })
            .await
    }
}

/// Records an event of a channel's conversation. `agent` is the user of this desk or somebody else, `None` if that is
/// not known.
pub(crate) fn record(
    connection: &Connection,
    (channel, conversation): (&str, &str),
    kind: HistoryEventKind,
    agent: Option<&str>,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let oldest = at.plus(-EVENT_HISTORY_LIMIT);
    connection.execute("DELETE FROM history_event WHERE at < ?1", [oldest.micros()])?;
    connection.execute(
        "INSERT INTO history_event (channel, conversation, kind, agent, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![channel, conversation, kind.word(), agent, at],
    )?;
    Ok(())
}

/// Returns the events of a conversation since a time, oldest first; expects the outbox attached as
/// `desk`.
pub(crate) fn list(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    since: Option<Timestamp>,
) -> Result<Vec<HistoryEvent>, StoreError> {
    let sql = "SELECT kind, agent, at FROM desk.history_event
         WHERE channel = ?1 AND conversation = ?2 AND at >= ?3 ORDER BY at DESC, number DESC LIMIT ?4";
    let since = since.map_or(i64::MIN, Timestamp::micros);
    let mut events: Vec<HistoryEvent> =
        connection.all(sql, params![channel, conversation, since, MAX_EVENTS], read)?;
    events.reverse();
    Ok(events)
}

fn read(row: &Row<'_>) -> rusqlite::Result<HistoryEvent> {
    let word: String = row.get("kind")?;
    let kind = HistoryEventKind::from_word(&word)
        .ok_or_else(|| row.unreadable("kind", format!("unknown event {word:?}")))?;
    let agent: Option<String> = row.get("agent")?;
    let by = agent.map_or(EventAuthor::OtherDesk, |name| EventAuthor::Agent(SafeText::line(&name)));
    Ok(HistoryEvent { kind, by, at: row.get("at")? })
}
