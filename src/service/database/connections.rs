//! Stored Data Connections and the log of their calls.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use api::connections::{from_json, to_json};
use model::connections::{CallLine, CallResult, Connection, review};
use model::time::Timestamp;
use sqlite::read_row;

/// Maximum number of logged calls; the oldest are removed.
pub const MAX_LOGGED_CALLS: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConnection {
    pub workspace: String,
    pub connection: Connection,
    pub sealed: Option<Vec<u8>>,
}

/// Inserts a connection or replaces the one with its name in its workspace.
pub fn put(db: &dyn DbSession, stored: &StoredConnection, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO connections (workspace, name, definition, sealed, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (workspace, name) DO UPDATE SET definition = excluded.definition, sealed = excluded.sealed";
    let StoredConnection { workspace, connection, sealed } = stored;
    db.change_later(sql, bound![workspace, connection.name, to_json(connection), sealed, now])
}

/// Lists the connections of a workspace by name; skips unreadable ones with a warning.
pub fn list(db: &dyn DbSession, workspace: &str) -> Result<Vec<StoredConnection>, DatabaseError> {
    let sql = "SELECT name, definition, sealed FROM connections WHERE workspace = ?1 ORDER BY name";
    let rows: Vec<(String, String, _)> = db.fetch_all(sql, bound![workspace], |row| {
        Ok((row.get("name")?, row.get("definition")?, row.get("sealed")?))
    })?;
    let mut found = Vec::new();
    for (name, definition, sealed) in rows {
        match from_json(&definition) {
            Ok(connection) => {
                found.push(StoredConnection { workspace: workspace.to_owned(), connection, sealed });
            }
            Err(why) => tracing::warn!(workspace, name, why, "a stored connection cannot be read"),
        }
    }
    Ok(found)
}

/// Describes the errors in connections of all workspaces that an earlier version has stored, one line each.
pub fn list_errors(db: &dyn DbSession) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT name, definition FROM connections ORDER BY name";
    let rows: Vec<(String, String)> =
        db.fetch_all(sql, &[], |row| Ok((row.get("name")?, row.get("definition")?)))?;
    let mut wrong = Vec::new();
    for (name, definition) in rows {
        let why =
            from_json(&definition).map_or_else(|why| vec![why], |json| review::describe_mistakes(&json));
        wrong.extend(why.into_iter().map(|why| format!("connection {name:?} has to be added again: {why}")));
    }
    Ok(wrong)
}

pub fn read(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
) -> Result<Option<StoredConnection>, DatabaseError> {
    Ok(list(db, workspace)?.into_iter().find(|stored| stored.connection.name == name))
}

/// Returns true if any workspace has a connection.
pub fn has_any(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    db.fetch_scalar("SELECT EXISTS (SELECT 1 FROM connections)", &[])
}

/// Removes a connection with its credential; false if there is none.
pub fn remove(db: &dyn DbSession, workspace: &str, name: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM connections WHERE workspace = ?1 AND name = ?2";
    Ok(db.change(sql, bound![workspace, name])? > 0)
}

pub fn insert_call(db: &dyn DbSession, workspace: &str, line: &CallLine) -> Result<(), DatabaseError> {
    let (status, failure) = match &line.result {
        CallResult::Status(status) => (Some(*status), None),
        CallResult::Failed(why) => (None, Some(why.as_str())),
    };
    let sql =
        "INSERT INTO connection_calls (workspace, at, connection, endpoint, contact, status, failure, millis, bytes)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let CallLine { at, connection, endpoint, contact, millis, bytes, .. } = line;
    let values = bound![workspace, at, connection, endpoint, contact, status, failure, millis, bytes];
    db.change_later(sql, values)?;
    let sql = "DELETE FROM connection_calls WHERE seq <= (SELECT max(seq) FROM connection_calls) - ?1";
    db.change_later(sql, bound![MAX_LOGGED_CALLS])
}

