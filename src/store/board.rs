//! Campaigns and broadcasts in one list, with the progress and recipients of the selected one.
//!
//! A recipient's broadcast message is taken to be the first outbound message after the wave was
//! sent that is not from the AI.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::broadcasts::failures;
use crate::rows::reasons;
use crate::{Reader, StoreError};
use model::board::{
    BoardDetail, BoardEntry, BoardId, BoardSample, RecipientOutcome, RecipientStatus, sum_samples,
};
use model::failures::FailedRecipient;
use model::ids::{BroadcastId, CampaignId, ChannelId, ContactId, ConversationId};
use model::keywords::Keyword;
use model::time::{MINUTE, Timestamp};
use model::waves::RecipientCounts;
use sqlite::{Queries, Row, only_cell, read_row};

const MAX_ROWS: usize = 500;
/// Maximum number of samples per broadcast; above it every second one is deleted.
const MAX_SAMPLES: i64 = 240;
/// Allowed difference between the server's clock and this machine's.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;

/// Records a broadcast's counts if they have changed.
pub(crate) fn record_sample(
    change: &Connection,
    broadcast: &str,
    at: Timestamp,
    counts: RecipientCounts,
) -> Result<(), StoreError> {
    let RecipientCounts { recipients, delivered, failed, pending } = counts;
    let written = change
        .prepare_cached(
            "INSERT OR REPLACE INTO broadcast_sample (broadcast, at, recipients, delivered, failed, pending)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE (?3, ?4, ?5, ?6) IS NOT (
                 SELECT recipients, delivered, failed, pending FROM broadcast_sample
                 WHERE broadcast = ?1 ORDER BY at DESC LIMIT 1)",
        )?
        .execute(params![broadcast, at, recipients, delivered, failed, pending])?;
    if written == 0 {
        return Ok(());
    }
    let sql = "SELECT count(*) FROM broadcast_sample WHERE broadcast = ?1";
    if change.scalar::<i64>(sql, [broadcast])? > MAX_SAMPLES {
        change.execute(
            "DELETE FROM broadcast_sample WHERE broadcast = ?1 AND at IN (
                 SELECT at FROM (SELECT at, row_number() OVER (ORDER BY at) place FROM broadcast_sample
                     WHERE broadcast = ?1) WHERE place % 2 = 0)",
            [broadcast],
        )?;
    }
    Ok(())
}

impl Reader {
    /// Returns campaigns and broadcasts of a channel or of all: unfinished ones first, each newest
    /// first.
    pub fn board(&self, channel: Option<&ChannelId>) -> Result<Vec<BoardEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let campaigns = self.campaigns(channel)?;
        let mut entries: Vec<BoardEntry> =
            campaigns.into_iter().map(|campaign| BoardEntry::Campaign(Box::new(campaign))).collect();
        let channels = match channel {
            Some(channel) => vec![channel.clone()],
            None => broadcast_channels(&moment)?,
        };
        for channel in &channels {
            let waves = self.wave_broadcasts(channel)?;
            let told = self.broadcasts(channel)?;
            let unread: Vec<BoardEntry> = self
                .tracked_broadcasts(channel)?
                .into_iter()
                .filter(|(id, _)| !told.iter().any(|broadcast| broadcast.id == *id))
                .map(|(id, at)| BoardEntry::Unread(channel.clone(), id, at))
                .collect();
            let alone = told.into_iter().filter(|broadcast| !waves.contains(broadcast.id.as_str()));
            entries.extend(alone.map(|alone| BoardEntry::Broadcast(channel.clone(), alone)));
            entries.extend(unread);
        }
        entries.sort_by_key(|entry| (!entry.is_open(), std::cmp::Reverse(entry.started_at())));
        entries.truncate(MAX_ROWS);
        Ok(entries)
    }

    /// Returns the campaigns and broadcasts of all channels that ended since a time.
    pub fn ended_broadcasts(&self, since: Timestamp) -> Result<Vec<BoardEntry>, StoreError> {
        let sql = "SELECT id FROM desk.campaign WHERE phase_at > ?1 AND phase IN ('stopped', 'finished')";
        let campaigns: Vec<CampaignId> = self.connection.all(sql, [since], only_cell)?;
        let is_it = |board_entry: &BoardEntry| match board_entry {
            BoardEntry::Campaign(board_entry) => campaigns.contains(&board_entry.id),
            BoardEntry::Broadcast(_, board_entry) => {
                board_entry.is_finished() && !board_entry.finished_before(since)
            }
            BoardEntry::Unread(..) => false,
        };
        Ok(self.board(None)?.into_iter().filter(is_it).collect())
    }

    fn wave_broadcasts(&self, channel: &ChannelId) -> Result<std::collections::HashSet<String>, StoreError> {
        let sql = "SELECT w.broadcast FROM desk.campaign c JOIN desk.campaign_wave w ON w.campaign = c.number
                   WHERE c.channel = ?1 AND w.broadcast IS NOT NULL";
        Ok(self.connection.all(sql, [channel.as_str()], only_cell)?)
    }

    fn tracked_broadcasts(&self, channel: &ChannelId) -> Result<Vec<(BroadcastId, Timestamp)>, StoreError> {
        let sql = "SELECT id, at FROM desk.tracked_broadcast WHERE channel = ?1 ORDER BY at DESC LIMIT 500";
        Ok(self.connection.all(sql, [channel.as_str()], |row| Ok((row.get("id")?, row.get("at")?)))?)
    }

    pub fn board_detail(&self, id: &BoardId) -> Result<BoardDetail, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        match id {
            BoardId::Broadcast(channel, id) => {
                let refused = failures(&moment, channel.as_str(), id.as_str())?;
                let recipients = statuses_of_failed(&moment, channel.as_str(), refused)?;
                let ids = [id.to_string()];
                Ok(BoardDetail {
                    samples: samples(&moment, id.as_str())?,
                    recipients,
                    charged: sum_credits(&moment, SELECT_CHARGE, channel.as_str(), &ids)?,
                    balance_drop: sum_credits(&moment, SELECT_BALANCE_DROP, channel.as_str(), &ids)?,
                })
            }
            BoardId::Campaign(id) => {
                let (channel, ids) = waves_of(&moment, id)?;
                let each: Result<Vec<_>, StoreError> =
                    ids.iter().map(|text| samples(&moment, text)).collect();
                Ok(BoardDetail {
                    samples: sum_samples(&each?),
                    recipients: recipients(&moment, id)?,
                    charged: sum_credits(&moment, SELECT_CHARGE, &channel, &ids)?,
                    balance_drop: sum_credits(&moment, SELECT_BALANCE_DROP, &channel, &ids)?,
                })
            }
        }
    }
}

