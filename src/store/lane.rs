//! The outbox as the sender sees it: rows are claimed before a byte leaves
//! and settled by what came back.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::processes::{self, Process};
use crate::reader::desk;
use crate::restored::OutboxMark;
use crate::rows::{lane, outbox};
use crate::{Store, StoreError, settling};
use model::ids::{ChannelId, MessageId, RowId};
use model::outbox::{
    ClockTimes, HistorySearches, Lane, MAX_KEY_AGE, OutboxRow, PreparedRequest, SERVER_CLOCK_SLACK,
    SendingAccount, StopReason, key_age,
};
use model::text::SafeText;
use model::time::{HOUR, MINUTE, SECOND, Timestamp};
use sqlite::{Queries, only_cell};

/// How long a claim holds: longer than any send's time-out.
pub(crate) const CLAIM_LIFETIME: i64 = 90 * SECOND;
/// No hold and no wait a server may ask for is longer.
const MAX_WAIT: i64 = 2 * HOUR;

/// A row with what only the sender needs.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRow {
    pub row: OutboxRow,
    /// How often no clear answer came.
    pub failures: u32,
    /// The claim it stands under.
    pub fencing_token: i64,
    /// While `sending`: when the claim lapses.
    pub lease_until: Timestamp,
    /// While `sending`: whether the process that claimed it has ended.
    pub cut_off: bool,
    /// Whether the history must be read again before a text leaves, because
    /// the AI was paused here just now.
    pub read_first: bool,
    /// The first attempt, by all clocks that were known.
    pub first: Option<ClockTimes>,
    /// The newest attempt, by this machine's clock.
    pub last_attempt_at: Option<Timestamp>,
    /// While `sending`, in the process that claimed it: the attempt before.
    pub tried_before: Option<Timestamp>,
    /// The credential of the first attempt, as a print.
    pub attempted_as: Option<String>,
    /// The account it was written for; `None` where that is not known.
    pub written_for: Option<SendingAccount>,
    /// The credential of the process that queued it, as a print.
    pub written_as: Option<String>,
    /// The balance before the first attempt, where it was noted.
    pub credits_before: Option<f64>,
    /// Whether a person asked to try it again since it was tried last.
    pub is_retry_requested: bool,
    /// Whether it stands for an older row, which may have been done.
    pub is_successor: bool,
    /// Looks into the history for it.
    pub history_searches: HistorySearches,
}

impl LaneRow {
    /// Microseconds since bytes first may have left under its key; `None`
    /// when none has. A clock that shows less than when it was tried last has
    /// been set back, which makes a key old, never young.
    pub fn key_age(&self, now: &ClockTimes) -> Option<i64> {
        let first = self.first?;
        let age = key_age(&first, now);
        let told = first.server.is_some() && now.server.is_some();
        // Two processes read the clock at almost the same time, in any order.
        let set_back =
            self.last_attempt_at.is_some_and(|last_attempt| now.wall.plus(SERVER_CLOCK_SLACK) < last_attempt);
        Some(if set_back && !told { age.max(MAX_KEY_AGE) } else { age })
    }

    /// Whether its key is too old to be asked with by itself.
    pub fn is_key_expired(&self, now: &ClockTimes) -> bool {
        self.key_age(now).is_some_and(|key_age| key_age >= MAX_KEY_AGE)
    }

    /// Whether a person who tries it again does so under a new key: its own is
    /// too old, or nothing relies on it, and then a failure the server keeps
    /// under it must not come back.
    pub fn needs_new_key(&self, now: &ClockTimes) -> bool {
        !self.row.operation.retry_class().relies_on_key() || self.is_key_expired(now)
    }
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// Nothing was executed: back to the queue, as if never tried.
    Wait {
        /// Nothing leaves before.
        not_before: Timestamp,
    },
    /// It may have been done: the same key asks again.
    Retry {
        /// Nothing leaves before.
        not_before: Timestamp,
        /// Whether it counts as a failure.
        counted: bool,
    },
    /// A person must decide.
    Stop(StopReason, SafeText),
    /// It cannot be done, and no person asked for it.
    Dropped(SafeText),
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
    /// It was found in the history: this message is it.
    Found(MessageId),
}

