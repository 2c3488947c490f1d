//! Work the simulated world has yet to do, in the order it falls due.

use crate::database::DatabaseError;
use crate::database::rows::{bound, only, table};
use crate::database::scopes;
use crate::database::session::DbSession;
use model::time::Timestamp;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub seq: i64,
    pub at: Timestamp,
    pub kind: String,
    /// What it concerns: the id of a row.
    pub subject: String,
    pub data: String,
}

/// Adds work.
pub fn add(
    db: &dyn DbSession,
    at: Timestamp,
    kind: &str,
    subject: &str,
    data: &str,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO due (at, kind, subject, data) VALUES (?1, ?2, ?3, ?4)";
    db.note(sql, bound![at, kind, subject, data])
}

/// Which pieces can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happens {
    All,
    /// What needs no simulated platform and no sample customer.
    Real,
}

/// The piece that falls due next and is of another kind.
pub fn next_beside(db: &dyn DbSession, kind: &str, happens: Happens) -> Result<Option<Due>, DatabaseError> {
    first(db, &format!("kind <> ?1 AND {}", happens.condition()), kind)
}

impl Happens {
    /// What their kinds are compared with.
    const fn condition(self) -> &'static str {
        match self {
            Self::All => "TRUE",
            Self::Real => "kind IN ('answer', 'broadcast')",
        }
    }
}

/// The piece of a kind that falls due next.
pub fn next_of(db: &dyn DbSession, kind: &str) -> Result<Option<Due>, DatabaseError> {
    first(db, "kind = ?1", kind)
}

/// The pieces of a kind that fall due next.
pub fn all_of(db: &dyn DbSession, kind: &str, count: i64) -> Result<Vec<Due>, DatabaseError> {
    let sql = format!("{SELECT} WHERE kind = ?1 ORDER BY at, seq LIMIT ?2");
    db.all(&sql, bound![kind, count], from_row)
}

table!(Due from due { seq, at, kind, subject, data });

fn first(db: &dyn DbSession, condition: &str, kind: &str) -> Result<Option<Due>, DatabaseError> {
    db.first(&format!("{SELECT} WHERE {condition} ORDER BY at, seq LIMIT 1"), bound![kind], from_row)
}

/// The pieces of other kinds that have fallen due, in their order, with the
/// workspaces they belong to.
pub fn ready(
    db: &dyn DbSession,
    aside: &str,
    happens: Happens,
    now: Timestamp,
    count: i64,
) -> Result<Vec<(Due, Option<String>)>, DatabaseError> {
    let workspace = scopes::of_subject("due.subject");
    let kinds = happens.condition();
    let sql = format!(
        "SELECT seq, at, kind, subject, data, ({workspace}) AS workspace FROM due
         WHERE kind <> ?1 AND {kinds} AND at <= ?2 ORDER BY at, seq LIMIT ?3"
    );
    db.all(&sql, bound![aside, now, count], |row| Ok((from_row(row)?, row.get("workspace")?)))
}

/// The number of the piece that was added last.
pub fn newest(db: &dyn DbSession) -> Result<i64, DatabaseError> {
    db.scalar("SELECT coalesce(max(seq), 0) FROM due", &[])
}

/// Whether a piece was added after another that has fallen due already.
pub fn any_since(db: &dyn DbSession, seq: i64, now: Timestamp) -> Result<bool, DatabaseError> {
    db.scalar("SELECT EXISTS (SELECT 1 FROM due WHERE seq > ?1 AND at <= ?2)", bound![seq, now])
}

/// Takes a piece off; false when someone else has.
pub fn take(db: &dyn DbSession, seq: i64) -> Result<bool, DatabaseError> {
    Ok(db.change("DELETE FROM due WHERE seq = ?1", bound![seq])? > 0)
}

/// Puts a piece off to a later time; false when it is no longer there.
pub fn postpone(db: &dyn DbSession, seq: i64, at: Timestamp) -> Result<bool, DatabaseError> {
    let changed = db.change("UPDATE due SET at = ?2 WHERE seq = ?1", bound![seq, at])?;
    Ok(changed > 0)
}

/// When a piece falls due; nothing when it was taken off.
pub fn at(db: &dyn DbSession, seq: i64) -> Result<Option<Timestamp>, DatabaseError> {
    db.first("SELECT at FROM due WHERE seq = ?1", bound![seq], only)
}

/// Puts a piece off and notes what the next attempt needs to know.
pub fn again(db: &dyn DbSession, seq: i64, at: Timestamp, data: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE due SET at = ?2, data = ?3 WHERE seq = ?1";
    db.note(sql, bound![seq, at, data])
}

/// Takes off all of a kind that concerns one subject.
pub fn cancel(db: &dyn DbSession, kind: &str, subject: &str) -> Result<(), DatabaseError> {
    db.note("DELETE FROM due WHERE kind = ?1 AND subject = ?2", bound![kind, subject])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_simulation_left_waits_for_the_next_one() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        let left = ["delivered", "live", "answer", "call", "broadcast"];
        for (at, kind) in (0..).zip(left) {
            add(&db, Timestamp::from_micros(at), kind, "", "").expect("added");
        }
        let happened = |happens| {
            let mut kinds = Vec::new();
            while let Some(next) = next_beside(&db, "answer", happens).expect("read") {
                assert!(take(&db, next.seq).expect("taken"));
                kinds.push(next.kind);
            }
            kinds
        };
        assert_eq!(happened(Happens::Real), ["broadcast"]);
        assert_eq!(happened(Happens::All), ["delivered", "live", "call"]);
        assert_eq!(next_beside(&db, "", Happens::Real).expect("read").expect("left").kind, "answer");
    }
}
