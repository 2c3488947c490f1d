//! Copy of everything stored about a person, as JSON.

use serde_json::{Map, Value, json};

use crate::database::DatabaseError;
use crate::database::erasing::ErasedPerson;
use crate::database::rows::{SqlValue, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;

/// Endings of the names of columns with a time in microseconds, and a whole name.
const TIME_ENDINGS: [&str; 2] = ["_at", "_until"];
const TIME: &str = "at";

/// Columns that belong in a copy, and the rest of the query behind `FROM`.
struct CopiedTable {
    columns: &'static [&'static str],
    source: &'static str,
}

const CONTACT: CopiedTable = CopiedTable {
    columns: &["id", "phone", "name", "email", "tags", "metadata", "created_at", "updated_at", "last_at"],
    source: "contacts WHERE id = ?1",
};
const CORRESPONDENT: CopiedTable = CopiedTable {
    columns: &["correspondents.address", "email", "correspondents.name", "message_count", "last_at"],
    source: "correspondents JOIN channels ON channels.id = channel WHERE correspondents.address = ?1 AND workspace = ?2",
};
const CONVERSATION: CopiedTable = CopiedTable {
    columns: &[
        "conversations.id",
        "kind",
        "peer",
        "platform_peer",
        "conversations.name",
        "username",
        "email",
        "avatar",
        "status",
        "escalation",
        "paused_by",
        "paused_from",
        "referral",
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
        "extras",
        "reply_to",
        "reaction",
        "status",
        "sent_at",
        "created_at",
        "delivered_at",
        "read_at",
    ],
    source: "messages WHERE conversation = ?1 ORDER BY created_at, id",
};
const CALLS: CopiedTable = CopiedTable {
    columns: &["id", "metadata", "status", "created_at", "answered_at", "ended_at"],
    source: "calls WHERE conversation = ?1 ORDER BY created_at, id",
};
const SUMMARY: CopiedTable =
    CopiedTable { columns: &["summary"], source: "escalation_summaries WHERE conversation = ?1" };
const PROPOSALS: CopiedTable = CopiedTable {
    columns: &["id", "connection", "endpoint", "answers", "state", "outcome", "created_at"],
    source: "proposals WHERE conversation = ?1 ORDER BY created_at, id",
};
const THREAD: CopiedTable = CopiedTable {
    columns: &[
        "id",
        "subject",
        "contact_email",
        "contact_name",
        "folder",
        "category",
        "priority",
        "paused_by",
        "paused_from",
        "created_at",
    ],
    source: "threads LEFT JOIN thread_automation ON thread = id WHERE id = ?1",
};
const MAILS: CopiedTable = CopiedTable {
    columns: &[
        "id",
        "direction",
        "sender",
        "sender_name",
        "recipients",
        "copies",
        "blind_copies",
        "headers",
        "subject",
        "body_text",
        "body_html",
        "attachments",
        "status",
        "sent_at",
        "created_at",
        "opened_at",
    ],
    source: "emails WHERE thread = ?1 ORDER BY created_at, id",
};
const MAIL_OF_OTHERS: CopiedTable = CopiedTable {
    columns: &["id", "direction", "sender", "recipients", "copies", "subject", "created_at"],
    source: "emails WHERE id = ?1",
};
const GROUP_MESSAGE: CopiedTable = CopiedTable {
    columns: &["id", "kind", "content", "media_url", "details", "created_at"],
    source: "messages WHERE id = ?1",
};
const NOTES: CopiedTable = CopiedTable {
    columns: &["id", "text", "created_at"],
    source: "team_notes WHERE conversation = ?1 AND deleted_at IS NULL ORDER BY created_at, id",
};
const MARKS: CopiedTable = CopiedTable {
    columns: &["tags", "snooze_note", "snoozed_until"],
    source: "team_conversations WHERE id = ?1",
};
const ALIASES: CopiedTable = CopiedTable {
    columns: &["alias", "peer"],
    source: "peer_aliases WHERE channel = ?1 AND peer = ?2 ORDER BY alias",
};
const OPT_OUTS: CopiedTable = CopiedTable {
    columns: &["kind", "peer", "at"],
    source: "opt_outs JOIN channels ON channels.id = channel WHERE peer = ?1 AND workspace = ?2",
};
const BROADCASTS: CopiedTable = CopiedTable {
    columns: &["broadcast", "content", "phone", "recipients.status", "code"],
    source: "recipients JOIN broadcasts ON broadcasts.id = broadcast WHERE contact = ?1 ORDER BY created_at",
};
const TRIGGER_EVENTS: CopiedTable = CopiedTable {
    columns: &["name", "id", "data", "at"],
    source: "happenings WHERE workspace = ?2 AND instr(data, ?1) > 0 ORDER BY at, id",
};
const CONNECTION_CALLS: CopiedTable = CopiedTable {
    columns: &["connection", "endpoint", "contact", "status", "at"],
    source: "connection_calls WHERE contact = ?1 AND workspace = ?2 ORDER BY seq",
};

