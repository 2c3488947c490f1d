//! Items that need a person, of several channels in one order of urgency. Each query reads a window
//! of an index, independent of the amount stored.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::reader::conversations::{ANSWERED_BEFORE_EXPRESSION, load_row};
use crate::reader::{desk, row_outcomes};
use crate::rows::outbox::{COLUMNS, read};
use crate::rows::{campaign, local};
use crate::{proposals, queue};
use model::attention::{Alarms, AttentionEntry, AttentionQuery, AttentionReason, sort_by_urgency};
use model::conversations::{AI_ANSWER_TIMEOUT, ConversationRow};
use model::ids::{ChannelId, ConversationId};
use model::outbox::OutboxRow;
use model::queries::{ConversationKey, DeskQuery};
use model::targets;
use model::text::SafeText;
use model::time::Timestamp;
use model::trouble::TROUBLE_THRESHOLD;
use model::waves;
use sqlite::{Queries, only_cell};

/// Maximum number of entries per query and in total.
const MAX_ENTRIES: u32 = 100;
/// Maximum number of waiting customers checked against their targets.
const MAX_WAITING_CUSTOMERS: u32 = 1_000;
/// Urgency keys below this belong to conversations where the AI asks for a person.
const ESCALATED_URGENCY_LIMIT: i64 = 512 * (1 << 52);

/// Returns all entries, most urgent first, and true if there are more.
pub(crate) fn list(
    connection: &Connection,
    query: &AttentionQuery,
) -> Result<(Vec<AttentionEntry>, bool), StoreError> {
    let mut entries = stopped_entries(connection)?;
    entries.extend(overdue_pauses(connection, query)?);
    let mut told: Vec<ConversationKey> = Vec::new();
    let ways: [(ConversationFinder, RowReason); 4] = [
        (rows_without_ai_answer, AttentionReason::AiSilent),
        (escalated_rows, AttentionReason::AiEscalated),
        (rows_near_target, AttentionReason::TargetNear),
        (troubled_rows, AttentionReason::AiInTrouble),
    ];
    for (ask, reason) in ways {
        for channel in &query.channels {
            for row in ask(connection, channel, query)? {
                // Each conversation is listed once, with its most urgent reason.
                if !told.contains(&row.key()) {
                    told.push(row.key());
                    entries.push(entry_from_row(row, reason));
                }
            }
        }
    }
    entries.extend(paused_campaigns(connection)?);
    let proposed = proposals::list(connection, &DeskQuery { channel: None, limit: MAX_ENTRIES })?.0;
    entries.extend(proposed.into_iter().map(|proposal_entry| AttentionEntry {
        channel: proposal_entry.proposal.channel.clone(),
        title: proposal_entry.title.clone(),
        reason: AttentionReason::Proposed(Box::new(proposal_entry)),
    }));
    entries.retain(|entry| query.channels.contains(&entry.channel));
    sort_by_urgency(&mut entries, query.now);
    Ok(desk::truncate_rows(entries, MAX_ENTRIES))
}

/// Returns what has become due since a time by this machine's clock, how much is due, and when the
/// next item is.
pub(crate) fn alarms(
    connection: &Connection,
    query: &AttentionQuery,
    since: Timestamp,
) -> Result<Alarms, StoreError> {
    let now = query.now;
    let mut alarms = Alarms::default();
    for channel in &query.channels {
        for row in handed_back_rows(connection, channel)? {
            let Some(at) = row.ai_asked_at.map(|asked_ai| asked_ai.plus(AI_ANSWER_TIMEOUT)) else { continue };
            if at > now {
                alarms.schedule_at(at);
                continue;
            }
            alarms.unanswered += 1;
            if at > since {
                alarms.fired.push(entry_from_row(row, AttentionReason::AiSilent));
            }
        }
        target_alarms(connection, channel, query, since, &mut alarms)?;
        let (is_due, next) = queue::next_change(connection, channel, now, query.lease)?;
        alarms.moved.extend(is_due.then(|| channel.clone()));
        next.into_iter().for_each(|at| alarms.schedule_at(at));
    }
    Ok(alarms)
}

