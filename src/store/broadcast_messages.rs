//! Messages that are a broadcast's: those of an interface key, not sent by a
//! person here, that say what a broadcast of the channel said about then. They
//! answer nobody, so whoever waited before them still waits.

use std::sync::LazyLock;

use rusqlite::{Connection, params};

use crate::{Store, StoreError, facts};
use model::broadcasts::Broadcast;
use model::ids::{BroadcastId, ChannelId};
use model::text::SafeText;
use model::time::{DAY, MINUTE, Timestamp};
use sqlite::{Queries, only_cell};

/// The server's clock and this desk's may differ by so much.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;
/// So long after its beginning the last message of a broadcast leaves.
const MAX_SEND_DURATION: i64 = DAY;

/// The sender of a row that is put into `message` with these parameters:
/// 1 conversation, 2 id, 3 place, 6 sender, 7 and 8 what it says, 15
/// unreadable, 16 provisional.
fn sender_expression() -> String {
    format!(
        "iif(?6 = 'api' AND ?15 = 0 AND ?16 = 0 AND EXISTS (
             SELECT 1 FROM conversation c JOIN broadcast_text b ON b.channel = c.channel
                 AND b.at BETWEEN ?3 - {MAX_SEND_DURATION} AND ?3 + {CLOCK_TOLERANCE}
             WHERE c.number = ?1 AND b.text = first_line(?7, ?8) AND NOT EXISTS (
                 SELECT 1 FROM desk.sent_here s WHERE s.channel = c.channel AND s.message = ?2)),
         'broadcast', ?6)"
    )
}

/// Puts a row into `message`: written once, for each message that is read.
pub(crate) static INSERT_MESSAGE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO message (conversation, id, sort_at, platform_id, inbound, sender, content,
             content_type, media_url, delivery, created_at, delivered_at, read_at, quotes,
             unreadable, provisional, raw)
         VALUES (?1, ?2, ?3, ?4, ?5, {}, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        sender_expression()
    )
});

/// Keeps what a broadcast said; messages of it that were read before are
/// found, and the facts of their conversations renewed.
pub(crate) fn record_broadcast_text(
    connection: &Connection,
    channel: &ChannelId,
    id: &BroadcastId,
    text: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let is_new = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO broadcast_text (channel, id, at, text) VALUES (?1, ?2, ?3, first_line(?4, 'text'))",
        )?
        .execute(params![channel, id, at, text])?;
    if is_new == 0 {
        return Ok(());
    }
    let sql = format!(
        "UPDATE message SET sender = 'broadcast' WHERE conversation IN (
                 SELECT number FROM conversation WHERE channel = ?1 AND sort_at >= ?2 - {CLOCK_TOLERANCE})
             AND sort_at BETWEEN ?2 - {CLOCK_TOLERANCE} AND ?2 + {MAX_SEND_DURATION}
             AND inbound = 0 AND sender = 'api' AND unreadable = 0 AND provisional = 0
             AND first_line(content, content_type) = first_line(?3, 'text')
             AND NOT EXISTS (SELECT 1 FROM desk.sent_here s WHERE s.channel = ?1 AND s.message = message.id)
         RETURNING conversation"
    );
    let numbers: Vec<i64> = connection.all(&sql, params![channel, at, text], only_cell)?;
    numbers.into_iter().try_for_each(|number| facts::refresh(connection, number))
}

/// What a broadcast says, in a line, if it is known.
pub(crate) fn broadcast_line(
    connection: &Connection,
    channel: &ChannelId,
    id: &str,
) -> Result<Option<SafeText>, StoreError> {
    let sql = "SELECT text FROM broadcast_text WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, params![channel, id], |row| row.line("text"))?)
}

/// Keeps what the server says that a broadcast said.
pub(crate) fn record_reported_text(
    connection: &Connection,
    channel: &ChannelId,
    told: &Broadcast,
) -> Result<(), StoreError> {
    match (&told.text, told.created_at) {
        (Some(text), Some(at)) => record_broadcast_text(connection, channel, &told.id, text.as_str(), at),
        _ => Ok(()),
    }
}

impl Store {
    /// Keeps what a broadcast says that the server has just taken, so that its
    /// messages are known when they are read.
    pub async fn record_accepted_broadcast(
        &self,
        channel: &ChannelId,
        id: &BroadcastId,
        text: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, id, text) = (channel.clone(), id.clone(), text.to_owned());
        self.cache().change_async(move |change| record_broadcast_text(change, &channel, &id, &text, at)).await
    }
}
