//! What a tab's title and the status line count.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::broadcast_only;
use crate::rows::local;
use crate::stand_ins::STAND_IN_PATTERN;
use model::ids::{ChannelId, ConversationId};
use model::queries::{MAX_COUNTED_UNREAD, TabCounts};
use model::snooze::AFTER_ANY_MESSAGE;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// Waiting conversations counted at most: a title has no room for more, and
/// counting must not grow with what is stored.
const MAX_COUNTED_WAITING: u32 = 10_000;
/// Conversations for which no bell rings, at most.
const MAX_MUTED: u32 = 1_000;

/// Unread threads that are open; what holds only here counts before what the
/// server told.
fn count_unread_mail(connection: &Connection, channel: &ChannelId) -> Result<u32, StoreError> {
    // In this order: the other way round each open conversation is looked at.
    let told = "SELECT 1 FROM thread h CROSS JOIN conversation c ON c.channel = h.channel AND c.id = h.id
        WHERE h.channel = ?1 AND h.is_read = 0 AND c.is_closed = 0 AND NOT EXISTS (
            SELECT 1 FROM desk.thread_local l WHERE l.channel = h.channel AND l.thread = h.id
                AND l.field = 'read' AND l.value = 'true')
        LIMIT ?2";
    let here = "SELECT 1 FROM desk.thread_local l
        CROSS JOIN conversation c ON c.channel = l.channel AND c.id = l.thread
        LEFT JOIN thread h ON h.channel = l.channel AND h.id = l.thread
        WHERE l.channel = ?1 AND l.field = 'read' AND l.value = 'false' AND c.is_closed = 0
            AND coalesce(h.is_read, 1) = 1
        LIMIT ?2";
    let sql = format!("SELECT min(?2, (SELECT count(*) FROM ({told})) + (SELECT count(*) FROM ({here})))");
    Ok(connection.scalar(&sql, params![channel, MAX_COUNTED_UNREAD])?)
}

pub(crate) fn load_counts(connection: &Connection, channel: &ChannelId) -> Result<TabCounts, StoreError> {
    let count = |sql: &str| -> Result<u32, StoreError> {
        Ok(connection.scalar(sql, params![channel, MAX_COUNTED_WAITING])?)
    };
    let first = |sql: &str| -> Result<_, StoreError> {
        Ok(connection.scalar::<Option<Timestamp>>(sql, params![channel, MAX_COUNTED_WAITING])?)
    };
    let needs =
        count("SELECT count(*) FROM (SELECT 1 FROM conversation WHERE channel = ?1 AND needs = 1 LIMIT ?2)")?;
    // Few are put aside: they are counted apart, not looked up for each row.
    let asleep = format!(
        "(SELECT z.until, c.needs AS needs FROM ({}) n JOIN conversation c ON c.number = n.number
             JOIN desk.snooze z ON z.channel = c.channel AND z.conversation = c.id
             WHERE c.channel = ?1 LIMIT ?2)",
        local::SELECT_ASLEEP
    );
    let hushed = connection.all(
        "SELECT conversation FROM desk.snooze WHERE channel = ?1 AND after = ?2 AND woken_at IS NULL LIMIT ?3",
        params![channel, AFTER_ANY_MESSAGE, MAX_MUTED],
        only_cell::<ConversationId>,
    )?;
    let proposals = connection.all(
        "SELECT conversation FROM desk.proposal WHERE channel = ?1 LIMIT ?2",
        params![channel, MAX_COUNTED_WAITING],
        only_cell::<ConversationId>,
    )?;
    let needs_asleep = count(&format!("SELECT count(*) FROM {asleep} WHERE needs"))?;
    Ok(TabCounts {
        needs_reply: needs.saturating_sub(needs_asleep),
        waiting_since: connection.scalar(
            "SELECT min(waiting_since) FROM conversation WHERE channel = ?1 AND needs = 1",
            [channel],
        )?,
        outbox: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.outbox WHERE channel = ?1 AND state <> 'stopped' LIMIT ?2)",
        )?,
        stopped: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.outbox WHERE channel = ?1 AND state = 'stopped' LIMIT ?2)",
        )?,
        proposals,
        paused_here: count("SELECT count(*) FROM (SELECT 1 FROM desk.pause WHERE channel = ?1 LIMIT ?2)")?,
        draft_only: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.draft_only WHERE channel = ?1 AND is_on = 1 LIMIT ?2)",
        )?,
        broadcasts: count(
            "SELECT count(*) FROM (SELECT 1 FROM desk.campaign p WHERE phase = 'running' AND channel = ?1
                 AND EXISTS (SELECT 1 FROM desk.campaign_wave w
                     WHERE w.campaign = p.number AND w.sent_at IS NULL) LIMIT ?2)",
        )?,
        unreadable: count(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM conversation WHERE channel = ?1 AND id GLOB '{STAND_IN_PATTERN}' LIMIT ?2)"
        ))?,
        unread_mail: count_unread_mail(connection, channel)?,
        broadcast_only: count(&format!(
            "SELECT count(*) FROM ({} AND b.channel = ?1 LIMIT ?2)",
            broadcast_only::SELECT_NUMBERS
        ))?,
        snoozed: count(&format!("SELECT count(*) FROM {asleep}"))?,
        muted: hushed,
        next_wake: first(&format!("SELECT min(until) FROM {asleep}"))?,
        paused_since: first(
            "SELECT min(max(since, extended_at)) FROM (SELECT * FROM desk.pause p WHERE channel = ?1
                 AND NOT EXISTS (SELECT 1 FROM desk.draft_only d WHERE d.channel = p.channel
                     AND d.conversation = p.conversation AND d.is_on = 1) LIMIT ?2)",
        )?,
    })
}
