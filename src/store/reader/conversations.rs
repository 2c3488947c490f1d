//! Windows of the conversation list: walks of one index from a key, however
//! many rows there are.
//!
//! Knows nothing of what is on screen.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use crate::model::conversations::ConversationRow;
use crate::model::ids::{ChannelId, ConversationId};
use crate::model::queries::{Anchor, ConversationPage, ConversationQuery, ListFilter};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::StoreError;
use crate::store::rows::conversation::{COLUMNS, WIDTH, read};
use crate::store::rows::{line, local, time};

/// Rows counted at most for a list's total.
const COUNT_CAP: i64 = 1000;

/// The facts beside a conversation; `desk` is the outbox.
const FACTS: &str = "c.unread, c.waiting_since, c.last_inbound_at,
     EXISTS (SELECT 1 FROM desk.draft d WHERE d.channel = c.channel AND d.conversation = c.id),
     (SELECT o.operation = 'resume' FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.operation IN ('pause', 'resume') AND o.state <> 'stopped' ORDER BY o.sequence DESC LIMIT 1),
     EXISTS (SELECT 1 FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.operation = 'close' AND o.state <> 'stopped'),
     EXISTS (SELECT 1 FROM desk.pause p WHERE p.channel = c.channel AND p.conversation = c.id),
     (SELECT count(*) FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.state = 'stopped'),
     (SELECT p.since FROM desk.pause p WHERE p.channel = c.channel AND p.conversation = c.id),
     (SELECT p.owner FROM desk.pause p WHERE p.channel = c.channel AND p.conversation = c.id),
     (SELECT h.at FROM desk.handback h WHERE h.channel = c.channel AND h.conversation = c.id
         AND NOT EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.number AND m.inbound = 0
             AND m.sort_at > h.at AND m.sender <> 'api')),
     (SELECT min(m.sort_at) FROM desk.handback h JOIN message m ON m.conversation = c.number
         WHERE h.channel = c.channel AND h.conversation = c.id AND m.inbound = 1 AND m.sort_at > h.at)";
/// How many they are.
const FACTS_WIDTH: usize = 12;

/// A row's key in the list's order.
type Key = (i64, String);

/// Which side of a key, and which way the walk goes.
#[derive(Clone, Copy)]
enum Walk {
    /// Newer than the key, walking up.
    Newer,
    /// Older than the key, walking down.
    Older,
}

/// Reads a window.
pub(crate) fn window(
    connection: &Connection,
    query: &ConversationQuery,
) -> Result<ConversationPage, StoreError> {
    let total = total(connection, query)?;
    let page = match &query.anchor {
        Anchor::Top => from_top(connection, query)?,
        Anchor::Bottom => from_bottom(connection, query)?,
        Anchor::Around(id) => match key_of(connection, &query.channel, id)? {
            Some(key) => around(connection, query, &key)?,
            None => from_top(connection, query)?,
        },
    };
    Ok(ConversationPage { total, ..page })
}

/// One conversation's row; `None` if it is not stored.
pub(crate) fn row_of(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, {FACTS}, {} FROM conversation c {} WHERE c.channel = ?1 AND c.id = ?2",
        local::COLUMNS,
        local::JOIN
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![channel.as_str(), conversation.as_str()], list_row).optional()?)
}

fn from_top(connection: &Connection, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
    let limit = query.limit;
    let (rows, more) = walk(connection, query, &(i64::MAX, String::new()), Walk::Older, limit)?;
    Ok(ConversationPage { rows, reaches_top: true, reaches_bottom: !more, total: None })
}

fn from_bottom(connection: &Connection, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
    let beginning = (i64::MIN, String::new());
    let (mut rows, more) = walk(connection, query, &beginning, Walk::Newer, query.limit)?;
    rows.reverse();
    Ok(ConversationPage { rows, reaches_top: !more, reaches_bottom: true, total: None })
}

