//! What a tab's title and the status line count.
//!
//! Knows nothing of tabs.

use rusqlite::{Connection, params};

use crate::model::ids::ChannelId;
use crate::model::queries::TabCounts;
use crate::store::StoreError;

/// Waiting conversations counted at most: a title has no room for more, and
/// counting must not grow with what is stored.
const CAP: u32 = 10_000;

/// Counts for one tab.
pub(crate) fn counts(connection: &Connection, channel: &ChannelId) -> Result<TabCounts, StoreError> {
    let count = |sql: &str| -> Result<u32, StoreError> {
        Ok(connection.prepare_cached(sql)?.query_row(params![channel.as_str(), CAP], |row| row.get(0))?)
    };
    Ok(TabCounts {
        needs_reply: count(
            "SELECT count(*) FROM (SELECT 1 FROM conversation WHERE channel = ?1 AND needs = 1 LIMIT ?2)",
        )?,
        outbox: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.outbox WHERE channel = ?1 AND state <> 'stopped' LIMIT ?2)",
        )?,
        stopped: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.outbox WHERE channel = ?1 AND state = 'stopped' LIMIT ?2)",
        )?,
        paused_here: count("SELECT count(*) FROM (SELECT 1 FROM desk.pause WHERE channel = ?1 LIMIT ?2)")?,
    })
}
