//! Reads an outbox row with the sender's columns.

use crate::lane::LaneRow;
use crate::processes::has_ended;
use crate::rows::outbox::{self, COLUMNS};
use crate::sending_account::read_cell;
use model::outbox::{ClockTimes, HistorySearches};
use sqlite::{Row, read_row};

/// Returns the `SELECT` for [`read`] up to its condition.
pub(crate) fn select_columns() -> String {
    format!(
        "SELECT {COLUMNS}, failures, fence, lease_until, EXISTS (SELECT 1 FROM pause p
             WHERE p.channel = outbox.channel AND p.conversation = outbox.conversation
             AND p.read_again = 0) AS read_first,
         first_attempt_server_at, first_attempt_since_boot,
         last_attempt_at, credits_before, looks, looked_at, absent_at,
         EXISTS (SELECT 1 FROM decision d WHERE d.row = outbox.id AND d.word = 'same key'
             AND d.at >= coalesce(last_attempt_at, 0)) AS asked_again,
         attempted_as, written_for, written_as,
         successor_of IS NOT NULL AS is_successor, iif(state = 'sending', claimed_by, NULL) AS claimer
         FROM outbox"
    )
}

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<LaneRow> {
    let seen = outbox::read(row)?;
    let server = row.get("first_attempt_server_at")?;
    let since_boot = row.get("first_attempt_since_boot")?;
    let finding = seen.finding.clone();
    Ok(read_row!(row, LaneRow {
        failures, fencing_token = fence, lease_until, read_first, last_attempt_at, credits_before, is_retry_requested = asked_again,
        attempted_as, written_as, is_successor;
        written_for: read_cell(row, "written_for")?,
        cut_off: row.optional_text("claimer")?.is_some_and(has_ended),
        first: seen.first_attempt_at.map(|wall| ClockTimes { wall, server, since_boot }),
        tried_before: None,
        history_searches: read_row!(row, HistorySearches { count = looks, last_at = looked_at, absent_at; finding }),
        row: seen
    }))
}
