//! Erases a person from both files after they were deleted here or on the server; lists for every
//! table how that is done.
//!
//! Unsent rows are kept: a row leaves the outbox when the server accepts it or a person drops it.

use rusqlite::{Connection, params};

use crate::{Store, StoreError, wiping};
use model::ids::{ChannelId, ConversationId};

/// Way of erasing a person's content from a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Erasure {
    /// Holds no content of a person.
    NoContent,
    /// Rows are deleted with the conversation by a foreign key or a trigger.
    Cascade,
    /// Statement with `?1` channel, `?2` conversation, `?3` the customer's address or an empty
    /// text.
    Statement(&'static str),
    /// Part is kept: unsent rows, and mail rules until a person removes them.
    Partial,
}

/// Tables of the outbox. A table whose deletion writes to others precedes them.
pub(crate) const OUTBOX_TABLES: [(&str, Erasure); 38] = [
    ("draft", Erasure::Statement("DELETE FROM draft WHERE channel = ?1 AND conversation = ?2")),
    ("draft_aside", Erasure::Statement("DELETE FROM draft_aside WHERE channel = ?1 AND conversation = ?2")),
    ("draft_only", Erasure::Statement("DELETE FROM draft_only WHERE channel = ?1 AND conversation = ?2")),
    ("note", Erasure::Statement("DELETE FROM note WHERE channel = ?1 AND conversation = ?2")),
    ("proposal", Erasure::Statement("DELETE FROM proposal WHERE channel = ?1 AND conversation = ?2")),
    ("review", Erasure::Statement("DELETE FROM review WHERE channel = ?1 AND conversation = ?2")),
    ("tag", Erasure::Statement("DELETE FROM tag WHERE channel = ?1 AND conversation = ?2")),
    ("snooze", Erasure::Statement("DELETE FROM snooze WHERE channel = ?1 AND conversation = ?2")),
    ("claim", Erasure::Statement("DELETE FROM claim WHERE channel = ?1 AND conversation = ?2")),
    ("pause", Erasure::Statement("DELETE FROM pause WHERE channel = ?1 AND conversation = ?2")),
    ("handback", Erasure::Statement("DELETE FROM handback WHERE channel = ?1 AND conversation = ?2")),
    (
        "history_event",
        Erasure::Statement("DELETE FROM history_event WHERE channel = ?1 AND conversation = ?2"),
    ),
    ("thread_local", Erasure::Statement("DELETE FROM thread_local WHERE channel = ?1 AND thread = ?2")),
    ("rule_action", Erasure::Statement("DELETE FROM rule_action WHERE channel = ?1 AND thread = ?2")),
    (
        "audit",
        Erasure::Statement(
            "UPDATE audit SET detail = '', lane_id = iif(lane_id = ?2, lane_id, '') WHERE channel = ?1
             AND (lane_id = ?2 OR (lane_id = ?3 AND ?3 <> '' AND lane IN ('number', 'address')))",
        ),
    ),
    (
        "assistant_log",
        Erasure::Statement(
            "UPDATE assistant_log SET asked = '', outcome = '' WHERE channel = ?1 AND conversation = ?2",
        ),
    ),
    (
        "script_key",
        Erasure::Statement(
            "UPDATE script_key SET answer = replace(replace(answer, ?2, ''), ?3, '') WHERE channel = ?1
             AND (instr(answer, ?2) > 0 OR (?3 <> '' AND instr(answer, ?3) > 0))",
        ),
    ),
    ("team_change", Erasure::Statement("DELETE FROM team_change WHERE channel = ?1 AND conversation = ?2")),
    ("team_unplaced", Erasure::Statement("DELETE FROM team_unplaced WHERE ?1 = ?1 AND conversation = ?2")),
    ("outbox", Erasure::Partial),
    ("mail_rule", Erasure::Partial),
    // Content of the business.
    ("campaign", Erasure::NoContent),
    ("team_reply", Erasure::NoContent),
    // Ids and numbers.
    ("campaign_contact", Erasure::NoContent),
    ("campaign_wave", Erasure::NoContent),
    ("broadcast_recipient", Erasure::NoContent),
    ("broadcast_sample", Erasure::NoContent),
    ("broadcast_balance", Erasure::NoContent),
    ("broadcast_charge", Erasure::NoContent),
    ("tracked_broadcast", Erasure::NoContent),
    ("decision", Erasure::NoContent),
    ("identity", Erasure::NoContent),
    ("reaction", Erasure::NoContent),
    ("sent_here", Erasure::NoContent),
    ("recognised", Erasure::NoContent),
    ("sending_account", Erasure::NoContent),
    ("patch_field", Erasure::NoContent),
    ("team_channel", Erasure::NoContent),
];

