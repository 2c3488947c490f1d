//! Events since the latest absence began. Each query walks an index from that point, independent of
//! the amount stored.

use rusqlite::{Connection, params};

use crate::reader::conversations::load_row;
use crate::reader::desk;
use crate::rows::outbox::{COLUMNS, read};
use crate::rows::{campaign, local};
use crate::{StoreError, broadcast_messages};
use model::conversations::ConversationRow;
use model::digest::{Absence, Digest, DigestEntry, DigestFact, DigestPlace};
use model::email::NEW_MAIL_PREFIX;
use model::ids::{ChannelId, ConversationId};
use model::outbox::Lane;
use model::queries::ConversationKey;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use model::trouble::TROUBLE_THRESHOLD;
use model::waves::{self, Campaign, CampaignPhase};
use sqlite::{Queries, only_cell};

const MAX_ENTRIES: u32 = 200;
/// Failed messages sent at most this long before the absence are included: the failure may have
/// become known after it began.
const DELIVERY_REPORT_DELAY: i64 = 10 * MINUTE;
/// Condition: a customer wrote and waits, or the AI asks for a person.
const WAITING_CONDITION: &str =
    "needs = 1 AND (waiting_since IS NOT NULL AND last_inbound_at > ?2 OR escalation IS NOT NULL)";

pub(crate) fn digest(connection: &Connection, channels: &[ChannelId]) -> Result<Digest, StoreError> {
    let sql = "SELECT left_at, left_audit, back_at FROM desk.presence WHERE left_at IS NOT NULL";
    let absence = connection.first(sql, [], |row| {
        let absence = Absence { from: row.get("left_at")?, until: row.get("back_at")? };
        Ok((absence, row.get::<i64>("left_audit")?))
    })?;
    let Some((absence, audit)) = absence else { return Ok(Digest::default()) };
    let (mut waiting, mut failing) = (Vec::new(), Vec::new());
    let fails = format!(
        "trouble >= {TROUBLE_THRESHOLD} AND automation <> 'off' AND waiting_since IS NULL AND escalation IS NULL"
    );
    for channel in channels {
        waiting.extend(active_rows(
            connection,
            (channel, absence.from),
            "conversation_needs",
            WAITING_CONDITION,
        )?);
        failing.extend(active_rows(connection, (channel, absence.from), "conversation_by_state", &fails)?);
    }
    let waits_since = |conversation_row: &ConversationRow| {
        conversation_row.waiting_since.or(conversation_row.conversation.last_message_at)
    };
    waiting.sort_by_key(waits_since);
    failing.sort_by_key(waits_since);
    let told: Vec<ConversationKey> = waiting.iter().chain(&failing).map(ConversationRow::key).collect();
    let mut entries: Vec<DigestEntry> =
        waiting.into_iter().map(|conversation_row| entry_of(conversation_row, DigestFact::Waits)).collect();
    entries.extend(failing.into_iter().map(|conversation_row| entry_of(conversation_row, DigestFact::Fails)));
    let (stopped, finished) = broadcasts(connection, absence.from)?;
    entries.extend(stopped);
    let paused = paused(connection, absence.from)?;
    entries
        .extend(paused.into_iter().filter(|digest_entry| !told.iter().any(|key| is_in(digest_entry, key))));
    entries.extend(asking(connection, audit)?);
    entries.extend(undelivered(connection, absence.from)?);
    entries.extend(ended_rows(connection, audit)?);
    entries.extend(finished);
    entries.retain(|entry| channels.contains(&entry.channel));
    let most = usize::try_from(MAX_ENTRIES).unwrap_or(usize::MAX);
    let more = entries.len() > most;
    entries.truncate(most);
    Ok(Digest { absence: Some(absence), entries, more })
}

