//! Sort keys and walking directions of the conversation list.

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::StoreError;
use model::filter::Sort;
use model::queries::{ConversationKey, ConversationQuery};
use model::time::DAY;
use sqlite::Queries;

/// Greater than any time. Rows without the sort time follow those that have one, newest activity
/// first.
const NO_TIME_RANK: i64 = i64::MAX / 2;
/// Greater than any time, so that it separates priorities.
const ACTIVITY_SPAN: i64 = 1 << 58;
/// Sorts after every word.
const NO_NAME_KEY: &str = "\u{10fffd}";

/// Position of a row in a list: sort column, id, tab.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SortKey(pub(crate) [Value; 3]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkDirection {
    Up,
    Down,
}

pub(crate) fn sort_columns(query: &ConversationQuery) -> [String; 3] {
    let first = match query.sort {
        Sort::Activity => "c.sort_at".to_owned(),
        Sort::Waiting => format!(
            "iif(c.is_closed = 0 AND c.waiting_since IS NOT NULL, c.waiting_since, {NO_TIME_RANK} - c.sort_at)"
        ),
        Sort::Urgency => "c.urgency".to_owned(),
        // Within sections every row has a position.
        Sort::Queue if query.filter.is_of_sections() => "c.queue".to_owned(),
        Sort::Queue => format!("coalesce(c.queue, {NO_TIME_RANK} - c.sort_at)"),
        Sort::Window => format!(
            "iif(c.service_window = 'open' AND c.last_inbound_at > {}, c.last_inbound_at, {NO_TIME_RANK} - c.sort_at)",
            query.at.plus(-DAY).micros()
        ),
        Sort::Name => "c.name_key".to_owned(),
        Sort::Category => format!(
            "coalesce((SELECT lower(h.category) FROM thread h
             WHERE h.channel = c.channel AND h.id = c.id), '{NO_NAME_KEY}')"
        ),
        Sort::Priority => format!(
            "coalesce((SELECT h.urgency * {ACTIVITY_SPAN} - c.sort_at FROM thread h
             WHERE h.channel = c.channel AND h.id = c.id), {NO_TIME_RANK} - c.sort_at)"
        ),
    };
    [first, "c.id".to_owned(), "c.channel".to_owned()]
}

/// Returns comparison and direction of a walk. Activity sorts descending, everything else
/// ascending.
pub(crate) fn sort_direction(sort: Sort, walk: WalkDirection) -> (&'static str, &'static str) {
    match (sort == Sort::Activity, walk) {
        (true, WalkDirection::Down) | (false, WalkDirection::Up) => ("<", "DESC"),
        (true, WalkDirection::Up) | (false, WalkDirection::Down) => (">", "ASC"),
    }
}

pub(crate) fn load_key(
    connection: &Connection,
    query: &ConversationQuery,
    key: &ConversationKey,
) -> Result<Option<SortKey>, StoreError> {
    let [first, id, channel] = sort_columns(query);
    let sql = format!(
        "SELECT {first} AS first, {id}, {channel} FROM conversation c WHERE c.channel = ?1 AND c.id = ?2"
    );
    let found = connection.first(&sql, params![key.channel, key.conversation], |row| {
        Ok(SortKey([row.get("first")?, row.get("id")?, row.get("channel")?]))
    })?;
    // A row that has left the sections has no position in them.
    Ok(found.filter(|SortKey([first, ..])| *first != Value::Null))
}
