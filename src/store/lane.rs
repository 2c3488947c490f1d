//! The outbox as the sender sees it: rows are claimed before a byte leaves
//! and settled by what came back.
//!
//! A settlement names the claim it belongs to; a late one changes nothing,
//! except that a success always counts.
//!
//! Knows nothing of HTTP.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::ids::{ChannelId, ConversationId, RowId};
use crate::model::outbox::{Operation, OutboxRow, PreparedRequest, Stop};
use crate::model::text::SafeText;
use crate::model::time::{SECOND, Timestamp};
use crate::store::rows::outbox::{COLUMNS, WIDTH, read};
use crate::store::{Store, StoreError, outbox, rows};

/// How long a claim holds: longer than any send's time-out.
const LEASE: i64 = 90 * SECOND;

/// A row with what only the sender needs.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRow {
    /// The row.
    pub row: OutboxRow,
    /// How often no clear answer came.
    pub failures: u32,
    /// The claim it stands under.
    pub fence: i64,
    /// While `sending`: when the claim lapses.
    pub lease_until: Timestamp,
    /// Whether the history must be read again before a text leaves, because
    /// the AI was paused here just now.
    pub read_first: bool,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// Nothing was executed: back to the queue, as if never tried.
    Wait {
        /// Nothing leaves before.
        not_before: Timestamp,
    },
    /// It may have been done: the same key asks again.
    AskAgain {
        /// Nothing leaves before.
        not_before: Timestamp,
        /// Whether it counts as a failure.
        counted: bool,
    },
    /// A person must decide.
    Stop(Stop, SafeText),
    /// The server accepted it.
    Done {
        /// What the server made of it: the id of the message a send became,
        /// of a broadcast, a contact, a webhook; the address of an upload.
        made: Option<String>,
        /// For the AI switch: the state the server told, which may differ
        /// from the wish.
        automation: Option<bool>,
        /// Whether it was an answer given again under the same key.
        replayed: bool,
    },
}

impl Store {
    /// All rows of a channel in the order they were queued.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lane_rows(&self, channel: &ChannelId) -> Result<Vec<LaneRow>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .later(move |connection| {
                let sql = format!(
                    "SELECT {COLUMNS}, failures, fence, lease_until, EXISTS (SELECT 1 FROM pause p
                         WHERE p.channel = outbox.channel AND p.conversation = outbox.conversation
                         AND p.read_again = 0)
                     FROM outbox WHERE channel = ?1 ORDER BY sequence"
                );
                let mut statement = connection.prepare_cached(&sql)?;
                let rows = statement.query_map([channel.as_str()], lane_row)?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Marks a row as leaving, before a byte does. `None` if someone else
    /// has changed it since it was read.
    ///
    /// # Errors
    /// When the database fails; then nothing may leave.
    pub async fn claim(&self, id: &RowId, fence: i64, now: Timestamp) -> Result<Option<LaneRow>, StoreError> {
        let id = id.clone();
        self.outbox()
            .later(move |connection| {
                let change =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                let claimed = change.execute(
                    "UPDATE outbox SET state = 'sending', fence = fence + 1, attempts = attempts + 1,
                         first_attempt_at = coalesce(first_attempt_at, ?3), lease_until = ?4
                     WHERE id = ?1 AND fence = ?2 AND state IN ('queued', 'uncertain')",
                    params![id.as_str(), fence, now.micros(), now.plus(LEASE).micros()],
                )?;
                if claimed == 0 {
                    return Ok(None);
                }
                let row = find(&change, &id)?;
                change.commit()?;
                Ok(row)
            })
            .await
    }

    /// Writes down what became of a claimed row, or stops a row that was not
    /// claimed (same fence). Tells whether it still counted.
    ///
    /// # Errors
    /// When the database fails; the row then becomes uncertain at the next
    /// start.
    pub async fn settle(&self, row: &LaneRow, settlement: Settlement) -> Result<bool, StoreError> {
        let (id, fence) = (row.row.id.clone(), row.fence);
        let settled = self
            .outbox()
            .later(move |connection| {
                let change =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                let settled = write(&change, &id, fence, &settlement)?;
                change.commit()?;
                Ok(settled)
            })
            .await?;
        if let Some(conversation) = row.row.lane.conversation().cloned() {
            let channel = row.row.channel.clone();
            self.cache()
                .later(move |cache| crate::store::stuck::renew(&cache.connection, &channel, &conversation))
                .await?;
        }
        Ok(settled)
    }

    /// The bytes of a row and how they leave; `None` if the row is gone.
    ///
    /// # Errors
    /// When the database fails; then nothing may leave.
    pub async fn request(&self, id: &RowId) -> Result<Option<PreparedRequest>, StoreError> {
        let id = id.clone();
        self.outbox().later(move |connection| rows::outbox::request(connection, &id)).await
    }

    /// Turns rows whose claim has lapsed (another process died) uncertain.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recover_lapsed(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.outbox().later(move |connection| recover(connection, Some(now))).await
    }

    /// Notes that the history was read again since the AI was paused.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_read_again(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .later(move |connection| {
                connection.execute(
                    "UPDATE pause SET read_again = 1 WHERE channel = ?1 AND conversation = ?2",
                    params![channel.as_str(), conversation.as_str()],
                )?;
                Ok(())
            })
            .await
    }

    /// Forgets that this desk paused the AI: the server says it answers again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_pause(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .later(move |connection| Ok(unpause(connection, channel.as_str(), conversation.as_str())?))
            .await
    }
}

