//! Broadcasts sent from this desk: the audit log of the outbox lists them, the cache holds their
//! state.

use rusqlite::{Connection, params};

use crate::{Reader, Store, StoreError, broadcast_messages};
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::failures::{FailedRecipient, FailureReason};
use model::ids::{BroadcastId, ChannelId};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, json_of, only_cell, read_row};

/// Maximum number of newest broadcasts checked.
const MAX_TRACKED_BROADCASTS: i64 = 50;

impl Store {
    /// Returns unfinished broadcasts among the audit entries after number `behind` and the tracked
    /// ones, and the number up to which the log was read. Cheap if nothing was added.
    pub async fn unfinished_broadcasts(
        &self,
        channel: &ChannelId,
        behind: i64,
        settled_before: Timestamp,
    ) -> Result<(Vec<BroadcastId>, i64), StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                // Read first, so that entries added meanwhile are read next time.
                let until = cache.connection.scalar("SELECT coalesce(max(number), 0) FROM desk.audit", [])?;
                let sql = "SELECT made FROM (
                     SELECT made, number FROM (SELECT number, channel, made FROM desk.audit
                         WHERE channel = ?1 AND operation = 'broadcast' AND made <> ''
                             AND number > ?2 AND number <= ?3
                         ORDER BY number DESC LIMIT ?4) sent
                     WHERE NOT EXISTS (SELECT 1 FROM broadcast b
                         WHERE b.channel = sent.channel AND b.id = sent.made AND b.is_finished = 1
                             AND (b.pending <= 0 OR coalesce(b.completed_at, b.created_at, 0) < ?5))
                     UNION ALL
                     SELECT id, 0 FROM (SELECT t.id, t.channel FROM desk.tracked_broadcast t
                         WHERE t.channel = ?1 ORDER BY t.at DESC LIMIT ?4) tracked
                     WHERE NOT EXISTS (SELECT 1 FROM broadcast b
                         WHERE b.channel = tracked.channel AND b.id = tracked.id AND b.is_finished = 1
                             AND (b.pending <= 0 OR coalesce(b.completed_at, b.created_at, 0) < ?5))
                     ) ORDER BY number";
                let bound = params![channel, behind, until, MAX_TRACKED_BROADCASTS, settled_before];
                Ok((cache.connection.all(sql, bound, only_cell)?, until))
            })
            .await
    }

    pub async fn is_broadcast_finished(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
    ) -> Result<bool, StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT EXISTS (SELECT 1 FROM broadcast
                               WHERE channel = ?1 AND id = ?2 AND is_finished = 1)";
                let bound = params![channel, id];
                Ok(cache.connection.scalar(sql, bound)?)
            })
            .await
    }

    pub async fn record_balance_before(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
        before: f64,
    ) -> Result<(), StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.outbox()
            .call_async(move |connection| {
                let sql =
                    "INSERT OR IGNORE INTO broadcast_balance (channel, id, credits_before) VALUES (?1, ?2, ?3)";
                connection.execute(sql, params![channel, id, before])?;
                Ok(())
            })
            .await
    }

    pub async fn needs_balance_after(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
    ) -> Result<bool, StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.outbox()
            .call_async(move |connection| {
                let sql = "SELECT EXISTS (SELECT 1 FROM broadcast_balance
                               WHERE channel = ?1 AND id = ?2 AND credits_after IS NULL)";
                Ok(connection.scalar(sql, params![channel, id])?)
            })
            .await
    }

    /// Stores the balance after the last recipient was tried, once.
    pub async fn record_balance_after(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
        after: f64,
    ) -> Result<(), StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.outbox()
            .call_async(move |connection| {
                let sql = "UPDATE broadcast_balance SET credits_after = ?3
                           WHERE channel = ?1 AND id = ?2 AND credits_after IS NULL";
                connection.execute(sql, params![channel, id, after])?;
                Ok(())
            })
            .await
    }

    /// Stores the credits charged when the server accepted a broadcast.
    pub async fn record_broadcast_charge(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
        credits: f64,
    ) -> Result<(), StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.outbox()
            .call_async(move |connection| {
                let sql =
                    "INSERT OR REPLACE INTO broadcast_charge (channel, id, credits) VALUES (?1, ?2, ?3)";
                connection.execute(sql, params![channel, id, credits])?;
                Ok(())
            })
            .await
    }

    /// Stores the state of a broadcast; returns true if it changed.
    pub async fn apply_broadcast(&self, channel: &ChannelId, told: Broadcast) -> Result<bool, StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                let known = list_broadcasts(change, &channel)?;
                if known.contains(&told) {
                    return Ok(false);
                }
                write(change, &channel, &told)?;
                broadcast_messages::record_reported_text(change, &channel, &told)?;
                Ok(true)
            })
            .await
    }
}