impl Store {
    /// All rows of a channel in the order they were queued.
    pub async fn lane_rows(&self, channel: &ChannelId) -> Result<Vec<LaneRow>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let sql = format!("{} WHERE channel = ?1 ORDER BY sequence", lane::select_columns());
                Ok(connection.all(&sql, [channel.as_str()], lane::read)?)
            })
            .await
    }

    /// Marks a row as leaving, before a byte does, under a credential's
    /// print. `None` if someone else has changed it since it was read.
    ///
    /// # Errors
    /// When the database fails; then nothing may leave.
    pub async fn claim(
        &self,
        id: &RowId,
        fence: i64,
        now: impl Into<ClockTimes>,
        credential: &str,
    ) -> Result<Option<LaneRow>, StoreError> {
        let (id, now, credential) = (id.clone(), now.into(), credential.to_owned());
        let process = Process::current().map(|process| process.to_string());
        let claimed = self
            .outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let tried_before = find(&change, &id)?.and_then(|lane_row| lane_row.last_attempt_at);
                let claimed = change.execute(
                    "UPDATE outbox SET state = 'sending', fence = fence + 1, attempts = attempts + 1,
                         first_attempt_at = coalesce(first_attempt_at, ?3), lease_until = ?4,
                         first_attempt_server_at = iif(first_attempt_at IS NULL, ?5, first_attempt_server_at),
                         first_attempt_since_boot = iif(first_attempt_at IS NULL, ?6, first_attempt_since_boot),
                         attempted_as = iif(first_attempt_at IS NULL, ?7, attempted_as), claimed_by = ?8,
                         last_attempt_at = max(coalesce(last_attempt_at, ?3), ?3)
                     WHERE id = ?1 AND fence = ?2 AND state IN ('queued', 'uncertain')",
                    params![
                        id,
                        fence,
                        now.wall,
                        now.wall.plus(CLAIM_LIFETIME),
                        now.server,
                        now.since_boot,
                        credential,
                        process
                    ],
                )?;
                if claimed == 0 {
                    return Ok(None);
                }
                let row = find(&change, &id)?.map(|lane_row| LaneRow { tried_before, ..lane_row });
                change.commit()?;
                Ok(row.zip(OutboxMark::load(connection)?))
            })
            .await?;
        let Some((row, mark)) = claimed else { return Ok(None) };
        self.store_mark(mark).await;
        Ok(Some(row))
    }

    /// Writes down what became of a claimed row, or stops a row that was not
    /// claimed (same fence). Tells whether it still counted.
    ///
    /// # Errors
    /// When the database fails; the row then becomes uncertain at the next
    /// start.
    pub async fn settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<bool, StoreError> {
        let (settled_row, owner) = (row.clone(), self.owner().to_owned());
        let settled = self
            .outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let settled = settling::record_result(&change, &settled_row, &settlement, &owner)?;
                change.commit()?;
                Ok(settled)
            })
            .await?;
        if let Some(conversation) = row.row.lane.conversation().cloned() {
            let channel = row.row.channel.clone();
            let renewed = self
                .cache()
                .call_async(move |cache| {
                    crate::stopped_rows::refresh_count(&cache.connection, &channel, &conversation)
                })
                .await;
            // It is written down; the cache is mended at the next start.
            if let Err(error) = renewed {
                tracing::error!(%error, "the list could not be told of a settled row");
            }
        }
        Ok(settled)
    }

    /// Title of the conversation, thread or broadcast a lane leads to.
    pub async fn lane_title(&self, channel: &ChannelId, lane: &Lane) -> Result<SafeText, StoreError> {
        let (channel, lane) = (channel.clone(), lane.clone());
        self.cache().call_async(move |cache| desk::lane_title(&cache.connection, &channel, &lane)).await
    }

    /// The bytes of a row and how they leave; `None` if the row is gone.
    ///
    /// # Errors
    /// When the database fails; then nothing may leave.
    pub async fn request(&self, id: &RowId) -> Result<Option<PreparedRequest>, StoreError> {
        let id = id.clone();
        self.outbox().call_async(move |connection| outbox::load_request(connection, &id)).await
    }

    /// Notes the balance before the first attempt of a row.
    pub async fn record_credits_before(&self, id: &RowId, credits: f64) -> Result<(), StoreError> {
        let id = id.clone();
        self.outbox()
            .call_async(move |connection| {
                connection.execute(
                    "UPDATE outbox SET credits_before = coalesce(credits_before, ?2) WHERE id = ?1",
                    params![id, credits],
                )?;
                Ok(())
            })
            .await
    }

    /// Notes what a look into the history told about a stopped row, with
    /// words for a person; tells whether it still counted.
    pub async fn record_history_searches(
        &self,
        row: &LaneRow,
        looks: HistorySearches,
        why: Option<SafeText>,
    ) -> Result<bool, StoreError> {
        let (id, fence) = (row.row.id.clone(), row.fencing_token);
        self.outbox()
            .call_async(move |connection| {
                let noted = connection.execute(
                    "UPDATE outbox SET looks = ?3, looked_at = ?4, absent_at = ?5, finding = ?6,
                         why = coalesce(?7, why)
                     WHERE id = ?1 AND fence = ?2 AND state = 'stopped'",
                    params![
                        id,
                        fence,
                        looks.count,
                        looks.last_at,
                        looks.absent_at,
                        outbox::finding_text(&looks.finding),
                        why
                    ],
                )?;
                Ok(noted > 0)
            })
            .await
    }

    /// Looks for a stopped row in its history once more, because a person
    /// asked to; blocks.
    pub fn restart_history_search(&self, id: &RowId) -> Result<(), StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            connection.execute(
                "UPDATE outbox SET looks = 0, looked_at = NULL, absent_at = NULL, finding = NULL
                 WHERE id = ?1 AND state = 'stopped'",
                [id.as_str()],
            )?;
            Ok(())
        })
    }

    /// Of these messages, those no row of this desk became.
    pub async fn unclaimed_messages(
        &self,
        channel: &ChannelId,
        messages: BTreeSet<MessageId>,
    ) -> Result<Vec<MessageId>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let mut statement = connection
                    .prepare_cached("SELECT 1 FROM sent_here WHERE channel = ?1 AND message = ?2")?;
                let mut unclaimed = Vec::new();
                for message in messages {
                    if !statement.exists(params![channel, message])? {
                        unclaimed.push(message);
                    }
                }
                Ok(unclaimed)
            })
            .await
    }

    /// Ends waits that were set under a clock that has been set back since:
    /// of rows that come from the future, that wait for longer than any row
    /// does, or, if the clock was seen to be `set_back`, all of them. A planned
    /// row of which nothing may have been executed still waits for its time.
    pub async fn end_waits(
        &self,
        channel: &ChannelId,
        now: Timestamp,
        set_back: bool,
    ) -> Result<usize, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                Ok(connection.execute(
                    "UPDATE outbox SET not_before = iif(attempts > 0, ?2, max(?2, coalesce(planned_at, ?2)))
                     WHERE channel = ?1 AND state IN ('queued', 'uncertain')
                         AND not_before > iif(attempts > 0, ?2, max(?2, coalesce(planned_at, ?2)))
                         AND (?5 OR created_at > ?3 OR not_before > ?4)",
                    params![channel, now, now.plus(MINUTE).micros(), now.plus(MAX_WAIT).micros(), set_back],
                )?)
            })
            .await
    }

    /// Turns rows whose claim has lapsed, or whose process has ended, uncertain.
    pub async fn recover_lapsed(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.outbox()
            .call_async(move |connection| Ok(recover_cut_off(connection)? + recover(connection, Some(now))?))
            .await
    }
}