/// Returns the channel of a campaign and the server ids of the waves sent.
fn waves_of(connection: &Connection, id: &CampaignId) -> Result<(String, Vec<String>), StoreError> {
    let channel = connection.first("SELECT channel FROM desk.campaign WHERE id = ?1", [id], only_cell)?;
    let sql = "SELECT w.broadcast FROM desk.campaign c JOIN desk.campaign_wave w ON w.campaign = c.number
               WHERE c.id = ?1 AND w.broadcast IS NOT NULL ORDER BY w.number";
    Ok((channel.unwrap_or_default(), connection.all(sql, [id], only_cell)?))
}

/// Credits charged when the server accepted the broadcast.
const SELECT_CHARGE: &str = "SELECT credits FROM desk.broadcast_charge WHERE channel = ?1 AND id = ?2";
/// Drop of the balance from before the broadcast to its end.
const SELECT_BALANCE_DROP: &str = "SELECT credits_before - credits_after FROM desk.broadcast_balance
    WHERE channel = ?1 AND id = ?2 AND credits_after IS NOT NULL";

/// Returns the sum of credits; `None` if they are unknown for any broadcast.
fn sum_credits(
    connection: &Connection,
    sql: &str,
    channel: &str,
    ids: &[String],
) -> Result<Option<f64>, StoreError> {
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        all.push(connection.first(sql, [channel, id], only_cell::<f64>)?);
    }
    let told: Option<Vec<f64>> = all.into_iter().collect();
    Ok(told.filter(|values| !values.is_empty()).map(|values| values.iter().sum()))
}

fn broadcast_channels(connection: &Connection) -> Result<Vec<ChannelId>, StoreError> {
    let sql = "SELECT channel FROM broadcast UNION SELECT channel FROM desk.tracked_broadcast";
    Ok(connection.all(sql, [], only_cell)?)
}

fn samples(connection: &Connection, broadcast: &str) -> Result<Vec<BoardSample>, StoreError> {
    let sql = "SELECT at, recipients, delivered, failed, pending FROM desk.broadcast_sample
               WHERE broadcast = ?1 ORDER BY at";
    Ok(connection.all(sql, [broadcast], |row| {
        let counts = read_row!(row, RecipientCounts { recipients, delivered, failed, pending });
        Ok(read_row!(row, BoardSample { at; counts }))
    })?)
}

