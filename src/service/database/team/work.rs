//! Work of the people of a team, from which their statistics are counted.

use std::collections::BTreeMap;

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// Claimed the conversation, or got it from a colleague.
    Taken,
    /// Sent a message or mail.
    Answered,
    /// Closed the conversation, or archived the thread.
    Closed,
    /// Handed the conversation back to the assistant.
    HandedBack,
}

impl WorkKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Answered => "answered",
            Self::Closed => "closed",
            Self::HandedBack => "handed back",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct WorkRow<'a> {
    /// For an answer, the id of the message or mail.
    pub id: &'a str,
    pub workspace: &'a str,
    pub person: &'a str,
    pub kind: WorkKind,
    pub conversation: &'a str,
    /// Time that the customer had waited for the answer, in microseconds; `None` if no customer waited.
    pub wait: Option<i64>,
    pub at: Timestamp,
}

pub fn insert(db: &dyn DbSession, row: &WorkRow<'_>) -> Result<(), DatabaseError> {
    let WorkRow { id, workspace, person, kind, conversation, wait, at } = row;
    let sql = "INSERT INTO team_work (id, workspace, person, kind, conversation, wait, at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    db.change_later(sql, bound![id, workspace, person, kind.word(), conversation, wait, at])
}

/// Removes an answer that was not sent after all.
pub fn remove_answer(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM team_work WHERE id = ?1", bound![id])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Inclusive.
    pub from: Timestamp,
    /// Exclusive; `None` includes all until now, whose rows may be stamped a little later than now.
    pub to: Option<Timestamp>,
}

/// Numbers of one person in a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkCounts {
    /// Conversations taken, each counted once.
    pub taken: i64,
    pub answers: i64,
    /// Conversations closed or handed back, each counted once.
    pub done: i64,
    /// Conversations handed back, each counted once.
    pub handed_back: i64,
    /// Waits that an answer ended, in microseconds.
    pub waits: Vec<i64>,
}

/// Counts the work in a period by the id of the person.
pub fn count(
    db: &dyn DbSession,
    workspace: &str,
    period: Period,
) -> Result<BTreeMap<String, WorkCounts>, DatabaseError> {
    let sql = "SELECT person, count(DISTINCT CASE WHEN kind = 'taken' THEN conversation END) AS taken,
               count(CASE WHEN kind = 'answered' THEN 1 END) AS answers,
               count(DISTINCT CASE WHEN kind IN ('closed', 'handed back') THEN conversation END) AS done,
               count(DISTINCT CASE WHEN kind = 'handed back' THEN conversation END) AS handed_back
               FROM team_work WHERE workspace = ?1 AND at >= ?2 AND at < ?3 GROUP BY person";
    let end = period.to.unwrap_or(Timestamp::from_micros(i64::MAX));
    let mut counts: BTreeMap<String, WorkCounts> =
        db.fetch_all(sql, bound![workspace, period.from, end], |row| {
            let (taken, answers) = (row.get("taken")?, row.get("answers")?);
            let (done, handed_back) = (row.get("done")?, row.get("handed_back")?);
            let counts = WorkCounts { taken, answers, done, handed_back, waits: Vec::new() };
            Ok((row.get("person")?, counts))
        })?;
    let sql = "SELECT person, wait FROM team_work
               WHERE workspace = ?1 AND at >= ?2 AND at < ?3 AND wait IS NOT NULL";
    db.for_each_row(sql, bound![workspace, period.from, end], |row| {
        let (person, wait): (String, i64) = (row.get("person")?, row.get("wait")?);
        if let Some(counts) = counts.get_mut(&person) {
            counts.waits.push(wait);
        }
        Ok::<_, DatabaseError>(())
    })?;
    Ok(counts)
}

/// Counts the conversations that each person has, by the id of the person.
pub fn count_held(db: &dyn DbSession, workspace: &str) -> Result<BTreeMap<String, i64>, DatabaseError> {
    let sql = "SELECT person, count(*) AS held FROM team_conversations
               WHERE workspace = ?1 AND person IS NOT NULL GROUP BY person";
    db.fetch_all(sql, bound![workspace], |row| Ok((row.get("person")?, row.get("held")?)))
}
