//! Scheduled jobs, in the order in which they fall due.

use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::scopes;
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJob {
    pub seq: i64,
    pub at: Timestamp,
    pub kind: String,
    pub subject: String,
    pub data: String,
}

pub fn add(
    db: &dyn DbSession,
    at: Timestamp,
    kind: &str,
    subject: &str,
    data: &str,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO due (at, kind, subject, data) VALUES (?1, ?2, ?3, ?4)";
    db.change_later(sql, bound![at, kind, subject, data])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueFilter {
    All,
    /// Jobs that need no simulated platform and no sample customer.
    Real,
}

pub fn next_except(
    db: &dyn DbSession,
    kind: &str,
    happens: DueFilter,
) -> Result<Option<DueJob>, DatabaseError> {
    first_matching(db, &format!("kind <> ?1 AND {}", happens.condition()), kind)
}

impl DueFilter {
    const fn condition(self) -> &'static str {
        match self {
            Self::All => "TRUE",
            Self::Real => "kind IN ('answer', 'broadcast')",
        }
    }
}

pub fn next_of_kind(db: &dyn DbSession, kind: &str) -> Result<Option<DueJob>, DatabaseError> {
    first_matching(db, "kind = ?1", kind)
}

pub fn list_of_kind(db: &dyn DbSession, kind: &str, count: i64) -> Result<Vec<DueJob>, DatabaseError> {
    let sql = format!("{SELECT} WHERE kind = ?1 ORDER BY at, seq LIMIT ?2");
    db.fetch_all(&sql, bound![kind, count], from_row)
}

table!(DueJob from due { seq, at, kind, subject, data });

fn first_matching(db: &dyn DbSession, condition: &str, kind: &str) -> Result<Option<DueJob>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE {condition} ORDER BY at, seq LIMIT 1"), bound![kind], from_row)
}

/// Lists the due jobs of other kinds, in order, with their workspaces.
pub fn list_ready(
    db: &dyn DbSession,
    aside: &str,
    happens: DueFilter,
    now: Timestamp,
    count: i64,
) -> Result<Vec<(DueJob, Option<String>)>, DatabaseError> {
    let workspace = scopes::subject_workspace_sql("due.subject");
    let kinds = happens.condition();
    let sql = format!(
        "SELECT seq, at, kind, subject, data, ({workspace}) AS workspace FROM due
         WHERE kind <> ?1 AND {kinds} AND at <= ?2 ORDER BY at, seq LIMIT ?3"
    );
    db.fetch_all(&sql, bound![aside, now, count], |row| Ok((from_row(row)?, row.get("workspace")?)))
}

pub fn newest_seq(db: &dyn DbSession) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT coalesce(max(seq), 0) FROM due", &[])
}

/// Returns true if a job numbered after `seq` is due.
pub fn has_due_since(db: &dyn DbSession, seq: i64, now: Timestamp) -> Result<bool, DatabaseError> {
    db.fetch_scalar("SELECT EXISTS (SELECT 1 FROM due WHERE seq > ?1 AND at <= ?2)", bound![seq, now])
}

/// Condition for a job unchanged since it was read. SQLite reuses the number of a deleted job, so
/// the number alone may match another.
const SAME_ROW: &str = "seq = ?1 AND kind = ?2 AND subject = ?3 AND at = ?4";

/// Removes a job; false if another process has removed or postponed it.
pub fn claim(db: &dyn DbSession, due: &DueJob) -> Result<bool, DatabaseError> {
    let sql = format!("DELETE FROM due WHERE {SAME_ROW}");
    Ok(db.change(&sql, bound![due.seq, due.kind, due.subject, due.at])? > 0)
}

/// Postpones a job and returns its new state; `None` if it no longer exists.
pub fn postpone(db: &dyn DbSession, due: &DueJob, at: Timestamp) -> Result<Option<DueJob>, DatabaseError> {
    let sql = format!("UPDATE due SET at = ?5 WHERE {SAME_ROW}");
    let changed = db.change(&sql, bound![due.seq, due.kind, due.subject, due.at, at])?;
    Ok((changed > 0).then(|| DueJob { at, ..due.clone() }))
}

pub fn exists(db: &dyn DbSession, due: &DueJob) -> Result<bool, DatabaseError> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM due WHERE {SAME_ROW})");
    db.fetch_scalar(&sql, bound![due.seq, due.kind, due.subject, due.at])
}

/// Postpones a job with new data for the next attempt.
pub fn retry_at(db: &dyn DbSession, due: &DueJob, at: Timestamp, data: &str) -> Result<(), DatabaseError> {
    let sql = format!("UPDATE due SET at = ?5, data = ?6 WHERE {SAME_ROW}");
    db.change_later(&sql, bound![due.seq, due.kind, due.subject, due.at, at, data])
}

pub fn cancel(db: &dyn DbSession, kind: &str, subject: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM due WHERE kind = ?1 AND subject = ?2", bound![kind, subject])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_was_taken_off_takes_no_other_with_it() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        let at = Timestamp::from_micros;
        add(&db, at(1), "answer", "first", "").expect("added");
        let first = next_of_kind(&db, "answer").expect("read").expect("there");
        let first = postpone(&db, &first, at(9)).expect("put off").expect("there");
        assert!(exists(&db, &first).expect("read"));
        cancel(&db, "answer", "first").expect("taken off");
        add(&db, at(1), "answer", "second", "").expect("added");
        let second = next_of_kind(&db, "answer").expect("read").expect("there");
        assert_eq!(first.seq, second.seq, "the number is given again");
        assert!(!exists(&db, &first).expect("read") && !claim(&db, &first).expect("asked"));
        assert_eq!(postpone(&db, &first, at(20)).expect("asked"), None);
        retry_at(&db, &first, at(20), "1").expect("asked");
        assert!(exists(&db, &second).expect("read") && claim(&db, &second).expect("taken"));
    }

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
            while let Some(next) = next_except(&db, "answer", happens).expect("read") {
                assert!(claim(&db, &next).expect("taken"));
                kinds.push(next.kind);
            }
            kinds
        };
        assert_eq!(happened(DueFilter::Real), ["broadcast"]);
        assert_eq!(happened(DueFilter::All), ["delivered", "live", "call"]);
        assert_eq!(next_except(&db, "", DueFilter::Real).expect("read").expect("left").kind, "answer");
    }
}
