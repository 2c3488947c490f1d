//! Applies a person's verdict on a stopped row and records it in the same transaction. All calls
//! block until the commit.
//!
//! A row sent again under a new key keeps its place in the lane and gets a new id; the decision
//! names the old one. So at most one more key is sent for a change than it has decisions.

use rusqlite::{Connection, Transaction, params};
use sha2::{Digest, Sha256};

use crate::lane::{self, LaneRow};
use crate::{Store, StoreError, drafts, outbox, sending_account, settling};
use model::chance::Chance;
use model::ids::{IdempotencyKey, RowId};
use model::messages::HistoryPosition;
use model::outbox::{ClockTimes, Operation, OutboxRow, RetryClass, RowState, StopReason, StopVerdict};
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

#[derive(Debug, Clone, PartialEq)]
pub struct AppliedDecision {
    pub before: OutboxRow,
    /// The row that now carries the change; `None` if it has ended.
    pub after: Option<OutboxRow>,
}

impl Store {
    /// Applies a verdict to a stopped row. Returns `None` if the row is not stopped or the verdict
    /// is not allowed: an expired key is not used again, and a key is not replaced before it was
    /// used.
    ///
    /// `seen` is the newest message the person has on screen, by default the newest one stored; a
    /// later message stops the row again.
    pub fn decide(
        &self,
        id: &RowId,
        verdict: StopVerdict,
        seen: Option<HistoryPosition>,
        now: impl Into<ClockTimes>,
    ) -> Result<Option<AppliedDecision>, StoreError> {
        self.decide_with(id, seen, now.into(), move |stop, spent| {
            stop.allows(&verdict, spent).then_some(verdict)
        })
    }

    /// Sends a stopped row again in the way that suits its reason; `None` if it is not stopped.
    pub fn retry_stopped(
        &self,
        id: &RowId,
        seen: Option<HistoryPosition>,
        now: impl Into<ClockTimes>,
    ) -> Result<Option<AppliedDecision>, StoreError> {
        self.decide_with(id, seen, now.into(), |stop, spent| Some(stop.retry_verdict(spent)))
    }

    fn decide_with(
        &self,
        id: &RowId,
        seen: Option<HistoryPosition>,
        now: ClockTimes,
        choose: impl FnOnce(StopReason, bool) -> Option<StopVerdict> + Send + 'static,
    ) -> Result<Option<AppliedDecision>, StoreError> {
        let wanted = id.clone();
        let Some(found) = self.outbox().call(move |outbox| lane::find(outbox, &wanted))? else {
            return Ok(None);
        };
        let seen = match seen {
            Some(seen) => Some(seen),
            None => self.newest_position(&found.row.channel, &found.row.lane)?,
        };
        let (id, chance) = (id.clone(), self.chance().clone());
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let Some(row) = lane::find(&change, &id)? else {
                return Ok(None);
            };
            let RowState::Stopped(stop, _) = row.row.state else {
                return Ok(None);
            };
            let Some(verdict) = choose(stop, row.needs_new_key(&now)) else {
                return Ok(None);
            };
            let after = apply_verdict(&change, &row, &verdict, seen.as_ref(), (now.wall, &chance))?;
            record_decision(&change, &row.row, &verdict, after.as_ref(), now.wall)?;
            change.commit()?;
            Ok(Some(AppliedDecision { before: row.row, after }))
        })
    }

    /// Returns the stored words of a row's decisions, oldest first.
    pub fn decisions(&self, id: &RowId) -> Result<Vec<String>, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            Ok(connection.all(
                "SELECT word FROM decision WHERE row = ?1 ORDER BY number",
                [id.as_str()],
                only_cell,
            )?)
        })
    }
}

fn apply_verdict(
    change: &Transaction<'_>,
    row: &LaneRow,
    verdict: &StopVerdict,
    seen: Option<&HistoryPosition>,
    (now, chance): (Timestamp, &Chance),
) -> Result<Option<OutboxRow>, StoreError> {
    match verdict {
        StopVerdict::SendAnyway | StopVerdict::SameKey => {
            requeue(change, &row.row, seen, now)?;
            outbox::find(change, &row.row.id)
        }
        StopVerdict::NewKey => outbox::find(change, &queue_successor(change, &row.row, seen, (now, chance))?),
        StopVerdict::SendFromHere => {
            let id = queue_successor(change, &row.row, seen, (now, chance))?;
            sending_account::adopt_offered(change, &id)?;
            outbox::find(change, &id)
        }
        StopVerdict::Adopt(message) => {
            settling::record_sent_message(change, &row.row, message.as_str())?;
            outbox::complete(change, &row.row, "found by a person", Some(message.as_str()))?;
            Ok(None)
        }
        StopVerdict::Drop => {
            outbox::remove(change, &row.row, "dropped", "")?;
            Ok(None)
        }
        StopVerdict::Edit => {
            if let (Some((text, quoted)), Some(conversation)) =
                (row.row.operation.written_text(), row.row.lane.conversation())
            {
                let attached = row.row.operation.written_attachment();
                drafts::prepend_text(change, (&row.row.channel, conversation), text, quoted, attached)?;
            }
            outbox::remove(change, &row.row, "taken back to be edited", "")?;
            Ok(None)
        }
    }
}

