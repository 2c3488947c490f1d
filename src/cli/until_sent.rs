//! End of `frontdesk engine --until-sent`: nothing is left, or nothing left can be sent before a person acts.

use std::collections::{HashMap, HashSet};

use crate::cli::unfinished::{RemainingState, Unfinished};
use client::{FailureCause, RequestFailure};
use model::ids::{ChannelId, RowId};
use model::leader::Leader;
use model::news::Health;
use model::outbox::waiting::{QueueFacts, WaitReason, wait_reason};
use model::outbox::{OutboxRow, RowState};
use model::queries::DeskQuery;
use model::time::{MINUTE, Timestamp};
use model::waves::{Campaign, CampaignPhase};
use store::Reader;
use sync::ChannelSpec;

/// Time for which the last wave of a broadcast is counted before the engine ends, in microseconds.
const MAX_COUNTING_TIME: i64 = 10 * MINUTE;
/// Maximum rows examined of a channel.
const MAX_ROWS: u32 = 10_000;

pub enum Ending {
    Sent,
    /// A row needs a decision, and everything else waits for it.
    Waits(Box<Unfinished>),
}

/// Returns the end, `None` while something may still be sent.
///
/// # Errors
/// When the database fails.
pub fn check_ending(
    reader: &Reader,
    channels: &[ChannelSpec],
    health: &HashMap<ChannelId, Health>,
    now: Timestamp,
) -> anyhow::Result<Option<Ending>> {
    let mut waits = None;
    for channel in channels.iter().filter(|channel| !channel.read_only) {
        let entries =
            reader.outbox(&DeskQuery { channel: Some(channel.id.clone()), limit: MAX_ROWS })?.entries;
        let rows: Vec<OutboxRow> = entries.into_iter().map(|entry| entry.row).collect();
        let told = health.get(&channel.id);
        if !rows.iter().all(|row| is_waiting_for_person(row, &rows, told, now)) {
            return Ok(None);
        }
        let asking: HashSet<&RowId> = rows.iter().map(|row| &row.id).collect();
        let mut campaigns = reader.campaigns(Some(&channel.id))?.into_iter();
        if !campaigns.all(|campaign| is_over(&campaign, &asking, now)) {
            return Ok(None);
        }
        // Until its connection is known, a stopped row may be released by its account.
        if !rows.is_empty() && told.is_none() {
            return Ok(None);
        }
        waits = waits.or_else(|| unfinished(channel, &rows, told));
    }
    Ok(Some(waits.map_or(Ending::Sent, |left| Ending::Waits(Box::new(left)))))
}

/// True if a row cannot be sent before a person acts.
fn is_waiting_for_person(
    row: &OutboxRow,
    rows: &[OutboxRow],
    health: Option<&Health>,
    now: Timestamp,
) -> bool {
    let health = health.unwrap_or(&Health::Connecting);
    let facts = QueueFacts { now, health, leader: &Leader::Here, has_credits: None };
    matches!(
        wait_reason(row, rows.iter(), &facts),
        WaitReason::Decision(..)
            | WaitReason::RowBefore(Some(_))
            | WaitReason::PauseBefore
            | WaitReason::Key
            | WaitReason::Configuration
    )
}

/// True if a broadcast in waves is over: ended, counted for long enough, or its wave is among the waiting
/// rows.
fn is_over(campaign: &Campaign, waiting: &HashSet<&RowId>, now: Timestamp) -> bool {
    let last = campaign.waves.iter().filter_map(|wave| wave.sent_at).max();
    campaign.phase != CampaignPhase::Running
        || campaign.waves.iter().any(|wave| wave.row.as_ref().is_some_and(|row| waiting.contains(row)))
        || last.is_some_and(|at| now.since(at) >= MAX_COUNTING_TIME)
}

/// Unfinished rows of a channel, described by the one that needs a decision.
fn unfinished(channel: &ChannelSpec, rows: &[OutboxRow], health: Option<&Health>) -> Option<Unfinished> {
    let first = rows.first()?;
    let what = match rows.len() {
        1 => format!("{} was not sent", first.operation.word()),
        count => format!("{count} rows of the outbox were not sent"),
    };
    let asking = rows.iter().find_map(|row| match &row.state {
        RowState::Stopped(stop, why) => Some((row, RequestFailure::of_stop(*stop, why))),
        _ => None,
    });
    let (failure, left) = match asking {
        Some((row, failure)) => (failure, RemainingState::Waiting(row.id.clone())),
        None => {
            let failure = health.and_then(RequestFailure::of_health);
            let failure = failure
                .unwrap_or_else(|| RequestFailure::new(FailureCause::Undecided, "nothing is sent for now"));
            let is_untried = first.attempts == 0;
            let left = if is_untried { RemainingState::Queued } else { RemainingState::Unknown };
            (failure, left(first.id.clone()))
        }
    };
    Some(Unfinished { failure, remaining: left, channel: channel.name.clone(), what })
}
