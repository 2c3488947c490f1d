//! Log of changes of a team, written in the transaction of the change.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use model::time::{DAY, Timestamp};

/// Retention of changes, in microseconds: slightly longer than an event stream can resume without a gap.
const CHANGE_RETENTION: i64 = 25 * DAY / 24;
/// SQL of the next number in a workspace, whose writes are serialized. The newest change is never purged, so
/// that no number is reused.
const NEXT_SEQ: &str =
    "coalesce((SELECT max(log.seq) FROM team_changes AS log WHERE log.workspace = ?1), 0) + 1";

/// Kind of a change; its word is the name of the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Message,
    Status,
    Conversation,
    Claim,
    Note,
    Tag,
    Snooze,
    Reply,
    Person,
}

impl ChangeKind {
    pub const ALL: [Self; 9] = [
        Self::Message,
        Self::Status,
        Self::Conversation,
        Self::Claim,
        Self::Note,
        Self::Tag,
        Self::Snooze,
        Self::Reply,
        Self::Person,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Status => "status",
            Self::Conversation => "conversation",
            Self::Claim => "claim",
            Self::Note => "note",
            Self::Tag => "tag",
            Self::Snooze => "snooze",
            Self::Reply => "reply",
            Self::Person => "person",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Logs a change of something the team shares. `subject` is the changed object, and `item` a part of it or
/// empty.
pub fn log(
    db: &dyn DbSession,
    workspace: &str,
    kind: ChangeKind,
    (subject, item): (&str, &str),
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO team_changes (workspace, seq, kind, subject, item, at)
         VALUES (?1, {NEXT_SEQ}, ?2, ?3, ?4, ?5)"
    );
    db.change_later(&sql, bound![workspace, kind.word(), subject, item, at])
}

/// Deletes changes older than `CHANGE_RETENTION`, except for the newest one of each workspace.
pub fn purge(db: &dyn DbSession, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM team_changes WHERE at <= ?1 AND seq <
               (SELECT max(log.seq) FROM team_changes AS log WHERE log.workspace = team_changes.workspace)";
    db.change_later(sql, bound![now.plus(-CHANGE_RETENTION)])
}

/// Logs that a message of a chat or phone channel came or changed, if its workspace has people.
pub fn log_message(
    db: &dyn DbSession,
    kind: ChangeKind,
    id: &str,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    log_row(db, kind, ("messages", "messages.conversation", "messages.id"), id, at)
}

/// Logs that a mail came or changed, if its workspace has people.
pub fn log_mail(db: &dyn DbSession, kind: ChangeKind, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    log_row(db, kind, ("emails", "emails.thread", "emails.id"), id, at)
}

/// Logs that a conversation changed, if its workspace has people.
pub fn log_conversation(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    log_row(db, ChangeKind::Conversation, ("conversations", "conversations.id", "''"), id, at)
}

/// Logs that a mail thread changed, if its workspace has people.
pub fn log_thread(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    log_row(db, ChangeKind::Conversation, ("threads", "threads.id", "''"), id, at)
}

fn log_row(
    db: &dyn DbSession,
    kind: ChangeKind,
    (table, subject, item): (&str, &str, &str),
    id: &str,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let (seq, kind) = (NEXT_SEQ.replace("?1", "channels.workspace"), kind.word());
    let sql = format!(
        "INSERT INTO team_changes (workspace, seq, kind, subject, item, at)
         SELECT channels.workspace, {seq}, '{kind}', {subject}, {item}, CAST(?2 AS BIGINT)
         FROM {table} JOIN channels ON channels.id = {table}.channel WHERE {table}.id = ?1
         AND EXISTS (SELECT 1 FROM team_people WHERE team_people.workspace = channels.workspace
                     AND team_people.removed_at IS NULL)"
    );
    db.change_later(&sql, bound![id, at])
}

/// Logs that a conversation or thread was erased, if its workspace has people.
pub fn log_erased(db: &dyn DbSession, workspace: &str, id: &str) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO team_changes (workspace, seq, kind, subject, item, at)
         SELECT workspaces.id, {NEXT_SEQ}, 'conversation', CAST(?2 AS TEXT), '', log.at
         FROM workspaces JOIN team_changes AS log ON log.workspace = workspaces.id
         WHERE workspaces.id = ?1 ORDER BY log.seq DESC LIMIT 1"
    );
    db.change_later(&sql, bound![workspace, id])
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub seq: i64,
    pub kind: ChangeKind,
    pub subject: String,
    pub item: String,
}

