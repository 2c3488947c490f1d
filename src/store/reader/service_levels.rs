//! How fast customers were answered: a walk of the index of histories, for
//! conversations in which something was said since.

use rusqlite::{Connection, params};

use crate::StoreError;
use model::service_levels::{LevelsGathering, LevelsQuery, LevelsReport, SaidBy};
use model::text::SafeText;
use model::time::{Timestamp, Zone};
use sqlite::Queries;

/// Those of a channel, and who takes care of each.
const CONVERSATIONS: &str = "SELECT c.number, k.agent FROM conversation c INDEXED BY conversation_all
    LEFT JOIN desk.claim k ON k.channel = c.channel AND k.conversation = c.id
    WHERE c.channel = ?1 AND c.sort_at >= ?2";
const SAID: &str = "SELECT sort_at, said_by FROM message INDEXED BY message_order
    WHERE conversation = ?1 AND said_by IS NOT NULL ORDER BY sort_at, id";

/// Measures the cases of some channels.
pub(crate) fn measure(
    connection: &Connection,
    query: &LevelsQuery,
    zone: &Zone,
) -> Result<LevelsReport, StoreError> {
    let mut gathering = LevelsGathering::new(query, zone);
    for (place, channel) in query.channels.iter().enumerate() {
        let conversations: Vec<(i64, Option<SafeText>)> =
            connection.all(CONVERSATIONS, params![channel, query.since], |row| {
                Ok((row.get("number")?, row.get::<Option<String>>("agent")?.map(|it| SafeText::line(&it))))
            })?;
        for (number, person) in conversations {
            let said: Vec<(Timestamp, SaidBy)> = connection.all(SAID, [number], |row| {
                let by = match row.get::<i64>("said_by")? {
                    0 => SaidBy::Customer,
                    1 => SaidBy::Ai,
                    _ => SaidBy::Person,
                };
                Ok((row.get("sort_at")?, by))
            })?;
            gathering.add(place, person.as_ref(), &said);
        }
    }
    Ok(gathering.report())
}
