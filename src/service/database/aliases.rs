//! Alternative numbers of a customer: a message sent to one may be answered from the other.

use crate::database::DatabaseError;
use crate::database::rows::bound;
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
