//! Workspaces and their credits: a balance that never goes below zero and a
//! ledger that explains it. Interface: Limits, Credit costs.

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns};

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its mail address.
    pub email: Option<String>,
    /// Whole credits.
    pub balance: i64,
}

/// Makes a workspace; its first credits are in the ledger too.
pub fn insert(db: &Connection, workspace: &Workspace, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO workspaces (id, name, email, balance, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Workspace { id, name, email, balance } = workspace;
    db.execute(sql, params![id, name, email, balance, now])?;
    enter(db, id, *balance, "opening", id, now)
}

columns!(Workspace from workspaces { id, name, email, balance });

/// Reads a workspace.
pub fn read(db: &Connection, id: &str) -> Result<Workspace, DatabaseError> {
    Ok(db.one(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// The one workspace the switches act on.
pub fn first(db: &Connection) -> Result<Workspace, DatabaseError> {
    Ok(db.one(&format!("{SELECT} ORDER BY created_at, id LIMIT 1"), [], from_row)?)
}

/// Takes credits, if there are as many; the balance after it, or before it
/// when there are not.
pub fn charge(
    db: &Connection,
    id: &str,
    cost: i64,
    reason: &str,
    reference: &str,
    now: Timestamp,
) -> Result<Result<i64, i64>, DatabaseError> {
    let sql = "UPDATE workspaces SET balance = balance - ?2 WHERE id = ?1 AND balance >= ?2";
    let paid = db.prepare_cached(sql)?.execute(params![id, cost])? > 0;
    let balance = read(db, id)?.balance;
    if !paid {
        return Ok(Err(balance));
    }
    if cost != 0 {
        enter(db, id, -cost, reason, reference, now)?;
    }
    Ok(Ok(balance))
}

/// Gives credits back.
pub fn refund(
    db: &Connection,
    id: &str,
    amount: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE workspaces SET balance = balance + ?2 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, amount])?;
    enter(db, id, amount, "refund", reference, now)
}

/// Sets the balance; the difference is in the ledger.
pub fn set_balance(
    db: &Connection,
    id: &str,
    balance: i64,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let before = read(db, id)?.balance;
    db.execute("UPDATE workspaces SET balance = ?2 WHERE id = ?1", params![id, balance])?;
    enter(db, id, balance - before, "set", reference, now)
}

fn enter(
    db: &Connection,
    id: &str,
    amount: i64,
    reason: &str,
    reference: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO ledger (workspace, amount, reason, reference, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql)?.execute(params![id, amount, reason, reference, now])?;
    Ok(())
}