/// Half before the key, and the key's row with the other half after it; a
/// short half gives its room to the other.
fn around(
    connection: &Connection,
    query: &ConversationQuery,
    key: &Key,
) -> Result<ConversationPage, StoreError> {
    let half = query.limit / 2;
    let (mut newer, mut more_newer) = walk(connection, query, key, Walk::Newer, half)?;
    let taken = u32::try_from(newer.len()).unwrap_or(half);
    let below = (key.0, format!("{}\u{10ffff}", key.1));
    let (older, more_older) = walk(connection, query, &below, Walk::Older, query.limit - taken)?;
    let spare = query.limit.saturating_sub(u32::try_from(older.len()).unwrap_or(0));
    if more_newer && spare > taken {
        (newer, more_newer) = walk(connection, query, key, Walk::Newer, spare)?;
    }
    newer.reverse();
    newer.extend(older);
    Ok(ConversationPage { rows: newer, reaches_top: !more_newer, reaches_bottom: !more_older, total: None })
}

/// Rows on one side of a key in walking order, and whether more follow.
fn walk(
    connection: &Connection,
    query: &ConversationQuery,
    key: &Key,
    walk: Walk,
    limit: u32,
) -> Result<(Vec<ConversationRow>, bool), StoreError> {
    let filter = condition(query.filter);
    let (compare, order) = match walk {
        Walk::Newer => (">", "ASC"),
        Walk::Older => ("<", "DESC"),
    };
    let sql = format!(
        "SELECT {COLUMNS}, {FACTS}, {} FROM conversation c {}
         WHERE c.channel = :channel {filter} AND (c.sort_at, c.id) {compare} (:at, :id)
         ORDER BY c.sort_at {order}, c.id {order} LIMIT :limit",
        local::COLUMNS,
        local::JOIN
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let parameters = named_params! {
        ":channel": query.channel.as_str(),
        ":at": key.0,
        ":id": key.1,
        ":limit": i64::from(limit) + 1,
    };
    let mut rows = statement.query_map(parameters, list_row)?.collect::<Result<Vec<_>, _>>()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok((rows, more))
}

/// What a filter lets through. What was put aside is away from the lists of
/// what is to be done, unless something written there could not be sent.
fn condition(filter: ListFilter) -> String {
    let asleep = local::ASLEEP;
    match filter {
        ListFilter::Open => format!("AND c.is_closed = 0 AND (c.stuck > 0 OR NOT {asleep})"),
        ListFilter::NeedsReply => format!("AND c.needs = 1 AND (c.stuck > 0 OR NOT {asleep})"),
        ListFilter::Closed => "AND c.is_closed = 1".to_owned(),
        ListFilter::Snoozed => format!(
            "AND c.is_closed = 0 AND {asleep}
             AND c.id IN (SELECT conversation FROM desk.snooze WHERE channel = c.channel)"
        ),
        ListFilter::All => String::new(),
    }
}

fn key_of(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<Key>, StoreError> {
    let sql = "SELECT sort_at, id FROM conversation WHERE channel = ?1 AND id = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement
        .query_row(params![channel.as_str(), conversation.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// The rows of the whole filter, unless they are too many to count.
fn total(connection: &Connection, query: &ConversationQuery) -> Result<Option<u64>, StoreError> {
    let filter = condition(query.filter);
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM conversation c WHERE c.channel = ?1 {filter} LIMIT {COUNT_CAP})"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let count: i64 = statement.query_row([query.channel.as_str()], |row| row.get(0))?;
    Ok(u64::try_from(count).ok().filter(|_| count < COUNT_CAP))
}

fn paused(row: &Row<'_>) -> rusqlite::Result<Option<(SafeText, Timestamp)>> {
    let Some(since) = time(row, WIDTH + 8)? else { return Ok(None) };
    Ok(Some((line(row, WIDTH + 9)?, since)))
}

fn list_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    let handed_back_at = time(row, WIDTH + 10)?;
    Ok(ConversationRow {
        conversation: read(row)?,
        unread: row.get(WIDTH)?,
        waiting_since: time(row, WIDTH + 1)?,
        last_inbound_at: time(row, WIDTH + 2)?,
        has_draft: row.get(WIDTH + 3)?,
        automation_pending: row.get(WIDTH + 4)?,
        close_pending: row.get(WIDTH + 5)?,
        paused_here: row.get(WIDTH + 6)?,
        stuck: row.get(WIDTH + 7)?,
        paused: paused(row)?,
        handed_back_at,
        asked_ai_at: time(row, WIDTH + 11)?.filter(|_| handed_back_at.is_some()),
        local: local::read(row, WIDTH + FACTS_WIDTH)?,
    })
}
