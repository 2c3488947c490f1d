//! Outbox rows as the sender handles them.
//!
//! A row is in one of four states; a row that is done is deleted:
//!
//! - `queued`: nothing was executed yet. May be sent.
//! - `sending`: claimed by a process; its bytes may be leaving.
//! - `uncertain`: bytes may have left without a clear answer. Sent again with the same key.
//! - `stopped`: a person must decide.
//!
//! [`Store::claim`] moves a row to `sending` before a byte leaves and increments its fencing token.
//! [`Store::settle`] records the result; if the token has changed since, only a success counts. A
//! claim that lapses, or whose process ends, turns the row `uncertain`.

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

/// Lifetime of a claim; longer than the time-out of any request.
pub(crate) const CLAIM_LIFETIME: i64 = 90 * SECOND;
/// Upper limit of a hold and of a delay requested by a server.
const MAX_WAIT: i64 = 2 * HOUR;

/// Outbox row with the columns only the sender reads.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRow {
    pub row: OutboxRow,
    /// Attempts without a clear answer.
    pub failures: u32,
    pub fencing_token: i64,
    /// Expiry of the claim; set while `sending`.
    pub lease_until: Timestamp,
    /// True if the row is `sending` and the process that claimed it has ended.
    pub cut_off: bool,
    /// True if the AI was paused just now: the history must be read again before a text leaves.
    pub read_first: bool,
    /// Time of the first attempt, by every clock known then.
    pub first: Option<ClockTimes>,
    /// Time of the newest attempt, by this machine's clock.
    pub last_attempt_at: Option<Timestamp>,
    /// Time of the previous attempt; set only by [`Store::claim`].
    pub tried_before: Option<Timestamp>,
    /// Fingerprint of the credential of the first attempt.
    pub attempted_as: Option<String>,
    /// Account the row was written for, if known.
    pub written_for: Option<SendingAccount>,
    /// Fingerprint of the credential of the process that queued the row.
    pub written_as: Option<String>,
    /// Balance before the first attempt, if recorded.
    pub credits_before: Option<f64>,
    /// True if a person requested a retry after the last attempt.
    pub is_retry_requested: bool,
    /// True if the row replaces an older one, which may have been executed.
    pub is_successor: bool,
    pub history_searches: HistorySearches,
}

impl LaneRow {
    /// Returns the microseconds since the first attempt with the current key; `None` before it. If
    /// this machine's clock is behind the last attempt and no server time is known, the clock was
    /// set back and the key counts as expired.
    pub fn key_age(&self, now: &ClockTimes) -> Option<i64> {
        let first = self.first?;
        let age = key_age(&first, now);
        let told = first.server.is_some() && now.server.is_some();
        // Tolerance for two processes that read the clock at almost the same time.
        let set_back =
            self.last_attempt_at.is_some_and(|last_attempt| now.wall.plus(SERVER_CLOCK_SLACK) < last_attempt);
        Some(if set_back && !told { age.max(MAX_KEY_AGE) } else { age })
    }

    /// True if the key is too old for an automatic retry.
    pub fn is_key_expired(&self, now: &ClockTimes) -> bool {
        self.key_age(now).is_some_and(|key_age| key_age >= MAX_KEY_AGE)
    }