impl Reader {
    /// Returns the newest unfinished broadcasts sent or tracked from this desk, newest first.
    pub fn unfinished_broadcasts(&self, channel: &ChannelId) -> Result<Vec<BroadcastId>, StoreError> {
        Ok(self.connection.all(
            "SELECT id FROM (
             SELECT id, max(place) AS place FROM (
                 SELECT made AS id, number AS place FROM (SELECT made, number FROM desk.audit
                     WHERE channel = ?1 AND operation = 'broadcast' AND made <> ''
                     ORDER BY number DESC LIMIT ?2)
                 UNION ALL
                 SELECT id, 0 FROM (SELECT id FROM desk.tracked_broadcast
                     WHERE channel = ?1 ORDER BY at DESC LIMIT ?2)
             ) GROUP BY id) wanted
             WHERE NOT EXISTS (SELECT 1 FROM broadcast b
                 WHERE b.channel = ?1 AND b.id = wanted.id AND b.is_finished = 1)
             ORDER BY place DESC, id LIMIT ?2",
            params![channel, MAX_TRACKED_BROADCASTS],
            only_cell,
        )?)
    }

    /// Returns the broadcasts as last read, newest first.
    pub fn broadcasts(&self, channel: &ChannelId) -> Result<Vec<Broadcast>, StoreError> {
        list_broadcasts(&self.connection, channel)
    }
}

fn list_broadcasts(connection: &Connection, channel: &ChannelId) -> Result<Vec<Broadcast>, StoreError> {
    Ok(connection.all(
        "SELECT id, status, text, recipients, delivered, failed, pending, created_at, completed_at, failures
         FROM broadcast WHERE channel = ?1 ORDER BY created_at DESC, id DESC",
        [channel.as_str()],
        broadcast_from_row,
    )?)
}

fn broadcast_from_row(row: &Row<'_>) -> rusqlite::Result<Broadcast> {
    Ok(read_row!(row, Broadcast {
        id, text: optional_line, recipients, delivered, failed, pending, created_at, completed_at;
        status: row.parse_word("status", BroadcastStatus::from_word)?,
        failures: failures_from_row(row)?
    }))
}

/// Stored failed recipient: contact, number, code and text.
type FailureCell = (Option<String>, Option<String>, String, String);

fn failures_from_row(row: &Row<'_>) -> rusqlite::Result<Vec<FailedRecipient>> {
    let cells: Vec<FailureCell> = row.json("failures")?;
    let read = |(contact, phone, code, words): FailureCell| {
        let reason = FailureReason { code: SafeText::line(&code), text: SafeText::line(&words) };
        FailedRecipient { contact, phone, reason }
    };
    Ok(cells.into_iter().map(read).collect())
}

pub(crate) fn failures(
    connection: &Connection,
    channel: &str,
    broadcast: &str,
) -> Result<Vec<FailedRecipient>, StoreError> {
    let sql = "SELECT failures FROM broadcast WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, [channel, broadcast], failures_from_row)?.unwrap_or_default())
}

fn write(connection: &Connection, channel: &ChannelId, told: &Broadcast) -> Result<(), StoreError> {
    let cell = |failed_recipient: &FailedRecipient| -> FailureCell {
        (
            failed_recipient.contact.clone(),
            failed_recipient.phone.clone(),
            failed_recipient.reason.code.to_string(),
            failed_recipient.reason.text.to_string(),
        )
    };
    let failures: Vec<FailureCell> = told.failures.iter().map(cell).collect();
    connection.execute(
        "INSERT OR REPLACE INTO broadcast (channel, id, status, is_finished, text, recipients, delivered,
             failed, pending, created_at, completed_at, failures)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            channel,
            told.id,
            told.status.word(),
            told.is_finished(),
            told.text,
            told.recipients,
            told.delivered,
            told.failed,
            told.pending,
            told.created_at,
            told.completed_at,
            json_of(&failures)
        ],
    )?;
    Ok(())
}
