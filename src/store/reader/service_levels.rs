//! Measures response times by walking the history index of conversations with recent activity.

use rusqlite::{Connection, params};

use crate::StoreError;
use model::service_levels::{LevelsQuery, LevelsReport, LevelsReportBuilder, SaidBy};
use model::text::SafeText;
use model::time::{Timestamp, Zone};
use sqlite::Queries;

/// Conversations of a channel with their claimants.
const SELECT_CONVERSATIONS: &str = "SELECT c.number, k.agent FROM conversation c INDEXED BY conversation_all
    LEFT JOIN desk.claim k ON k.channel = c.channel AND k.conversation = c.id
    WHERE c.channel = ?1 AND c.sort_at >= ?2";
/// Packs each message into one number: the time, and in its last two bits the sender.
const SELECT_MESSAGES: &str =
    "SELECT conversation, sort_at * 4 + said_by AS said FROM message INDEXED BY message_order
    WHERE conversation BETWEEN ?1 AND ?2 AND said_by IS NOT NULL ORDER BY conversation, sort_at, id";
/// Maximum number of conversations read by one query.
const CONVERSATION_BATCH: usize = 1_000;
/// Unrelated conversations read along in one range; starting a new query is slower than skipping
/// them.
const MAX_SKIPPED_CONVERSATIONS: i64 = 8;

pub(crate) fn measure(
    connection: &Connection,
    query: &LevelsQuery,
    zone: &Zone,
) -> Result<LevelsReport, StoreError> {
    let mut gathering = LevelsReportBuilder::new(query, zone);
    for (place, channel) in query.channels.iter().enumerate() {
        let mut conversations: Vec<(i64, Option<SafeText>)> =
            connection.all(SELECT_CONVERSATIONS, params![channel, query.since], |row| {
                Ok((
                    row.get("number")?,
                    row.get::<Option<String>>("agent")?.map(|text| SafeText::line(&text)),
                ))
            })?;
        // In index order.
        conversations.sort_unstable_by_key(|conversation| conversation.0);
        for near in conversations.chunk_by(|one, next| next.0 - one.0 <= MAX_SKIPPED_CONVERSATIONS) {
            for some in near.chunks(CONVERSATION_BATCH) {
                let (Some((first, _)), Some((last, _))) = (some.first(), some.last()) else { continue };
                let said = messages_between(connection, *first, *last)?;
                let mut histories = said.chunk_by(|one, next| one.0 == next.0).peekable();
                for (number, person) in some {
                    while histories.next_if(|history| history[0].0 < *number).is_some() {}
                    if let Some(history) = histories.next_if(|history| history[0].0 == *number) {
                        let said: Vec<_> = history.iter().map(|pair| unpack_message(pair.1)).collect();
                        gathering.add(place, person.as_ref(), &said);
                    }
                }
            }
        }
    }
    Ok(gathering.finish())
}

/// Looks up the columns once, because there may be a million rows.
fn messages_between(connection: &Connection, first: i64, last: i64) -> Result<Vec<(i64, i64)>, StoreError> {
    let mut statement = connection.prepare_cached(SELECT_MESSAGES)?;
    let places = (statement.column_index("conversation")?, statement.column_index("said")?);
    let mut rows = statement.query([first, last])?;
    let mut said = Vec::new();
    while let Some(row) = rows.next()? {
        said.push((row.get(places.0)?, row.get(places.1)?));
    }
    Ok(said)
}

fn unpack_message(packed: i64) -> (Timestamp, SaidBy) {
    let by = match packed & 3 {
        0 => SaidBy::Customer,
        1 => SaidBy::Ai,
        _ => SaidBy::Person,
    };
    (Timestamp::from_micros(packed >> 2), by)
}
