//! What needs a person, of several channels in one order of urgency. Each part
//! is a window of an index, however much is stored.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::proposals;
use crate::reader::conversations::{ANSWERED_BEFORE, row_of};
use crate::reader::{desk, fates};
use crate::rows::outbox::{COLUMNS, read};
use crate::rows::{campaign, local};
use model::attention::{
    Alarms, AttentionAnswer, AttentionAsk, AttentionEntry, AttentionQuery, AttentionReason, by_urgency,
};
use model::conversations::{ConversationRow, PATIENCE};
use model::ids::{ChannelId, ConversationId};
use model::outbox::OutboxRow;
use model::queries::{ConversationKey, DeskQuery};
use model::targets;
use model::text::SafeText;
use model::time::Timestamp;
use model::trouble::TROUBLE;
use model::waves;
use sqlite::{Queries, only};

/// Entries of each part at most, and of all.
const MOST: u32 = 100;
/// Customers who wait that are looked at for their targets, at most.
const WAITING: u32 = 1_000;
/// What the order of urgency begins with where the AI asks for a person.
const ASKS_BELOW: i64 = 512 * (1 << 52);

/// Answers what is asked.
pub(crate) fn answer(connection: &Connection, ask: &AttentionAsk) -> Result<AttentionAnswer, StoreError> {
    match ask {
        AttentionAsk::List(query) => {
            let (entries, more) = list(connection, query)?;
            Ok(AttentionAnswer::List(entries, more))
        }
        AttentionAsk::Alarms(query, since) => {
            Ok(AttentionAnswer::Alarms(alarms(connection, query, *since)?, query.now))
        }
    }
}

/// Reads all of it, the most urgent first; and whether there is more.
fn list(connection: &Connection, query: &AttentionQuery) -> Result<(Vec<AttentionEntry>, bool), StoreError> {
    let mut entries = stopped(connection)?;
    entries.extend(overdue_pauses(connection, query)?);
    let mut told: Vec<ConversationKey> = Vec::new();
    let ways: [(Ask, ReasonOfRow); 4] = [
        (silent, AttentionReason::Silent),
        (asking, AttentionReason::Asks),
        (near_target, AttentionReason::Target),
        (failing, AttentionReason::Fails),
    ];
    for (ask, reason) in ways {
        for channel in &query.channels {
            for row in ask(connection, channel, query)? {
                // One conversation is told once, as what is most urgent of it.
                if !told.contains(&row.key()) {
                    told.push(row.key());
                    entries.push(of_row(row, reason));
                }
            }
        }
    }
    entries.extend(paused_waves(connection)?);
    let proposed = proposals::list(connection, &DeskQuery { channel: None, limit: MOST })?.0;
    entries.extend(proposed.into_iter().map(|proposal_entry| AttentionEntry {
        channel: proposal_entry.proposal.channel.clone(),
        title: proposal_entry.title.clone(),
        reason: AttentionReason::Proposed(Box::new(proposal_entry)),
    }));
    entries.retain(|entry| query.channels.contains(&entry.channel));
    by_urgency(&mut entries, query.now);
    Ok(desk::cut(entries, MOST))
}

/// What has become due since a time by this desk's own clock, how much is, and
/// when something will be.
fn alarms(connection: &Connection, query: &AttentionQuery, since: Timestamp) -> Result<Alarms, StoreError> {
    let now = query.now;
    let mut alarms = Alarms::default();
    for channel in &query.channels {
        for row in handed_back(connection, channel)? {
            let Some(at) = row.asked_ai_at.map(|asked_ai| asked_ai.plus(PATIENCE)) else { continue };
            if at > now {
                alarms.comes(at);
                continue;
            }
            alarms.silent += 1;
            if at > since {
                alarms.rung.push(of_row(row, AttentionReason::Silent));
            }
        }
        target_alarms(connection, channel, query, since, &mut alarms)?;
    }
    Ok(alarms)
}

