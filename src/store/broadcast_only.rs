//! Conversations that consist of a broadcast only: they began with one, and neither the contact nor
//! this desk has written. The flag on the row is refreshed in the transaction that changes the
//! messages and when a broadcast is accepted.

use rusqlite::{Connection, Params, TransactionBehavior, params};

use crate::{Store, StoreError};
use model::ids::ChannelId;
use model::outbox::content::Audience;
use model::time::{HOUR, MINUTE, Timestamp};

/// Recipient entry of a broadcast to everyone.
const EVERYONE_MARK: &str = "*";
/// Allowed difference between the server's clock and this machine's.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;
/// Conversations that begin later than this after a broadcast to everyone do not belong to it.
const MAX_BEGIN_DELAY: i64 = HOUR;

/// Selects the row numbers of conversations that consist of a broadcast only, except those that
/// need a person.
pub(crate) const SELECT_NUMBERS: &str =
    "SELECT b.number FROM conversation b INDEXED BY conversation_broadcast_only
     WHERE b.broadcast_only = 1 AND b.escalation IS NULL AND b.stuck = 0";

/// SQL condition for a row of `conversation`. The beginning is the one the server reports, else the
/// first message if the history was read to its start.
fn rule_expression() -> String {
    format!(
        "(last_inbound_at IS NULL AND waiting_since IS NULL AND NOT EXISTS (
             SELECT 1 FROM message i WHERE i.conversation = conversation.number
                 AND (i.inbound = 1 OR i.unreadable = 1)) AND NOT EXISTS (
             SELECT 1 FROM desk.audit a WHERE a.channel = conversation.channel
                 AND a.lane_id IN (conversation.id, conversation.address)
                 AND a.lane IN ('conversation', 'number')) AND EXISTS (
             SELECT 1 FROM (SELECT coalesce(conversation.first_message_at, iif(conversation.reached_start = 1, coalesce(
                 (SELECT min(m.sort_at) FROM message m WHERE m.conversation = conversation.number),
                 conversation.created_at), NULL)) AS began) f
             WHERE EXISTS (SELECT 1 FROM contact k CROSS JOIN desk.broadcast_recipient r
                     ON r.channel = k.channel AND r.contact = k.id AND r.at <= f.began + {CLOCK_TOLERANCE}
                     WHERE k.channel = conversation.channel AND k.phone = conversation.address)
                 OR EXISTS (SELECT 1 FROM desk.broadcast_recipient r WHERE r.channel = conversation.channel
                     AND r.contact = '{EVERYONE_MARK}' AND r.at BETWEEN f.began - {MAX_BEGIN_DELAY} AND f.began + {CLOCK_TOLERANCE})))"
    )
}

pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    refresh_rows(connection, "number = ?1", [number])
}

/// Refreshes the conversations of a contact just read.
pub(crate) fn refresh_contact(
    connection: &Connection,
    channel: &ChannelId,
    phone: &str,
) -> Result<(), StoreError> {
    refresh_rows(connection, "channel = ?1 AND address = ?2", params![channel, phone])
}

fn refresh_rows(connection: &Connection, rows: &str, bound: impl Params) -> Result<(), StoreError> {
    let rule = rule_expression();
    let sql =
        format!("UPDATE conversation SET broadcast_only = {rule} WHERE {rows} AND broadcast_only <> {rule}");
    connection.prepare_cached(&sql)?.execute(bound)?;
    Ok(())
}

impl Store {
    /// Stores the recipients of a broadcast requested at `at`, and refreshes conversations with
    /// activity since.
    pub async fn record_broadcast_recipients(
        &self,
        channel: &ChannelId,
        to: &Audience,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (noted, to) = (channel.clone(), to.clone());
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                match &to {
                    Audience::Everyone => {
                        let sql = "INSERT OR IGNORE INTO broadcast_recipient (channel, contact, at) VALUES (?1, ?2, ?3)";
                        change.execute(sql, params![noted, EVERYONE_MARK, at])?;
                    }
                    Audience::Contacts(those) => {
                        let mut first = change.prepare_cached(
                            "INSERT INTO broadcast_recipient (channel, contact, at) SELECT ?1, ?2, ?3
                                 WHERE NOT EXISTS (SELECT 1 FROM broadcast_recipient
                                     WHERE channel = ?1 AND contact = ?2 AND at <= ?3)",
                        )?;
                        for contact in those {
                            first.execute(params![noted, contact, at])?;
                        }
                    }
                }
                change.commit()?;
                Ok(())
            })
            .await?;
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let since = at.plus(-CLOCK_TOLERANCE);
                refresh_rows(&cache.connection, "channel = ?1 AND sort_at >= ?2", params![channel, since])
            })
            .await
    }
}