/// Whether a claim holds no more. One that ends later than any claim made now
/// would was made under a clock that has been set back since.
pub fn is_lapsed(lease_until: Timestamp, now: Timestamp) -> bool {
    !(0..=CLAIM_LIFETIME).contains(&lease_until.since(now))
}

/// Turns rows that were leaving uncertain: all of them, or those whose claim
/// lapsed before `now`.
pub(crate) fn recover(connection: &mut Connection, now: Option<Timestamp>) -> Result<usize, StoreError> {
    let (from, until, due) = match now {
        Some(now) => (now.micros(), now.plus(CLAIM_LIFETIME).micros(), now.micros()),
        // No claim holds.
        None => (1, 0, i64::MAX),
    };
    Ok(connection.execute(
        // It was due when it was claimed, whatever the clock says now.
        "UPDATE outbox SET state = 'uncertain', fence = fence + 1, not_before = min(not_before, ?3)
         WHERE state = 'sending' AND lease_until NOT BETWEEN ?1 AND ?2",
        [from, until, due],
    )?)
}

/// Turns rows uncertain that were leaving when their process ended.
fn recover_cut_off(connection: &Connection) -> Result<usize, StoreError> {
    let sql = "SELECT DISTINCT claimed_by FROM outbox WHERE state = 'sending' AND claimed_by IS NOT NULL";
    let claimers = connection.all::<_, Vec<String>>(sql, [], only_cell)?;
    let mut recovered = 0;
    for claimer in claimers.iter().filter(|claimer| processes::has_ended(claimer)) {
        recovered += connection.execute(
            "UPDATE outbox SET state = 'uncertain', fence = fence + 1 WHERE state = 'sending' AND claimed_by = ?1",
            [claimer],
        )?;
    }
    Ok(recovered)
}

/// Reads one row.
pub(crate) fn find(connection: &Connection, id: &RowId) -> Result<Option<LaneRow>, StoreError> {
    let sql = format!("{} WHERE id = ?1", lane::select_columns());
    Ok(connection.first(&sql, [id.as_str()], lane::read)?)
}
