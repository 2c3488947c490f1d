//! Copy of everything stored about a person, as JSON.

use serde_json::{Map, Value, json};

use crate::database::DatabaseError;
use crate::database::erasing::ErasedPerson;
use crate::database::rows::{SqlValue, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;

/// Columns with a time in microseconds.
const TIME_ENDING: &str = "_at";

/// Columns that belong in a copy, and the rest of the query behind `FROM`.
struct CopiedTable {
    columns: &'static [&'static str],
    source: &'static str,
}

const CONTACT: CopiedTable = CopiedTable {
    columns: &["id", "phone", "name", "email", "tags", "metadata", "created_at"],
    source: "contacts WHERE id = ?1",
};
const CONVERSATION: CopiedTable = CopiedTable {
    columns: &[
        "conversations.id",
        "kind",
        "peer",
        "conversations.name",
        "username",
        "email",
        "conversations.created_at",
    ],
    source: "conversations JOIN channels ON channels.id = channel WHERE conversations.id = ?1",
};
const MESSAGES: CopiedTable = CopiedTable {
    columns: &[
        "id",
        "direction",
        "sender",
        "kind",
        "content",
        "media_url",
        "details",
        "status",
        "created_at",
    ],
    source: "messages WHERE conversation = ?1 ORDER BY created_at, id",
};
const THREAD: CopiedTable = CopiedTable {
    columns: &["id", "subject", "contact_email", "contact_name", "folder", "created_at"],
    source: "threads WHERE id = ?1",
};
const MAILS: CopiedTable = CopiedTable {
    columns: &[
        "id",
        "direction",
        "sender",
        "sender_name",
        "recipients",
        "copies",
        "subject",
        "body_text",
        "body_html",
        "attachments",
        "status",
        "created_at",
    ],
    source: "emails WHERE thread = ?1 ORDER BY created_at, id",
};
const MAIL_OF_OTHERS: CopiedTable = CopiedTable {
    columns: &["id", "direction", "sender", "recipients", "copies", "subject", "created_at"],
    source: "emails WHERE id = ?1",
};
const GROUP_MESSAGE: CopiedTable = CopiedTable {
    columns: &["id", "kind", "content", "media_url", "created_at"],
    source: "messages WHERE id = ?1",
};
const NOTES: CopiedTable = CopiedTable {
    columns: &["id", "text", "created_at"],
    source: "team_notes WHERE conversation = ?1 AND deleted_at IS NULL ORDER BY created_at, id",
};

impl CopiedTable {
    fn read(&self, db: &dyn DbSession, id: &str) -> Result<Vec<Value>, DatabaseError> {
        let sql = format!("SELECT {} FROM {}", self.columns.join(", "), self.source);
        db.fetch_all(&sql, bound![id], |row| {
            let mut copy = Map::new();
            for (column, value) in self.columns.iter().zip(row.values()?) {
                let name = column.rsplit('.').next().unwrap_or(column);
                copy.insert(name.to_owned(), to_json(name, value));
            }
            Ok(Value::Object(copy))
        })
    }
}

fn to_json(column: &str, value: SqlValue<'_>) -> Value {
    match value {
        SqlValue::Null | SqlValue::Bytes(_) => Value::Null,
        SqlValue::Int(micros) if column.ends_with(TIME_ENDING) => {
            Value::from(Timestamp::from_micros(micros).to_string())
        }
        SqlValue::Int(number) => Value::from(number),
        SqlValue::Text(text) => Value::from(text),
    }
}

/// Copies everything that an erasure would remove; files by their ids.
pub fn copy(db: &dyn DbSession, person: &ErasedPerson) -> Result<Value, DatabaseError> {
    let each = |table: &CopiedTable, ids: Vec<String>| {
        let rows: Result<Vec<_>, DatabaseError> = ids.iter().map(|id| table.read(db, id)).collect();
        rows.map(|rows| rows.concat())
    };
    let history = |of: &CopiedTable, rows: &CopiedTable, id: &String| -> Result<Value, DatabaseError> {
        Ok(json!({
            "about": of.read(db, id)?.pop(), "messages": rows.read(db, id)?, "notes": NOTES.read(db, id)?,
        }))
    };
    let ids = person.ids();
    let conversations: Result<Vec<_>, DatabaseError> =
        ids.conversations.iter().map(|id| history(&CONVERSATION, &MESSAGES, id)).collect();
    let threads: Result<Vec<_>, DatabaseError> =
        ids.threads.iter().map(|id| history(&THREAD, &MAILS, id)).collect();
    let mut files: Vec<&String> = person.files().collect();
    files.sort_unstable();
    Ok(json!({
        "contacts": each(&CONTACT, ids.contacts)?,
        "conversations": conversations?,
        "threads": threads?,
        "saidInGroups": each(&GROUP_MESSAGE, ids.said_in_groups)?,
        "mailsOfOthers": each(&MAIL_OF_OTHERS, ids.named_in)?,
        "files": files,
    }))
}