/// Adds the targets of a channel that came near since a time, the number near or missed, and the
/// time of the next.
fn target_alarms(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
    since: Timestamp,
    alarms: &mut Alarms,
) -> Result<(), StoreError> {
    let targets = targets::targets_of(&query.targets, channel);
    for answered in [false, true] {
        let Some(span) = targets.span(answered) else { continue };
        let early = span - targets::warning_span(span);
        for (conversation, began) in waiting_customers(connection, channel, answered, query.now.plus(-early))?
        {
            let (near, missed) = (began.plus(early), began.plus(span));
            if missed <= query.now {
                alarms.missed += 1;
                continue;
            }
            alarms.near += 1;
            alarms.schedule_at(missed);
            if near > since
                && let Some(row) = load_row(connection, channel, &conversation)?
            {
                alarms.fired.push(entry_from_row(row, AttentionReason::TargetNear));
            }
        }
        // The next target is that of the first customer who began to wait after this.
        let sql = "SELECT min(waiting_since) FROM conversation
             WHERE channel = ?1 AND needs = 1 AND waiting_since > ?2";
        let next: Option<Timestamp> = connection.scalar(sql, params![channel, query.now.plus(-early)])?;
        if let Some(began) = next {
            alarms.schedule_at(began.plus(early));
        }
    }
    Ok(())
}

/// Returns customers waiting since before a time, longest first, either answered before or not.
fn waiting_customers(
    connection: &Connection,
    channel: &ChannelId,
    answered: bool,
    before: Timestamp,
) -> Result<Vec<(ConversationId, Timestamp)>, StoreError> {
    let sql = format!(
        "SELECT c.id, c.waiting_since FROM conversation c INDEXED BY conversation_waits
         WHERE c.channel = ?1 AND c.needs = 1 AND c.waiting_since <= ?2 AND c.is_closed = 0
             AND {ANSWERED_BEFORE_EXPRESSION} = ?3 AND c.number NOT IN ({})
         ORDER BY c.waiting_since, c.id LIMIT ?4",
        local::SELECT_ASLEEP
    );
    let bound = params![channel, before, answered, MAX_WAITING_CUSTOMERS];
    Ok(connection.all(&sql, bound, |row| Ok((row.get("id")?, row.get("waiting_since")?)))?)
}

/// Returns conversations whose target is near or was missed.
fn rows_near_target(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let targets = targets::targets_of(&query.targets, channel);
    let mut found = Vec::new();
    for answered in [false, true] {
        let Some(span) = targets.span(answered) else { continue };
        let early = query.now.plus(targets::warning_span(span) - span);
        found.extend(waiting_customers(connection, channel, answered, early)?.into_iter().map(|pair| pair.0));
    }
    found.truncate(usize::try_from(MAX_ENTRIES).unwrap_or(usize::MAX));
    rows_of(connection, channel, &found)
}

type RowReason = fn(Box<ConversationRow>) -> AttentionReason;
type ConversationFinder =
    fn(&Connection, &ChannelId, &AttentionQuery) -> Result<Vec<ConversationRow>, StoreError>;

fn entry_from_row(row: ConversationRow, reason: RowReason) -> AttentionEntry {
    AttentionEntry {
        channel: row.channel.clone(),
        title: row.conversation.title(),
        reason: reason(Box::new(row)),
    }
}

fn stopped_entries(connection: &Connection) -> Result<Vec<AttentionEntry>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM desk.outbox WHERE state = 'stopped' ORDER BY sequence LIMIT ?1");
    let rows: Vec<OutboxRow> = connection.all(&sql, [MAX_ENTRIES + 1], read)?;
    let entry = |row: OutboxRow| {
        Ok(AttentionEntry {
            channel: row.channel.clone(),
            title: desk::lane_title(connection, &row.channel, &row.lane)?,
            reason: AttentionReason::Stopped(Box::new(row)),
        })
    };
    rows.into_iter().map(entry).collect()
}

