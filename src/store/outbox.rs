//! Queues, withdraws and expedites outbox rows. All calls block until the commit. Decisions about
//! stopped rows are in `decisions`.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::rows::operation;
use crate::rows::outbox::{COLUMNS, read};
use crate::{Store, StoreError, draft_only, drafts};
use model::chance::Chance;
use model::ids::{ChannelId, IdempotencyKey, RowId};
use model::messages::HistoryPosition;
use model::outbox::{Lane, Operation, OutboxRow, PreparedRequest, RowState};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// Change ready to be queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    pub channel: ChannelId,
    pub lane: Lane,
    pub operation: Operation,
    pub request: PreparedRequest,
    /// Time in which the row can be withdrawn, in microseconds; 0 sends at once.
    pub hold_micros: i64,
    /// Newest message the author had on screen. With `None` newer messages do not stop the row.
    pub seen: Option<HistoryPosition>,
    /// Planned time of sending; `None` sends after the hold.
    pub planned_at: Option<Timestamp>,
}

impl NewRow {
    /// Returns a row that is sent at once, regardless of newer messages.
    pub fn without_delay(
        channel: ChannelId,
        lane: Lane,
        operation: Operation,
        request: PreparedRequest,
    ) -> Self {
        Self { channel, lane, operation, request, hold_micros: 0, seen: None, planned_at: None }
    }
}

impl Store {
    /// Queues one row. Replaces untried rows of its lane that it makes obsolete.
    pub fn enqueue(&self, row: NewRow, now: Timestamp) -> Result<OutboxRow, StoreError> {
        let mut rows = self.enqueue_many(vec![row], false, now)?;
        rows.pop().ok_or(StoreError::Closed)
    }

    /// Queues rows in sending order, in one transaction. With `clears_draft` it also removes the
    /// drafts of their conversations, whose text the rows carry.
    pub fn enqueue_many(
        &self,
        rows: Vec<NewRow>,
        clears_draft: bool,
        now: Timestamp,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let chance = self.chance().clone();
        self.outbox().change(move |change| {
            let mut queued = Vec::with_capacity(rows.len());
            for row in rows {
                if clears_draft && let Some(conversation) = row.lane.conversation() {
                    drafts::remove_draft_text(change, &row.channel, conversation)?;
                }
                queued.push(queue(change, row, now, &chance)?);
            }
            Ok(queued)
        })
    }

    /// Withdraws a row that was never tried; `None` if it is too late. A message's text is
    /// prepended to the draft in the same transaction.
    pub fn recall(&self, id: &RowId) -> Result<Option<OutboxRow>, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction()?;
            let Some(row) = find(&change, &id)?.filter(|outbox_row| {
                outbox_row.can_withdraw() || (outbox_row.attempts == 0 && outbox_row.is_stopped())
            }) else {
                return Ok(None);
            };
            if let (Some((text, quoted)), Some(conversation)) =
                (row.operation.written_text(), row.lane.conversation())
            {
                let attached = row.operation.written_attachment();
                drafts::prepend_text(&change, (&row.channel, conversation), text, quoted, attached)?;
            }
            remove(&change, &row, "taken back", "")?;
            change.commit()?;
            Ok(Some(row))
        })
    }

    /// Removes rows that were certainly not executed: never tried, or stopped with an unambiguous
    /// reason. Returns false, and removes none, if any row may have been executed.
    pub fn give_up(&self, ids: &[RowId]) -> Result<bool, StoreError> {
        let ids = ids.to_vec();
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for id in &ids {
                let Some(row) = find(&change, id)? else { continue };
                let is_over = match &row.state {
                    RowState::Queued => row.attempts == 0,
                    RowState::Stopped(stop, _) => !stop.is_ambiguous(),
                    RowState::Sending | RowState::Uncertain | RowState::Done => false,
                };
                if !is_over {
                    return Ok(false);
                }
                remove(&change, &row, "given up", "")?;
            }
            change.commit()?;
            Ok(true)
        })
    }

    /// Ends the hold or planned delay of a row that was never tried.
    pub fn send_now(&self, id: &RowId) -> Result<(), StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            connection.execute(
                "UPDATE outbox SET not_before = created_at, due_at = created_at, planned_at = NULL
                 WHERE id = ?1 AND state = 'queued' AND attempts = 0",
                [id.as_str()],
            )?;
            Ok(())
        })
    }
}

/// Queues a row in place of those it makes obsolete.
pub(crate) fn queue(
    change: &Transaction<'_>,
    row: NewRow,
    now: Timestamp,
    chance: &Chance,
) -> Result<OutboxRow, StoreError> {
    supersede(change, &row)?;
    if let (Operation::SetAutomation { enabled: true }, Some(conversation)) =
        (&row.operation, row.lane.conversation())
    {
        draft_only::hand_back(change, &row.channel, conversation)?;
    }
    insert(change, row, now, chance)
}

/// Removes untried rows that the new one replaces. An AI switch with a text behind it is kept,
/// because that text must be sent after it.
fn supersede(change: &Transaction<'_>, new: &NewRow) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM outbox WHERE channel = ?1 AND lane = ?2 AND lane_id = ?3 ORDER BY sequence"
    );
    let lane: Vec<_> = change.all(&sql, params![new.channel, new.lane.kind(), new.lane.id()], read)?;
    let mut replaced = Vec::new();
    for row in lane {
        if row.operation.is_customer_message() {
            replaced.retain(|outbox_row: &OutboxRow| {
                !matches!(outbox_row.operation, Operation::SetAutomation { .. })
            });
        } else if row.state == RowState::Queued && row.attempts == 0 && new.operation.replaces(&row.operation)
        {
            replaced.push(row);
        }
    }
    for row in &replaced {
        remove(change, row, "replaced by a newer wish", "")?;
    }
    Ok(())
}