/// Returns the recipients of a campaign in order, each with the outcome shown by messages since
/// their wave was sent.
fn recipients(connection: &Connection, id: &CampaignId) -> Result<Vec<RecipientStatus>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT p.contact, k.phone, k.name,
             (SELECT v.id FROM conversation v WHERE v.channel = c.channel AND v.address = k.phone LIMIT 1) AS conversation,
             w.number + 1 AS wave, w.sent_at
         FROM desk.campaign c
         JOIN desk.campaign_contact p ON p.campaign = c.number
         JOIN desk.campaign_wave w ON w.campaign = c.number AND p.place >= w.place
             AND p.place < w.place + w.size
         LEFT JOIN contact k ON k.channel = c.channel AND k.id = p.contact
         WHERE c.id = ?1 ORDER BY p.place",
    )?;
    let (channel, _) = waves_of(connection, id)?;
    let refused = failed_recipients(connection, &channel, id)?;
    let (named, numbered): (Vec<_>, Vec<_>) =
        refused.iter().partition(|failed_recipient| failed_recipient.contact.is_some());
    let by_contact: HashMap<_, _> = named
        .into_iter()
        .filter_map(|failed_recipient| Some((failed_recipient.contact.as_deref()?, failed_recipient)))
        .collect();
    let by_phone: HashMap<_, _> = numbered
        .into_iter()
        .filter_map(|failed_recipient| Some((failed_recipient.phone.as_deref()?, failed_recipient)))
        .collect();
    let mut rows = statement.query([id.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let row = &Row::new(row);
        let conversation: Option<ConversationId> = row.get("conversation")?;
        let sent_at: Option<Timestamp> = row.get("sent_at")?;
        let (fate, replied, opted_out) = match (&conversation, sent_at) {
            (_, None) => (RecipientOutcome::Unsent, false, false),
            (None, Some(_)) => (RecipientOutcome::Unknown, false, false),
            (Some(conversation), Some(at)) => load_recipient_outcome(connection, &channel, conversation, at)?,
        };
        let mut one = read_row!(row, RecipientStatus {
            contact, phone, name: optional_line;
            conversation,
            wave: if sent_at.is_some() { row.number("wave")? } else { 0 },
            outcome: fate,
            replied,
            opted_out
        });
        let phone = one.phone.as_deref().and_then(|phone| by_phone.get(phone));
        if let Some(told) = by_contact.get(one.contact.as_str()).or(phone) {
            one.outcome = one.outcome.with_refusal(&told.reason);
        }
        found.push(one);
    }
    // For a broadcast to everyone only the failed recipients are known.
    if found.is_empty() { statuses_of_failed(connection, &channel, refused) } else { Ok(found) }
}

/// Returns the failed recipients the server names for a campaign's waves.
fn failed_recipients(
    connection: &Connection,
    channel: &str,
    id: &CampaignId,
) -> Result<Vec<FailedRecipient>, StoreError> {
    let (_, waves) = waves_of(connection, id)?;
    let each: Result<Vec<_>, StoreError> =
        waves.iter().map(|wave| failures(connection, channel, wave)).collect();
    Ok(each?.into_iter().flatten().collect())
}

/// Returns recipient statuses of a broadcast for which only the failed recipients are known.
fn statuses_of_failed(
    connection: &Connection,
    channel: &str,
    refused: Vec<FailedRecipient>,
) -> Result<Vec<RecipientStatus>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, phone, name FROM contact WHERE channel = ?1 AND (id = ?2 OR (?2 IS NULL AND phone = ?3)) LIMIT 1",
    )?;
    let mut found = Vec::with_capacity(refused.len());
    for FailedRecipient { contact, phone, reason } in refused {
        let mut rows = statement.query(params![channel, contact, phone])?;
        let row = rows.next()?;
        let row = row.map(Row::new);
        let known = |row: &Row<'_>| -> rusqlite::Result<_> {
            Ok((
                row.get::<Option<String>>("id")?,
                row.get::<Option<String>>("phone")?,
                row.optional_line("name")?,
            ))
        };
        let (id, known_phone, name) = row.as_ref().map(known).transpose()?.unwrap_or_default();
        found.push(RecipientStatus {
            contact: ContactId::new(contact.or(id).unwrap_or_default()),
            phone: phone.or(known_phone),
            name,
            conversation: None,
            wave: 1,
            outcome: RecipientOutcome::Refused(reason),
            replied: false,
            opted_out: false,
        });
    }
    Ok(found)
}

/// Returns outcome, replied and opted out, from the messages since a time.
fn load_recipient_outcome(
    connection: &Connection,
    channel: &str,
    conversation: &ConversationId,
    since: Timestamp,
) -> Result<(RecipientOutcome, bool, bool), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT m.inbound, m.delivery, m.sender, m.raw, m.content FROM message m
         WHERE m.conversation = (SELECT number FROM conversation WHERE channel = ?1 AND id = ?2)
             AND m.sort_at >= ?3 ORDER BY m.sort_at, m.id",
    )?;
    let mut rows = statement.query(params![channel, conversation, since.plus(-CLOCK_TOLERANCE).micros()])?;
    let (mut fate, mut replied, mut opted_out) = (RecipientOutcome::Unknown, false, false);
    while let Some(row) = rows.next()? {
        let row = &Row::new(row);
        let inbound: bool = row.get("inbound")?;
        if inbound && fate != RecipientOutcome::Unknown {
            replied = true;
            // The newest keyword counts: START revokes STOP.
            opted_out =
                Keyword::parse(row.text("content")?).map_or(opted_out, |keyword| keyword == Keyword::Stop);
        }
        if inbound || fate != RecipientOutcome::Unknown || row.text::<&str>("sender")? == "ai" {
            continue;
        }
        fate = match row.text("delivery")? {
            "failed" => RecipientOutcome::Failed(reasons::parse_reason(row.text("raw")?)),
            "delivered" => RecipientOutcome::Reached("delivered"),
            "read" => RecipientOutcome::Reached("read"),
            _ => RecipientOutcome::Reached("sent"),
        };
    }
    Ok((fate, replied, opted_out))
}
