//! Outcomes of outbox rows, from their state or their last audit entry.

use rusqlite::Connection;

use crate::reader::conversations::load_row;
use crate::{StoreError, outbox};
use model::conversations::ConversationRow;
use model::ids::RowId;
use model::queries::{ConversationKey, OutboxOutcome, PausedEntry};
use model::text::SafeText;
use sqlite::{Queries, only_cell, read_row};

pub(crate) fn load_outcomes(
    connection: &Connection,
    rows: &[RowId],
) -> Result<Vec<(RowId, OutboxOutcome)>, StoreError> {
    rows.iter().map(|row| Ok((row.clone(), load_outcome(connection, row)?))).collect()
}

fn load_outcome(connection: &Connection, row: &RowId) -> Result<OutboxOutcome, StoreError> {
    let open = connection.first(
        "SELECT state, why FROM desk.outbox WHERE id = ?1",
        [row.as_str()],
        |connection| Ok((connection.get::<String>("state")?, connection.line("why")?)),
    )?;
    if let Some((state, why)) = open {
        return Ok(match state.as_str() {
            "stopped" => OutboxOutcome::NeedsDecision(why),
            "queued" => OutboxOutcome::Waiting,
            _ => OutboxOutcome::Sending,
        });
    }
    let ending = outbox::ending(connection, row)?;
    // A row sent again under a new key continues as its successor.
    if ending.as_deref() != Some("done")
        && let Some(heir) = successor_row(connection, row)?
    {
        return load_outcome(connection, &heir);
    }
    Ok(match ending.as_deref() {
        Some("done") => OutboxOutcome::Done,
        Some("taken back") => OutboxOutcome::Recalled,
        Some("dropped") => {
            outbox::refusal(connection, row)?.map_or(OutboxOutcome::Dropped, OutboxOutcome::Refused)
        }
        _ => OutboxOutcome::Dropped,
    })
}

fn successor_row(connection: &Connection, row: &RowId) -> Result<Option<RowId>, StoreError> {
    let sql = "SELECT successor FROM desk.decision WHERE row = ?1 AND successor <> row ORDER BY number DESC LIMIT 1";
    Ok(connection.first(sql, [row], only_cell)?)
}

pub(crate) fn load_rows(
    connection: &Connection,
    conversations: &[ConversationKey],
) -> Result<Vec<ConversationRow>, StoreError> {
    let rows = conversations.iter().filter_map(|conversation| {
        load_row(connection, &conversation.channel, &conversation.conversation).transpose()
    });
    rows.collect()
}

pub(crate) fn paused_entries(connection: &Connection, limit: u32) -> Result<Vec<PausedEntry>, StoreError> {
    let sql = "SELECT channel, conversation, owner, since, max(since, extended_at) AS counts_from,
             EXISTS (SELECT 1 FROM desk.draft_only d WHERE d.channel = p.channel
                 AND d.conversation = p.conversation AND d.is_on = 1) AS draft_only
         FROM desk.pause p ORDER BY max(since, extended_at), channel, conversation LIMIT ?1";
    let mut entries: Vec<_> = connection.all(sql, [limit], |row| {
        Ok(read_row!(row, PausedEntry { channel, conversation, owner: line, since, counts_from, draft_only; title: None, waiting_since: None }))
    })?;
    for entry in &mut entries {
        let known = load_row(connection, &entry.channel, &entry.conversation)?;
        entry.title = known.as_ref().map(|conversation_row| conversation_row.conversation.title());
        entry.waiting_since = known.and_then(|conversation_row| conversation_row.waiting_since);
    }
    Ok(entries)
}

pub(crate) fn used_tags(connection: &Connection, limit: u32) -> Result<Vec<SafeText>, StoreError> {
    Ok(connection.all(
        "SELECT word FROM (SELECT word FROM desk.tag
                 UNION ALL SELECT j.value FROM contact p, json_each(p.tags) j)
             GROUP BY word ORDER BY count(*) DESC, word LIMIT ?1",
        [limit],
        |row| row.line("word"),
    )?)
}
