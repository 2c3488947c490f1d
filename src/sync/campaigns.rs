//! Runs broadcasts in waves: counts the results of the wave in progress and queues the next one when no
//! stop rule holds it back. The rules are in `model/waves/deciding.rs`; their inputs are stored before the
//! next step.

use std::collections::BTreeSet;

use crate::health::PolledResource;
use crate::report::PullError;
use crate::{ChannelSync, MAX_STEP_WAIT};
use client::{ReadError, prepare};
use model::account::Environment;
use model::fetches::FetchResult;
use model::ids::{BroadcastId, CampaignId};
use model::news::News;
use model::outbox::content::Audience;
use model::outbox::{Lane, Operation};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use model::waves::deciding::{
    CampaignFacts, WaveStep, describe_low_balance, describe_stall, next_step, update_reading,
};
use model::waves::{
    Campaign, CampaignPhase, PauseCause, RecipientCounts, WaveReading, WaveRowState, content_title,
};
use store::outbox::NewRow;

/// Delay before a failed step is repeated, in microseconds.
const RETRY_DELAY: i64 = 5 * SECOND;
/// Maximum pages of sent messages read in one pass; 1,000 recipients take ten.
const MAX_MESSAGE_PAGES: usize = 40;
/// Maximum characters of the campaign name in an alarm.
const MAX_NAME_CHARS: usize = 30;

