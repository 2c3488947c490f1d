//! Counts for a tab's title and the status line.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::broadcast_only;
use crate::reader::conversations::was_list_read;
use crate::rows::local;
use crate::stand_ins::STAND_IN_PATTERN;
use model::ids::{ChannelId, ConversationId};
use model::queries::{MAX_COUNTED_UNREAD, TabCounts};
use model::queue::Section;
use model::snooze::AFTER_ANY_MESSAGE;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// Limit of the waiting count, which bounds its cost.
const MAX_COUNTED_WAITING: u32 = 10_000;
const MAX_MUTED: u32 = 1_000;

/// Counts unread open threads; local values take precedence over the server's.
fn count_unread_mail(connection: &Connection, channel: &ChannelId) -> Result<u32, StoreError> {
    // In this order, because the reverse examines every open conversation.
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
    let (from, until) = Section::NeedsPerson.sort_keys();
    let needs_person = count(&format!(
        "SELECT count(*) FROM (SELECT 1 FROM conversation INDEXED BY conversation_queue WHERE channel = ?1
             AND queue IS NOT NULL AND queue >= {from} AND queue < {until} LIMIT ?2)"
    ))?;
    // Snoozed conversations are few and counted separately, not looked up for each row.
    let asleep = format!(
        "(SELECT z.until FROM ({}) n JOIN conversation c ON c.number = n.number
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
    Ok(TabCounts {
        list_was_read: was_list_read(connection, channel)?,
        needs_reply: needs_person,
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