    /// True if a retry by a person must use a new key: the old one has expired, or the operation
    /// does not rely on it and a failure stored under it would be returned again.
    pub fn needs_new_key(&self, now: &ClockTimes) -> bool {
        !self.row.operation.retry_class().relies_on_key() || self.is_key_expired(now)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// Nothing was executed: the row returns to the queue as if never tried.
    Wait {
        /// Earliest time of the next attempt.
        not_before: Timestamp,
    },
    /// The request may have been executed; the row is sent again with the same key.
    Retry {
        not_before: Timestamp,
        /// True if the attempt counts as a failure.
        counted: bool,
    },
    /// A person must decide.
    Stop(StopReason, SafeText),
    /// Cannot be executed, and no person requested it: the row is deleted.
    Dropped(SafeText),
    Done {
        /// Id the server assigned (message, broadcast, contact, webhook), or the address of an
        /// upload.
        created_id: Option<String>,
        /// State of the AI in the server's answer to a switch; may differ from the requested one.
        automation: Option<bool>,
        /// True if the server repeated the stored answer of the same key.
        replayed: bool,
    },
    /// The row was found in the history as this message.
    Found(MessageId),
}

impl Store {
    /// Returns all rows of a channel in queue order.
    pub async fn lane_rows(&self, channel: &ChannelId) -> Result<Vec<LaneRow>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let sql = format!("{} WHERE channel = ?1 ORDER BY sequence", lane::select_columns());
                Ok(connection.all(&sql, [channel.as_str()], lane::read)?)
            })
            .await
    }

    /// Claims a row before its first byte leaves. `credential` is a fingerprint. Returns `None` if
    /// the row has changed since it was read.
    ///
    /// # Errors
    /// When the database fails; the row must not be sent then.
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

    /// Records the result of a claimed row, or stops an unclaimed one with the same fencing token.
    /// Returns true if the result was applied.
    ///
    /// # Errors
    /// When the database fails; the row turns `uncertain` at the next start.
    pub async fn settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<bool, StoreError> {
        let (settled_row, owner) = (row.clone(), self.owner().to_owned());
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let settled = settling::record_result(&change, &settled_row, &settlement, &owner)?;
                change.commit()?;
                Ok(settled)
            })
            .await
    }

    /// Returns the title of the lane's conversation, thread or broadcast.
    pub async fn lane_title(&self, channel: &ChannelId, lane: &Lane) -> Result<SafeText, StoreError> {
        let (channel, lane) = (channel.clone(), lane.clone());
        self.cache().call_async(move |cache| desk::lane_title(&cache.connection, &channel, &lane)).await
    }

    /// Returns the prepared request of a row; `None` if the row is gone.
    ///
    /// # Errors
    /// When the database fails; nothing may be sent then.
    pub async fn request(&self, id: &RowId) -> Result<Option<PreparedRequest>, StoreError> {
        let id = id.clone();
        self.outbox().call_async(move |connection| outbox::load_request(connection, &id)).await
    }

    /// Records the balance before a row's first attempt; later values are ignored.
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

    /// Records a history search for a stopped row, with the text shown to a person. Returns false
    /// if the row has changed since.
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

    /// Resets the history searches of a stopped row, so that they run again. Blocks.
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

    /// Returns those messages that no row of this desk produced.
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

    /// Ends delays set under a clock that has been set back since: of rows created in the future,
    /// of rows delayed longer than `MAX_WAIT`, or of all rows if `set_back`. A planned row that
    /// was never tried keeps its planned time.
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

    /// Turns rows `uncertain` whose claim has lapsed or whose process has ended.
    pub async fn recover_lapsed(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.outbox()
            .call_async(move |connection| Ok(recover_cut_off(connection)? + recover(connection, Some(now))?))
            .await
    }
}

/// True if a claim has lapsed. One that ends later than any claim made now was made before the
/// clock was set back, and counts as lapsed.
pub fn is_lapsed(lease_until: Timestamp, now: Timestamp) -> bool {
    !(0..=CLAIM_LIFETIME).contains(&lease_until.since(now))
}

/// Turns `sending` rows `uncertain`: all of them, or those whose claim lapsed before `now`.
pub(crate) fn recover(connection: &mut Connection, now: Option<Timestamp>) -> Result<usize, StoreError> {
    let (from, until, due) = match now {
        Some(now) => (now.micros(), now.plus(CLAIM_LIFETIME).micros(), now.micros()),
        // An empty range: no claim is valid.
        None => (1, 0, i64::MAX),
    };
    Ok(connection.execute(
        // The row was due when it was claimed, even if the clock has been set back since.
        "UPDATE outbox SET state = 'uncertain', fence = fence + 1, not_before = min(not_before, ?3)
         WHERE state = 'sending' AND lease_until NOT BETWEEN ?1 AND ?2",
        [from, until, due],
    )?)
}

/// Turns `sending` rows `uncertain` whose process has ended.
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

pub(crate) fn find(connection: &Connection, id: &RowId) -> Result<Option<LaneRow>, StoreError> {
    let sql = format!("{} WHERE id = ?1", lane::select_columns());
    Ok(connection.first(&sql, [id.as_str()], lane::read)?)
}
