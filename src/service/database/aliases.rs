//! Alternative addresses of a customer: a message sent to one may be answered from the other. Also the connection of
//! each owner of a business to a bot.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;

/// Makes `alias` lead to the conversation of `peer`.
pub fn insert(db: &dyn DbSession, channel: &str, alias: &str, peer: &str) -> Result<(), DatabaseError> {
    // Prevents a cycle.
    remove(db, channel, peer)?;
    let sql = "INSERT INTO peer_aliases (channel, alias, peer) VALUES (?1, ?2, ?3)
               ON CONFLICT (channel, alias) DO UPDATE SET peer = excluded.peer";
    db.change_later(sql, bound![channel, alias, peer])
}

pub fn remove(db: &dyn DbSession, channel: &str, alias: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM peer_aliases WHERE channel = ?1 AND alias = ?2", bound![channel, alias])
}

/// Redirects the aliases of a customer whose number has changed.
pub fn change_target(db: &dyn DbSession, channel: &str, from: &str, to: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE peer_aliases SET peer = ?3 WHERE channel = ?1 AND peer = ?2";
    db.change_later(sql, bound![channel, from, to])
}

/// Returns the address that an alias leads to.
pub fn find(db: &dyn DbSession, channel: &str, alias: &str) -> Result<Option<String>, DatabaseError> {
    let sql = "SELECT peer FROM peer_aliases WHERE channel = ?1 AND alias = ?2";
    db.fetch_optional(sql, bound![channel, alias], single_cell)
}

/// Replaces the ending of all addresses of a channel that have it. The former addresses become aliases. An ending
/// begins with the only slash of an address. A conversation stays if another one has its new address.
pub fn move_addresses(
    db: &dyn DbSession,
    channel: &str,
    (from, to): (&str, &str),
) -> Result<(), DatabaseError> {
    for sql in [
        "UPDATE peer_aliases SET peer = replace(peer, ?2, ?3)
         WHERE channel = ?1 AND replace(peer, ?2, '') || ?2 = peer",
        "UPDATE conversations SET peer = replace(peer, ?2, ?3), platform_peer = NULL
         WHERE channel = ?1 AND replace(peer, ?2, '') || ?2 = peer AND NOT EXISTS (
             SELECT 1 FROM conversations AS other
             WHERE other.channel = ?1 AND other.peer = replace(conversations.peer, ?2, ?3))",
        "INSERT INTO peer_aliases (channel, alias, peer)
         SELECT channel, replace(peer, ?3, ?2), peer FROM conversations
         WHERE channel = ?1 AND replace(peer, ?3, '') || ?3 = peer
         ON CONFLICT (channel, alias) DO UPDATE SET peer = excluded.peer",
    ] {
        db.change_later(sql, bound![channel, from, to])?;
    }
    db.change_later("DELETE FROM peer_aliases WHERE channel = ?1 AND alias = peer", bound![channel])
}