/// Tables of the cache, without the internal tables of its indexes.
pub(crate) const CACHE_TABLES: [(&str, Erasure); 24] = [
    ("contact", Erasure::Statement("DELETE FROM contact WHERE channel = ?1 AND phone = ?3 AND ?2 <> ''")),
    (
        "correspondent",
        Erasure::Statement(
            "DELETE FROM correspondent WHERE channel = ?1 AND folded = lower(?3) AND NOT EXISTS (SELECT 1
             FROM conversation WHERE channel = ?1 AND address = ?3 AND id <> ?2)",
        ),
    ),
    (
        "request",
        Erasure::Statement("DELETE FROM request WHERE channel = ?1 AND instr(path, ?2) > 0 AND ?3 = ?3"),
    ),
    (
        "conversation",
        Erasure::Statement("DELETE FROM conversation WHERE channel = ?1 AND id = ?2 AND ?3 = ?3"),
    ),
    ("message", Erasure::Cascade),
    ("phone_entry", Erasure::Cascade),
    ("suggestion", Erasure::Cascade),
    ("thread", Erasure::Cascade),
    ("letter", Erasure::Cascade),
    ("search", Erasure::Cascade),
    ("search_people", Erasure::Cascade),
    ("search_list", Erasure::Cascade),
    // Content of the business.
    ("account", Erasure::NoContent),
    ("broadcast", Erasure::NoContent),
    ("broadcast_text", Erasure::NoContent),
    ("mailbox", Erasure::NoContent),
    ("template", Erasure::NoContent),
    // Ids, numbers and words of the interface.
    ("asked", Erasure::NoContent),
    ("gone", Erasure::NoContent),
    ("lease", Erasure::NoContent),
    ("meta", Erasure::NoContent),
    ("outbox_mark", Erasure::NoContent),
    ("receipt", Erasure::NoContent),
    ("revision", Erasure::NoContent),
];

/// Tables of the cache that hold only the progress of some work.
#[cfg(test)]
pub(crate) const CACHE_PROGRESS: [&str; 1] = ["search_progress"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErasedConversation {
    pub(crate) id: ConversationId,
    pub(crate) address: Option<String>,
}

pub(crate) fn erase(
    connection: &Connection,
    tables: &[(&str, Erasure)],
    channel: &ChannelId,
    erased: &ErasedConversation,
) -> rusqlite::Result<()> {
    let address = erased.address.as_deref().unwrap_or_default();
    for (_, erasure) in tables {
        let Erasure::Statement(sql) = erasure else { continue };
        if sql.contains("?3") {
            connection.execute(sql, params![channel, erased.id, address])?;
        } else {
            connection.execute(sql, params![channel, erased.id])?;
        }
    }
    Ok(())
}

impl Store {
    /// Erases conversations from the outbox.
    pub(crate) async fn erase_local(
        &self,
        channel: &ChannelId,
        erased: Vec<ErasedConversation>,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction()?;
                erased.iter().try_for_each(|erased| erase(&change, &OUTBOX_TABLES, &channel, erased))?;
                change.commit()?;
                // The write-ahead log still holds the erased bytes.
                wiping::empty_journal(connection).map(drop)
            })
            .await
    }
}
