//! Windows of the conversation list, read by walking one index from a key, independent of the
//! number of rows.

use rusqlite::{Connection, params, params_from_iter};

use crate::StoreError;
use crate::email::rows as thread;
use crate::filter::{self, Clause};
use crate::meta;
use crate::reader::order::{self, SortKey, WalkDirection};
use crate::rows::conversation::{COLUMNS, read};
use crate::rows::local;
use model::conversations::ConversationRow;
use model::filter::Sort;
use model::ids::{ChannelId, ConversationId};
use model::queries::{Anchor, ConversationPage, ConversationQuery, MAX_COUNTED_ROWS};
use model::queue::{Place, Section, SectionCounts};
use model::time::Timestamp;
use model::trouble::TroubleScore;
use sqlite::{Queries, Row, only_cell, read_row};

/// Facts about a conversation; `desk` is the outbox.
const FACT_COLUMNS: &str = "c.unread, c.waiting_since, c.last_inbound_at,
     (SELECT substr(iif(d.text = '', d.note, d.text), 1, 200) FROM desk.draft d
         WHERE d.channel = c.channel AND d.conversation = c.id) AS draft,
     (SELECT o.operation = 'resume' FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.operation IN ('pause', 'resume') AND o.state <> 'stopped' ORDER BY o.sequence DESC LIMIT 1)
         AS automation_pending,
     EXISTS (SELECT 1 FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.operation = 'close' AND o.state <> 'stopped') AS close_pending,
     p.conversation IS NOT NULL AS paused_here, p.since AS paused_since, p.owner AS paused_by,
     max(p.since, p.extended_at) AS lease_from,
     (SELECT count(*) FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id
         AND o.state = 'stopped') AS stuck,
     (SELECT h.at FROM desk.handback h WHERE h.channel = c.channel AND h.conversation = c.id
         AND NOT EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.number AND m.said_by > 0
             AND m.sort_at > h.at AND m.sender <> 'api'))
         AS handed_back_at,
     c.ai_asked_at,
     c.channel, c.trouble_why, c.proposed_at, c.broadcast_only, c.queue";

/// True if a waiting customer was answered earlier in the same case: someone answered at most a day
/// before the wait began, within a day of the customer's previous message.
pub(crate) const ANSWERED_BEFORE_EXPRESSION: &str = "(c.waiting_since IS NOT NULL AND EXISTS (
     SELECT 1 FROM message o WHERE o.conversation = c.number AND o.said_by IN (1, 2)
         AND o.sort_at < c.waiting_since AND o.sort_at > c.waiting_since - 86400000000
         AND EXISTS (SELECT 1 FROM message i WHERE i.conversation = c.number AND i.said_by = 0
             AND i.sort_at < o.sort_at AND i.sort_at > o.sort_at - 86400000000)))";

pub(crate) fn load_window(
    connection: &Connection,
    query: &ConversationQuery,
) -> Result<ConversationPage, StoreError> {
    let page = match &query.anchor {
        Anchor::Top => load_from_top(connection, query)?,
        Anchor::Bottom => load_from_bottom(connection, query)?,
        Anchor::Around(key) => match order::load_key(connection, query, key)? {
            Some(key) => load_around(connection, query, &key)?,
            None => load_from_top(connection, query)?,
        },
    };
    // A list read completely need not be counted.
    let total = match (page.reaches_top && page.reaches_bottom, page.rows.len()) {
        (true, rows) => u64::try_from(rows).ok(),
        (false, _) => count_rows(connection, query)?,
    };
    let sections = match query.sort {
        Sort::Queue if page.reaches_top && page.reaches_bottom => SectionCounts::of_rows(&page.rows),
        Sort::Queue => count_sections(connection, query)?,
        _ => SectionCounts::default(),
    };
    let is_unread = match &query.channel {
        Some(channel) if page.rows.is_empty() => !was_list_read(connection, channel)?,
        _ => false,
    };
    Ok(ConversationPage { total, sections, is_unread, ..page })
}

/// True once the channel's list was read from the server.
pub(crate) fn was_list_read(connection: &Connection, channel: &ChannelId) -> Result<bool, StoreError> {
    Ok(meta::read(connection, channel, meta::LIST_SINCE_MARK)?.is_some())
}