/// Queues a row again with its own key.
fn requeue(
    change: &Transaction<'_>,
    row: &OutboxRow,
    seen: Option<&HistoryPosition>,
    now: Timestamp,
) -> Result<(), StoreError> {
    // An operation that is never retried automatically becomes `queued`, as a person requested it.
    let by_itself = row.operation.retry_class() != RetryClass::Guarded;
    // No history shows the answer that an SMS crosses, so its writer can never have it on screen.
    let keeps_seen = !matches!(
        (&row.operation, &row.state),
        (Operation::SendSms { .. }, RowState::Stopped(StopReason::ReplyConflict, _))
    );
    change.execute(
        "UPDATE outbox SET state = iif(attempts > 0 AND ?5, 'uncertain', 'queued'), stop = NULL, why = NULL,
             failures = 0, not_before = ?2, due_at = ?2, planned_at = NULL, looks = 0, looked_at = NULL, absent_at = NULL,
             finding = NULL, seen_at = iif(seen_at IS NULL OR NOT ?6, NULL, coalesce(?3, seen_at)),
             seen_id = iif(seen_id IS NULL OR NOT ?6, NULL, coalesce(?4, seen_id))
         WHERE id = ?1",
        params![
            row.id,
            now,
            seen.map(|pair| pair.0.micros()),
            seen.map(|pair| pair.1.as_str()),
            by_itself,
            keeps_seen
        ],
    )?;
    outbox::record_audit(change, row, "asked again by a person", "same key")
}

/// Replaces a row in its place by an untried one with a new id and a new key.
fn queue_successor(
    change: &Transaction<'_>,
    row: &OutboxRow,
    seen: Option<&HistoryPosition>,
    (now, chance): (Timestamp, &Chance),
) -> Result<RowId, StoreError> {
    let id = outbox::new_row_id(now, chance);
    requeue(change, row, seen, now)?;
    change.execute(
        "UPDATE outbox SET id = ?2, idempotency_key = ?3, successor_of = ?1, created_at = ?4, attempts = 0,
             fence = fence + 1, state = 'queued', lease_until = 0, first_attempt_at = NULL,
             first_attempt_server_at = NULL, first_attempt_since_boot = NULL, last_attempt_at = NULL,
             attempted_as = NULL, credits_before = NULL
         WHERE id = ?1",
        params![row.id, id, outbox::new_key(chance).as_str(), now],
    )?;
    outbox::record_audit(change, row, "sent again by a person", "new key")?;
    Ok(id)
}

fn record_decision(
    change: &Transaction<'_>,
    row: &OutboxRow,
    verdict: &StopVerdict,
    after: Option<&OutboxRow>,
    now: Timestamp,
) -> Result<(), StoreError> {
    change.execute(
        "INSERT INTO decision (at, channel, row, successor, word, key_print) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            now,
            row.channel,
            row.id,
            after.map(|outbox_row| outbox_row.id.as_str()),
            verdict.word(),
            key_fingerprint(&row.key)
        ],
    )?;
    Ok(())
}

/// Distinguishes keys without disclosing them.
fn key_fingerprint(key: &IdempotencyKey) -> String {
    let digest = Sha256::digest(key.as_str().as_bytes());
    digest.iter().take(8).map(|entry| format!("{entry:02x}")).collect()
}

/// Removes the untried successor of a row, direct or indirect, because the row was executed after
/// all. Returns true if there was one.
pub(crate) fn withdraw_successor(change: &Connection, row: &OutboxRow) -> Result<bool, StoreError> {
    let removed = change.execute(
        "WITH RECURSIVE heir (id) AS (
             SELECT ?1 UNION
             SELECT d.successor FROM decision d JOIN heir ON d.row = heir.id WHERE d.successor IS NOT NULL)
         DELETE FROM outbox WHERE id IN heir AND attempts = 0 AND state IN ('queued', 'stopped')",
        [row.id.as_str()],
    )?;
    Ok(removed > 0)
}
