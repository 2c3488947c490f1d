//! People who opted out of texts from a phone number, by the normal form of their number. A row
//! outlives the conversation.

use std::collections::HashSet;

use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use model::phone_forms::{all_forms, normalize};
use model::time::Timestamp;

/// The length of a list of addresses in a query is a multiple of this, so that few texts of queries are prepared.
const PEERS_PER_STEP: usize = 128;

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

/// Returns the addresses that opted out. Numbers must be given in all their forms.
pub fn list_among(
    db: &dyn DbSession,
    channel: &str,
    peers: &[String],
) -> Result<HashSet<String>, DatabaseError> {
    if peers.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = SqlQuery::new("SELECT peer FROM opt_outs WHERE channel = ?1".to_owned(), bound![channel]);
    query.filter_in("peer", peers, peers.len().next_multiple_of(PEERS_PER_STEP));
    let (sql, bound) = query.parts();
    let found: Vec<String> = db.fetch_all(sql, bound, single_cell)?;
    Ok(found.into_iter().collect())
}

pub fn count(db: &dyn DbSession, channel: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM opt_outs WHERE channel = ?1", bound![channel])
}
