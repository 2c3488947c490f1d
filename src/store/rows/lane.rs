//! An outbox row as the sender needs it, as columns.
//!
//! Knows nothing of which rows may leave.

use rusqlite::Row;

use crate::model::outbox::{Looks, Moment};
use crate::model::time::Timestamp;
use crate::store::lane::LaneRow;
use crate::store::processes::is_gone;
use crate::store::rows::outbox::{COLUMNS, WIDTH};
use crate::store::rows::{outbox, time};

/// What [`read`] expects, up to the condition.
pub(crate) fn select() -> String {
    format!(
        "SELECT {COLUMNS}, failures, fence, lease_until, EXISTS (SELECT 1 FROM pause p
             WHERE p.channel = outbox.channel AND p.conversation = outbox.conversation
             AND p.read_again = 0),
         coalesce(due_at, created_at), first_attempt_server_at, first_attempt_since_boot,
         last_attempt_at, credits_before, looks, looked_at, absent_at,
         EXISTS (SELECT 1 FROM decision d WHERE d.row = outbox.id AND d.word = 'same key'
             AND d.at >= coalesce(last_attempt_at, 0)),
         attempted_as,
         successor_of IS NOT NULL, iif(state = 'sending', claimed_by, NULL)
         FROM outbox"
    )
}

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<LaneRow> {
    let seen = outbox::read(row)?;
    let server = time(row, WIDTH + 5)?;
    let since_boot = row.get(WIDTH + 6)?;
    let finding = seen.finding.clone();
    Ok(LaneRow {
        failures: row.get(WIDTH)?,
        fence: row.get(WIDTH + 1)?,
        lease_until: Timestamp::from_micros(row.get(WIDTH + 2)?),
        cut_off: row.get::<_, Option<String>>(WIDTH + 15)?.is_some_and(|it| is_gone(&it)),
        read_first: row.get(WIDTH + 3)?,
        due_at: Timestamp::from_micros(row.get(WIDTH + 4)?),
        first: seen.first_attempt_at.map(|wall| Moment { wall, server, since_boot }),
        last_attempt_at: time(row, WIDTH + 7)?,
        tried_before: None,
        credits_before: row.get(WIDTH + 8)?,
        asked_again: row.get(WIDTH + 12)?,
        attempted_as: row.get(WIDTH + 13)?,
        is_successor: row.get(WIDTH + 14)?,
        looks: Looks {
            count: row.get(WIDTH + 9)?,
            last_at: time(row, WIDTH + 10)?,
            absent_at: time(row, WIDTH + 11)?,
            finding,
        },
        row: seen,
    })
}
