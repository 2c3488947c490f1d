//! Newest timestamp of any row, so that a later run continues after it, whatever its clock says.

use crate::database::DatabaseError;
use crate::database::session::DbSession;
use model::time::Timestamp;

/// One query for each table listed by time, answered from an index or a table that stays small.
const LATEST_QUERIES: [&str; 11] = [
    "SELECT max((SELECT max(created_at) FROM messages WHERE channel = channels.id)) FROM channels",
    "SELECT max((SELECT max(last_at) FROM conversations WHERE channel = channels.id)) FROM channels",
    "SELECT max((SELECT max(last_at) FROM threads WHERE channel = channels.id)) FROM channels",
    "SELECT max((SELECT max(created_at) FROM emails WHERE channel = channels.id AND direction = 'inbound')) FROM channels",
    "SELECT max((SELECT max(created_at) FROM emails WHERE channel = channels.id AND direction = 'outbound')) FROM channels",
    "SELECT max((SELECT max(last_at) FROM contacts WHERE workspace = workspaces.id)) FROM workspaces",
    "SELECT max(created_at) FROM broadcasts",
    "SELECT max(created_at) FROM webhooks",
    "SELECT (SELECT at FROM outbound ORDER BY seq DESC LIMIT 1)",
    "SELECT max(place) FROM egress",
    "SELECT max(place) FROM ingress",
];

pub fn newest_stamp(db: &dyn DbSession) -> Result<Timestamp, DatabaseError> {
    let mut latest = 0;
    for question in LATEST_QUERIES {
        let found: Option<i64> = db.fetch_scalar(question, &[])?;
        latest = latest.max(found.unwrap_or(0));
    }
    Ok(Timestamp::from_micros(latest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_row_of_any_table_counts() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        db.execute_batch(include_str!("schema_carriers.sql")).expect("made");
        // Rows without their parents.
        db.pragma_update(None, "foreign_keys", false).expect("set");
        db.change("INSERT INTO workspaces VALUES ('w', NULL, NULL, 0, 0)", &[]).expect("made");
        db.change("INSERT INTO channels VALUES ('c', 'w', 'email', 'a', NULL, NULL, 0)", &[]).expect("made");
        let latest = || newest_stamp(&db).expect("reads").micros();
        assert_eq!(latest(), 0);
        let rows = [
            "INSERT INTO outbound (recipient, channel, content, at) VALUES ('a', 'email', 'b', 11)",
            "INSERT INTO contacts (id, workspace, phone, tags, metadata, created_at, updated_at, last_at, folded)
             VALUES ('ct', 'w', '+34600111222', '[]', '{}', 1, 1, 12, '')",
            "INSERT INTO threads (id, channel, subject, topic, contact, contact_email, folder, priority, is_read,
             is_starred, last_at, created_at) VALUES ('t', 'c', 's', 's', 'a', 'a', 'inbox', 'normal', 0, 0, 13, 1)",
            "INSERT INTO emails (id, thread, channel, header_id, direction, sender, recipients, copies, blind_copies,
             subject, attachments, headers, status, created_at)
             VALUES ('e', 't', 'c', 'h', 'outbound', 'a', '[]', '[]', '[]', 's', '[]', '{}', 'sent', 14)",
            "INSERT INTO broadcasts (id, channel, kind, content, price, total, status, created_at)
             VALUES ('b', 'c', 'text', 'x', 1, 1, 'sending', 15)",
            "INSERT INTO egress (id, channel, lane, place, parcel, draft, state, due_at, fence, claimed_until, told)
             VALUES ('m', 'c', 'v', 16, '{}', '{}', 'waiting', 1, 0, 0, 0)",
            "INSERT INTO ingress (channel, name, lane, place, body, due_at, attempts)
             VALUES ('c', 'n', 'l', 17, x'', 1, 0)",
        ];
        for (row, newest) in rows.iter().zip(11..) {
            db.change(row, &[]).expect(row);
            assert_eq!(latest(), newest, "{row}");
        }
    }
}
