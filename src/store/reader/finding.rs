//! Finds a conversation by a typed selector, and the position of a message.

use rusqlite::{Connection, params};

use crate::reader::conversations;
use crate::{StoreError, account, messages, meta};
use model::account::{Account, Platform};
use model::conversations::title_of;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::queries::{ConversationKey, NamedConversation};
use model::selector::{Candidate, Selector, Unresolved};
use model::text::SafeText;
use sqlite::{Queries, only_cell};

/// Maximum number of names returned, by newest activity.
const MAX_NAMES: u32 = 5_000;
const MAX_CANDIDATES: u32 = 200;

pub(crate) fn load_names(connection: &Connection) -> Result<Vec<NamedConversation>, StoreError> {
    Ok(connection.all(
        "SELECT c.channel, c.id, c.name, c.username, c.address FROM conversation c
             INDEXED BY conversation_wide WHERE 1 ORDER BY c.sort_at DESC, c.id DESC LIMIT ?1",
        [MAX_NAMES],
        |row| {
            let id = row.get("id")?;
            let (name, username) = (row.optional_line("name")?, row.optional_line("username")?);
            let address: Option<String> = row.get("address")?;
            Ok(NamedConversation {
                title: title_of(name.as_ref(), username.as_ref(), address.as_deref(), &id),
                address: SafeText::line(address.as_deref().unwrap_or("")),
                key: ConversationKey { channel: row.get("channel")?, conversation: id },
            })
        },
    )?)
}

/// Returns the conversations a selector matches, open ones and newest activity first; of one
/// channel or of all.
pub(crate) fn find_candidates(
    connection: &Connection,
    selector: &Selector,
    channel: Option<&ChannelId>,
) -> Result<Vec<Candidate>, StoreError> {
    let column = match selector {
        Selector::Phone(_) | Selector::Email(_) | Selector::ChatId(_) => "address",
        Selector::Handle(_) => "username",
        Selector::Id(_) => "id",
        Selector::Name(_) => "name",
    };
    let sql = format!(
        "SELECT channel, id FROM conversation WHERE {column} = ?1 COLLATE NOCASE AND (?2 IS NULL OR channel = ?2)
         ORDER BY is_closed, sort_at DESC, id DESC LIMIT {MAX_CANDIDATES}"
    );
    let keys: Vec<(_, _)> = connection
        .all(&sql, params![selector.text(), channel], |row| Ok((row.get("channel")?, row.get("id")?)))?;
    let mut found = Vec::new();
    for (channel, id) in keys {
        let account = account::read(connection, &channel)?;
        let row = conversations::load_row(connection, &channel, &id)?;
        if let (Some(account), Some(row)) = (account, row) {
            let Account { platform, environment, workspace_id: workspace, .. } = account;
            found.push(Candidate { row, platform, environment, workspace });
        }
    }
    Ok(found)
}

pub(crate) fn resolve(
    connection: &Connection,
    selector: &Selector,
) -> Result<Result<ConversationKey, Unresolved>, StoreError> {
    let found = find_candidates(connection, selector, None)?;
    if matches!(selector, Selector::Name(_)) && !are_lists_complete(connection)? {
        return Ok(Err(Unresolved::Unread(selector.clone())));
    }
    Ok(selector.resolve(found).map(|choose| choose.row.key()))
}

/// True if the lists of all channels were read completely.
fn are_lists_complete(connection: &Connection) -> Result<bool, StoreError> {
    let channels: Vec<(ChannelId, _)> =
        connection.all("SELECT channel, platform FROM account", [], |row| {
            Ok((row.get("channel")?, row.parse_word("platform", Platform::from_word)?))
        })?;
    for (channel, platform) in channels {
        let is_read = meta::read(connection, &channel, meta::LIST_SINCE_MARK)?.is_some()
            && meta::read(connection, &channel, meta::LIST_REMAINING_MARK)?.is_none();
        if platform.has_conversations() && !is_read {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn count_from_newest(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    message: &MessageId,
) -> Result<Option<u32>, StoreError> {
    let Some(number) = messages::conversation_number(connection, channel, conversation)? else {
        return Ok(None);
    };
    Ok(connection.first(
        "SELECT (SELECT count(*) FROM message n
             WHERE n.conversation = m.conversation AND (n.sort_at, n.id) >= (m.sort_at, m.id))
         FROM message m WHERE m.conversation = ?1 AND m.id = ?2",
        params![number, message],
        only_cell,
    )?)
}
