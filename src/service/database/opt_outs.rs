//! People who asked a phone number for no more texts, under the normal form of
//! their number. A row outlives the conversation.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::phone_forms::{all_forms, normalize};
use model::time::Timestamp;

/// Notes that somebody takes no more texts.
pub fn add(db: &dyn DbSession, channel: &str, peer: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO opt_outs (channel, peer, at) VALUES (?1, ?2, ?3)
               ON CONFLICT (channel, peer) DO NOTHING";
    db.change_later(sql, bound![channel, normalize(peer), at])
}

/// Notes that somebody takes texts again; false where they always did.
pub fn remove(db: &dyn DbSession, channel: &str, peer: &str) -> Result<bool, DatabaseError> {
    let forms = all_forms(peer);
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    // Older rows have the form in which the number wrote.
    let sql = "DELETE FROM opt_outs WHERE channel = ?1 AND peer IN (?2, ?3, ?4, ?5, ?6)";
    Ok(db.change(sql, bound![channel, form(0), form(1), form(2), form(3), form(4)])? > 0)
}

/// Whether somebody takes no texts.
pub fn exists(db: &dyn DbSession, channel: &str, peer: &str) -> Result<bool, DatabaseError> {
    let forms = all_forms(peer);
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    let sql = "SELECT count(*) FROM opt_outs WHERE channel = ?1 AND peer IN (?2, ?3, ?4, ?5, ?6)";
    let count: i64 = db.fetch_scalar(sql, bound![channel, form(0), form(1), form(2), form(3), form(4)])?;
    Ok(count > 0)
}

/// How many take no texts of a channel.
pub fn count(db: &dyn DbSession, channel: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM opt_outs WHERE channel = ?1", bound![channel])
}
