//! Workspaces and their credits: a balance that never goes below zero and a
//! ledger that explains it. Interface: Limits, Credit costs.

use crate::database::DatabaseError;
use crate::database::rows::{bound, only, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub balance: i64,
}

/// Makes a workspace; its first credits are in the ledger too.
pub fn insert(db: &dyn DbSession, workspace: &Workspace, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO workspaces (id, name, email, balance, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Workspace { id, name, email, balance } = workspace;
    db.note(sql, bound![id, name, email, balance, now])?;
    enter(db, id, *balance, "opening", id, now)
}

table!(Workspace from workspaces { id, name, email, balance });

pub fn read(db: &dyn DbSession, id: &str) -> Result<Workspace, DatabaseError> {
    db.one(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// All workspaces, oldest first.
pub fn all(db: &dyn DbSession) -> Result<Vec<Workspace>, DatabaseError> {
    db.all(&format!("{SELECT} ORDER BY created_at, id"), &[], from_row)
}

/// Whether there is none yet.
pub fn are_none(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    db.scalar("SELECT NOT EXISTS (SELECT 1 FROM workspaces)", &[])
}

/// The one workspace the switches act on.
pub fn first(db: &dyn DbSession) -> Result<Workspace, DatabaseError> {
    db.one(&format!("{SELECT} ORDER BY created_at, id LIMIT 1"), &[], from_row)
}

/// Takes credits, if there are as many; the balance after it, or before it
/// when there are not.
pub fn charge(
    db: &dyn DbSession,
    id: &str,
    cost: i64,
    reason: &str,
    reference: &str,
    now: Timestamp,
) -> Result<Result<i64, i64>, DatabaseError> {
    let sql =
        "UPDATE workspaces SET balance = balance - ?2 WHERE id = ?1 AND balance >= ?2 RETURNING balance";
    let Some(balance) = db.first(sql, bound![id, cost], only)? else {
        return Ok(Err(read(db, id)?.balance));
    };
    if cost != 0 {
        enter(db, id, -cost, reason, reference, now)?;
    }
    Ok(Ok(balance))
}

/// Gives credits back.
pub fn refund(
    db: &dyn DbSession,
    id: &str,
    amount: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE workspaces SET balance = balance + ?2 WHERE id = ?1";
    db.note(sql, bound![id, amount])?;
    enter(db, id, amount, "refund", reference, now)
}

/// Sets the balance; the difference is in the ledger.
pub fn set_balance(
    db: &dyn DbSession,
    id: &str,
    balance: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let before = read(db, id)?.balance;
    db.note("UPDATE workspaces SET balance = ?2 WHERE id = ?1", bound![id, balance])?;
    enter(db, id, balance - before, "set", reference, now)
}

fn enter(
    db: &dyn DbSession,
    id: &str,
    amount: i64,
    reason: &str,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO ledger (workspace, amount, reason, reference, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.note(sql, bound![id, amount, reason, reference, now])
}