/// Returns open conversations with activity since a time that match a condition and are not
/// snoozed, longest waiting first.
fn active_rows(
    connection: &Connection,
    (channel, from): (&ChannelId, Timestamp),
    index: &str,
    holds: &str,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT id FROM conversation INDEXED BY {index}
         WHERE channel = ?1 AND sort_at > ?2 AND is_closed = 0 AND {holds} AND number NOT IN ({})
         ORDER BY coalesce(waiting_since, sort_at), id LIMIT ?3",
        local::SELECT_ASLEEP
    );
    let found: Vec<ConversationId> =
        connection.all(&sql, params![channel, from, MAX_ENTRIES + 1], only_cell)?;
    found
        .iter()
        .filter_map(|conversation_id| load_row(connection, channel, conversation_id).transpose())
        .collect()
}

fn entry_of(row: ConversationRow, fact: fn(Box<ConversationRow>) -> DigestFact) -> DigestEntry {
    DigestEntry {
        channel: row.channel.clone(),
        title: row.conversation.title(),
        place: DigestPlace::Conversation(row.key()),
        fact: fact(Box::new(row)),
    }
}

fn is_in(entry: &DigestEntry, key: &ConversationKey) -> bool {
    matches!(&entry.place, DigestPlace::Conversation(place) if place == key)
}

/// Returns AI pauses made from this folder that are still active.
fn paused(connection: &Connection, from: Timestamp) -> Result<Vec<DigestEntry>, StoreError> {
    let sql = "SELECT channel, conversation, owner, since FROM desk.pause WHERE since > ?1
         ORDER BY since, channel, conversation LIMIT ?2";
    let found: Vec<(ConversationKey, SafeText, Timestamp)> =
        connection.all(sql, params![from, MAX_ENTRIES + 1], |row| {
            let key =
                ConversationKey { channel: row.get("channel")?, conversation: row.get("conversation")? };
            Ok((key, row.line("owner")?, row.get("since")?))
        })?;
    let entry = |(key, by, at): (ConversationKey, SafeText, Timestamp)| {
        Ok(DigestEntry {
            channel: key.channel.clone(),
            title: desk::conversation_title(connection, &key.channel, &key.conversation)?,
            fact: DigestFact::Paused { by, at },
            place: DigestPlace::Conversation(key),
        })
    };
    found.into_iter().map(entry).collect()
}

/// Returns campaigns paused since a time that still are, and those finished since.
fn broadcasts(
    connection: &Connection,
    from: Timestamp,
) -> Result<(Vec<DigestEntry>, Vec<DigestEntry>), StoreError> {
    let condition = "WHERE phase_at > ?1 AND phase IN ('paused', 'finished') ORDER BY phase_at LIMIT ?2";
    let found = campaign::select(connection, "desk", condition, params![from, MAX_ENTRIES + 1])?;
    let (paused, finished): (Vec<Campaign>, Vec<Campaign>) =
        found.into_iter().partition(|campaign| campaign.phase == CampaignPhase::Paused);
    let entry = |campaign: Campaign| DigestEntry {
        channel: campaign.channel.clone(),
        title: waves::content_title(&campaign.content),
        fact: DigestFact::Waves(Box::new(campaign)),
        place: DigestPlace::Broadcasts,
    };
    Ok((paused.into_iter().map(entry).collect(), finished.into_iter().map(entry).collect()))
}

