//! Work the simulated world has yet to do, in the order it falls due.

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns, only};

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Its number.
    pub seq: i64,
    /// When it falls due.
    pub at: Timestamp,
    /// What it is.
    pub kind: String,
    /// What it concerns: the id of a row.
    pub subject: String,
    /// What else it needs.
    pub data: String,
}

/// Adds work.
pub fn add(
    db: &Connection,
    at: Timestamp,
    kind: &str,
    subject: &str,
    data: &str,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO due (at, kind, subject, data) VALUES (?1, ?2, ?3, ?4)";
    db.prepare_cached(sql)?.execute(params![at, kind, subject, data])?;
    Ok(())
}

/// Which pieces can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happens {
    /// All of them.
    All,
    /// What needs no simulated platform and no sample customer.
    Real,
}

/// The piece that falls due next and is of another kind.
pub fn next_beside(db: &Connection, kind: &str, happens: Happens) -> Result<Option<Due>, DatabaseError> {
    match happens {
        Happens::All => first(db, "kind <> ?1", kind),
        Happens::Real => first(db, "kind <> ?1 AND kind IN ('answer', 'broadcast')", kind),
    }
}

/// The piece of a kind that falls due next.
pub fn next_of(db: &Connection, kind: &str) -> Result<Option<Due>, DatabaseError> {
    first(db, "kind = ?1", kind)
}

columns!(Due from due { seq, at, kind, subject, data });

fn first(db: &Connection, condition: &str, kind: &str) -> Result<Option<Due>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE {condition} ORDER BY at, seq LIMIT 1"), [kind], from_row)?)
}

/// Takes a piece off; false when someone else has.
pub fn take(db: &Connection, seq: i64) -> Result<bool, DatabaseError> {
    Ok(db.prepare_cached("DELETE FROM due WHERE seq = ?1")?.execute([seq])? > 0)
}

/// Puts a piece off to a later time; false when it is no longer there.
pub fn postpone(db: &Connection, seq: i64, at: Timestamp) -> Result<bool, DatabaseError> {
    let changed = db.prepare_cached("UPDATE due SET at = ?2 WHERE seq = ?1")?.execute(params![seq, at])?;
    Ok(changed > 0)
}

/// When a piece falls due; nothing when it was taken off.
pub fn at(db: &Connection, seq: i64) -> Result<Option<Timestamp>, DatabaseError> {
    Ok(db.first("SELECT at FROM due WHERE seq = ?1", [seq], only)?)
}

/// Puts a piece off and notes what the next attempt needs to know.
pub fn again(db: &Connection, seq: i64, at: Timestamp, data: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE due SET at = ?2, data = ?3 WHERE seq = ?1";
    db.prepare_cached(sql)?.execute(params![seq, at, data])?;
    Ok(())
}

/// Takes off all of a kind that concerns one subject.
pub fn cancel(db: &Connection, kind: &str, subject: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM due WHERE kind = ?1 AND subject = ?2")?.execute([kind, subject])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_simulation_left_waits_for_the_next_one() {
        let db = Connection::open_in_memory().expect("opens");
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
