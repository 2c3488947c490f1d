use rusqlite::{Connection, params};

use crate::StoreError;
use crate::reader::conversations::load_row;
use crate::reader::elsewhere;
use model::conversations::NoMessagesReason;
use model::ids::ChannelId;
use model::keywords::Keyword;
use model::person::{PersonConversation, PersonPage, PersonQuery, UnreachableReason};
use model::queries::ConversationKey;
use sqlite::{Queries, only_cell};

/// Number of newest customer messages searched for STOP.
const MAX_SEARCHED_MESSAGES: i64 = 100;

/// Returns the conversations of a person, the requested one first.
pub(crate) fn page(connection: &Connection, query: &PersonQuery) -> Result<PersonPage, StoreError> {
    let points = elsewhere::load_contact_points(connection, &query.key)?;
    let mut keys = elsewhere::conversations(connection, &points)?;
    keys.retain(|key| *key != query.key);
    keys.insert(0, query.key.clone());
    let mut conversations = Vec::new();
    for key in &keys {
        let Some(row) = load_row(connection, &key.channel, &key.conversation)? else { continue };
        let bar = match row.conversation.takes_no_messages {
            Some(reason) => Some(UnreachableReason::TakesNoMessages(reason)),
            None => unreachable_reason(connection, key)?,
        };
        conversations.push(PersonConversation { row, bar });
    }
    let elsewhere::ContactPoints { phones, emails, shared } = points;
    Ok(PersonPage { conversations, phones, emails, shared })
}

fn unreachable_reason(
    connection: &Connection,
    key: &ConversationKey,
) -> Result<Option<UnreachableReason>, StoreError> {
    let said: Vec<String> = connection.all(
        "SELECT content FROM message WHERE conversation = (SELECT number FROM conversation
             WHERE channel = ?1 AND id = ?2) AND inbound = 1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?3",
        params![key.channel, key.conversation, MAX_SEARCHED_MESSAGES],
        only_cell,
    )?;
    let asked = said.iter().filter_map(|text| Keyword::parse(text)).find(|entry| *entry != Keyword::Help);
    if asked == Some(Keyword::Stop) {
        return Ok(Some(UnreachableReason::TakesNoMessages(NoMessagesReason::Stopped)));
    }
    Ok(is_not_configured(connection, &key.channel)?.then_some(UnreachableReason::NotConfigured))
}

/// True if a stopped row of the channel was refused because the channel is not connected.
fn is_not_configured(connection: &Connection, channel: &ChannelId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM desk.outbox
         WHERE channel = ?1 AND state = 'stopped' AND instr(why, 'NOT_CONFIGURED') > 0)";
    Ok(connection.scalar(sql, [channel.as_str()])?)
}
