//! People who opted out of texts from a phone number, by the normal form of their number. A row
//! outlives the conversation.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::phone_forms::{all_forms, normalize};
use model::time::Timestamp;

/// Records an opt-out. The latest time counts.
pub fn add(db: &dyn DbSession, channel: &str, peer: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO opt_outs (channel, peer, at) VALUES (?1, ?2, ?3)
               ON CONFLICT (channel, peer) DO UPDATE SET at = excluded.at WHERE opt_outs.at < excluded.at";
    db.change_later(sql, bound![channel, normalize(peer), at])
}

/// Ends an opt-out. Returns true if there was one.
pub fn remove(db: &dyn DbSession, channel: &str, peer: &str) -> Result<bool, DatabaseError> {
    remove_until(db, channel, peer, Timestamp::from_micros(i64::MAX))
}

/// Ends an opt-out, unless it is later than `latest`. Returns true if there was one to end.
pub fn remove_until(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
    latest: Timestamp,
) -> Result<bool, DatabaseError> {
    let forms = all_forms(peer);
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    // Older rows hold the number in the form in which it was received.
    let sql = "DELETE FROM opt_outs WHERE channel = ?1 AND peer IN (?2, ?3, ?4, ?5, ?6) AND at <= ?7";
    Ok(db.change(sql, bound![channel, form(0), form(1), form(2), form(3), form(4), latest])? > 0)
}

pub fn exists(db: &dyn DbSession, channel: &str, peer: &str) -> Result<bool, DatabaseError> {
    let forms = all_forms(peer);
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    let sql = "SELECT count(*) FROM opt_outs WHERE channel = ?1 AND peer IN (?2, ?3, ?4, ?5, ?6)";
    let count: i64 = db.fetch_scalar(sql, bound![channel, form(0), form(1), form(2), form(3), form(4)])?;
    Ok(count > 0)
}

/// Returns true if anybody opted out on a channel.
pub fn is_any(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM (SELECT peer FROM opt_outs WHERE channel = ?1 LIMIT 1) AS found";
    let count: i64 = db.fetch_scalar(sql, bound![channel])?;
    Ok(count > 0)
}

pub fn count(db: &dyn DbSession, channel: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM opt_outs WHERE channel = ?1", bound![channel])
}