/// Returns AI pauses made from here that have lasted longer than allowed.
fn overdue_pauses(
    connection: &Connection,
    query: &AttentionQuery,
) -> Result<Vec<AttentionEntry>, StoreError> {
    if query.lease == 0 {
        return Ok(Vec::new());
    }
    let ended = query.now.plus(-query.lease);
    let over = row_outcomes::paused_entries(connection, MAX_ENTRIES + 1)?
        .into_iter()
        .filter(|paused_entry| paused_entry.counts_from <= ended);
    let entry = |paused_entry: model::queries::PausedEntry| AttentionEntry {
        channel: paused_entry.channel.clone(),
        title: paused_entry
            .title
            .clone()
            .unwrap_or_else(|| SafeText::line(paused_entry.conversation.as_str())),
        reason: AttentionReason::PauseExpired(Box::new(paused_entry)),
    };
    Ok(over.map(entry).collect())
}

fn rows_of(
    connection: &Connection,
    channel: &ChannelId,
    found: &[ConversationId],
) -> Result<Vec<ConversationRow>, StoreError> {
    found
        .iter()
        .filter_map(|conversation_id| load_row(connection, channel, conversation_id).transpose())
        .collect()
}

/// Returns conversations handed back from here in which the AI has not answered in time.
fn rows_without_ai_answer(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let rows = handed_back_rows(connection, channel)?.into_iter();
    Ok(rows.filter(|row| row.unanswered_since(query.now).is_some()).collect())
}

/// Returns conversations handed back from here whose customer has written since and waits.
fn handed_back_rows(
    connection: &Connection,
    channel: &ChannelId,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = "SELECT h.conversation FROM desk.handback h
         CROSS JOIN conversation c ON c.channel = h.channel AND c.id = h.conversation
         WHERE h.channel = ?1 AND c.is_closed = 0 AND c.waiting_since IS NOT NULL
         ORDER BY c.waiting_since LIMIT ?2";
    let found: Vec<ConversationId> = connection.all(sql, params![channel, MAX_ENTRIES + 1], only_cell)?;
    let rows = rows_of(connection, channel, &found)?.into_iter();
    Ok(rows.filter(|row| row.ai_asked_at.is_some() && !row.local.is_asleep()).collect())
}

fn escalated_rows(
    connection: &Connection,
    channel: &ChannelId,
    _: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT id FROM conversation INDEXED BY conversation_urgent
         WHERE channel = ?1 AND needs = 1 AND urgency < ?2 AND number NOT IN ({})
         ORDER BY urgency, id LIMIT ?3",
        local::SELECT_ASLEEP
    );
    let found: Vec<ConversationId> =
        connection.all(&sql, params![channel, ESCALATED_URGENCY_LIMIT, MAX_ENTRIES + 1], only_cell)?;
    rows_of(connection, channel, &found)
}

/// Returns conversations where the AI is not off and the trouble score is high.
fn troubled_rows(
    connection: &Connection,
    channel: &ChannelId,
    query: &AttentionQuery,
) -> Result<Vec<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT id FROM conversation INDEXED BY conversation_in_trouble
         WHERE channel = ?1 AND trouble >= {TROUBLE_THRESHOLD} AND is_closed = 0 AND automation <> 'off'
             AND number NOT IN ({})
         ORDER BY trouble DESC, id LIMIT ?2",
        local::SELECT_ASLEEP
    );
    let found: Vec<ConversationId> = connection.all(&sql, params![channel, MAX_ENTRIES + 1], only_cell)?;
    let rows = rows_of(connection, channel, &found)?;
    Ok(rows.into_iter().filter(|row| row.describe_trouble(query.now).is_some()).collect())
}

fn paused_campaigns(connection: &Connection) -> Result<Vec<AttentionEntry>, StoreError> {
    let condition = "WHERE phase = 'paused' ORDER BY number LIMIT ?1";
    let found = campaign::select(connection, "desk", condition, [MAX_ENTRIES + 1])?;
    let entry = |campaign: waves::Campaign| AttentionEntry {
        channel: campaign.channel.clone(),
        title: waves::content_title(&campaign.content),
        reason: AttentionReason::CampaignPaused(Box::new(campaign)),
    };
    Ok(found.into_iter().map(entry).collect())
}