pub(crate) fn load_row(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<ConversationRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, {FACT_COLUMNS}, {ANSWERED_BEFORE_EXPRESSION} AS answered_before, {}, {} FROM conversation c {} {} WHERE c.channel = ?1 AND c.id = ?2",
        local::COLUMNS,
        thread::COLUMNS,
        local::JOIN,
        thread::JOIN
    );
    Ok(connection.first(&sql, params![channel, conversation], list_row)?)
}

pub(crate) fn last_activity(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT sort_at FROM conversation WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, params![channel, conversation], only_cell)?)
}

pub(crate) fn lagging_conversations(
    connection: &Connection,
    channel: &ChannelId,
    closed: Option<bool>,
    down_to: Timestamp,
) -> Result<Vec<ConversationId>, StoreError> {
    let bound = params![channel, down_to, closed];
    Ok(connection.all(
        "SELECT id FROM conversation WHERE channel = ?1 AND behind = 1 AND sort_at >= ?2
         AND (?3 IS NULL OR is_closed = ?3) ORDER BY sort_at DESC, id DESC",
        bound,
        only_cell,
    )?)
}

fn load_from_top(connection: &Connection, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
    let (rows, more) = load_rows(connection, query, None, WalkDirection::Down, query.limit)?;
    Ok(ConversationPage { rows, reaches_top: true, reaches_bottom: !more, ..ConversationPage::default() })
}

fn load_from_bottom(
    connection: &Connection,
    query: &ConversationQuery,
) -> Result<ConversationPage, StoreError> {
    let (mut rows, more) = load_rows(connection, query, None, WalkDirection::Up, query.limit)?;
    rows.reverse();
    Ok(ConversationPage { rows, reaches_top: !more, reaches_bottom: true, ..ConversationPage::default() })
}

