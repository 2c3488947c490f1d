//! Waits until outbox rows are confirmed, whichever process sends them, and reports unconfirmed ones.

use std::time::Duration;

use anyhow::Result;

use crate::cli::scripting::session::SendStep;
use crate::cli::scripting::{Session, waiting};
use crate::cli::unfinished::{RemainingState, Unfinished};
use client::{FailureCause, RequestFailure};
use model::ids::RowId;
use model::outbox::{OutboxRow, RowState};
use sync::ChannelSync;

/// Interval between checks of a row that another process may send.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Treatment of a row that was certainly not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedRow {
    /// Dropped and reported by the command that queued it.
    GivenUp,
    /// Kept: it was queued before this command.
    Kept,
}

/// Waits for rows in order.
pub fn wait_until_confirmed(
    session: &Session,
    channel: &ChannelSync,
    rows: &[RowId],
    refused: RefusedRow,
) -> Result<()> {
    channel.forget_failure();
    for (at, row) in rows.iter().enumerate() {
        let Some(mut unfinished) = wait_for_row(session, channel, row)? else { continue };
        let is_certain = match &unfinished.remaining {
            RemainingState::Nothing => true,
            RemainingState::Waiting(_) => {
                matches!(
                    unfinished.failure.cause,
                    FailureCause::Refused | FailureCause::NotFound | FailureCause::KeyRefused
                )
            }
            RemainingState::Queued(_) => matches!(
                unfinished.failure.cause,
                FailureCause::KeyRefused | FailureCause::Redirected | FailureCause::Misconfigured
            ),
            RemainingState::Unknown(_) | RemainingState::GoesOn(_) => false,
        };
        if is_certain && refused == RefusedRow::GivenUp && session.store().give_up(&rows[at..])? {
            unfinished.remaining = RemainingState::Nothing;
        }
        if at > 0 {
            unfinished.what = format!("{} (the changes before it were done)", unfinished.what);
        }
        return Err(unfinished.into());
    }
    Ok(())
}

/// Waits for one row. Returns the reason if it was not confirmed.
fn wait_for_row(session: &Session, channel: &ChannelSync, id: &RowId) -> Result<Option<Unfinished>> {
    let name = channel.spec().name.clone();
    let mut what = "the change".to_owned();
    loop {
        let work = session.run_send_step(channel, "script")?;
        let rows = session.runtime.block_on(session.store().lane_rows(&channel.spec().id))?;
        let others: Vec<OutboxRow> = rows.iter().map(|row| row.row.clone()).collect();
        let unfinished = |failure, left, what| {
            Ok(Some(Unfinished { failure, remaining: left, channel: name.clone(), what }))
        };
        let Some(left) = rows.into_iter().find(|row| row.row.id == *id) else {
            let ending = session.store().last_audit_event(id)?;
            if ending.as_deref() == Some("done") {
                return Ok(None);
            }
            if let Some(why) = session.store().refusal(id)? {
                return unfinished(
                    RequestFailure::new(FailureCause::Refused, why.as_str()),
                    RemainingState::Nothing,
                    what,
                );
            }
            let why = format!("not confirmed: the change was {}", ending.as_deref().unwrap_or("removed"));
            return unfinished(
                RequestFailure::new(FailureCause::Undecided, &why),
                RemainingState::Nothing,
                what,
            );
        };
        what = left.row.operation.word().to_owned();
        if let RowState::Stopped(stop, why) = &left.row.state {
            return unfinished(
                RequestFailure::of_stop(*stop, why),
                RemainingState::Waiting(id.clone()),
                what,
            );
        }
        let failure = channel.failure().or_else(|| work.failure());
        let stops = matches!(
            failure.as_ref().map(|failure| failure.cause),
            Some(FailureCause::KeyRefused | FailureCause::Redirected | FailureCause::Misconfigured)
        );
        if work == SendStep::Halted || (matches!(work, SendStep::Elsewhere(_)) && stops) {
            let failure = failure
                .unwrap_or_else(|| RequestFailure::new(FailureCause::KeyRefused, "nothing is sent for now"));
            return unfinished(failure, remaining_state(&left.row), what);
        }
        let limited = left.row.not_before.since(session.now());
        let is_limited =
            session.is_waiting_for_rate_limits() && limited > 0 && is_limited(&left.row, failure.as_ref());
        if is_limited && work != SendStep::Moved && session.wait_for_rate(limited) {
            continue;
        }
        if session.is_timed_out() {
            let waits = waiting::describe_wait(session, channel, &work, (&left.row, &others));
            let patience = Duration::from_micros(session.timeout.unsigned_abs()).as_secs_f64();
            let why = format!("no confirmation within {patience} s: {waits}");
            let failure = match failure {
                Some(failure) => RequestFailure { why: joined(&why, failure.why.as_str()), ..failure },
                None => RequestFailure::new(FailureCause::NoAnswer, &why),
            };
            return unfinished(failure, remaining_state(&left.row), what);
        }
        if work != SendStep::Moved {
            session.sleep(POLL_INTERVAL);
        }
    }
}

/// True if a row was not executed because of the rate limit.
fn is_limited(row: &OutboxRow, failure: Option<&RequestFailure>) -> bool {
    let cause = failure.map(|failure| failure.cause);
    row.state == RowState::Queued
        && row.attempts == 0
        && matches!(cause, Some(FailureCause::RateLimited | FailureCause::RateBudget))
}

fn joined(first: &str, second: &str) -> model::text::SafeText {
    model::text::SafeText::line(&format!("{first}: {second}"))
}

/// State of a row without a decision.
fn remaining_state(row: &OutboxRow) -> RemainingState {
    let is_untried = row.attempts == 0 && row.state == RowState::Queued;
    if is_untried { RemainingState::Queued(row.id.clone()) } else { RemainingState::Unknown(row.id.clone()) }
}
