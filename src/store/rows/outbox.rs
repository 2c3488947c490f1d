//! Reads an outbox row from columns.

use rusqlite::Connection;

use crate::StoreError;
use crate::rows::operation;
use model::ids::{MessageId, RowId};
use model::outbox::{HistoryFinding, Lane, OutboxRow, PreparedRequest, RowState, StopReason, WriteMethod};
use model::time::Timestamp;
use sqlite::{Queries, Row, read_row};

/// Columns for [`read`], without the request body, so that a list of rows does not load uploads.
pub(crate) const COLUMNS: &str = "id, channel, lane, lane_id, operation, payload, idempotency_key, created_at, \
     not_before, first_attempt_at, attempts, state, stop, why, seen_at, seen_id, finding, sequence, \
     planned_at, coalesce(due_at, created_at) AS due";

/// Stored form of [`HistoryFinding::Absent`].
const ABSENT_FINDING: &str = "absent";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    let lane = Lane::from_parts(row.text("lane")?, row.get("lane_id")?)
        .ok_or_else(|| unreadable_column(row, "lane"))?;
    let (word, payload): (&str, &str) = (row.text("operation")?, row.text("payload")?);
    let operation = operation::read(word, payload).ok_or_else(|| unreadable_column(row, "operation"))?;
    Ok(read_row!(row, OutboxRow {
        id, channel, key = idempotency_key, created_at, not_before, first_attempt_at, attempts, sequence, planned_at,
        due_at = due;
        lane,
        operation,
        state: read_state(row)?,
        seen: row.get::<Option<Timestamp>>("seen_at")?.zip(row.get("seen_id")?),
        finding: read_finding(row.get("finding")?)
    }))
}

fn read_finding(text: Option<String>) -> HistoryFinding {
    match text.as_deref() {
        None => HistoryFinding::Nothing,
        Some(ABSENT_FINDING) => HistoryFinding::Absent,
        Some(ids) => HistoryFinding::Several(ids.lines().map(MessageId::from).collect()),
    }
}

pub(crate) fn finding_text(finding: &HistoryFinding) -> Option<String> {
    match finding {
        HistoryFinding::Nothing | HistoryFinding::Listed => None,
        HistoryFinding::Absent => Some(ABSENT_FINDING.to_owned()),
        HistoryFinding::Several(messages) => {
            Some(messages.iter().map(MessageId::as_str).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Returns the request of a row; `None` if the row is gone.
pub(crate) fn load_request(
    connection: &Connection,
    id: &RowId,
) -> Result<Option<PreparedRequest>, StoreError> {
    let sql = "SELECT method, path, content_type, body FROM outbox WHERE id = ?1";
    Ok(connection.first(sql, [id], |row| {
        let method = row
            .parse_word("method", WriteMethod::from_word)?
            .ok_or_else(|| unreadable_column(row, "method"))?;
        Ok(read_row!(row, PreparedRequest { path, content_type, body; method }))
    })?)
}

fn unreadable_column(row: &Row<'_>, name: &'static str) -> rusqlite::Error {
    row.unreadable(name, format!("the {name} of an outbox row cannot be read"))
}

fn read_state(row: &Row<'_>) -> rusqlite::Result<RowState> {
    Ok(match row.text("state")? {
        "queued" => RowState::Queued,
        "sending" => RowState::Sending,
        "uncertain" => RowState::Uncertain,
        _ => {
            let stop = row.optional_text("stop")?.unwrap_or("unknown");
            RowState::Stopped(StopReason::from_word(stop), row.line("why")?)
        }
    })
}
