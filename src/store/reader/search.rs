//! Messages and people by their words, newest first.
//!
//! The index walks backwards and stops when a page is full, so cost follows
//! the page and not what is stored.
//!
//! Knows nothing of what is typed next.

use rusqlite::{Connection, Row, params};

use crate::model::conversations::{ConversationRow, title_of};
use crate::model::ids::{ChannelId, ConversationId, MessageId};
use crate::model::messages::Direction;
use crate::model::search::{Place, SearchHit, SearchPage, SearchQuery, Snippet, Terms};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::reader::conversations::row_of;
use crate::store::rows::{message, optional_line, time};
use crate::store::{StoreError, messages, notes, search};

/// People found at most.
const PEOPLE: usize = 20;
/// People among whom those with the newest activity are looked for.
const PEOPLE_LOOKED_AT: u32 = 10_000;

/// Reads the page.
pub(crate) fn page(connection: &Connection, query: &SearchQuery) -> Result<SearchPage, StoreError> {
    let terms = Terms::of(&query.text);
    let partial = search::is_partial(connection)?;
    if terms.is_empty() {
        return Ok(SearchPage { partial, ..SearchPage::default() });
    }
    let conversation = match (&query.channel, &query.conversation) {
        (Some(channel), Some(conversation)) => match messages::number(connection, channel, conversation)? {
            Some(number) => Some(number),
            None => return Ok(SearchPage { partial, ..SearchPage::default() }),
        },
        _ => None,
    };
    let expression = search::expression(&terms, query.channel.as_ref(), conversation);
    let is_first = query.before.is_none() && conversation.is_none();
    let people = if is_first { people(connection, &expression, &terms)? } else { Vec::new() };
    let notes = if query.before.is_none() { notes::find(connection, query, &terms)? } else { Vec::new() };
    let (hits, next) = hits(connection, query, &expression, &terms)?;
    Ok(SearchPage { people, notes, hits, next, partial, since: since(connection)? })
}

/// The oldest message that can be found: places begin as times.
fn since(connection: &Connection) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT min(place) FROM message WHERE place > 0";
    let oldest: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(oldest.map(Timestamp::from_micros))
}

type Hits = (Vec<SearchHit>, Option<Place>);

fn hits(
    connection: &Connection,
    query: &SearchQuery,
    expression: &str,
    terms: &Terms,
) -> Result<Hits, StoreError> {
    // CROSS: the index leads, whatever the planner thinks.
    let sql = "SELECT s.rowid, m.content, m.id, m.created_at, m.inbound, m.sender,
             c.channel, c.id, c.name, c.username, c.address
         FROM search s CROSS JOIN message m ON m.place = s.rowid
         CROSS JOIN conversation c ON c.number = m.conversation
         WHERE s.search MATCH ?1 AND s.rowid < ?2 ORDER BY s.rowid DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let before = query.before.map_or(i64::MAX, |it| it.0);
    let mut rows = statement.query(params![expression, before])?;
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let mut last = None;
    while let Some(row) = rows.next()? {
        // One more than asked for tells whether there is another page.
        if found.len() == limit {
            return Ok((found, last));
        }
        if let Some((hit, place)) = hit(row, terms)? {
            found.push(hit);
            last = Some(place);
        }
    }
    Ok((found, None))
}

/// The hit, unless a second look finds that a run of characters stands there
/// only in pieces.
fn hit(row: &Row<'_>, terms: &Terms) -> Result<Option<(SearchHit, Place)>, StoreError> {
    let content = SafeText::block(&row.get::<_, String>(1)?);
    let Some(found) = terms.find(content.as_str()) else { return Ok(None) };
    let (inbound, sender): (bool, String) = (row.get(4)?, row.get(5)?);
    let conversation = ConversationId::new(row.get::<_, String>(7)?);
    let address: Option<String> = row.get(10)?;
    let (name, username) = (optional_line(row, 8)?, optional_line(row, 9)?);
    let hit = SearchHit {
        channel: ChannelId::new(row.get::<_, String>(6)?),
        title: title_of(name.as_ref(), username.as_ref(), address.as_deref(), &conversation),
        snippet: Snippet::of(&content, &found),
        conversation,
        message: MessageId::new(row.get::<_, String>(2)?),
        at: time(row, 3)?,
        direction: if inbound { Direction::Inbound } else { Direction::Outbound },
        sender: message::sender_from(&sender),
    };
    Ok(Some((hit, Place(row.get(0)?))))
}

fn people(
    connection: &Connection,
    expression: &str,
    terms: &Terms,
) -> Result<Vec<(ChannelId, ConversationRow)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT c.channel, c.id, concat_ws(' ', c.name, c.address, c.username, c.email, c.referral_headline)
         FROM (SELECT rowid AS number FROM search_people WHERE search_people MATCH ?1 LIMIT ?2) s
         CROSS JOIN conversation c ON c.number = s.number ORDER BY c.sort_at DESC",
    )?;
    let mut rows = statement.query(params![expression, PEOPLE_LOOKED_AT])?;
    let mut people = Vec::new();
    while let Some(row) = rows.next()? {
        let names: String = row.get(2)?;
        if terms.find(&names).is_none() {
            continue;
        }
        let channel = ChannelId::new(row.get::<_, String>(0)?);
        let id = ConversationId::new(row.get::<_, String>(1)?);
        people.extend(row_of(connection, &channel, &id)?.map(|it| (channel, it)));
        if people.len() == PEOPLE {
            break;
        }
    }
    Ok(people)
}