pub(crate) fn insert(
    change: &Transaction<'_>,
    new: NewRow,
    now: Timestamp,
    chance: &Chance,
) -> Result<OutboxRow, StoreError> {
    let (id, key) = (new_row_id(now, chance), new_key(chance));
    let due_at = new.planned_at.unwrap_or_else(|| now.plus(new.hold_micros.max(0))).micros();
    change.execute(
        "INSERT INTO outbox (id, channel, lane, lane_id, operation, payload, idempotency_key, method, path,
             content_type, body, created_at, not_before, due_at, seen_at, seen_id, planned_at,
             written_for, written_as)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?14, ?15, ?16,
             (SELECT account FROM sending_account WHERE channel = ?2),
             (SELECT credential FROM temp.process_credential WHERE channel = ?2))",
        params![
            id,
            new.channel,
            new.lane.kind(),
            new.lane.id(),
            new.operation.word(),
            operation::write(&new.operation),
            key,
            new.request.method.word(),
            new.request.path,
            new.request.content_type,
            new.request.body,
            now,
            due_at,
            new.seen.as_ref().map(|pair| pair.0.micros()),
            new.seen.as_ref().map(|pair| pair.1.as_str()),
            new.planned_at
        ],
    )?;
    let row = find(change, &id)?.ok_or(StoreError::Closed)?;
    record_audit(change, &row, "queued", "")?;
    Ok(row)
}

/// Returns a UUIDv7 with the time of the request.
pub(crate) fn new_row_id(now: Timestamp, chance: &Chance) -> RowId {
    let millis = u64::try_from(now.micros() / 1000).unwrap_or(0);
    let [random @ .., _, _, _, _, _, _] = chance.bytes();
    RowId::new(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string())
}

/// Returns a UUIDv4, which discloses nothing.
pub(crate) fn new_key(chance: &Chance) -> IdempotencyKey {
    IdempotencyKey::new(uuid::Builder::from_random_bytes(chance.bytes()).into_uuid().to_string())
}

pub(crate) fn find(connection: &Connection, id: &RowId) -> Result<Option<OutboxRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM outbox WHERE id = ?1");
    Ok(connection.first(&sql, [id.as_str()], read)?)
}

/// Removes a row and records `event` in the audit log.
pub(crate) fn remove(
    change: &Connection,
    row: &OutboxRow,
    event: &str,
    detail: &str,
) -> Result<(), StoreError> {
    change.execute("DELETE FROM outbox WHERE id = ?1", [row.id.as_str()])?;
    record_audit(change, row, event, detail)
}

/// Removes a row that was executed and records `made`, the id the server assigned.
pub(crate) fn complete(
    change: &Connection,
    row: &OutboxRow,
    detail: &str,
    made: Option<&str>,
) -> Result<(), StoreError> {
    change.execute("DELETE FROM outbox WHERE id = ?1", [row.id.as_str()])?;
    insert_audit_row(change, row, ["done", detail, made.unwrap_or("")])
}

impl Store {
    /// Returns the last audit event of a row: `done`, or how else it left the outbox. Blocks.
    pub fn last_audit_event(&self, row: &RowId) -> Result<Option<String>, StoreError> {
        let row = row.clone();
        self.outbox().call(move |connection| ending(connection, &row))
    }

    /// Returns the reason for which the server refused a row; `None` if it did not. Blocks.
    pub fn refusal(&self, row: &RowId) -> Result<Option<SafeText>, StoreError> {
        let row = row.clone();
        self.outbox().call(move |connection| refusal(connection, &row))
    }

    /// Returns the id the server assigned for an executed row, such as that of a broadcast. Blocks.
    pub fn created_id(&self, row: &RowId) -> Result<Option<String>, StoreError> {
        let row = row.clone();
        self.outbox().call(move |connection| {
            let sql = "SELECT made FROM audit WHERE row = ?1 AND event = 'done' AND made <> ''";
            Ok(connection.first(sql, [row.as_str()], only_cell)?)
        })
    }
}

pub(crate) fn ending(connection: &Connection, row: &RowId) -> Result<Option<String>, StoreError> {
    Ok(connection.first(
        "SELECT event FROM audit WHERE row = ?1 ORDER BY number DESC LIMIT 1",
        [row.as_str()],
        only_cell,
    )?)
}

pub(crate) fn refusal(connection: &Connection, row: &RowId) -> Result<Option<SafeText>, StoreError> {
    let sql = "SELECT detail FROM audit WHERE row = ?1 AND event = 'dropped' AND detail <> ''
         ORDER BY number DESC LIMIT 1";
    Ok(connection.first(sql, [row.as_str()], |connection| connection.line("detail"))?)
}

/// Records an event in the audit log, without the row's content.
pub(crate) fn record_audit(
    change: &Connection,
    row: &OutboxRow,
    event: &str,
    detail: &str,
) -> Result<(), StoreError> {
    insert_audit_row(change, row, [event, detail, ""])
}

fn insert_audit_row(change: &Connection, row: &OutboxRow, words: [&str; 3]) -> Result<(), StoreError> {
    let [event, detail, made] = words;
    change
        .prepare_cached(
            "INSERT INTO audit (row, channel, lane, lane_id, operation, event, detail, made)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            row.id,
            row.channel,
            row.lane.kind(),
            row.lane.id(),
            row.operation.word(),
            event,
            detail,
            made
        ])?;
    Ok(())
}
