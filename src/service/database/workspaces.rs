//! Workspaces and their credits: a balance that never becomes negative, and a ledger whose entries
//! add up to it.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub balance: i64,
    /// Start of the suspension, in which its keys and people only read.
    pub suspended_at: Option<Timestamp>,
}

/// Creates a workspace; records its first credits in the ledger.
pub fn insert(db: &dyn DbSession, workspace: &Workspace, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO workspaces (id, name, email, balance, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Workspace { id, name, email, balance, .. } = workspace;
    db.change_later(sql, bound![id, name, email, balance, now])?;
    insert_ledger_entry(db, id, *balance, "opening", id, now)
}

table!(Workspace from workspaces { id, name, email, balance, suspended_at });

pub fn read(db: &dyn DbSession, id: &str) -> Result<Workspace, DatabaseError> {
    db.fetch_one(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

pub fn list(db: &dyn DbSession) -> Result<Vec<Workspace>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} ORDER BY created_at, id"), &[], from_row)
}

pub fn is_empty(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    db.fetch_scalar("SELECT NOT EXISTS (SELECT 1 FROM workspaces)", &[])
}

/// Returns the workspace that `/dev` operations act on.
pub fn first(db: &dyn DbSession) -> Result<Workspace, DatabaseError> {
    db.fetch_one(&format!("{SELECT} ORDER BY created_at, id LIMIT 1"), &[], from_row)
}

pub fn set_name(db: &dyn DbSession, id: &str, name: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE workspaces SET name = ?2 WHERE id = ?1", bound![id, name])
}

/// Suspends a workspace from a time on, or resumes it.
pub fn set_suspended(db: &dyn DbSession, id: &str, since: Option<Timestamp>) -> Result<(), DatabaseError> {
    let Some(since) = since else {
        return db.change_later("UPDATE workspaces SET suspended_at = NULL WHERE id = ?1", bound![id]);
    };
    let sql = "UPDATE workspaces SET suspended_at = coalesce(suspended_at, ?2) WHERE id = ?1";
    db.change_later(sql, bound![id, since])
}

pub fn is_channel_suspended(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM channels JOIN workspaces ON workspaces.id = channels.workspace
               WHERE channels.id = ?1 AND suspended_at IS NOT NULL)";
    db.fetch_scalar(sql, bound![channel])
}

pub fn is_thread_suspended(db: &dyn DbSession, thread: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM threads JOIN channels ON channels.id = threads.channel
               JOIN workspaces ON workspaces.id = channels.workspace
               WHERE threads.id = ?1 AND suspended_at IS NOT NULL)";
    db.fetch_scalar(sql, bound![thread])
}

/// Charges credits and returns the new balance, or the unchanged balance as an error if it is too
/// low.
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
    let Some(balance) = db.fetch_optional(sql, bound![id, cost], single_cell)? else {
        return Ok(Err(read(db, id)?.balance));
    };
    if cost != 0 {
        insert_ledger_entry(db, id, -cost, reason, reference, now)?;
    }
    Ok(Ok(balance))
}

pub fn refund(
    db: &dyn DbSession,
    id: &str,
    amount: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE workspaces SET balance = balance + ?2 WHERE id = ?1";
    db.change_later(sql, bound![id, amount])?;
    insert_ledger_entry(db, id, amount, "refund", reference, now)
}

/// Sets the balance; records the difference in the ledger.
pub fn set_balance(
    db: &dyn DbSession,
    id: &str,
    balance: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let before = read(db, id)?.balance;
    db.change_later("UPDATE workspaces SET balance = ?2 WHERE id = ?1", bound![id, balance])?;
    insert_ledger_entry(db, id, balance - before, "set", reference, now)
}

fn insert_ledger_entry(
    db: &dyn DbSession,
    id: &str,
    amount: i64,
    reason: &str,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO ledger (workspace, amount, reason, reference, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.change_later(sql, bound![id, amount, reason, reference, now])
}
