//! Moves the seen mark of conversations forwards or back. In the cache: without it everything
//! counts as unseen.

use rusqlite::{Connection, params};

use crate::{Store, StoreError, facts, messages};
use model::ids::{ChannelId, ConversationId};
use sqlite::Queries;

impl Store {
    /// Marks the given number of newest inbound messages unseen, or with 0 everything seen, in one
    /// transaction. Blocks.
    pub(crate) fn set_unseen(
        &self,
        channel: &ChannelId,
        wanted: Vec<(ConversationId, u32)>,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache().change(move |change| {
            for (conversation, unseen) in &wanted {
                if let Some(number) = messages::conversation_number(change, &channel, conversation)? {
                    set_unseen_count(change, number, *unseen)?;
                    facts::refresh(change, number)?;
                }
            }
            Ok(())
        })
    }
}

fn set_unseen_count(change: &Connection, number: i64, unseen: u32) -> rusqlite::Result<()> {
    let sql = match unseen {
        0 => {
            "SELECT sort_at, id AS until FROM message WHERE conversation = ?1
             ORDER BY sort_at DESC, id DESC LIMIT 1 OFFSET ?2"
        }
        // Just before that message: the empty id sorts before all others.
        _ => {
            "SELECT sort_at, '' AS until FROM message WHERE conversation = ?1 AND inbound = 1 AND unreadable = 0
             ORDER BY sort_at DESC, id DESC LIMIT 1 OFFSET ?2"
        }
    };
    let found: Option<(i64, String)> =
        change.first(sql, params![number, unseen.saturating_sub(1)], |row| {
            Ok((row.get("sort_at")?, row.get("until")?))
        })?;
    if let Some((at, id)) = found {
        change
            .prepare_cached("UPDATE conversation SET seen_at = ?2, seen_id = ?3 WHERE number = ?1")?
            .execute(params![number, at, id])?;
    }
    Ok(())
}
