//! Applies the result of an attempt to its row and keeps facts the server does not report again.
//!
//! Order after a success: first the cache (the message is shown, the AI switch has moved), then, in
//! one outbox transaction, the kept facts and the end of the row. If the process ends in between,
//! the row turns `uncertain`, is sent again with the same key, gets the same answer and writes the
//! same values.
//!
//! A result names the fencing token of its claim. A late one is ignored, unless it is a success.

use rusqlite::{Connection, params};

use crate::lane::{AttemptResult, LaneRow};
use crate::{StoreError, decisions, history_events, outbox, pauses};
use model::history_events::HistoryEventKind;
use model::ids::ConversationId;
use model::outbox::{Operation, OutboxRow, StopReason};
use model::time::Timestamp;

/// Applies a result within the caller's transaction; returns true if it was applied. `owner` is the
/// name of this desk.
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
            // Nothing was executed, so the attempt is not counted, unless an earlier one may have
            // been executed. A planned row waits for its time again: the clock may have been set
            // back since it was due.
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
            match stop {
                StopReason::Auth => reset_attempts(change, id, fence, 1)?,
                StopReason::ReplyConflict => reset_attempts(change, id, fence, u32::MAX)?,
                _ => {}
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
        AttemptResult::Done { created_id: made, automation, replayed } => {
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

/// Resets a row of at most `most` attempts of which none was executed: its credential was refused and may be
/// replaced, or the server has judged it against newer answers and has kept nothing under its key.
fn reset_attempts(change: &Connection, id: &str, fence: i64, most: u32) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET attempts = 0, first_attempt_at = NULL, first_attempt_server_at = NULL,
             first_attempt_since_boot = NULL, attempted_as = NULL, last_attempt_at = NULL
         WHERE id = ?1 AND fence = ?2 AND state = 'sending' AND attempts <= ?3",
        params![id, fence, most],
    )?;
    Ok(())
}

/// Completes an executed row. If a person has dropped or replaced it meanwhile, its untried
/// successor is removed.
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

/// Stores the facts about an accepted row that the server does not report again.
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
                pauses::hand_back(change, channel, conversation, owner, at)?;
            } else {
                pauses::begin_pause(change, channel, conversation, owner, tried_at)?;
            }
        }
        Operation::Close => {
            if let Some(conversation) = row.lane.conversation() {
                let tried_at = lane.last_attempt_at.unwrap_or(row.created_at);
                let at = lane.first.and_then(|moment| moment.server).unwrap_or(tried_at);
                let place = (channel, conversation.as_str());
                history_events::record(change, place, HistoryEventKind::Closed, Some(owner), at)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn is_written_text(operation: &Operation) -> bool {
    matches!(operation, Operation::SendSms { .. } | Operation::Call { .. } | Operation::SendMail(_))
}

/// Records that a message of the history was sent from this desk.
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
