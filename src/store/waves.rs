//! Runs campaigns. A wave and its outbox row are written in one transaction, so that no wave
//! becomes two rows, whenever the process ends.

use rusqlite::{TransactionBehavior, params};

use crate::board;
use crate::campaigns::halt;
use crate::outbox::{self, NewRow};
use crate::rows::campaign;
use crate::{Store, StoreError, sending_account};
use model::broadcasts::Broadcast;
use model::ids::{BroadcastId, CampaignId, ChannelId, ContactId};
use model::outbox::OutboxRow;
use model::text::SafeText;
use model::time::Timestamp;
use model::waves::{Campaign, CampaignPhase, PauseCause, RecipientCounts, WaveReading};
use sqlite::{Queries, only_cell};

impl Store {
    /// Returns the running campaigns of a channel, oldest first.
    pub async fn running_campaigns(&self, channel: &ChannelId) -> Result<Vec<Campaign>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let condition = "WHERE phase = 'running' AND channel = ?1 ORDER BY number";
                campaign::select(connection, "main", condition, [channel.as_str()])
            })
            .await
    }

    /// Returns the recipients of a wave; empty for a campaign to everyone.
    pub async fn wave_contacts(&self, id: &CampaignId, wave: usize) -> Result<Vec<ContactId>, StoreError> {
        let (id, wave) = (id.clone(), i64::try_from(wave).unwrap_or(i64::MAX));
        self.outbox()
            .call_async(move |connection| {
                Ok(connection.all(
                    "SELECT p.contact FROM campaign c
                     JOIN campaign_wave w ON w.campaign = c.number AND w.number = ?2
                     JOIN campaign_contact p ON p.campaign = c.number
                         AND p.place >= w.place AND p.place < w.place + w.size
                     WHERE c.id = ?1 ORDER BY p.place",
                    params![id, wave],
                    only_cell,
                )?)
            })
            .await
    }

    /// Queues a wave if its campaign is running, it has no row yet, and all earlier waves have one;
    /// `None` otherwise.
    pub async fn queue_wave(
        &self,
        id: &CampaignId,
        wave: usize,
        row: NewRow,
        now: Timestamp,
    ) -> Result<Option<OutboxRow>, StoreError> {
        let (id, wave) = (id.clone(), i64::try_from(wave).unwrap_or(i64::MAX));
        let chance = self.chance().clone();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let campaign = change.first(
                    "SELECT c.number FROM campaign c
                         JOIN campaign_wave w ON w.campaign = c.number AND w.number = ?2 AND w.row IS NULL
                         WHERE c.id = ?1 AND c.phase = 'running' AND NOT EXISTS (
                             SELECT 1 FROM campaign_wave e
                             WHERE e.campaign = c.number AND e.number < ?2 AND e.row IS NULL)",
                    params![id, wave],
                    only_cell::<i64>,
                )?;
                let Some(campaign) = campaign else { return Ok(None) };
                let queued = outbox::insert(&change, row, now, &chance)?;
                sending_account::follow_campaign(&change, &queued.id, campaign)?;
                change.execute(
                    "UPDATE campaign_wave SET row = ?3 WHERE campaign = ?1 AND number = ?2",
                    params![campaign, wave, queued.id],
                )?;
                change.commit()?;
                Ok(Some(queued))
            })
            .await
    }

    pub async fn record_wave_sent(
        &self,
        id: &CampaignId,
        wave: usize,
        broadcast: Option<BroadcastId>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (id, wave) = (id.clone(), i64::try_from(wave).unwrap_or(i64::MAX));
        self.outbox()
            .call_async(move |connection| {
                let broadcast = broadcast.as_ref().map(BroadcastId::as_str);
                connection.execute(
                    "UPDATE campaign_wave SET sent_at = coalesce(sent_at, ?3), broadcast = coalesce(broadcast, ?4)
                     WHERE campaign = (SELECT number FROM campaign WHERE id = ?1) AND number = ?2",
                    params![id, wave, now, broadcast],
                )?;
                Ok(())
            })
            .await
    }

    pub async fn record_wave_counts(
        &self,
        id: &CampaignId,
        wave: usize,
        reading: WaveReading,
    ) -> Result<(), StoreError> {
        let (id, wave) = (id.clone(), i64::try_from(wave).unwrap_or(i64::MAX));
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let WaveReading { at, recipients, delivered, failed, pending, finished_at, is_unknown } =
                    reading;
                let sql = "UPDATE campaign_wave SET looked_at = ?3, finished_at = ?4, is_unknown = ?5,
                         recipients = ?6,
                             delivered = ?7, failed = ?8, pending = ?9
                         WHERE campaign = (SELECT number FROM campaign WHERE id = ?1) AND number = ?2
                         RETURNING broadcast";
                let of =
                    params![id, wave, at, finished_at, is_unknown, recipients, delivered, failed, pending];
                let broadcast: Option<Option<String>> = change.first(sql, of, only_cell)?;
                if let Some(broadcast) = broadcast.flatten() {
                    board::record_sample(&change, &broadcast, at, RecipientCounts::from_reading(&reading))?;
                }
                change.commit()?;
                Ok(())
            })
            .await
    }

    /// Pauses or finishes a running campaign; false if a person was faster.
    pub async fn end_campaign(
        &self,
        id: &CampaignId,
        phase: CampaignPhase,
        why: Option<(PauseCause, SafeText)>,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox().call_async(move |connection| halt(connection, &id, phase, why)).await
    }

    /// Updates the counts of a wave from a broadcast read for another reason, so that its sums and its
    /// chart agree. Returns true if the broadcast is a wave.
    pub async fn record_wave_broadcast(&self, told: &Broadcast, now: Timestamp) -> Result<bool, StoreError> {
        let told = told.clone();
        self.outbox()
            .call_async(move |connection| {
                let counts = RecipientCounts {
                    recipients: told.recipients,
                    delivered: told.delivered,
                    failed: told.failed,
                    pending: told.pending,
                };
                board::record_sample(connection, told.id.as_str(), now, counts)?;
                let sql = "SELECT campaign, number FROM campaign_wave WHERE broadcast = ?1";
                let wave: Option<(i64, i64)> = connection
                    .first(sql, [&told.id], |row| Ok((row.get("campaign")?, row.get("number")?)))?;
                let Some((campaign, number)) = wave else { return Ok(false) };
                connection.execute(
                    "UPDATE campaign_wave SET recipients = ?3, delivered = ?4, failed = ?5, pending = ?6,
                         looked_at = coalesce(looked_at, ?7)
                     WHERE campaign = ?1 AND number = ?2
                         AND (recipients, delivered, failed, pending) IS NOT (?3, ?4, ?5, ?6)",
                    params![
                        campaign,
                        number,
                        told.recipients,
                        told.delivered,
                        told.failed,
                        told.pending,
                        now
                    ],
                )?;
                Ok(true)
            })
            .await
    }
}
