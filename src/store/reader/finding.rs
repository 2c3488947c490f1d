//! Finding a conversation by its name, and a message by how far back it is.
//!
//! Knows nothing of what is typed.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::conversations::title_of;
use crate::model::filter::{Filter, Sort, parse};
use crate::model::ids::{ChannelId, ConversationId, MessageId};
use crate::model::queries::{Anchor, ConversationKey, ConversationQuery, Named};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::reader::conversations;
use crate::store::rows::optional_line;
use crate::store::{StoreError, messages};

/// Names handed out at most: those with the newest activity.
const NAMES: u32 = 5_000;

/// The names of the conversations with the newest activity.
pub(crate) fn names(connection: &Connection) -> Result<Vec<Named>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT c.channel, c.id, c.name, c.username, c.address FROM conversation c
             INDEXED BY conversation_wide WHERE 1 ORDER BY c.sort_at DESC, c.id DESC LIMIT ?1",
    )?;
    let rows = statement.query_map([NAMES], |row| {
        let id = ConversationId::new(row.get::<_, String>(1)?);
        let (name, username) = (optional_line(row, 2)?, optional_line(row, 3)?);
        let address: Option<String> = row.get(4)?;
        Ok(Named {
            title: title_of(name.as_ref(), username.as_ref(), address.as_deref(), &id),
            address: SafeText::line(address.as_deref().unwrap_or("")),
            key: ConversationKey { channel: ChannelId::new(row.get::<_, String>(0)?), conversation: id },
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The conversation with the newest activity whose number begins so, or whose
/// name has these words.
pub(crate) fn lookup(connection: &Connection, who: &str) -> Result<Option<ConversationKey>, StoreError> {
    let filter: Filter = parse(&format!("from:\"{}\"", who.replace('"', " "))).filter;
    if filter.tests.is_empty() {
        return Ok(None);
    }
    let query = ConversationQuery {
        channel: None,
        filter,
        sort: Sort::Activity,
        at: Timestamp::default(),
        anchor: Anchor::Top,
        limit: 1,
    };
    let page = conversations::window(connection, &query)?;
    Ok(page.rows.first().map(|it| it.key()))
}

/// How many messages of a conversation are as new as one of them or newer.
pub(crate) fn depth(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    message: &MessageId,
) -> Result<Option<u32>, StoreError> {
    let Some(number) = messages::number(connection, channel, conversation)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT (SELECT count(*) FROM message n
             WHERE n.conversation = m.conversation AND (n.sort_at, n.id) >= (m.sort_at, m.id))
         FROM message m WHERE m.conversation = ?1 AND m.id = ?2",
    )?;
    Ok(statement.query_row(params![number, message.as_str()], |row| row.get(0)).optional()?)
}