/// Targets of a channel that have come near since a time, how many are near or
/// missed, and when the next comes near or is missed.
fn target_alarms(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
    since: Timestamp,
    alarms: &mut Alarms,
) -> Result<(), StoreError> {
    let targets = targets::of(&query.targets, channel);
    for answered in [false, true] {
        let Some(span) = targets.span(answered) else { continue };
        let early = span - targets::warning(span);
        for (conversation, began) in waiting(connection, channel, answered, query.now.plus(-early))? {
            let (near, missed) = (began.plus(early), began.plus(span));
            if missed <= query.now {
                alarms.missed += 1;
                continue;
            }
            alarms.near += 1;
            alarms.comes(missed);
            if near > since
                && let Some(row) = row_of(connection, channel, &conversation)?
            {
                alarms.rung.push(of_row(row, AttentionReason::Target));
            }
        }
        // Whoever began to wait after that comes near next, whatever target they have.
        let sql = "SELECT min(waiting_since) FROM conversation
             WHERE channel = ?1 AND needs = 1 AND waiting_since > ?2";
        let next: Option<Timestamp> = connection.scalar(sql, params![channel, query.now.plus(-early)])?;
        if let Some(began) = next {
            alarms.comes(began.plus(early));
        }
    }
    Ok(())
}

/// Who has waited since before a time and was answered before, or was not; who
/// has waited longest first.
fn waiting(
    connection: &Connection,
    channel: &ChannelId,
    answered: bool,
    before: Timestamp,
) -> Result<Vec<(ConversationId, Timestamp)>, StoreError> {
    let sql = format!(
        "SELECT c.id, c.waiting_since FROM conversation c INDEXED BY conversation_waits
         WHERE c.channel = ?1 AND c.needs = 1 AND c.waiting_since <= ?2 AND c.is_closed = 0
             AND {ANSWERED_BEFORE} = ?3 AND c.number NOT IN ({})
         ORDER BY c.waiting_since, c.id LIMIT ?4",
        local::ASLEEP
    );
    let bound = params![channel, before, answered, WAITING];
    Ok(connection.all(&sql, bound, |row| Ok((row.get("id")?, row.get("waiting_since")?)))?)
}

/// Whose target is near or was missed, the earliest first.
fn near_target(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let targets = targets::of(&query.targets, channel);
    let mut found = Vec::new();
    for answered in [false, true] {
        let Some(span) = targets.span(answered) else { continue };
        let early = query.now.plus(targets::warning(span) - span);
        found.extend(waiting(connection, channel, answered, early)?.into_iter().map(|pair| pair.0));
    }
    found.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
    rows_of(connection, channel, &found)
}

/// Why a conversation needs a person.
type ReasonOfRow = fn(Box<ConversationRow>) -> AttentionReason;
/// Finds conversations of a channel.
type Ask = fn(&Connection, &ChannelId, &AttentionQuery) -> Result<Vec<ConversationRow>, StoreError>;

fn of_row(row: ConversationRow, reason: ReasonOfRow) -> AttentionEntry {
    AttentionEntry {
        channel: row.channel.clone(),
        title: row.conversation.title(),
        reason: reason(Box::new(row)),
    }
}

fn stopped(connection: &Connection) -> Result<Vec<AttentionEntry>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM desk.outbox WHERE state = 'stopped' ORDER BY sequence LIMIT ?1");
    let rows: Vec<OutboxRow> = connection.all(&sql, [MOST + 1], read)?;
    let entry = |row: OutboxRow| {
        Ok(AttentionEntry {
            channel: row.channel.clone(),
            title: desk::lane_title(connection, &row.channel, &row.lane)?,
            reason: AttentionReason::Stopped(Box::new(row)),
        })
    };
    rows.into_iter().map(entry).collect()
}

