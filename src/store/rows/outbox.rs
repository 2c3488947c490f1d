//! An outbox row as columns.
//!
//! Knows nothing of which rows may leave.

use rusqlite::Row;

use crate::model::ids::{ChannelId, ConversationId, IdempotencyKey, MessageId, RowId};
use crate::model::outbox::{Operation, OutboxRow, PreparedRequest, RowState, Stop};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::rows::{line, time};

/// The columns [`read`] expects, in order.
pub(crate) const COLUMNS: &str = "id, channel, conversation, operation, recipient, text, quoted, target, \
     emoji, idempotency_key, method, path, body, created_at, not_before, first_attempt_at, attempts, \
     state, stop, why";
/// How many they are.
pub(crate) const WIDTH: usize = 20;

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    let id: String = row.get(0)?;
    let channel: String = row.get(1)?;
    let conversation: String = row.get(2)?;
    let key: String = row.get(9)?;
    let method: String = row.get(10)?;
    Ok(OutboxRow {
        id: RowId::new(id),
        channel: ChannelId::new(channel),
        conversation: ConversationId::new(conversation),
        operation: read_operation(row)?,
        key: IdempotencyKey::new(key),
        request: PreparedRequest {
            method: if method == "PATCH" { "PATCH" } else { "POST" },
            path: row.get(11)?,
            body: row.get(12)?,
        },
        created_at: Timestamp::from_micros(row.get(13)?),
        not_before: Timestamp::from_micros(row.get(14)?),
        first_attempt_at: time(row, 15)?,
        attempts: row.get(16)?,
        state: read_state(row)?,
    })
}

fn read_operation(row: &Row<'_>) -> rusqlite::Result<Operation> {
    let word: String = row.get(3)?;
    let text =
        |at: usize| -> rusqlite::Result<String> { Ok(row.get::<_, Option<String>>(at)?.unwrap_or_default()) };
    let quoted: Option<String> = row.get(6)?;
    Ok(match word.as_str() {
        "send" => Operation::SendText { to: text(4)?, text: text(5)?, reply_to: quoted.map(MessageId::new) },
        "react" => Operation::React { message: MessageId::new(text(7)?), emoji: text(8)? },
        "pause" => Operation::SetAutomation { enabled: false },
        "resume" => Operation::SetAutomation { enabled: true },
        // The table allows no other word.
        _ => Operation::Close,
    })
}

fn read_state(row: &Row<'_>) -> rusqlite::Result<RowState> {
    let word: String = row.get(17)?;
    let stop: Option<String> = row.get(18)?;
    Ok(match word.as_str() {
        "queued" => RowState::Queued,
        "sending" => RowState::Sending,
        "uncertain" => RowState::Uncertain,
        _ => {
            let why: SafeText = line(row, 19)?;
            RowState::Stopped(Stop::from_word(stop.as_deref().unwrap_or("unknown")), why)
        }
    })
}