/// Turns rows that were leaving uncertain: all of them, or those whose claim
/// lapsed before `now`.
pub(crate) fn recover(connection: &mut Connection, now: Option<Timestamp>) -> Result<usize, StoreError> {
    let before = now.map_or(i64::MAX, Timestamp::micros);
    Ok(connection.execute(
        "UPDATE outbox SET state = 'uncertain', fence = fence + 1
         WHERE state = 'sending' AND lease_until < ?1",
        [before],
    )?)
}

fn lane_row(row: &Row<'_>) -> rusqlite::Result<LaneRow> {
    Ok(LaneRow {
        row: read(row)?,
        failures: row.get(WIDTH)?,
        fence: row.get(WIDTH + 1)?,
        lease_until: Timestamp::from_micros(row.get(WIDTH + 2)?),
        read_first: row.get(WIDTH + 3)?,
    })
}

fn find(connection: &Connection, id: &RowId) -> Result<Option<LaneRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS}, failures, fence, lease_until, 0 FROM outbox WHERE id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([id.as_str()], lane_row).optional()?)
}

fn write(change: &Connection, id: &RowId, fence: i64, settlement: &Settlement) -> Result<bool, StoreError> {
    let Some(row) = outbox::find(change, id)? else {
        return Ok(false);
    };
    let id = id.as_str();
    let written = match settlement {
        Settlement::Wait { not_before } => change.execute(
            // Nothing was executed, so the attempt is taken back, unless an
            // earlier one may have been.
            "UPDATE outbox SET state = iif(attempts > 1, 'uncertain', 'queued'), not_before = ?3,
                 first_attempt_at = iif(attempts > 1, first_attempt_at, NULL), attempts = attempts - 1
             WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
            params![id, fence, not_before.micros()],
        )?,
        Settlement::AskAgain { not_before, counted } => change.execute(
            "UPDATE outbox SET state = 'uncertain', not_before = ?3, failures = failures + ?4
             WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
            params![id, fence, not_before.micros(), counted],
        )?,
        Settlement::Stop(stop, why) => {
            let written = change.execute(
                "UPDATE outbox SET state = 'stopped', stop = ?3, why = ?4 WHERE id = ?1 AND fence = ?2",
                params![id, fence, stop.word(), why.as_str()],
            )?;
            if written > 0 {
                outbox::audit(change, &row, "stopped", stop.word())?;
            }
            written
        }
        Settlement::Done { made, automation, replayed } => {
            remember(change, &row, made.as_deref(), *automation)?;
            let detail = if *replayed { "replayed" } else { "" };
            outbox::complete(change, &row, detail, made.as_deref())?;
            1
        }
    };
    Ok(written > 0)
}

/// Keeps what the interface will not tell again about an accepted row.
fn remember(
    change: &Connection,
    row: &OutboxRow,
    made: Option<&str>,
    automation: Option<bool>,
) -> Result<(), StoreError> {
    let channel = row.channel.as_str();
    match &row.operation {
        operation if operation.speaks() => {
            if let Some(message) = made {
                change.execute(
                    "INSERT OR IGNORE INTO sent_here (channel, message) VALUES (?1, ?2)",
                    params![channel, message],
                )?;
            }
        }
        Operation::React { message, emoji } if emoji.is_empty() => {
            change.execute(
                "DELETE FROM reaction WHERE channel = ?1 AND message = ?2",
                params![channel, message.as_str()],
            )?;
        }
        Operation::React { message, emoji } => {
            change.execute(
                "INSERT OR REPLACE INTO reaction (channel, message, emoji) VALUES (?1, ?2, ?3)",
                params![channel, message.as_str(), emoji],
            )?;
        }
        Operation::SetAutomation { enabled } => {
            let Some(conversation) = row.lane.conversation().map(ConversationId::as_str) else {
                return Ok(());
            };
            if automation.unwrap_or(*enabled) {
                unpause(change, channel, conversation)?;
            } else {
                change.execute(
                    "INSERT OR REPLACE INTO pause (channel, conversation, read_again) VALUES (?1, ?2, 0)",
                    params![channel, conversation],
                )?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn unpause(connection: &Connection, channel: &str, conversation: &str) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM pause WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    Ok(())
}
