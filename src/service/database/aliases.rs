//! Numbers that a platform knows as others: whoever is written to under one may
//! answer under the other.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;

/// Notes under which number the customer of another has their conversation.
pub fn insert(db: &dyn DbSession, channel: &str, alias: &str, peer: &str) -> Result<(), DatabaseError> {
    // Not in a circle.
    remove(db, channel, peer)?;
    let sql = "INSERT INTO peer_aliases (channel, alias, peer) VALUES (?1, ?2, ?3)
               ON CONFLICT (channel, alias) DO UPDATE SET peer = excluded.peer";
    db.change_later(sql, bound![channel, alias, peer])
}

/// A number has a conversation of its own from here on.
pub fn remove(db: &dyn DbSession, channel: &str, alias: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM peer_aliases WHERE channel = ?1 AND alias = ?2", bound![channel, alias])
}

/// A customer has another number: those that led to the old one lead there.
pub fn change_target(db: &dyn DbSession, channel: &str, from: &str, to: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE peer_aliases SET peer = ?3 WHERE channel = ?1 AND peer = ?2";
    db.change_later(sql, bound![channel, from, to])
}
