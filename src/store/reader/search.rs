//! Finds messages and people by words, newest first.
//!
//! The walk through the index goes backwards and stops when the page is full, so its cost does not
//! depend on the amount stored. That holds for prefixes the index stores; a longer one is first
//! searched among messages with the stored prefix, because SQLite collects all its matches first.

use rusqlite::{Connection, params};

use crate::reader::conversations::load_row;
use crate::rows::message;
use crate::{StoreError, messages, notes, search};
use model::conversations::{ConversationRow, title_of};
use model::ids::ChannelId;
use model::search::{SearchHit, SearchPage, SearchPosition, SearchQuery, Snippet, Terms};
use model::time::Timestamp;
use sqlite::{Queries, Row, only_cell, read_row};

const MAX_PEOPLE: usize = 20;
/// Up to this many people are sorted by activity one by one; with more, walking all conversations
/// by activity finds the newest sooner.
const MAX_SORTED_PEOPLE: usize = 1_000;
/// Maximum number of messages with the stored prefix that are checked for a longer word.
const MAX_WALKED_MESSAGES: usize = 1_000;

pub(crate) fn load_page(connection: &Connection, query: &SearchQuery) -> Result<SearchPage, StoreError> {
    let terms = Terms::parse(&query.text);
    let partial = search::is_partial(connection)?;
    if terms.is_empty() {
        return Ok(SearchPage { partial, ..SearchPage::default() });
    }
    let conversation = match (&query.channel, &query.conversation) {
        (Some(channel), Some(conversation)) => {
            match messages::conversation_number(connection, channel, conversation)? {
                Some(number) => Some(number),
                None => return Ok(SearchPage { partial, ..SearchPage::default() }),
            }
        }
        _ => None,
    };
    let expression = search::expression(&terms, query.channel.as_ref(), conversation);
    let is_first = query.before.is_none() && conversation.is_none();
    let people = if is_first { find_people(connection, &expression, &terms)? } else { Vec::new() };
    let notes = if query.before.is_none() { notes::find(connection, query, &terms)? } else { Vec::new() };
    let mut walk = SearchWalk::new(connection, query, &terms);
    let begun = terms.shorten(search::MAX_PREFIX_CHARS);
    let mut ended = WalkEnd::StoppedEarly;
    if begun != terms {
        ended = walk.advance(
            &search::expression(&begun, query.channel.as_ref(), conversation),
            MAX_WALKED_MESSAGES,
        )?;
    }
    if ended == WalkEnd::StoppedEarly {
        ended = walk.advance(&expression, usize::MAX)?;
    }
    let next = if ended == WalkEnd::LimitReached { walk.last } else { None };
    let hits = walk.hits;
    Ok(SearchPage { people, notes, hits, next, partial, since: oldest_indexed(connection)? })
}

/// Returns the time of the oldest indexed message; positions begin with the time.
fn oldest_indexed(connection: &Connection) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT min(place) FROM message WHERE place > 0";
    Ok(connection.scalar(sql, [])?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkEnd {
    /// Found one hit more than the page holds.
    LimitReached,
    /// Reached the last message.
    Exhausted,
    /// Examined the maximum number of messages.
    StoppedEarly,
}

/// Walk through the index, from the newest message to the oldest.
struct SearchWalk<'a> {
    connection: &'a Connection,
    terms: &'a Terms,
    limit: usize,
    below: i64,
    hits: Vec<SearchHit>,
    last: Option<SearchPosition>,
}

impl<'a> SearchWalk<'a> {
    fn new(connection: &'a Connection, query: &SearchQuery, terms: &'a Terms) -> Self {
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let below = query.before.map_or(i64::MAX, |search_position| search_position.0);
        Self { connection, terms, limit, below, hits: Vec::new(), last: None }
    }

