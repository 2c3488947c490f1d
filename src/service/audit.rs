//! Audit log: who created, revoked, connected, paused, erased, and when.
//!
//! An entry is part of the transaction of the change itself. It names its actor and its subject by id and holds
//! no name, address or text of a customer. Entries are kept as long as the retention of logs says.

use crate::admin::{Admin, AdminError};
use crate::auth::Requester;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, channels};
use crate::write::WriteContext;
use model::time::Timestamp;
use sqlite::read_row;

/// Actor of a change at the console, by `frontdesk admin`.
pub const CONSOLE: &str = "";
/// Actor of a change by the service itself.
pub const SERVICE: &str = "service";
/// Workspace of a change to the whole service.
pub const WHOLE_SERVICE: &str = "";

/// Records an action in a workspace. `actor` is [`CONSOLE`], [`SERVICE`], or the id of a person or key.
pub fn record(
    db: &dyn DbSession,
    workspace: &str,
    actor: &str,
    (action, subject): (&str, &str),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let id = format!("act_{}", uuid::Uuid::now_v7().simple());
    let sql = "INSERT INTO team_actions (id, workspace, person, action, subject, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.change_later(sql, bound![id, workspace, actor, action, subject, now])
}

/// [`record`] in the workspace of a channel.
pub fn record_in_channel(
    db: &dyn DbSession,
    channel: &str,
    actor: &str,
    action: (&str, &str),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let workspace = channels::find_workspace(db, channel)?;
    record(db, workspace.as_deref().unwrap_or(WHOLE_SERVICE), actor, action, now)
}

/// [`record`] for a request: the actor is the person with whose key or session it was made, or the key.
pub fn record_request<C: Requester>(
    work: &WriteContext<'_>,
    caller: &C,
    action: (&str, &str),
) -> Result<(), DatabaseError> {
    let actor = caller.person().map_or_else(|| caller.id(), |person| person.id.as_str());
    record(work.db, caller.workspace(), actor, action, work.now)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: String,
    pub at: Timestamp,
    /// Empty for the whole service.
    pub workspace: String,
    /// `admin`, `service`, or the id of a person or key.
    pub actor: String,
    /// `key create`, `channel connect`, …
    pub action: String,
    /// Id of what was changed.
    pub subject: String,
}

impl Admin {
    /// Lists the newest entries, oldest first: of the selected workspace, else of all.
    pub async fn audit(&self, since: Option<Timestamp>, limit: u32) -> Result<Vec<AuditEntry>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let only = if workspace.is_named() { workspace.find(db)?.id } else { String::new() };
                let sql = "SELECT id, workspace, person, action, subject, at FROM team_actions
                           WHERE (?1 = '' OR workspace = ?1) AND at >= ?2 ORDER BY at DESC, id DESC LIMIT ?3";
                let mut found: Vec<AuditEntry> =
                    db.fetch_all(sql, bound![only, since.unwrap_or_default(), limit], |row| {
                        let person: String = row.get("person")?;
                        let actor = if person == CONSOLE { "admin".to_owned() } else { person };
                        Ok(read_row!(row, AuditEntry { id, workspace, action, subject, at; actor }))
                    })?;
                found.reverse();
                Ok(found)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::DAY;

    #[test]
    fn only_retention_removes_entries() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        for schema in [include_str!("database/schema.sql"), include_str!("database/schema_team.sql")] {
            db.execute_batch(schema).expect("made");
        }
        let db: &dyn DbSession = &db;
        for day in [0, 400] {
            let at = Timestamp::from_micros(day * DAY);
            record(db, "ws", CONSOLE, ("key create", "key_1"), at).expect("recorded");
        }
        let count: i64 = db.fetch_scalar("SELECT count(*) FROM team_actions", &[]).expect("counted");
        assert_eq!(count, 2, "the configuration says how long entries are kept");
    }
}
