//! Runs broadcasts in waves: counts the results of the wave in progress and queues the next one when no
//! stop rule holds it back. The rules are in `model/waves/deciding.rs`; their inputs are stored before the
//! next step.

use std::collections::BTreeSet;

use crate::health::PolledResource;
use crate::report::PullError;
use crate::{ChannelSync, NAP};
use client::{ReadError, prepare};
use model::account::Environment;
use model::fetches::FetchResult;
use model::ids::{BroadcastId, CampaignId};
use model::news::News;
use model::outbox::content::Audience;
use model::outbox::{Lane, Operation};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use model::waves::deciding::{Report, WaveStep, decide, read_again, running_low, stalled};
use model::waves::{Campaign, PauseCause, Phase, RecipientCounts, WaveReading, WaveRowState, title};
use store::outbox::NewRow;

/// Delay before a failed step is repeated, in microseconds.
const AGAIN: i64 = 5 * SECOND;
/// Maximum pages of sent messages read in one pass; 1,000 recipients take ten.
const PAGES: usize = 40;
/// Maximum characters of the campaign name in an alarm.
const NAME: usize = 30;

/// Alarms already raised, so that each is raised once.
#[derive(Debug, Default)]
pub struct WaveState {
    /// Waves reported as stalled.
    stalls: BTreeSet<(CampaignId, usize)>,
    /// Campaigns reported as low on balance.
    low: BTreeSet<CampaignId>,
}

/// Result of one step over all campaigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    /// Microseconds until the next step is due.
    pub wait: i64,
    /// True if an outbox row was queued.
    pub queued: bool,
}