    /// Examines up to `most` further messages.
    fn advance(&mut self, expression: &str, most: usize) -> Result<WalkEnd, StoreError> {
        // CROSS makes the index the outer loop.
        let sql = format!(
            "SELECT s.rowid AS place, m.content, m.id, m.created_at, m.inbound, m.sender, {},
                 c.channel, c.id AS conversation, c.name, c.username, c.address,
                 (SELECT h.subject FROM thread h WHERE h.channel = c.channel AND h.id = c.id) AS subject
             FROM search s CROSS JOIN message m ON m.place = s.rowid
             CROSS JOIN conversation c ON c.number = m.conversation
             WHERE s.search MATCH ?1 AND s.rowid < ?2 ORDER BY s.rowid DESC",
            message::AGENT_COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![expression, self.below])?;
        for _ in 0..most {
            let Some(row) = rows.next()? else { return Ok(WalkEnd::Exhausted) };
            let row = &Row::new(row);
            if let Some(hit) = hit_from_row(row, self.terms)? {
                if self.hits.len() == self.limit {
                    return Ok(WalkEnd::LimitReached);
                }
                self.hits.push(hit);
                self.last = Some(SearchPosition(row.get("place")?));
            }
            self.below = row.get("place")?;
        }
        Ok(WalkEnd::StoppedEarly)
    }
}

/// Returns the hit, or `None` if the text contains a run of characters only in separate pieces.
fn hit_from_row(row: &Row<'_>, terms: &Terms) -> Result<Option<SearchHit>, StoreError> {
    let content = row.block("content")?;
    let Some(found) = terms.find(content.as_str()) else { return Ok(None) };
    let conversation = row.get("conversation")?;
    let address: Option<String> = row.get("address")?;
    let (name, username) = (row.optional_line("name")?, row.optional_line("username")?);
    Ok(Some(read_row!(row, SearchHit {
        channel, message = id, at = created_at, subject: optional_line;
        title: title_of(name.as_ref(), username.as_ref(), address.as_deref(), &conversation),
        snippet: Snippet::around_match(&content, &found),
        conversation,
        direction: message::direction_from_row(row)?,
        sender: row.parse_word("sender", message::parse_sender)?,
        agent: message::read_agent(row)?
    })))
}

fn find_people(
    connection: &Connection,
    expression: &str,
    terms: &Terms,
) -> Result<Vec<(ChannelId, ConversationRow)>, StoreError> {
    let numbers: Vec<i64> = connection.all(
        "SELECT rowid FROM search_people WHERE search_people MATCH ?1 ORDER BY rowid",
        [expression],
        only_cell,
    )?;
    let mut people = Vec::new();
    if numbers.len() > MAX_SORTED_PEOPLE {
        let mut newest = connection.prepare_cached(
            "SELECT number FROM conversation INDEXED BY conversation_wide ORDER BY sort_at DESC",
        )?;
        let mut rows = newest.query([])?;
        while let (Some(row), true) = (rows.next()?, people.len() < MAX_PEOPLE) {
            let number = only_cell(&Row::new(row))?;
            if numbers.binary_search(&number).is_ok() {
                people.extend(load_person(connection, number, terms)?);
            }
        }
        return Ok(people);
    }
    let mut by_activity = Vec::with_capacity(numbers.len());
    for number in numbers {
        let sql = "SELECT sort_at FROM conversation WHERE number = ?1";
        by_activity.extend(connection.first(sql, [number], only_cell::<i64>)?.map(|entry| (entry, number)));
    }
    by_activity.sort_unstable_by(|a, b| b.cmp(a));
    for (_, number) in by_activity {
        if people.len() == MAX_PEOPLE {
            break;
        }
        people.extend(load_person(connection, number, terms)?);
    }
    Ok(people)
}

/// Returns a person, or `None` if the fields contain the words only in separate pieces.
fn load_person(
    connection: &Connection,
    number: i64,
    terms: &Terms,
) -> Result<Option<(ChannelId, ConversationRow)>, StoreError> {
    let sql = "SELECT channel, id, concat_ws(' ', name, address, username, email, referral_headline) AS words
         FROM conversation WHERE number = ?1";
    let found = connection.first(sql, [number], |row| {
        Ok((
            row.get::<ChannelId>("channel")?,
            row.get("id")?,
            row.parse_word("words", |row| terms.find(row).is_some())?,
        ))
    })?;
    let Some((channel, id, true)) = found else { return Ok(None) };
    Ok(load_row(connection, &channel, &id)?.map(|row| (channel, row)))
}
