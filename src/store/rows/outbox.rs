//! An outbox row as columns.
//!
//! Knows nothing of which rows may leave.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::model::ids::{ChannelId, IdempotencyKey, MessageId, RowId};
use crate::model::messages::Place;
use crate::model::outbox::{Finding, Lane, Method, OutboxRow, PreparedRequest, RowState, Stop};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::StoreError;
use crate::store::rows::{line, operation, time};

/// The columns [`read`] expects, in order. The bytes are not among them: a
/// list of rows must not carry uploads.
pub(crate) const COLUMNS: &str = "id, channel, lane, lane_id, operation, payload, idempotency_key, created_at, \
     not_before, first_attempt_at, attempts, state, stop, why, seen_at, seen_id, finding, sequence, \
     planned_at";
/// How many they are.
pub(crate) const WIDTH: usize = 19;

/// The finding that a text is not in its history.
const ABSENT: &str = "absent";

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    let id: String = row.get(0)?;
    let channel: String = row.get(1)?;
    let (kind, lane_id): (String, String) = (row.get(2)?, row.get(3)?);
    let (word, payload): (String, String) = (row.get(4)?, row.get(5)?);
    let key: String = row.get(6)?;
    Ok(OutboxRow {
        id: RowId::new(id),
        channel: ChannelId::new(channel),
        lane: Lane::from_parts(&kind, lane_id).ok_or_else(|| unreadable(2, "lane"))?,
        operation: operation::read(&word, &payload).ok_or_else(|| unreadable(5, "operation"))?,
        key: IdempotencyKey::new(key),
        created_at: Timestamp::from_micros(row.get(7)?),
        not_before: Timestamp::from_micros(row.get(8)?),
        first_attempt_at: time(row, 9)?,
        attempts: row.get(10)?,
        state: read_state(row)?,
        seen: read_seen(row)?,
        finding: read_finding(row.get(16)?),
        sequence: row.get(17)?,
        planned_at: time(row, 18)?,
    })
}

fn read_seen(row: &Row<'_>) -> rusqlite::Result<Option<Place>> {
    let (at, id): (_, Option<String>) = (time(row, 14)?, row.get(15)?);
    Ok(at.zip(id.map(MessageId::new)))
}

fn read_finding(text: Option<String>) -> Finding {
    match text.as_deref() {
        None => Finding::Nothing,
        Some(ABSENT) => Finding::Absent,
        Some(ids) => Finding::Several(ids.lines().map(MessageId::from).collect()),
    }
}

/// What a finding is kept as.
pub(crate) fn finding_text(finding: &Finding) -> Option<String> {
    match finding {
        Finding::Nothing => None,
        Finding::Absent => Some(ABSENT.to_owned()),
        Finding::Several(messages) => {
            Some(messages.iter().map(MessageId::as_str).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Reads the bytes of a row; `None` if the row is gone.
pub(crate) fn request(connection: &Connection, id: &RowId) -> Result<Option<PreparedRequest>, StoreError> {
    let sql = "SELECT method, path, content_type, body FROM outbox WHERE id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let read = |row: &Row<'_>| {
        let method: String = row.get(0)?;
        Ok(PreparedRequest {
            method: Method::from_word(&method).ok_or_else(|| unreadable(0, "method"))?,
            path: row.get(1)?,
            content_type: row.get(2)?,
            body: row.get(3)?,
        })
    };
    Ok(statement.query_row([id.as_str()], read).optional()?)
}

fn unreadable(column: usize, what: &str) -> rusqlite::Error {
    let why = format!("the {what} of an outbox row cannot be read");
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
}

fn read_state(row: &Row<'_>) -> rusqlite::Result<RowState> {
    let word: String = row.get(11)?;
    let stop: Option<String> = row.get(12)?;
    Ok(match word.as_str() {
        "queued" => RowState::Queued,
        "sending" => RowState::Sending,
        "uncertain" => RowState::Uncertain,
        _ => {
            let why: SafeText = line(row, 13)?;
            RowState::Stopped(Stop::from_word(stop.as_deref().unwrap_or("unknown")), why)
        }
    })
}