impl ChannelSync {
    /// Advances every campaign of the channel by one step.
    pub async fn carry_campaigns(&self, state: &mut WaveState, now: Timestamp) -> Carried {
        let mut carried = Carried { wait: NAP, queued: false };
        if self.spec().read_only || self.is_stopped() {
            return carried;
        }
        if let Err(error) = self.follow_clock_steps().await {
            tracing::error!(channel = %self.id(), %error, "the campaigns could not follow the clock");
            return Carried { wait: AGAIN, ..carried };
        }
        let running = match self.store.running_campaigns(self.id()).await {
            Ok(running) => running,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "campaigns could not be read");
                return Carried { wait: AGAIN, ..carried };
            }
        };
        for campaign in running {
            let (wait, queued) = match self.carry(state, &campaign, now).await {
                Ok(step) => step,
                Err(PullError::Read(ReadError::Paced(wait) | ReadError::Limited(wait))) => (wait, false),
                Err(error) => {
                    tracing::warn!(campaign = %campaign.id, %error, "a campaign waits");
                    (AGAIN, false)
                }
            };
            carried.wait = carried.wait.min(wait.max(0));
            carried.queued |= queued;
        }
        carried
    }

    /// Advances one campaign. Returns the wait until its next step, in microseconds, and true if a row
    /// was queued.
    async fn carry(
        &self,
        state: &mut WaveState,
        campaign: &Campaign,
        now: Timestamp,
    ) -> Result<(i64, bool), PullError> {
        if self.note_sent(campaign, now).await? {
            return Ok((0, false));
        }
        let account = self.store.account(self.id()).await?;
        let report = Report {
            credits: account.as_ref().map(|account| account.credits),
            quality: account.as_ref().and_then(|account| account.quality_rating.clone()),
            charged: self.store.template_charge(self.id()).await?,
            is_test: account.is_some_and(|account| account.environment == Environment::Test),
        };
        self.tell_low(state, campaign, &report);
        match decide(campaign, &report, now) {
            WaveStep::Send(wave) => {
                let queued = self.queue(campaign, wave, now).await?;
                Ok((if queued { 0 } else { AGAIN }, queued))
            }
            WaveStep::Look(wave, broadcast) => {
                self.count(campaign, wave, &broadcast).await?;
                Ok((0, false))
            }
            WaveStep::Wait(until) => {
                self.tell_stall(state, campaign, now);
                Ok((until.since(now), false))
            }
            WaveStep::Await | WaveStep::Nothing => Ok((NAP, false)),
            WaveStep::Pause(cause, why) => {
                if self.store.end_campaign(&campaign.id, Phase::Paused, Some((cause, why.clone()))).await? {
                    self.alarm(&format!("{} PAUSED: {why}", named(campaign)));
                }
                Ok((NAP, false))
            }
            WaveStep::Finish => {
                if self.store.end_campaign(&campaign.id, Phase::Finished, None).await? {
                    let RecipientCounts { recipients, delivered, failed, pending } = campaign.counts();
                    self.alarm(&format!(
                        "{} is through: {recipients} accepted, {delivered} delivered, {failed} failed, {pending} not known yet",
                        named(campaign)
                    ));
                }
                Ok((NAP, false))
            }
        }
    }

    /// Records waves accepted by the server since the last step.
    async fn note_sent(&self, campaign: &Campaign, now: Timestamp) -> Result<bool, PullError> {
        let mut noted = false;
        for (number, wave) in campaign.waves.iter().enumerate() {
            if let (WaveRowState::Sent(broadcast), None, Some(row)) = (&wave.fate, wave.sent_at, &wave.row) {
                tracing::info!(campaign = %campaign.id, number, %row, "a wave was accepted");
                self.store.note_wave_sent(&campaign.id, number, broadcast.clone(), now).await?;
                noted = true;
            }
        }
        Ok(noted)
    }

    /// Queues the outbox row of a wave.
    async fn queue(&self, campaign: &Campaign, wave: usize, now: Timestamp) -> Result<bool, PullError> {
        let to = if campaign.everyone {
            Audience::Everyone
        } else {
            Audience::Contacts(self.store.people_of_wave(&campaign.id, wave).await?)
        };
        let operation = Operation::Broadcast { to, content: campaign.content.clone() };
        let Some(platform) = self.platform().await? else { return Ok(false) };
        // `prepare` refuses an empty audience: it must never mean everyone.
        let request = match prepare(&platform, &Lane::Broadcasts, &operation) {
            Ok(request) => request,
            Err(error) => {
                let why = SafeText::line(&format!("wave {} cannot be sent: {error}", wave + 1));
                let halted = Some((PauseCause::Row, why.clone()));
                self.store.end_campaign(&campaign.id, Phase::Paused, halted).await?;
                self.alarm(&format!("{} PAUSED: {why}", named(campaign)));
                return Ok(false);
            }
        };
        let row = NewRow::at_once(self.id().clone(), Lane::Broadcasts, operation, request);
        let queued = self.store.queue_wave(&campaign.id, wave, row, now).await?;
        if let Some(row) = &queued {
            tracing::info!(campaign = %campaign.id, wave, row = %row.id, "a wave was queued");
            self.tell(News::Campaigns(self.id().clone()));
        }
        Ok(queued.is_some())
    }

    /// Reads the counts of a wave's broadcast again.
    async fn count(&self, campaign: &Campaign, wave: usize, id: &BroadcastId) -> Result<(), PullError> {
        let before = campaign.waves.get(wave).and_then(|wave| wave.reading);
        let reading = match self.client.broadcast(id).await {
            Ok(told) => {
                let counts = RecipientCounts {
                    recipients: told.recipients,
                    delivered: told.delivered,
                    failed: told.failed,
                    pending: told.pending,
                };
                let reading = read_again(before.as_ref(), counts, told.is_finished(), self.clock.now());
                self.store.apply_broadcast(self.id(), told.clone()).await?;
                self.read_balance_after(&told).await?;
                reading
            }
            Err(ReadError::NotFound(_)) => {
                WaveReading { at: self.clock.now(), is_unknown: true, ..before.unwrap_or_default() }
            }
            Err(error) => return Err(error.into()),
        };
        self.store.note_wave_read(&campaign.id, wave, reading).await?;
        self.tell(News::Campaigns(self.id().clone()));
        Ok(())
    }

    /// Reads messages sent since `since`, newest first, to find the recipients a broadcast reached.
    pub(crate) async fn read_sent(&self, since: Timestamp) -> Result<FetchResult, PullError> {
        let Some(platform) = self.may_ask(PolledResource::History).await? else {
            return Ok(FetchResult::Sent);
        };
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let page = self.client.outbound(cursor.as_deref()).await?;
            let oldest = page.items.iter().filter_map(|item| item.created_at).min();
            self.store.apply_messages(self.id(), page.items, platform.clone(), Vec::new()).await?;
            cursor = page.next_cursor.filter(|next| cursor.as_ref() != Some(next));
            if cursor.is_none() || oldest.is_none_or(|oldest| oldest < since) {
                break;
            }
        }
        self.tell(News::Conversations(self.id().clone()));
        self.tell(News::Campaigns(self.id().clone()));
        Ok(FetchResult::Sent)
    }

    /// Raises an alarm once for a wave that takes too long.
    fn tell_stall(&self, state: &mut WaveState, campaign: &Campaign, now: Timestamp) {
        let Some(wave) = campaign.begun().checked_sub(1) else { return };
        let Some(sent_at) = campaign.waves[wave].sent_at else { return };
        if let Some(words) = stalled(campaign, sent_at, now)
            && state.stalls.insert((campaign.id.clone(), wave))
        {
            self.alarm(&format!("{} STALLS: {words}", named(campaign)));
        }
    }

    /// Raises an alarm once if the balance may not cover the rest of a campaign.
    fn tell_low(&self, state: &mut WaveState, campaign: &Campaign, report: &Report) {
        let Some(words) = running_low(campaign, report) else { return };
        if state.low.insert(campaign.id.clone()) {
            self.alarm(&format!("{} LOW: {words}", named(campaign)));
        }
    }

    fn alarm(&self, words: &str) {
        self.tell(News::Campaigns(self.id().clone()));
        self.tell(News::Alarm(self.id().clone(), SafeText::line(words)));
    }
}

/// Name of a campaign in alarms.
fn named(campaign: &Campaign) -> String {
    let title = title(&campaign.content);
    let short: String = title.as_str().chars().take(NAME).collect();
    let dots = if short.len() < title.as_str().len() { "…" } else { "" };
    format!("broadcast \"{short}{dots}\" to {}", campaign.count)
}
