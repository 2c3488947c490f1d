//! The files as they were at a time: a reader over a copy in memory in which
//! nothing later stands, so that every list, filter and history is read there
//! by the same questions as now.
//!
//! Messages are told by their own times. What a server tells without a time is
//! taken from what was kept when it changed; what was never kept is left out:
//! drafts, tags, reactions, what waited to leave, and how threads were filed.

use rusqlite::{Connection, OpenFlags};

use crate::clock::StoreClock;
use crate::{Reader, StoreError, drafts, facts, files, filter, search};
use model::past::PastNote;
use model::time::Timestamp;
use sqlite::{Queries, only};

/// Conversations copied at most that nothing happened in since, and as many in
/// which something did.
const MOST: i64 = 5_000;

/// What is read as it is now.
const AS_NOW: [&str; 5] = ["account", "thread", "letter", "correspondent", "mailbox"];

impl Reader {
    /// A reader of the files as they were at a time. It is kept until another
    /// time is asked for.
    ///
    /// # Errors
    /// When the database fails.
    pub fn past(&mut self, at: Timestamp) -> Result<(&mut Self, PastNote), StoreError> {
        let kept = self.past.take().filter(|past| past.0 == at);
        let past = match kept {
            Some(kept) => kept,
            None => {
                let (connection, note) = open(&self.connection, at)?;
                let reader = Self::new(connection, &self.zone, drafts::WrittenDrafts::default())?;
                Box::new((at, reader, note))
            }
        };
        let kept = self.past.insert(past);
        Ok((&mut kept.1, kept.2))
    }

    /// Lets go of what was copied to read the past.
    pub fn leave_past(&mut self) {
        self.past = None;
    }
}

/// Makes the copy.
fn open(now: &Connection, at: Timestamp) -> Result<(Connection, PastNote), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let past = Connection::open_in_memory_with_flags(flags)?;
    past.busy_timeout(files::BUSY)?;
    past.set_prepared_statement_cache_capacity(64);
    sqlite::keep_plans(&past)?;
    search::install(&past)?;
    filter::install(&past)?;
    StoreClock::default().install(&past)?;
    facts::install(&past)?;
    for sql in files::CACHE.versions {
        past.execute_batch(sql)?;
    }
    past.execute_batch(
        "DROP TABLE message; DROP TRIGGER conversation_past_kept;
         DROP TRIGGER conversation_inserted; DROP TRIGGER conversation_updated",
    )?;
    let file_of = |name: &str| -> rusqlite::Result<String> {
        now.scalar("SELECT file FROM pragma_database_list WHERE name = ?1", [name])
    };
    for (file, name) in [("main", "now"), ("desk", "kept")] {
        let uri = files::uri(std::path::Path::new(&file_of(file)?), "mode=ro");
        past.execute(&format!("ATTACH ?1 AS {name}"), [uri])?;
    }
    make_desk(&past)?;
    past.execute_batch("BEGIN")?;
    views(&past, at)?;
    let cut = copy(&past, at)?;
    kept(&past, at)?;
    states(&past, at)?;
    past.execute_batch("COMMIT")?;
    let since = past.scalar("SELECT min(at) FROM now.past_since", [])?;
    Ok((past, PastNote { since, is_cut: cut }))
}

/// The tables of the outbox's file, empty.
fn make_desk(past: &Connection) -> Result<(), StoreError> {
    past.execute_batch("ATTACH ':memory:' AS desk")?;
    let tables: Vec<String> = past.all(
        "SELECT sql FROM kept.sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL
             AND name NOT LIKE 'sqlite%' ORDER BY type DESC",
        [],
        only,
    )?;
    for sql in tables {
        let sql = sql.replacen("CREATE TABLE ", "CREATE TABLE desk.", 1);
        let sql = sql.replacen("CREATE INDEX ", "CREATE INDEX desk.", 1);
        past.execute_batch(&sql.replacen("CREATE UNIQUE INDEX ", "CREATE UNIQUE INDEX desk.", 1))?;
    }
    Ok(())
}

/// Messages up to the time, each with how far it had come; and what is read as
/// it is now.
fn views(past: &Connection, at: Timestamp) -> Result<(), StoreError> {
    let at = at.micros();
    past.execute_batch(&format!(
        "CREATE TEMP VIEW message AS SELECT m.conversation, m.id, m.sort_at, m.platform_id, m.inbound, m.sender,
             m.content, m.content_type, m.media_url,
             CASE WHEN m.inbound THEN m.delivery
                 WHEN m.delivery = 'read' AND m.read_at IS NOT NULL THEN
                     CASE WHEN m.read_at <= {at} THEN 'read' WHEN m.delivered_at <= {at} THEN 'delivered'
                         ELSE 'sent' END
                 WHEN m.delivery = 'delivered' AND m.delivered_at IS NOT NULL THEN
                     iif(m.delivered_at <= {at}, 'delivered', 'sent')
                 ELSE coalesce((SELECT p.delivery FROM now.message_past p WHERE p.conversation = m.conversation
                     AND p.message = m.id AND p.until > {at} ORDER BY p.until LIMIT 1), m.delivery)
             END AS delivery,
             m.created_at, iif(m.delivered_at <= {at}, m.delivered_at, NULL) AS delivered_at,
             iif(m.read_at <= {at}, m.read_at, NULL) AS read_at, m.quotes, m.unreadable, m.provisional, m.raw,
             m.place, m.said_by
         FROM now.message m WHERE m.sort_at <= {at};
         CREATE TEMP VIEW contact AS SELECT channel, phone, id, name, email, '[]' AS tags, metadata, read_at
         FROM now.contact;"
    ))?;
    for table in AS_NOW {
        past.execute_batch(&format!("CREATE TEMP VIEW {table} AS SELECT * FROM now.{table}"))?;
    }
    Ok(())
}