/// Numbers of the oldest and newest change; `None` if nothing was logged.
pub fn bounds(db: &dyn DbSession, workspace: &str) -> Result<Option<(i64, i64)>, DatabaseError> {
    let sql = "SELECT min(seq) AS oldest, max(seq) AS newest FROM team_changes WHERE workspace = ?1";
    db.fetch_one(sql, bound![workspace], |row| {
        let (oldest, newest): (Option<i64>, Option<i64>) = (row.get("oldest")?, row.get("newest")?);
        Ok(oldest.zip(newest))
    })
}

/// Number of the newest change; 0 if nothing was logged.
pub fn newest(db: &dyn DbSession, workspace: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM team_changes WHERE workspace = ?1";
    db.fetch_scalar(sql, bound![workspace])
}

/// Lists the changes after a number, oldest first.
pub fn list_after(
    db: &dyn DbSession,
    workspace: &str,
    after: i64,
    count: i64,
) -> Result<Vec<Change>, DatabaseError> {
    let sql = "SELECT seq, kind, subject, item FROM team_changes WHERE workspace = ?1 AND seq > ?2
               ORDER BY seq LIMIT ?3";
    db.fetch_all(sql, bound![workspace, after, count], |row| {
        let kind = row.parse_word("kind", ChangeKind::from_word)?.ok_or(DatabaseError::NoRow)?;
        Ok(Change { seq: row.get("seq")?, kind, subject: row.get("subject")?, item: row.get("item")? })
    })
}

/// Word of the channel of a conversation or thread.
pub fn channel_word(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    let sql = "SELECT kind FROM channels WHERE id = coalesce((SELECT channel FROM conversations WHERE conversations.id = ?1),
               (SELECT channel FROM threads WHERE threads.id = ?1))";
    db.fetch_optional(sql, bound![id], single_cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::HOUR;

    fn database() -> rusqlite::Connection {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        for schema in [include_str!("../schema.sql"), include_str!("../schema_team.sql")] {
            db.execute_batch(schema).expect("made");
        }
        // Rows without their parents.
        db.pragma_update(None, "foreign_keys", false).expect("set");
        db
    }

    #[test]
    fn a_day_of_changes_is_kept_and_no_number_is_used_twice() {
        let (db, begin) = (database(), Timestamp::from_micros(1_700_000_000_000_000));
        let db: &dyn DbSession = &db;
        for hour in 0..4 {
            log(db, "w", ChangeKind::Tag, (&format!("c{hour}"), ""), begin.plus(hour * HOUR))
                .expect("logged");
        }
        log(db, "other", ChangeKind::Tag, ("c", ""), begin).expect("logged");
        let numbers = |after| {
            let found = list_after(db, "w", after, 100).expect("read");
            found.into_iter().map(|change| change.seq).collect::<Vec<_>>()
        };
        purge(db, begin.plus(DAY)).expect("purged");
        assert_eq!(numbers(0), [1, 2, 3, 4], "a day");
        purge(db, begin.plus(DAY + 2 * HOUR)).expect("purged");
        assert_eq!((numbers(0), bounds(db, "w").expect("read")), (vec![3, 4], Some((3, 4))));
        purge(db, begin.plus(9 * DAY)).expect("purged");
        assert_eq!(
            (numbers(0), newest(db, "other").expect("read")),
            (vec![4], 1),
            "the newest of each stays"
        );
        log(db, "w", ChangeKind::Note, ("c", "n"), begin.plus(9 * DAY)).expect("logged");
        assert_eq!(numbers(4), [5]);
    }

    #[test]
    fn messages_are_logged_where_there_are_people() {
        let (db, at) = (database(), Timestamp::from_micros(7));
        for row in [
            "INSERT INTO workspaces VALUES ('w', NULL, NULL, 0, 0)",
            "INSERT INTO channels VALUES ('c', 'w', 'telegram', 'a', NULL, NULL, 0)",
            "INSERT INTO conversations (id, channel, peer, status, automation, message_count, preview, last_at, first_at,
             created_at) VALUES ('v', 'c', '1', 'active', 1, 0, '', 0, 0, 0)",
        ] {
            db.execute(row, []).expect(row);
        }
        let db: &dyn DbSession = &db;
        log_conversation(db, "v", at).expect("logged");
        assert_eq!(newest(db, "w").expect("read"), 0, "nobody is there to be told");
        let person = "INSERT INTO team_people (id, workspace, name, folded, role, created_at, seen_at)
                      VALUES ('p', 'w', 'Ana', 'ana', 'agent', 0, 0)";
        db.change(person, &[]).expect("made");
        log_conversation(db, "v", at).expect("logged");
        let expected =
            Change { seq: 1, kind: ChangeKind::Conversation, subject: "v".to_owned(), item: String::new() };
        assert_eq!(list_after(db, "w", 0, 9).expect("read"), [expected]);
        assert_eq!(channel_word(db, "v").expect("read").as_deref(), Some("telegram"));
    }
}