/// Lists the latest calls of a workspace, newest first.
pub fn list_calls(db: &dyn DbSession, workspace: &str, limit: u32) -> Result<Vec<CallLine>, DatabaseError> {
    let sql = "SELECT at, connection, endpoint, contact, status, failure, millis, bytes
               FROM connection_calls WHERE workspace = ?1 ORDER BY seq DESC LIMIT ?2";
    db.fetch_all(sql, bound![workspace, limit], call_from_row)
}

fn call_from_row(row: &DbRow<'_>) -> Result<CallLine, DatabaseError> {
    let result = match row.get("status")? {
        Some(status) => CallResult::Status(status),
        None => CallResult::Failed(row.line("failure")?),
    };
    Ok(read_row!(row, CallLine { at, connection, endpoint, contact, millis, bytes; result }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    fn database() -> rusqlite::Connection {
        let db = rusqlite::Connection::open_in_memory().expect("a database");
        db.execute_batch(
            "CREATE TABLE workspaces (id TEXT PRIMARY KEY); INSERT INTO workspaces VALUES ('a'), ('b')",
        )
        .expect("workspaces");
        db.execute_batch(include_str!("schema_connections.sql")).expect("tables");
        db
    }

    #[test]
    fn the_log_stays_bounded() {
        let db = database();
        db.execute_batch("INSERT INTO sqlite_sequence (name, seq) VALUES ('connection_calls', 0)")
            .expect("made");
        let line = |number: i64| CallLine {
            at: Timestamp::from_micros(number),
            connection: "shop".to_owned(),
            endpoint: "orders".to_owned(),
            contact: "+34600111222".to_owned(),
            result: if number % 2 == 0 {
                CallResult::Status(200)
            } else {
                CallResult::Failed(SafeText::line("no answer"))
            },
            millis: 3,
            bytes: 9,
        };
        for number in 0..MAX_LOGGED_CALLS + 50 {
            insert_call(&db, "a", &line(number)).expect("kept");
        }
        let found = list_calls(&db, "a", u32::MAX).expect("read");
        assert_eq!(i64::try_from(found.len()).expect("small"), MAX_LOGGED_CALLS);
        assert_eq!(list_calls(&db, "b", 1).expect("read"), []);
        assert_eq!(found[..2], [line(MAX_LOGGED_CALLS + 49), line(MAX_LOGGED_CALLS + 48)]);
    }

    #[test]
    fn a_connection_is_kept_replaced_and_removed() {
        let db = database();
        let connection = Connection::new("shop", "https://a.example");
        let mut stored = StoredConnection { workspace: "a".to_owned(), connection, sealed: None };
        assert!(!has_any(&db).expect("read"));
        put(&db, &stored, Timestamp::default()).expect("kept");
        stored.sealed = Some(vec![1, 2]);
        put(&db, &stored, Timestamp::default()).expect("replaced");
        assert_eq!(
            (list(&db, "a").expect("read"), has_any(&db).expect("read")),
            (vec![stored.clone()], true)
        );
        assert_eq!(read(&db, "a", "shop").expect("read"), Some(stored));
        assert_eq!(read(&db, "b", "shop").expect("read"), None, "another workspace has its own");
        assert!(!remove(&db, "b", "shop").expect("nothing"));
        assert_eq!(list_errors(&db).expect("read"), [] as [&str; 0]);
        let named = r#"{"name": "old", "base_url": "https://a.example", "endpoint": [
            {"name": "orders", "path": "/", "contact": "name"}]}"#;
        db.change("INSERT INTO connections VALUES ('a', 'old', ?1, NULL, 0)", bound![named]).expect("kept");
        let said = list_errors(&db).expect("read").concat();
        assert!(said.starts_with("connection \"old\" has to be added again: endpoint"), "{said}");
        assert!(said.contains("customers choose their name themselves"), "{said}");
        remove(&db, "a", "old").expect("removed");
        assert!(remove(&db, "a", "shop").expect("removed") && !remove(&db, "a", "shop").expect("gone"));
    }
}
