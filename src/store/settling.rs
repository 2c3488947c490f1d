//! What an outcome does to its row, and what is kept of an accepted one
//! because the interface will not tell it again.
//!
//! Order of a success: the cache first (the message is shown, the switch has
//! moved), then, in one transaction of the outbox, what is kept and the end of
//! the row. A desk that ends in between finds the row uncertain, asks with
//! the same key, is told the same, and writes the same over the same.
//!
//! A settlement names the claim it belongs to; a late one changes nothing,
//! except that a success always counts.

use rusqlite::{Connection, params};

use crate::lane::{AttemptResult, LaneRow};
use crate::{StoreError, decisions, outbox, pauses};
use model::ids::ConversationId;
use model::outbox::{Operation, OutboxRow, StopReason};
use model::time::Timestamp;

/// Writes a settlement within the caller's transaction; tells whether it
/// still counted. `owner` is how this desk names itself.
pub(crate) fn record_result(
    change: &Connection,
    lane: &LaneRow,
    settlement: &AttemptResult,
    owner: &str,
) -> Result<bool, StoreError> {
    let (id, fence) = (lane.row.id.as_str(), lane.fencing_token);
    let server_at = lane.first.and_then(|moment| moment.server).map(Timestamp::micros);
    let written = match settlement {
        AttemptResult::Wait { not_before } => change.execute(
            // Nothing was executed, so the attempt is taken back, unless an
            // earlier one may have been. What was planned waits for its time
            // again: the clock may have been set back since it was due.
            "UPDATE outbox SET state = iif(attempts > 1, 'uncertain', 'queued'),
                 not_before = iif(attempts > 1, ?3, max(?3, coalesce(planned_at, ?3))),
                 first_attempt_at = iif(attempts > 1, first_attempt_at, NULL),
                 first_attempt_server_at = iif(attempts > 1, first_attempt_server_at, NULL),
                 first_attempt_since_boot = iif(attempts > 1, first_attempt_since_boot, NULL),
                 attempted_as = iif(attempts > 1, attempted_as, NULL),
                 last_attempt_at = ?4, attempts = attempts - 1
             WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
            params![id, fence, not_before, lane.tried_before],
        )?,
        AttemptResult::Retry { not_before, counted } => change.execute(
            "UPDATE outbox SET state = 'uncertain', not_before = ?3, failures = failures + ?4,
                 first_attempt_server_at = coalesce(first_attempt_server_at, ?5)
             WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
            params![id, fence, not_before, counted, server_at],
        )?,
        AttemptResult::Stop(stop, why) => {
            if *stop == StopReason::Auth {
                reset_first_attempt(change, id, fence)?;
            }
            let written = change.execute(
                "UPDATE outbox SET state = 'stopped', stop = ?3, why = ?4,
                     first_attempt_server_at = iif(attempts > 0, coalesce(first_attempt_server_at, ?5), NULL)
                 WHERE id = ?1 AND fence = ?2 AND state <> 'stopped'",
                params![id, fence, stop.word(), why, server_at],
            )?;
            if written > 0 {
                outbox::record_audit(change, &lane.row, "stopped", stop.word())?;
            }
            written
        }
        AttemptResult::Dropped(why) => {
            let sql = "DELETE FROM outbox WHERE id = ?1 AND fence = ?2 AND state <> 'stopped'";
            let written = change.execute(sql, params![id, fence])?;
            if written > 0 {
                outbox::record_audit(change, &lane.row, "dropped", why.as_str())?;
            }
            written
        }
        AttemptResult::Done { made, automation, replayed } => {
            record_accepted(change, lane, made.as_deref(), *automation, owner)?;
            let detail = if *replayed { "replayed" } else { "" };
            return finish_row(change, &lane.row, detail, made.as_deref());
        }
        AttemptResult::Found(message) => {
            record_sent_message(change, &lane.row, message.as_str())?;
            return finish_row(change, &lane.row, "found in the history", Some(message.as_str()));
        }
    };
    Ok(written > 0)
}

/// A key that is not taken executes nothing: a first attempt with it was none,
/// so that the row may leave with another key.
fn reset_first_attempt(change: &Connection, id: &str, fence: i64) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET attempts = 0, first_attempt_at = NULL, first_attempt_server_at = NULL,
             first_attempt_since_boot = NULL, attempted_as = NULL, last_attempt_at = NULL
         WHERE id = ?1 AND fence = ?2 AND state = 'sending' AND attempts = 1",
        params![id, fence],
    )?;
    Ok(())
}

/// Ends a row that was done. One that a person has dropped or made anew
/// meanwhile was done all the same: its successor must not leave.
fn finish_row(
    change: &Connection,
    row: &OutboxRow,
    detail: &str,
    made: Option<&str>,
) -> Result<bool, StoreError> {
    if outbox::find(change, &row.id)?.is_some() {
        outbox::complete(change, row, detail, made)?;
        return Ok(true);
    }
    let withdrawn = decisions::withdraw_successor(change, row)?;
    outbox::complete(change, row, if withdrawn { "late; sent again in vain" } else { "late" }, made)?;
    Ok(withdrawn)
}

/// Keeps what the interface will not tell again about an accepted row.
fn record_accepted(
    change: &Connection,
    lane: &LaneRow,
    made: Option<&str>,
    automation: Option<bool>,
    owner: &str,
) -> Result<(), StoreError> {
    let row = &lane.row;
    let channel = row.channel.as_str();
    match &row.operation {
        operation if operation.is_customer_message() || is_written_text(operation) => {
            if let Some(message) = made {
                record_sent_message(change, row, message)?;
            }
        }
        Operation::React { message, emoji } if emoji.is_empty() => {
            change.execute(
                "DELETE FROM reaction WHERE channel = ?1 AND message = ?2",
                params![channel, message],
            )?;
        }
        Operation::React { message, emoji } => {
            change.execute(
                "INSERT OR REPLACE INTO reaction (channel, message, emoji) VALUES (?1, ?2, ?3)",
                params![channel, message, emoji],
            )?;
        }
        Operation::SetAutomation { enabled } => {
            let Some(conversation) = row.lane.conversation().map(ConversationId::as_str) else {
                return Ok(());
            };
            let tried_at = lane.last_attempt_at.unwrap_or(row.created_at);
            if automation.unwrap_or(*enabled) {
                let at = lane.first.and_then(|moment| moment.server).unwrap_or(tried_at);
                pauses::hand_back(change, channel, conversation, at)?;
            } else {
                pauses::begin_pause(change, channel, conversation, owner, tried_at)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn is_written_text(operation: &Operation) -> bool {
    matches!(operation, Operation::SendSms { .. } | Operation::Call { .. } | Operation::SendMail(_))
}

/// A message of the history is this desk's.
pub(crate) fn record_sent_message(
    change: &Connection,
    row: &OutboxRow,
    message: &str,
) -> Result<(), StoreError> {
    change.execute(
        "INSERT OR IGNORE INTO sent_here (channel, message) VALUES (?1, ?2)",
        params![row.channel, message],
    )?;
    Ok(())
}