/// Alarms already raised, so that each is raised once.
#[derive(Debug, Default)]
pub struct CampaignNotices {
    /// Waves reported as stalled.
    stalls: BTreeSet<(CampaignId, usize)>,
    /// Campaigns reported as low on balance.
    low: BTreeSet<CampaignId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CampaignStepOutcome {
    /// Microseconds until the next step is due.
    pub wait: i64,
    /// True if an outbox row was queued.
    pub queued: bool,
}

impl ChannelSync {
    /// Advances every campaign of the channel by one step.
    pub async fn step_campaigns(&self, state: &mut CampaignNotices, now: Timestamp) -> CampaignStepOutcome {
        let mut carried = CampaignStepOutcome { wait: MAX_STEP_WAIT, queued: false };
        if self.spec().read_only || self.is_stopped() {
            return carried;
        }
        if let Err(error) = self.follow_clock_steps().await {
            tracing::error!(
                channel = %self.id(),
                %error,
                "a change of the system clock could not be applied to the broadcasts in waves"
            );
            return CampaignStepOutcome { wait: RETRY_DELAY, ..carried };
        }
        let running = match self.store.running_campaigns(self.id()).await {
            Ok(running) => running,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "broadcasts in waves could not be read");
                return CampaignStepOutcome { wait: RETRY_DELAY, ..carried };
            }
        };
        for campaign in running {
            let (wait, queued) = match self.step_campaign(state, &campaign, now).await {
                Ok(step) => step,
                Err(PullError::Read(ReadError::Paced(wait) | ReadError::Limited(wait))) => (wait, false),
                Err(error) => {
                    tracing::warn!(campaign = %campaign.id, %error, "a broadcast in waves has to wait");
                    (RETRY_DELAY, false)
                }
            };
            carried.wait = carried.wait.min(wait.max(0));
            carried.queued |= queued;
        }
        carried
    }

    /// Advances one campaign. Returns the wait until its next step, in microseconds, and true if a row
    /// was queued.
    async fn step_campaign(
        &self,
        state: &mut CampaignNotices,
        campaign: &Campaign,
        now: Timestamp,
    ) -> Result<(i64, bool), PullError> {
        if self.record_sent_waves(campaign, now).await? {
            return Ok((0, false));
        }
        let account = self.store.account(self.id()).await?;
        let report = CampaignFacts {
            credits: account.as_ref().map(|account| account.credits),
            quality: account.as_ref().and_then(|account| account.quality_rating.clone()),
            charged: self.store.template_charge(self.id()).await?,
            is_test: account.is_some_and(|account| account.environment == Environment::Test),
        };
        self.publish_low_balance(state, campaign, &report);
        match next_step(campaign, &report, now) {
            WaveStep::Send(wave) => {
                let queued = self.queue_wave(campaign, wave, now).await?;
                Ok((if queued { 0 } else { RETRY_DELAY }, queued))
            }
            WaveStep::Poll(wave, broadcast) => {
                self.count_wave(campaign, wave, &broadcast).await?;
                Ok((0, false))
            }
            WaveStep::Wait(until) => {
                self.publish_stall(state, campaign, now);
                Ok((until.since(now), false))
            }
            WaveStep::Await | WaveStep::Nothing => Ok((MAX_STEP_WAIT, false)),
            WaveStep::Pause(cause, why) => {
                if self
                    .store
                    .end_campaign(&campaign.id, CampaignPhase::Paused, Some((cause, why.clone())))
                    .await?
                {
                    self.publish_alarm(&format!("{} PAUSED: {why}", campaign_name(campaign)));
                }
                Ok((MAX_STEP_WAIT, false))
            }
            WaveStep::Finish => {
                if self.store.end_campaign(&campaign.id, CampaignPhase::Finished, None).await? {
                    let RecipientCounts { recipients, delivered, failed, pending } = campaign.counts();
                    self.publish_alarm(&format!(
                        "{} finished: {recipients} accepted, {delivered} delivered, {failed} failed, \
                         {pending} pending",
                        campaign_name(campaign)
                    ));
                }
                Ok((MAX_STEP_WAIT, false))
            }
        }
    }

    /// Records waves accepted by the server since the last step.
    async fn record_sent_waves(&self, campaign: &Campaign, now: Timestamp) -> Result<bool, PullError> {
        let mut noted = false;
        for (number, wave) in campaign.waves.iter().enumerate() {
            if let (WaveRowState::Sent(broadcast), None, Some(row)) =
                (&wave.row_state, wave.sent_at, &wave.row)
            {
                tracing::info!(campaign = %campaign.id, number, %row, "a wave was accepted");
                self.store.record_wave_sent(&campaign.id, number, broadcast.clone(), now).await?;
                noted = true;
            }
        }
        Ok(noted)
    }

    async fn queue_wave(&self, campaign: &Campaign, wave: usize, now: Timestamp) -> Result<bool, PullError> {
        let to = if campaign.everyone {
            Audience::Everyone
        } else {
            Audience::Contacts(self.store.wave_contacts(&campaign.id, wave).await?)
        };
        let operation = Operation::Broadcast { to, content: campaign.content.clone() };
        let Some(platform) = self.platform().await? else { return Ok(false) };
        // `prepare` refuses an empty audience: it must never mean everyone.
        let request = match prepare(&platform, &Lane::Broadcasts, &operation) {
            Ok(request) => request,
            Err(error) => {
                let why = SafeText::line(&format!("wave {} cannot be sent: {error}", wave + 1));
                let halted = Some((PauseCause::Row, why.clone()));
                self.store.end_campaign(&campaign.id, CampaignPhase::Paused, halted).await?;
                self.publish_alarm(&format!("{} PAUSED: {why}", campaign_name(campaign)));
                return Ok(false);
            }
        };
        let row = NewRow::without_delay(self.id().clone(), Lane::Broadcasts, operation, request);
        let queued = self.store.queue_wave(&campaign.id, wave, row, now).await?;
        if let Some(row) = &queued {
            tracing::info!(campaign = %campaign.id, wave, row = %row.id, "a wave was queued");
            self.publish(News::Campaigns(self.id().clone()));
        }
        Ok(queued.is_some())
    }

    async fn count_wave(&self, campaign: &Campaign, wave: usize, id: &BroadcastId) -> Result<(), PullError> {
        let before = campaign.waves.get(wave).and_then(|wave| wave.reading);
        let reading = match self.client.broadcast(id).await {
            Ok(broadcast) => {
                let counts = RecipientCounts {
                    recipients: broadcast.recipients,
                    delivered: broadcast.delivered,
                    failed: broadcast.failed,
                    pending: broadcast.pending,
                };
                let reading =
                    update_reading(before.as_ref(), counts, broadcast.is_finished(), self.clock.now());
                self.store.apply_broadcast(self.id(), broadcast.clone()).await?;
                self.read_balance_after(&broadcast).await?;
                reading
            }
            Err(ReadError::NotFound(_)) => {
                WaveReading { at: self.clock.now(), is_unknown: true, ..before.unwrap_or_default() }
            }
            Err(error) => return Err(error.into()),
        };
        self.store.record_wave_counts(&campaign.id, wave, reading).await?;
        self.publish(News::Campaigns(self.id().clone()));
        Ok(())
    }

    /// Reads messages sent since `since`, newest first, to find the recipients a broadcast reached.
    pub(crate) async fn read_sent_messages(&self, since: Timestamp) -> Result<FetchResult, PullError> {
        let Some(platform) = self.may_ask(PolledResource::History).await? else {
            return Ok(FetchResult::Sent);
        };
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_MESSAGE_PAGES {
            let page = self.client.outbound(cursor.as_deref()).await?;
            let oldest = page.items.iter().filter_map(|item| item.created_at).min();
            self.store.apply_messages(self.id(), page.items, platform.clone(), Vec::new()).await?;
            cursor = page.next_cursor.filter(|next| cursor.as_ref() != Some(next));
            if cursor.is_none() || oldest.is_none_or(|oldest| oldest < since) {
                break;
            }
        }
        self.publish(News::Conversations(self.id().clone()));
        self.publish(News::Campaigns(self.id().clone()));
        Ok(FetchResult::Sent)
    }

    /// Raises an alarm once for a wave that takes too long.
    fn publish_stall(&self, state: &mut CampaignNotices, campaign: &Campaign, now: Timestamp) {
        let Some(wave) = campaign.started_waves().checked_sub(1) else { return };
        let Some(sent_at) = campaign.waves[wave].sent_at else { return };
        if let Some(words) = describe_stall(campaign, sent_at, now)
            && state.stalls.insert((campaign.id.clone(), wave))
        {
            self.publish_alarm(&format!("{} STALLED: {words}", campaign_name(campaign)));
        }
    }

    /// Raises an alarm once if the balance may not cover the rest of a campaign.
    fn publish_low_balance(&self, state: &mut CampaignNotices, campaign: &Campaign, report: &CampaignFacts) {
        let Some(words) = describe_low_balance(campaign, report) else { return };
        if state.low.insert(campaign.id.clone()) {
            self.publish_alarm(&format!("{} LOW CREDITS: {words}", campaign_name(campaign)));
        }
    }

    fn publish_alarm(&self, words: &str) {
        self.publish(News::Campaigns(self.id().clone()));
        self.publish(News::Alarm(self.id().clone(), SafeText::line(words)));
    }
}

/// Name of a campaign in alarms.
fn campaign_name(campaign: &Campaign) -> String {
    let title = content_title(&campaign.content);
    let short: String = title.as_str().chars().take(MAX_NAME_CHARS).collect();
    let dots = if short.len() < title.as_str().len() { "…" } else { "" };
    format!("broadcast \"{short}{dots}\" to {}", campaign.count)
}