/// Pauses made from here that have gone on for as long as they may.
fn overdue_pauses(
    connection: &Connection,
    query: &AttentionQuery,
) -> Result<Vec<AttentionEntry>, StoreError> {
    if query.lease == 0 {
        return Ok(Vec::new());
    }
    let ended = query.now.plus(-query.lease);
    let over = fates::paused(connection, MOST + 1)?
        .into_iter()
        .filter(|paused_entry| paused_entry.counts_from <= ended);
    let entry = |paused_entry: model::queries::PausedEntry| AttentionEntry {
        channel: paused_entry.channel.clone(),
        title: paused_entry
            .title
            .clone()
            .unwrap_or_else(|| SafeText::line(paused_entry.conversation.as_str())),
        reason: AttentionReason::PauseOver(Box::new(paused_entry)),
    };
    Ok(over.map(entry).collect())
}

/// The rows of these conversations, as far as they are known.
fn rows_of(
    connection: &Connection,
    channel: &ChannelId,
    found: &[ConversationId],
) -> Result<Vec<ConversationRow>, StoreError> {
    found
        .iter()
        .filter_map(|conversation_id| row_of(connection, channel, conversation_id).transpose())
        .collect()
}

/// Handed back from here, and the AI has not answered the customer since.
fn silent(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let rows = handed_back(connection, channel)?.into_iter();
    Ok(rows.filter(|row| row.unanswered_since(query.now).is_some()).collect())
}

/// Handed back from here, and the customer has written since and waits.
fn handed_back(connection: &Connection, channel: &ChannelId) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = "SELECT h.conversation FROM desk.handback h
         CROSS JOIN conversation c ON c.channel = h.channel AND c.id = h.conversation
         WHERE h.channel = ?1 AND c.is_closed = 0 AND c.waiting_since IS NOT NULL
         ORDER BY c.waiting_since LIMIT ?2";
    let found: Vec<ConversationId> = connection.all(sql, params![channel, MOST + 1], only)?;
    let rows = rows_of(connection, channel, &found)?.into_iter();
    Ok(rows.filter(|row| row.asked_ai_at.is_some() && !row.local.is_asleep()).collect())
}

/// The AI asks for a person.
fn asking(
    connection: &Connection,
    channel: &ChannelId,
    _: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT id FROM conversation INDEXED BY conversation_urgent
         WHERE channel = ?1 AND needs = 1 AND urgency < ?2 AND number NOT IN ({})
         ORDER BY urgency, id LIMIT ?3",
        local::ASLEEP
    );
    let found: Vec<ConversationId> = connection.all(&sql, params![channel, ASKS_BELOW, MOST + 1], only)?;
    rows_of(connection, channel, &found)
}

/// The AI answers, and there is trouble with it.
fn failing(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT id FROM conversation INDEXED BY conversation_in_trouble
         WHERE channel = ?1 AND trouble >= {TROUBLE} AND is_closed = 0 AND automation <> 'off'
             AND number NOT IN ({})
         ORDER BY trouble DESC, id LIMIT ?2",
        local::ASLEEP
    );
    let found: Vec<ConversationId> = connection.all(&sql, params![channel, MOST + 1], only)?;
    let rows = rows_of(connection, channel, &found)?;
    Ok(rows.into_iter().filter(|row| row.trouble_words(query.now).is_some()).collect())
}

/// Broadcasts that were stopped between two waves and wait for a person.
fn paused_waves(connection: &Connection) -> Result<Vec<AttentionEntry>, StoreError> {
    let condition = "WHERE phase = 'paused' ORDER BY number LIMIT ?1";
    let found = campaign::select(connection, "desk", condition, [MOST + 1])?;
    let entry = |campaign: waves::Campaign| AttentionEntry {
        channel: campaign.channel.clone(),
        title: waves::title(&campaign.content),
        reason: AttentionReason::Waves(Box::new(campaign)),
    };
    Ok(found.into_iter().map(entry).collect())
}
