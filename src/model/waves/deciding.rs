//! Decides the next step of a campaign, from its state, the account and the time. Pure.
//!
//! A wave is sent only after the one before it has been tried completely, its waiting time is over,
//! and it was counted again after that. Unknown results hold the next wave back.

use crate::ids::BroadcastId;
use crate::prices;
use crate::text::SafeText;
use crate::time::{MINUTE, SECOND, Timestamp, format_precise_span};
use crate::waves::{
    Campaign, CampaignPhase, PauseCause, RecipientCounts, WaveReading, WaveRowState, recipient_price,
};

/// Microseconds between two readings of a wave in progress.
const POLL_INTERVAL: i64 = 5 * SECOND;
/// Time after which an unfinished wave is reported, in microseconds.
pub const STALL_TIMEOUT: i64 = 10 * MINUTE;
/// Longest valid hold, in microseconds. A longer one means that the clock was set back.
const MAX_HOLD: i64 = 10 * MINUTE;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CampaignFacts {
    pub credits: Option<f64>,
    pub quality: Option<SafeText>,
    /// Latest known price of the template.
    pub charged: Option<i64>,
    /// True for a test key, which reaches nobody and has no counts.
    pub is_test: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WaveStep {
    /// Create the outbox row of this wave.
    Send(usize),
    /// Read this wave's broadcast again.
    Poll(usize, BroadcastId),
    /// Do nothing until this time.
    Wait(Timestamp),
    /// Do nothing until the outbox row has progressed.
    Await,
    /// Pause for a person; holds the reason.
    Pause(PauseCause, SafeText),
    Finish,
    Nothing,
}

pub fn next_step(campaign: &Campaign, report: &CampaignFacts, now: Timestamp) -> WaveStep {
    if campaign.phase != CampaignPhase::Running {
        return WaveStep::Nothing;
    }
    let begun = campaign.started_waves();
    let Some(last) = begun.checked_sub(1) else {
        let left = campaign.starts_at.since(now);
        return match (1..=MAX_HOLD).contains(&left) {
            true => WaveStep::Wait(campaign.starts_at),
            false => next_wave_step(campaign, 0, report),
        };
    };
    match next_wave_wait(campaign, last, report, now) {
        Some(decision) => decision,
        None if begun == campaign.waves.len() => WaveStep::Finish,
        None => next_wave_step(campaign, begun, report),
    }
}

/// Returns the step that precedes the next wave; `None` if it may be sent.
fn next_wave_wait(
    campaign: &Campaign,
    last: usize,
    report: &CampaignFacts,
    now: Timestamp,
) -> Option<WaveStep> {
    let wave = &campaign.waves[last];
    let broadcast = match &wave.row_state {
        WaveRowState::Unsent | WaveRowState::Sending => return Some(WaveStep::Await),
        WaveRowState::NeedsDecision(why) => {
            return Some(pause_step(PauseCause::Row, format!("wave {} needs a decision: {why}", last + 1)));
        }
        WaveRowState::Dropped if last >= campaign.judged_from => {
            return Some(pause_step(PauseCause::Row, format!("wave {} was undone", last + 1)));
        }
        WaveRowState::Dropped => return None,
        WaveRowState::Sent(None) if last >= campaign.judged_from => {
            let words = format!("the server gave no id for wave {}: its results are unknown", last + 1);
            return Some(pause_step(PauseCause::Uncounted, words));
        }
        WaveRowState::Sent(None) => return None,
        WaveRowState::Sent(Some(broadcast)) => broadcast.clone(),
    };
    let look = || Some(WaveStep::Poll(last, broadcast.clone()));
    let Some(reading) = &wave.reading else { return look() };
    if reading.is_unknown {
        let judged = last >= campaign.judged_from && !report.is_test;
        let words = || format!("the server has no record of wave {}: its results are unknown", last + 1);
        return judged.then(|| pause_step(PauseCause::Uncounted, words()));
    }
    // After the last wave there is nothing left to stop.
    let is_last = last + 1 == campaign.waves.len();
    if let Some(why) = describe_failures(campaign).filter(|_| !is_last) {
        return Some(pause_step(PauseCause::Failures, why));
    }
    let fresh = (0..POLL_INTERVAL).contains(&now.since(reading.at));
    let Some(finished) = reading.finished_at else {
        return if fresh { Some(WaveStep::Wait(reading.at.plus(POLL_INTERVAL))) } else { look() };
    };
    let wait = campaign.plan.pause();
    if (0..wait).contains(&now.since(finished)) {
        // Read during the wait too, so that failures pause the campaign early.
        let again = reading.at.plus(POLL_INTERVAL).min(finished.plus(wait));
        return if fresh { Some(WaveStep::Wait(again.max(now.plus(1)))) } else { look() };
    }
    // Require a reading from after the wait. After the clock was set back, the next reading
    // restarts the wait.
    let counted = (wait..).contains(&reading.at.since(finished)) && now >= finished;
    if counted { None } else { look() }
}

/// Sends the wave unless the balance or the quality rating forbids it.
fn next_wave_step(campaign: &Campaign, number: usize, report: &CampaignFacts) -> WaveStep {
    let rules = &campaign.plan.rules;
    let size = i64::try_from(campaign.waves[number].size).unwrap_or(i64::MAX);
    let price = recipient_price(&campaign.content, report.charged).max.saturating_mul(size);
    if let (Some(floor), Some(credits), false) = (rules.floor, report.credits, report.is_test)
        && credits - price as f64 <= floor as f64 - 1.0
    {
        let left = prices::format_balance(credits);
        return pause_step(
            PauseCause::Credits,
            format!("{left} credits are left; wave {} would leave fewer than {floor}", number + 1),
        );
    }
    if let (true, Some(before), Some(now)) = (rules.quality, &campaign.quality_before, &report.quality)
        && before != now
    {
        return pause_step(PauseCause::Quality, format!("the quality rating was {before} and is {now}"));
    }
    WaveStep::Send(number)
}

/// Describes the first wave whose failures exceed the limit. If no wave exceeds it, neither does
/// their sum.
fn describe_failures(campaign: &Campaign) -> Option<String> {
    let limit = campaign.plan.rules.failed_percent;
    let judged = campaign.waves.iter().enumerate().skip(campaign.judged_from);
    let mut counted = judged
        .filter_map(|(number, wave)| Some((number, RecipientCounts::from_reading(wave.reading.as_ref()?))));
    let over = |(number, counts)| {
        is_over_limit(counts, limit).then(|| describe_limit_reached(number, counts, limit))
    };
    counted.find_map(over)
}

fn describe_limit_reached(number: usize, counts: RecipientCounts, limit: u8) -> String {
    let percent = counts.failed * 100 / counts.recipients.max(1);
    let RecipientCounts { recipients, failed, .. } = counts;
    format!("wave {}: {failed} of {recipients} failed ({percent} %, the limit is {limit} %)", number + 1)
}

fn is_over_limit(counts: RecipientCounts, limit: u8) -> bool {
    counts.failed > 0 && counts.failed.saturating_mul(100) > i64::from(limit) * counts.recipients
}

fn pause_step(cause: PauseCause, words: String) -> WaveStep {
    WaveStep::Pause(cause, SafeText::line(&words))
}

/// Describes a wave in progress for longer than [`STALL_TIMEOUT`].
pub fn describe_stall(campaign: &Campaign, sent_at: Timestamp, now: Timestamp) -> Option<String> {
    let last = campaign.started_waves().checked_sub(1)?;
    let ended = campaign.waves[last]
        .reading
        .is_some_and(|reading| reading.finished_at.is_some() || reading.is_unknown);
    let age = now.since(sent_at);
    (campaign.phase == CampaignPhase::Running && !ended && age >= STALL_TIMEOUT)
        .then(|| format!("wave {} has been unfinished for {}", last + 1, format_precise_span(age)))
}

/// Describes a balance that may be too low for the remaining waves.
pub fn describe_low_balance(campaign: &Campaign, report: &CampaignFacts) -> Option<String> {
    let credits = report.credits.filter(|_| campaign.phase == CampaignPhase::Running && !report.is_test)?;
    let left: usize = campaign.waves.iter().skip(campaign.started_waves()).map(|wave| wave.size).sum();
    let price =
        recipient_price(&campaign.content, report.charged).times(i64::try_from(left).unwrap_or(i64::MAX));
    (left > 0 && credits < price.max as f64).then(|| {
        format!("{}; the remaining {left} cost {}", prices::format_credits(credits), price.describe())
    })
}

/// Builds a reading from new counts; keeps the time at which the wave finished.
pub fn update_reading(
    before: Option<&WaveReading>,
    told: RecipientCounts,
    finished: bool,
    now: Timestamp,
) -> WaveReading {
    let RecipientCounts { recipients, delivered, failed, pending } = told;
    let finished_at = finished.then(|| {
        before.and_then(|wave_reading| wave_reading.finished_at).filter(|entry| *entry <= now).unwrap_or(now)
    });
    WaveReading { at: now, recipients, delivered, failed, pending, finished_at, is_unknown: false }
}