/// Reads half of the rows before the key and half from the key on; a short half gives its room to
/// the other.
fn load_around(
    connection: &Connection,
    query: &ConversationQuery,
    key: &SortKey,
) -> Result<ConversationPage, StoreError> {
    let half = query.limit / 2;
    let (mut above, mut more_above) =
        load_rows(connection, query, Some((key, Bound::Exclusive)), WalkDirection::Up, half)?;
    let taken = u32::try_from(above.len()).unwrap_or(half);
    let (below, more_below) = load_rows(
        connection,
        query,
        Some((key, Bound::Inclusive)),
        WalkDirection::Down,
        query.limit - taken,
    )?;
    let spare = query.limit.saturating_sub(u32::try_from(below.len()).unwrap_or(0));
    if more_above && spare > taken {
        (above, more_above) =
            load_rows(connection, query, Some((key, Bound::Exclusive)), WalkDirection::Up, spare)?;
    }
    above.reverse();
    above.extend(below);
    Ok(ConversationPage {
        rows: above,
        reaches_top: !more_above,
        reaches_bottom: !more_below,
        ..ConversationPage::default()
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Inclusive,
    Exclusive,
}

/// Returns rows on one side of a key in walking order, and true if more follow.
fn load_rows(
    connection: &Connection,
    query: &ConversationQuery,
    from: Option<(&SortKey, Bound)>,
    walk: WalkDirection,
    limit: u32,
) -> Result<(Vec<ConversationRow>, bool), StoreError> {
    let numbers = numbers_query(query, from, walk, i64::from(limit) + 1);
    let [first, id, channel] = order::sort_columns(query);
    let (_, direction) = order::sort_direction(query.sort, walk);
    let sql = format!(
        "SELECT {COLUMNS}, {FACT_COLUMNS}, {ANSWERED_BEFORE_EXPRESSION} AS answered_before, {}, {} FROM ({}) k CROSS JOIN conversation c ON c.number = k.number {} {}
         ORDER BY {first} {direction}, {id} {direction}, {channel} {direction}",
        local::COLUMNS,
        thread::COLUMNS,
        numbers.sql,
        local::JOIN,
        thread::JOIN
    );
    let mut rows: Vec<_> = connection.all(&sql, params_from_iter(numbers.values), list_row)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok((rows, more))
}

/// Selects the row numbers; all columns used are in one index.
fn numbers_query(
    query: &ConversationQuery,
    from: Option<(&SortKey, Bound)>,
    walk: WalkDirection,
    limit: i64,
) -> Clause {
    let (compare, direction) = order::sort_direction(query.sort, walk);
    let columns = order::sort_columns(query);
    // Within one tab the third column is constant.
    let columns = if query.channel.is_some() { &columns[..2] } else { &columns[..] };
    let mut clause = Clause::default();
    clause.push("SELECT c.number AS number", []);
    clause.push(&rows_query(query).sql, rows_query(query).values);
    if let Some((key, bound)) = from {
        let marks = vec!["?"; columns.len()].join(", ");
        let equals = if bound == Bound::Inclusive { "=" } else { "" };
        let comparison = format!(" AND ({}) {compare}{equals} ({marks})", columns.join(", "));
        clause.push(&comparison, key.0.iter().take(columns.len()).cloned());
    }
    let order: Vec<String> = columns.iter().map(|column| format!("{column} {direction}")).collect();
    clause.push(&format!(" ORDER BY {} LIMIT ?", order.join(", ")), [limit.into()]);
    clause
}

/// Query of the first rows, for tests of the query plan.
#[cfg(test)]
pub(crate) fn first_numbers(query: &ConversationQuery) -> Clause {
    numbers_query(query, None, WalkDirection::Down, 5)
}

/// Selects the rows of a query, unordered. A plain query has its own index; others walk the wide
/// one.
fn rows_query(query: &ConversationQuery) -> Clause {
    let needed = query.filter.is_needing_person();
    let sections = query.filter.is_of_sections();
    let own_index = match (query.sort, &query.channel) {
        (Sort::Queue, Some(_)) if sections => Some("INDEXED BY conversation_queue"),
        (Sort::Queue, None) if sections => Some("INDEXED BY conversation_queue_anywhere"),
        _ if !query.filter.is_plain() => None,
        (Sort::Activity, Some(_)) if !query.filter.is_of_sections() => Some(""),
        (Sort::Urgency, Some(_)) if needed => Some("INDEXED BY conversation_urgent"),
        (Sort::Urgency, None) if needed => Some("INDEXED BY conversation_urgent_anywhere"),
        _ => None,
    };
    let index = own_index.unwrap_or("INDEXED BY conversation_wide");
    let mut clause = Clause::default();
    clause.push(&format!(" FROM conversation c {index} WHERE 1"), []);
    if let Some(channel) = &query.channel {
        clause.push(" AND c.channel = ?", [channel.as_str().to_owned().into()]);
    }
    let filter = filter::clause(&query.filter, query.at, own_index.is_some());
    clause.push(&filter.sql, filter.values);
    clause
}

/// Counts the rows of a filter; `None` if there are too many.
fn count_rows(connection: &Connection, query: &ConversationQuery) -> Result<Option<u64>, StoreError> {
    let rows = rows_query(query);
    let sql = format!("SELECT count(*) FROM (SELECT 1{} LIMIT {MAX_COUNTED_ROWS})", rows.sql);
    let count: u32 = connection.scalar(&sql, params_from_iter(rows.values))?;
    Ok((count < MAX_COUNTED_ROWS).then_some(u64::from(count)))
}

fn count_sections(connection: &Connection, query: &ConversationQuery) -> Result<SectionCounts, StoreError> {
    let rows = rows_query(query);
    let count = |section: Section| {
        let (from, until) = section.sort_keys();
        format!(
            "(SELECT count(*) FROM (SELECT 1{} AND c.queue >= {from} AND c.queue < {until} LIMIT {MAX_COUNTED_ROWS}))",
            rows.sql
        )
    };
    let [mine, needs_person, with_ai] = Section::ALL.map(count);
    let sql = format!("SELECT {mine} AS mine, {needs_person} AS needs_person, {with_ai} AS with_ai");
    let values = params_from_iter(rows.values.iter().chain(&rows.values).chain(&rows.values));
    Ok(connection.one(&sql, values, |row| {
        Ok(SectionCounts::new(row.get("mine")?, row.get("needs_person")?, row.get("with_ai")?))
    })?)
}

fn list_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    let conversation = read(row)?;
    Ok(read_row!(row, ConversationRow {
        unread, waiting_since, last_inbound_at, draft: optional_line, automation_pending, close_pending, paused_here,
        stopped_rows = stuck, handed_back_at, ai_asked_at, lease_from, answered_before, channel,
        proposed_at, is_broadcast_only = broadcast_only;
        conversation,
        place: row.get::<Option<i64>>("queue")?.map(Place::from_sort_key),
        trouble: row.optional_text("trouble_why")?.map_or_else(TroubleScore::default, TroubleScore::from_stored),
        paused: row.optional_line("paused_by")?.zip(row.get("paused_since")?),
        local: local::read(row)?,
        thread: thread::read(row)?
    }))
}
