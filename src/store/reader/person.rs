//! What was said with one person on every channel, in the order of time: a
//! window of it, walked from the index of each history.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::reader::conversations::row_of;
use crate::reader::elsewhere;
use crate::reader::history;
use model::ids::ChannelId;
use model::keywords::Keyword;
use model::person::{ContactBar, PersonConversation, PersonMessage, PersonPage, PersonQuery};
use model::queries::{ConversationKey, HistoryQuery};
use model::time::Timestamp;
use sqlite::{Queries, only};

/// Messages of a customer looked through for STOP.
const KEYWORDS: i64 = 100;

/// Reads the page.
pub(crate) fn page(connection: &Connection, query: &PersonQuery) -> Result<PersonPage, StoreError> {
    let points = elsewhere::points(connection, &query.key)?;
    let mut keys = elsewhere::conversations(connection, &points)?;
    keys.retain(|key| *key != query.key);
    keys.insert(0, query.key.clone());
    let (mut conversations, mut places) = (Vec::new(), Vec::new());
    for key in &keys {
        let Some((number, reached_start)) = number_of(connection, key)? else { continue };
        let Some(row) = row_of(connection, &key.channel, &key.conversation)? else { continue };
        let newest = newest_places(connection, number, query.limit)?;
        let sql = "SELECT min(sort_at) FROM message WHERE conversation = ?1";
        let oldest = connection.scalar(sql, [number])?;
        let bar = bar(connection, key, number)?;
        let at = conversations.len();
        places.extend(newest.into_iter().map(|time| (time, at, number)));
        conversations.push(PersonConversation { row, bar, more_on_server: !reached_start, oldest });
    }
    places.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let more_stored = places.len() > limit;
    places.truncate(limit);
    let messages = messages(connection, &conversations, &places)?;
    let elsewhere::ContactPoints { phones, emails, shared } = points;
    Ok(PersonPage { conversations, phones, emails, shared, messages, more_stored })
}

/// A time in a history, the conversation's place and its number.
type NewestPlace = (Timestamp, usize, i64);

/// The messages at these places, which are the newest of each conversation;
/// oldest first.
fn messages(
    connection: &Connection,
    conversations: &[PersonConversation],
    places: &[NewestPlace],
) -> Result<Vec<PersonMessage>, StoreError> {
    let mut all = Vec::with_capacity(places.len());
    for (at, conversation) in conversations.iter().enumerate() {
        let times: Vec<_> = places.iter().filter(|place| place.1 == at).collect();
        let Some(number) = times.first().map(|entry| entry.2) else { continue };
        let key = conversation.row.key();
        let limit = u32::try_from(times.len()).unwrap_or(u32::MAX);
        let query = HistoryQuery { channel: key.channel, conversation: key.conversation, limit };
        let rows = history::messages(connection, &query, number)?;
        let of = |(row, place): (_, &&NewestPlace)| PersonMessage { conversation: at, at: place.0, row };
        all.extend(rows.into_iter().zip(&times).map(of));
    }
    // Equal times stay in the order of their conversations.
    all.reverse();
    all.sort_by_key(|person_message| person_message.at);
    Ok(all)
}

/// The number of a conversation, and whether all of its history is stored.
fn number_of(connection: &Connection, key: &ConversationKey) -> Result<Option<(i64, bool)>, StoreError> {
    let sql = "SELECT number, reached_start FROM conversation WHERE channel = ?1 AND id = ?2";
    let of = params![key.channel, key.conversation];
    Ok(connection.first(sql, of, |row| Ok((row.get("number")?, row.get("reached_start")?)))?)
}

/// The times of its newest messages, newest first, and one more.
fn newest_places(connection: &Connection, number: i64, limit: u32) -> Result<Vec<Timestamp>, StoreError> {
    let sql = "SELECT sort_at FROM message WHERE conversation = ?1 ORDER BY sort_at DESC, id DESC LIMIT ?2";
    Ok(connection.all(sql, params![number, i64::from(limit) + 1], only)?)
}

/// Why nothing written there reaches them.
fn bar(
    connection: &Connection,
    key: &ConversationKey,
    number: i64,
) -> Result<Option<ContactBar>, StoreError> {
    let said: Vec<String> = connection.all(
        "SELECT content FROM message WHERE conversation = ?1 AND inbound = 1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?2",
        params![number, KEYWORDS],
        only,
    )?;
    let asked = said.iter().filter_map(|text| Keyword::of(text)).find(|entry| *entry != Keyword::Help);
    if asked == Some(Keyword::Stop) {
        return Ok(Some(ContactBar::OptedOut));
    }
    Ok(is_not_configured(connection, &key.channel)?.then_some(ContactBar::NotConfigured))
}

/// Whether something of a channel was refused because it is not connected, and
/// still waits for a person.
fn is_not_configured(connection: &Connection, channel: &ChannelId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM desk.outbox
         WHERE channel = ?1 AND state = 'stopped' AND instr(why, 'NOT_CONFIGURED') > 0)";
    Ok(connection.scalar(sql, [channel.as_str()])?)
}