/// Returns texts sent from here since shortly before a time that were not delivered.
pub(crate) fn undelivered(connection: &Connection, from: Timestamp) -> Result<Vec<DigestEntry>, StoreError> {
    let sql = "SELECT c.channel, c.id AS conversation, m.content
         FROM message m INDEXED BY message_failed_order
         JOIN conversation c ON c.number = m.conversation
         JOIN desk.sent_here s ON s.channel = c.channel AND s.message = m.id
         WHERE m.delivery = 'failed' AND m.inbound = 0 AND m.sort_at > ?1
         ORDER BY m.sort_at LIMIT ?2";
    let bound = params![from.plus(-DELIVERY_REPORT_DELAY), MAX_ENTRIES + 1];
    let found: Vec<(ConversationKey, SafeText)> = connection.all(sql, bound, |row| {
        let key = ConversationKey { channel: row.get("channel")?, conversation: row.get("conversation")? };
        Ok((key, row.line("content")?))
    })?;
    let entry = |(key, text): (ConversationKey, SafeText)| {
        Ok(DigestEntry {
            channel: key.channel.clone(),
            title: desk::conversation_title(connection, &key.channel, &key.conversation)?,
            fact: DigestFact::Undelivered(text),
            place: DigestPlace::Conversation(key),
        })
    };
    found.into_iter().map(entry).collect()
}

/// Returns rows stopped since and still waiting for a person.
fn asking(connection: &Connection, audit: i64) -> Result<Vec<DigestEntry>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM desk.outbox WHERE state = 'stopped'
             AND id IN (SELECT row FROM desk.audit WHERE number > ?1 AND event = 'stopped')
         ORDER BY sequence LIMIT ?2"
    );
    let rows: Vec<_> = connection.all(&sql, params![audit, MAX_ENTRIES + 1], read)?;
    let entry = |row: model::outbox::OutboxRow| {
        Ok(DigestEntry {
            channel: row.channel.clone(),
            title: desk::lane_title(connection, &row.channel, &row.lane)?,
            place: place_of(&row.channel, &row.lane).unwrap_or(DigestPlace::Outbox),
            fact: DigestFact::Asks(Box::new(row)),
        })
    };
    rows.into_iter().map(entry).collect()
}

/// Returns rows accepted by the server or dropped automatically since.
fn ended_rows(connection: &Connection, audit: i64) -> Result<Vec<DigestEntry>, StoreError> {
    let sql =
        "SELECT channel, lane, lane_id, operation, event, detail, made FROM desk.audit WHERE number > ?1
             AND (event = 'dropped' AND detail <> '' OR event = 'done'
                 AND operation IN ('send', 'send-content', 'mail', 'sms', 'call', 'broadcast', 'close'))
         ORDER BY event = 'done', number LIMIT ?2";
    let found: Vec<(ChannelId, Option<Lane>, DigestFact, String)> =
        connection.all(sql, params![audit, MAX_ENTRIES + 1], |row| {
            let operation = row.line("operation")?;
            let fact = match row.text::<&str>("event")? {
                "done" => DigestFact::Left { operation },
                _ => DigestFact::GivenUp { operation, why: row.line("detail")? },
            };
            let lane = Lane::from_parts(row.text("lane")?, row.get("lane_id")?);
            Ok((row.get("channel")?, lane, fact, row.get("made")?))
        })?;
    let entry = |(channel, lane, fact, made): (ChannelId, Option<Lane>, DigestFact, String)| {
        let Some(lane) = lane else { return Ok(None) };
        let says = match lane {
            Lane::Broadcasts => broadcast_messages::broadcast_line(connection, &channel, &made)?,
            _ => None,
        };
        let title = says.map_or_else(|| desk::lane_title(connection, &channel, &lane), Ok)?;
        let place = place_of(&channel, &lane).unwrap_or(match lane {
            Lane::Broadcasts => DigestPlace::Broadcasts,
            _ => DigestPlace::Nowhere,
        });
        Ok(Some(DigestEntry { channel, title, fact, place }))
    };
    found.into_iter().filter_map(|item| entry(item).transpose()).collect()
}

/// Returns the conversation of a lane, if it can be opened.
fn place_of(channel: &ChannelId, lane: &Lane) -> Option<DigestPlace> {
    let conversation = lane
        .conversation()
        .filter(|conversation| !conversation.as_str().starts_with(NEW_MAIL_PREFIX))?
        .clone();
    Some(DigestPlace::Conversation(ConversationKey { channel: channel.clone(), conversation }))
}
