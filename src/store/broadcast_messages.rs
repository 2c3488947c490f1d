//! Recognizes broadcast messages: messages from an API key, not sent from this desk, with the text
//! of a broadcast of the channel at about that time. They do not count as answers.

use std::sync::LazyLock;

use rusqlite::{Connection, params};

use crate::{Store, StoreError, facts};
use model::broadcasts::Broadcast;
use model::ids::{BroadcastId, ChannelId};
use model::text::SafeText;
use model::time::{DAY, MINUTE, Timestamp};
use sqlite::{Queries, only_cell};

/// Allowed difference between the server's clock and this machine's.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;
/// Time in which all messages of a broadcast are sent.
const MAX_SEND_DURATION: i64 = DAY;

/// SQL expression of the sender column for an insert into `message` with parameters 1 conversation,
/// 2 id, 3 sort position, 6 sender, 7 and 8 content and type, 15 unreadable, 16 provisional, 18 agent.
fn sender_expression() -> String {
    format!(
        "iif(?6 = 'api' AND ?15 = 0 AND ?16 = 0 AND ?18 IS NULL AND EXISTS (
             SELECT 1 FROM conversation c JOIN broadcast_text b ON b.channel = c.channel
                 AND b.at BETWEEN ?3 - {MAX_SEND_DURATION} AND ?3 + {CLOCK_TOLERANCE}
             WHERE c.number = ?1 AND b.text = first_line(?7, ?8) AND NOT EXISTS (
                 SELECT 1 FROM desk.sent_here s WHERE s.channel = c.channel AND s.message = ?2)),
         'broadcast', ?6)"
    )
}

pub(crate) static INSERT_MESSAGE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO message (conversation, id, sort_at, platform_id, inbound, sender, content,
             content_type, media_url, delivery, created_at, delivered_at, read_at, quotes,
             unreadable, provisional, raw, agent)
         VALUES (?1, ?2, ?3, ?4, ?5, {}, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        sender_expression()
    )
});

/// Stores the text of a broadcast, marks its messages already read, and refreshes the facts of
/// their conversations.
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
             AND inbound = 0 AND sender = 'api' AND agent IS NULL AND unreadable = 0 AND provisional = 0
             AND first_line(content, content_type) = first_line(?3, 'text')
             AND NOT EXISTS (SELECT 1 FROM desk.sent_here s WHERE s.channel = ?1 AND s.message = message.id)
         RETURNING conversation"
    );
    let numbers: Vec<i64> = connection.all(&sql, params![channel, at, text], only_cell)?;
    numbers.into_iter().try_for_each(|number| facts::refresh(connection, number))
}

/// Returns the text of a broadcast as one line, if known.
pub(crate) fn broadcast_line(
    connection: &Connection,
    channel: &ChannelId,
    id: &str,
) -> Result<Option<SafeText>, StoreError> {
    let sql = "SELECT text FROM broadcast_text WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, params![channel, id], |row| row.line("text"))?)
}

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
    /// Stores the text of a broadcast the server has just accepted, so that its messages are
    /// recognized when read.
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