/// Copies the conversations that were there; tells whether there were more.
fn copy(past: &Connection, at: Timestamp) -> Result<bool, StoreError> {
    let columns: Vec<String> =
        past.all("SELECT name FROM pragma_table_info('conversation', 'now')", [], only)?;
    let columns = columns.join(", ");
    let (at, more) = (at.micros(), MOST + 1);
    past.execute_batch(&format!(
        "CREATE TEMP TABLE was_there AS
         SELECT number, 0 AS is_changed FROM (SELECT number FROM now.conversation WHERE sort_at <= {at}
             ORDER BY sort_at DESC LIMIT {more})
         UNION ALL SELECT number, 1 FROM (SELECT c.number FROM now.conversation c WHERE c.sort_at > {at}
             AND (c.created_at <= {at} OR EXISTS (SELECT 1 FROM now.message m
                 WHERE m.conversation = c.number AND m.sort_at <= {at}))
             ORDER BY c.sort_at LIMIT {more});
         INSERT INTO main.conversation ({columns}) SELECT {columns} FROM now.conversation
             WHERE number IN (SELECT number FROM was_there);
         UPDATE main.conversation SET stuck = 0, behind = 0 WHERE stuck > 0 OR behind = 1;"
    ))?;
    let most: i64 = past.scalar(
        "SELECT coalesce(max(count), 0) FROM (SELECT count(*) AS count FROM was_there GROUP BY is_changed)",
        [],
    )?;
    Ok(most > MOST)
}

/// What this desk kept then: notes, pauses, snoozes, claims.
fn kept(past: &Connection, at: Timestamp) -> Result<(), StoreError> {
    let at = at.micros();
    past.execute_batch(&format!(
        "INSERT INTO desk.note SELECT * FROM kept.note WHERE created_at <= {at};
         INSERT INTO desk.sent_here SELECT * FROM kept.sent_here;
         INSERT INTO desk.trouble_weight SELECT * FROM kept.trouble_weight;"
    ))?;
    let tables = [
        ("pause", "read_again, owner, since", "1, held ->> 'owner', held ->> 'since'", "since"),
        ("claim", "agent, at", "held ->> 'agent', held ->> 'at'", "at"),
        (
            "snooze",
            "until, after, set_at, woken_at",
            "held ->> 'until', held ->> 'after', held ->> 'set_at', held ->> 'woken_at'",
            "set_at",
        ),
    ];
    for (table, columns, from_past, since) in tables {
        past.execute_batch(&format!(
            "CREATE TEMP TABLE was AS SELECT channel, conversation, held FROM (
                 SELECT channel, conversation, held, row_number() OVER (
                     PARTITION BY channel, conversation ORDER BY until, number) AS place
                 FROM kept.kept_past WHERE what = '{table}' AND until > {at}) WHERE place = 1;
             INSERT INTO desk.{table} (channel, conversation, {columns})
                 SELECT channel, conversation, {from_past} FROM was WHERE held IS NOT NULL;
             INSERT INTO desk.{table} (channel, conversation, {columns})
                 SELECT channel, conversation, {columns} FROM kept.{table} k WHERE {since} <= {at}
                     AND NOT EXISTS (SELECT 1 FROM was w
                         WHERE w.channel = k.channel AND w.conversation = k.conversation);
             DROP TABLE was;"
        ))?;
    }
    Ok(())
}

/// States as they were, and what follows from the messages up to the time.
fn states(past: &Connection, at: Timestamp) -> Result<(), StoreError> {
    let micros = at.micros();
    let states = "status, is_closed, service_window, automation, escalation, seen_at, seen_id";
    past.execute_batch(&format!(
        "CREATE TEMP TABLE was AS SELECT * FROM (
             SELECT conversation, {states}, row_number() OVER (PARTITION BY conversation ORDER BY until, rowid) AS place
             FROM now.conversation_past WHERE until > {micros}) WHERE place = 1;
         UPDATE main.conversation SET ({states}) =
             (SELECT {states} FROM was WHERE was.conversation = conversation.number)
             WHERE number IN (SELECT conversation FROM was);
         UPDATE main.conversation SET last_message_at = NULL, last_inbound_at = NULL, waiting_since = NULL,
             message_count = max(0, message_count - (SELECT count(*) FROM now.message m
                 WHERE m.conversation = conversation.number AND m.sort_at > {micros}))
             WHERE number IN (SELECT number FROM was_there WHERE is_changed = 1);"
    ))?;
    let sql = "SELECT w.number FROM was_there w WHERE w.is_changed = 1
         UNION SELECT conversation FROM was JOIN main.conversation c ON c.number = was.conversation";
    let renewed: Vec<i64> = past.all(sql, [], only)?;
    for number in renewed {
        facts::refresh(past, number)?;
    }
    // The newest message up to then, whatever the list has told since.
    past.execute_batch(
        "UPDATE main.conversation SET
             sort_at = coalesce((SELECT max(sort_at) FROM message m WHERE m.conversation = conversation.number),
                 created_at, sort_at),
             preview = CASE WHEN EXISTS (SELECT 1 FROM thread h WHERE h.channel = conversation.channel
                     AND h.id = conversation.id) THEN preview
                 ELSE coalesce((SELECT first_line(m.content, m.content_type) FROM message m
                     WHERE m.conversation = conversation.number AND m.unreadable = 0
                     ORDER BY m.sort_at DESC, m.id DESC LIMIT 1), '') END
             WHERE number IN (SELECT number FROM was_there WHERE is_changed = 1);
         DROP TABLE was; DROP TABLE was_there;",
    )?;
    Ok(())
}