impl CopiedTable {
    fn read(&self, db: &dyn DbSession, values: &[SqlValue<'_>]) -> Result<Vec<Value>, DatabaseError> {
        let sql = format!("SELECT {} FROM {}", self.columns.join(", "), self.source);
        db.fetch_all(&sql, values, |row| {
            let mut copy = Map::new();
            for (column, value) in self.columns.iter().zip(row.values()?) {
                let name = column.rsplit('.').next().unwrap_or(column);
                copy.insert(name.to_owned(), to_json(name, value));
            }
            Ok(Value::Object(copy))
        })
    }

    /// Reads the rows of each name in a workspace, each row once.
    fn read_each<'a>(
        &self,
        db: &dyn DbSession,
        names: impl IntoIterator<Item = &'a String>,
        workspace: &str,
    ) -> Result<Vec<Value>, DatabaseError> {
        let mut found: Vec<Value> = Vec::new();
        for name in names {
            for row in self.read(db, bound![name, workspace])? {
                if !found.contains(&row) {
                    found.push(row);
                }
            }
        }
        Ok(found)
    }
}

fn is_time(column: &str) -> bool {
    column == TIME || TIME_ENDINGS.iter().any(|ending| column.ends_with(ending))
}

fn to_json(column: &str, value: SqlValue<'_>) -> Value {
    match value {
        SqlValue::Null | SqlValue::Bytes(_) => Value::Null,
        SqlValue::Int(micros) if is_time(column) => Value::from(Timestamp::from_micros(micros).to_string()),
        SqlValue::Int(number) => Value::from(number),
        SqlValue::Text(text) => Value::from(text),
    }
}

/// Copies everything that an erasure would remove, except what the service keeps for its own work from the same
/// data: queues, events for webhooks, stored answers. Files are named by their ids.
pub fn copy(db: &dyn DbSession, person: &ErasedPerson) -> Result<Value, DatabaseError> {
    let each = |table: &CopiedTable, ids: &[String]| {
        let rows: Result<Vec<_>, DatabaseError> = ids.iter().map(|id| table.read(db, bound![id])).collect();
        rows.map(|rows| rows.concat())
    };
    let conversation = |id: &String| -> Result<Value, DatabaseError> {
        let read = |table: &CopiedTable| table.read(db, bound![id]);
        Ok(json!({
            "about": read(&CONVERSATION)?.pop(), "messages": read(&MESSAGES)?, "calls": read(&CALLS)?,
            "notes": read(&NOTES)?, "marks": read(&MARKS)?.pop(), "summary": read(&SUMMARY)?.pop(),
            "proposals": read(&PROPOSALS)?,
        }))
    };
    let thread = |id: &String| -> Result<Value, DatabaseError> {
        let read = |table: &CopiedTable| table.read(db, bound![id]);
        Ok(json!({
            "about": read(&THREAD)?.pop(), "messages": read(&MAILS)?, "notes": read(&NOTES)?,
            "marks": read(&MARKS)?.pop(),
        }))
    };
    let (ids, workspace) = (person.ids(), person.workspace());
    let conversations: Result<Vec<_>, DatabaseError> = ids.conversations.iter().map(conversation).collect();
    let threads: Result<Vec<_>, DatabaseError> = ids.threads.iter().map(thread).collect();
    let aliases: Result<Vec<_>, DatabaseError> =
        person.peers().map(|(channel, peer)| ALIASES.read(db, bound![channel, peer])).collect();
    let histories = ids.conversations.iter().chain(&ids.threads);
    let mut files: Vec<&String> = person.files().collect();
    files.sort_unstable();
    Ok(json!({
        "contacts": each(&CONTACT, &ids.contacts)?,
        "correspondents": CORRESPONDENT.read_each(db, person.addresses(), workspace)?,
        "aliases": aliases?.concat(),
        "optOuts": OPT_OUTS.read_each(db, person.addresses(), workspace)?,
        "conversations": conversations?,
        "threads": threads?,
        "saidInGroups": each(&GROUP_MESSAGE, &ids.said_in_groups)?,
        "mailsOfOthers": each(&MAIL_OF_OTHERS, &ids.named_in)?,
        "broadcasts": each(&BROADCASTS, &ids.contacts)?,
        "triggerEvents": TRIGGER_EVENTS.read_each(db, person.addresses().iter().chain(&ids.contacts), workspace)?,
        "lookups": CONNECTION_CALLS.read_each(db, person.addresses().iter().chain(histories), workspace)?,
        "files": files,
    }))
}
