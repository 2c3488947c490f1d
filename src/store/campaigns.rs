//! Starts, pauses, continues, stops, withdraws and shows campaigns. `waves` sends their waves.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::outbox;
use crate::rows::campaign;
use crate::{Reader, Store, StoreError};
use model::ids::{BroadcastId, CampaignId, ChannelId};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use model::waves::{Campaign, CampaignAudience, CampaignPhase, NewCampaign, PauseCause};

const MAX_CAMPAIGNS: i64 = 500;

/// Shortest hold that is left when a pause is undone, in microseconds.
const HOLD_AFTER_PAUSE: i64 = 10 * SECOND;

impl Store {
    /// Starts a campaign, which runs without further calls after the commit. Blocks.
    pub fn start_campaign(
        &self,
        new: NewCampaign,
        quality: Option<SafeText>,
        now: Timestamp,
    ) -> Result<CampaignId, StoreError> {
        let id = CampaignId::new(outbox::new_row_id(now, self.chance()).as_str());
        let made = id.clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            insert(&change, &made, &new, quality.as_ref(), now)?;
            change.commit()?;
            Ok(())
        })?;
        Ok(id)
    }

    /// Withdraws a campaign of which no wave was queued; false if it is too late. Blocks.
    pub fn recall_campaign(&self, id: &CampaignId) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let taken = connection.execute(
                "UPDATE campaign SET phase = 'taken back', cause = NULL, why = ''
                 WHERE id = ?1 AND phase IN ('running', 'paused') AND NOT EXISTS (
                     SELECT 1 FROM campaign_wave w WHERE w.campaign = campaign.number AND w.row IS NOT NULL)",
                [id.as_str()],
            )?;
            Ok(taken > 0)
        })
    }

    /// Pauses or stops a campaign between waves for a person; false if it has ended. Blocks.
    pub fn halt_campaign(&self, id: &CampaignId, phase: CampaignPhase) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            halt(connection, &id, phase, Some((PauseCause::Person, SafeText::default())))
        })
    }

    /// Undoes a pause by a person: a pause by a stop rule stays. If nothing was sent yet, some of the hold is left, so
    /// that it can still be taken back. Returns false if there is no such pause. Blocks.
    pub fn undo_campaign_pause(&self, id: &CampaignId, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let running = connection.execute(
                "UPDATE campaign SET phase = 'running', cause = NULL, why = '',
                     starts_at = iif(EXISTS (SELECT 1 FROM campaign_wave w
                             WHERE w.campaign = campaign.number AND w.row IS NOT NULL),
                         starts_at, max(starts_at, ?3))
                 WHERE id = ?1 AND phase = 'paused' AND cause = ?2",
                params![id, PauseCause::Person.word(), now.plus(HOLD_AFTER_PAUSE)],
            )?;
            Ok(running > 0)
        })
    }

    /// Continues a paused campaign, optionally with another failure limit. Waves the person has
    /// seen do not pause it again. Returns false if it is not paused. Blocks.
    pub fn continue_campaign(
        &self,
        id: &CampaignId,
        limit: Option<u8>,
        quality: Option<SafeText>,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found =
                campaign::select(&change, "main", "WHERE id = ?1 AND phase = 'paused'", [id.as_str()])?;
            let Some(paused) = found.into_iter().next() else { return Ok(false) };
            let judged_from = i64::try_from(paused.next_judged_wave()).unwrap_or(i64::MAX);
            change.execute(
                "UPDATE campaign SET phase = 'running', why = '', judged_from = ?4,
                     floor = iif(cause = 'credits', NULL, floor), cause = NULL,
                     failed_percent = coalesce(?2, failed_percent),
                     quality_before = coalesce(?3, quality_before)
                 WHERE id = ?1",
                params![id, limit, quality, judged_from],
            )?;
            change.commit()?;
            Ok(true)
        })
    }

    /// Tracks a broadcast that was sent elsewhere. Blocks.
    pub fn track_broadcast(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.outbox().call(move |connection| {
            let sql = "INSERT OR IGNORE INTO tracked_broadcast (channel, id, at) VALUES (?1, ?2, ?3)";
            connection.execute(sql, params![channel, id, now])?;
            Ok(())
        })
    }

    /// Blocks.
    pub fn campaign(&self, id: &CampaignId) -> Result<Option<Campaign>, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            Ok(campaign::select(connection, "main", "WHERE id = ?1", [id.as_str()])?.pop())
        })
    }
}

impl Reader {
    /// Returns the campaigns of a channel or of all, newest first.
    pub fn campaigns(&self, channel: Option<&ChannelId>) -> Result<Vec<Campaign>, StoreError> {
        let condition = "WHERE (?1 IS NULL OR channel = ?1) ORDER BY number DESC LIMIT ?2";
        let channel = channel.map(ChannelId::as_str);
        campaign::select(&self.connection, "desk", condition, params![channel, MAX_CAMPAIGNS])
    }
}

/// Sets the phase of an unfinished campaign; false if it has ended or has this phase already.
pub(crate) fn halt(
    connection: &Connection,
    id: &CampaignId,
    phase: CampaignPhase,
    why: Option<(PauseCause, SafeText)>,
) -> Result<bool, StoreError> {
    let halted = connection.execute(
        "UPDATE campaign SET phase = ?2, cause = ?3, why = ?4
         WHERE id = ?1 AND phase IN ('running', 'paused') AND phase <> ?2",
        params![
            id,
            phase.word(),
            why.as_ref().map(|pair| pair.0.word()),
            why.as_ref().map_or("", |pair| pair.1.as_str())
        ],
    )?;
    Ok(halted > 0)
}

pub(crate) fn insert(
    change: &Transaction<'_>,
    id: &CampaignId,
    new: &NewCampaign,
    quality: Option<&SafeText>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let size = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let plan = &new.plan;
    change.execute(
        "INSERT INTO campaign (id, channel, content, everyone, people, canary, wave, wait, failed_percent,
             floor, quality, made_at, starts_at, phase, quality_before, written_for, written_as)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'running', ?14,
             (SELECT account FROM sending_account WHERE channel = ?2),
             (SELECT credential FROM temp.process_credential WHERE channel = ?2))",
        params![
            id,
            new.channel,
            campaign::write_content(&new.content),
            matches!(new.audience, CampaignAudience::Everyone(_)),
            size(new.audience.count()),
            size(plan.canary),
            size(plan.wave),
            plan.wait,
            plan.rules.failed_percent,
            plan.rules.floor,
            plan.rules.quality,
            now,
            now.plus(new.hold.max(0)).micros(),
            quality.map(SafeText::as_str)
        ],
    )?;
    let number = change.last_insert_rowid();
    if let CampaignAudience::Contacts(frozen) = &new.audience {
        let mut statement = change
            .prepare_cached("INSERT INTO campaign_contact (campaign, place, contact) VALUES (?1, ?2, ?3)")?;
        for (place, contact) in frozen.ids().iter().enumerate() {
            statement.execute(params![number, size(place), contact])?;
        }
    }
    let mut place = 0;
    for (wave, people) in new.audience.wave_sizes(plan).into_iter().enumerate() {
        change.execute(
            "INSERT INTO campaign_wave (campaign, number, place, size) VALUES (?1, ?2, ?3, ?4)",
            params![number, size(wave), place, size(people)],
        )?;
        place += size(people);
    }
    Ok(())
}
