//! Progress of a call: ringing, in progress, completed or failed.
//!
//! The first minute is charged when the call is placed. At the end an unanswered call is refunded, and
//! further started minutes are charged.

use crate::database::calls::{self, CallRow};
use crate::database::{DatabaseError, channels, conversations, messages, workspaces};
use crate::errors::ApiError;
use crate::world::customers;
use crate::write::WriteContext;
use model::prices;
use model::time::{MINUTE, SECOND};
use platforms::contract::MISSED_CALL_REASON;

/// Advances a call to a status, unless it has ended.
pub fn advance(work: &WriteContext<'_>, id: &str, status: &str) -> Result<(), ApiError> {
    change_status(work, id, status, None)
}

/// Advances a call as its platform reports it, with the platform's count of seconds, unless it is past that
/// already.
pub fn apply_report(work: &WriteContext<'_>, id: &str, status: &str, seconds: i64) -> Result<(), ApiError> {
    change_status(work, id, status, Some(seconds))
}

/// Returns the position of a status in the course of a call.
fn status_rank(status: &str) -> usize {
    const STATUS_ORDER: [&str; 3] = ["queued", "ringing", "in_progress"];
    match status {
        "completed" | "failed" => STATUS_ORDER.len(),
        other => STATUS_ORDER.iter().position(|text| *text == other).unwrap_or(0),
    }
}

fn change_status(
    work: &WriteContext<'_>,
    id: &str,
    status: &str,
    seconds: Option<i64>,
) -> Result<(), ApiError> {
    let open = calls::read(work.db, id)?.filter(|call_row| call_row.ended_at.is_none());
    let Some(mut call) = open.filter(|entry| status_rank(status) > status_rank(&entry.status)) else {
        return Ok(());
    };
    call.status = status.to_owned();
    match status {
        "in_progress" => call.answered_at = Some(work.now),
        "completed" | "failed" => {
            call.ended_at = Some(work.now);
            if let Some(seconds) = seconds {
                call.answered_at = (seconds > 0).then(|| work.now.plus(-seconds * SECOND));
            }
            settle_cost(work, &mut call)?;
        }
        _ => {}
    }
    calls::update(work.db, &call)?;
    let content = describe_call(&call);
    messages::rewrite(work.db, &call.id, (&call.status, &content), call.cost, work.now)?;
    conversations::update_preview(work.db, &call.conversation, &content, call.created_at)?;
    if status == "completed"
        && let Some(conversation) = conversations::read(work.db, &call.channel, &call.conversation)?
    {
        if call.answered_at.is_some() && conversation.escalation.as_deref() == Some(MISSED_CALL_REASON) {
            conversations::clear_escalation(work.db, &conversation.id, work.now)?;
        }
        customers::schedule_reply(work, &conversation)?;
    }
    Ok(())
}

/// Charges the minutes after the first, or refunds the first one. Charges no more than the balance, which
/// never becomes negative.
fn settle_cost(work: &WriteContext<'_>, call: &mut CallRow) -> Result<(), DatabaseError> {
    let workspace = channels::read(work.db, &call.channel)?.workspace;
    let minutes = started_minutes(call);
    if minutes == 0 {
        if call.cost > 0 {
            workspaces::refund(work.db, &workspace, call.cost, &call.id, work.now)?;
        }
        call.cost = 0;
        return Ok(());
    }
    let balance = workspaces::read(work.db, &workspace)?.balance;
    let owed = ((minutes - 1) * prices::VOICE_MINUTE_CREDITS).min(balance);
    let charged = workspaces::charge(work.db, &workspace, owed, "call minutes", &call.id, work.now)?;
    if charged.is_ok() {
        call.cost += owed;
    }
    Ok(())
}

/// Returns the number of started minutes; 0 if unanswered.
fn started_minutes(call: &CallRow) -> i64 {
    match (call.answered_at, call.ended_at) {
        (Some(from), Some(to)) => {
            let span = to.since(from).max(1);
            (span - 1).div_euclid(MINUTE) + 1
        }
        _ => 0,
    }
}

/// Returns the content of a call's message.
fn describe_call(call: &CallRow) -> String {
    match (call.answered_at, call.ended_at) {
        (Some(from), Some(to)) => {
            let seconds = to.since(from).max(0) / SECOND;
            let end = if call.status == "failed" { ", cut off" } else { "" };
            format!("Outgoing call, {}:{:02}{end}", seconds / 60, seconds % 60)
        }
        (None, Some(_)) => "Outgoing call, not answered".to_owned(),
        _ => "Outgoing call".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::Timestamp;

    #[test]
    fn every_started_minute_counts() {
        let cases = [(0, 1, "0:00"), (1, 1, "0:01"), (60, 1, "1:00"), (61, 2, "1:01"), (150, 3, "2:30")];
        for (seconds, expected, face) in cases {
            let at = Timestamp::from_micros(1_000);
            let call = CallRow {
                id: "call_1".into(),
                channel: "ch".into(),
                conversation: "conv".into(),
                metadata: "{}".into(),
                status: "completed".into(),
                cost: 5,
                created_at: at,
                answered_at: Some(at),
                ended_at: Some(at.plus(seconds * SECOND)),
            };
            assert_eq!(started_minutes(&call), expected, "{seconds}");
            assert_eq!(describe_call(&call), format!("Outgoing call, {face}"));
            let unanswered = CallRow { answered_at: None, ..call };
            assert_eq!(started_minutes(&unanswered), 0);
        }
    }
}
