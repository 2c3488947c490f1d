//! Facts that place a conversation in the inbox and come from elsewhere: copies of the outbox, and
//! flags of facts that depend on the time. The generated column `queue` of the row turns them into a
//! position; `model/queue.rs` holds the rules.
//!
//! The two files cannot change in one transaction. Triggers of the outbox connection collect the
//! conversations that a job changed, and the writer refreshes their copies before the caller gets
//! the result. Copies that a crash left behind are repaired at every start.
//!
//! A flag is set when its time comes: the inbox sleeps until [`next_change`] and then asks for
//! [`apply_time`]. Both look at the rows at their boundaries only.

use rusqlite::{Connection, params};

use crate::{Cache, Store, StoreError};
use model::conversations::AI_ANSWER_TIMEOUT;
use model::ids::{ChannelId, ConversationId};
use model::queue::{COLLEAGUE_TIMEOUT, WINDOW_WARNING};
use model::time::{DAY, Timestamp};
use sqlite::{Queries, only_cell};

/// Name of the meta entry that holds the agent of this desk, for processes without one.
const AGENT_ENTRY: &str = "desk agent";

/// Microseconds from the newest message of a customer until the reply window is about to close.
const WINDOW_AGE: i64 = DAY - WINDOW_WARNING;

/// Columns of `conversation` that are copies, each with its source.
const COPIES: [(&str, &str); 8] = [
    (
        "claimed_here_at",
        "(SELECT k.at FROM desk.claim k WHERE k.channel = conversation.channel
             AND k.conversation = conversation.id
             AND k.agent = (SELECT a.value FROM meta a WHERE a.channel = '' AND a.name = 'desk agent'))",
    ),
    (
        "colleague_claimed_at",
        "(SELECT k.at FROM desk.claim k WHERE k.channel = conversation.channel
             AND k.conversation = conversation.id AND k.agent IS NOT
                 (SELECT a.value FROM meta a WHERE a.channel = '' AND a.name = 'desk agent'))",
    ),
    (
        "snoozed_after",
        "(SELECT z.after FROM desk.snooze z WHERE z.channel = conversation.channel
             AND z.conversation = conversation.id AND z.woken_at IS NULL)",
    ),
    (
        "paused_from",
        "(SELECT max(p.since, p.extended_at) FROM desk.pause p WHERE p.channel = conversation.channel
             AND p.conversation = conversation.id AND NOT EXISTS (SELECT 1 FROM desk.draft_only q
                 WHERE q.channel = p.channel AND q.conversation = p.conversation AND q.is_on = 1))",
    ),
    (
        "proposed_at",
        "(SELECT min(r.at) FROM desk.proposal r WHERE r.channel = conversation.channel
             AND r.conversation = conversation.id)",
    ),
    (
        "ai_asked_at",
        "(SELECT iif(conversation.waiting_since <= h.at, h.at, (SELECT min(m.sort_at) FROM message m
                 WHERE m.conversation = conversation.number AND m.inbound = 1 AND m.sort_at > h.at))
             FROM desk.handback h
             WHERE h.channel = conversation.channel AND h.conversation = conversation.id
                 AND NOT EXISTS (SELECT 1 FROM message n
                     WHERE n.conversation = conversation.number AND n.said_by > 0 AND n.sort_at > h.at
                         AND n.sender <> 'api'))",
    ),
    (
        "stuck",
        "(SELECT count(*) FROM desk.outbox o WHERE o.channel = conversation.channel
             AND o.conversation = conversation.id AND o.state = 'stopped')",
    ),
    (
        "closing",
        "EXISTS (SELECT 1 FROM desk.outbox o WHERE o.channel = conversation.channel
             AND o.conversation = conversation.id AND o.operation = 'close' AND o.state <> 'stopped')",
    ),
];

/// Tables of the outbox with sources of copies.
const SOURCES: [&str; 6] = ["claim", "snooze", "pause", "draft_only", "proposal", "handback"];

/// Selects rows that have copies or should have some.
const SELECT_COPIED: &str = "SELECT number FROM conversation INDEXED BY conversation_copied
     WHERE coalesce(claimed_here_at, colleague_claimed_at, snoozed_after, paused_from, proposed_at, ai_asked_at)
             IS NOT NULL OR stuck > 0 OR closing > 0
     UNION SELECT c.number FROM (SELECT channel, conversation FROM desk.claim
             UNION SELECT channel, conversation FROM desk.snooze UNION SELECT channel, conversation FROM desk.pause
             UNION SELECT channel, conversation FROM desk.proposal
             UNION SELECT channel, conversation FROM desk.handback
             UNION SELECT channel, conversation FROM desk.outbox
                 WHERE state = 'stopped' OR operation = 'close') d
         CROSS JOIN conversation c ON c.channel = d.channel AND c.id = d.conversation";

/// Prepares a cache that was opened: records the agent of this desk, unless the process has none,
/// and repairs copies. Returns the number of wrong rows.
pub(crate) fn prepare(connection: &mut Connection, agent: &str) -> Result<usize, StoreError> {
    let change = connection.transaction()?;
    if !agent.is_empty() {
        change.execute(
            "INSERT INTO meta (channel, name, value) VALUES ('', ?1, ?2)
                 ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
            [AGENT_ENTRY, agent],
        )?;
    }
    let repaired = update_copies(&change, &format!("number IN ({SELECT_COPIED})"), [])?;
    change.commit()?;
    Ok(repaired)
}

/// Refreshes copies and flags of a row, within the caller's transaction.
pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    update_copies(connection, "number = ?1", [number])?;
    refresh_flags(connection, number)
}

fn update_copies(
    connection: &Connection,
    rows: &str,
    bound: impl rusqlite::Params,
) -> Result<usize, StoreError> {
    let names: Vec<&str> = COPIES.iter().map(|(name, _)| *name).collect();
    let sources: Vec<&str> = COPIES.iter().map(|(_, source)| *source).collect();
    let paused = COPIES.iter().find(|(name, _)| *name == "paused_from").map_or("NULL", |(_, source)| source);
    let sql = format!(
        "UPDATE conversation SET ({names}, pause_expired) = (SELECT {sources},
             iif(paused_from IS {paused}, pause_expired, 0))
         WHERE {rows} AND ({names}) IS NOT (SELECT {sources})",
        names = names.join(", "),
        sources = sources.join(", ")
    );
    Ok(connection.prepare_cached(&sql)?.execute(bound)?)
}

/// Sets the flags that depend on this machine's clock alone. Only [`apply_time`] knows the lease of
/// a pause.
fn refresh_flags(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let (closing, silent) = (window_condition("desk_now()"), silence_condition("desk_now()"));
    let late = colleague_condition("desk_now()");
    let sql = format!(
        "UPDATE conversation SET window_closing = {closing}, ai_silent = {silent}, colleague_late = {late}
         WHERE number = ?1
             AND (window_closing, ai_silent, colleague_late) IS NOT ({closing}, {silent}, {late})"
    );
    connection.prepare_cached(&sql)?.execute([number])?;
    Ok(())
}

fn window_condition(now: &str) -> String {
    format!("coalesce(last_inbound_at > {now} - {DAY} AND last_inbound_at <= {now} - {WINDOW_AGE}, 0)")
}

fn silence_condition(now: &str) -> String {
    format!("coalesce(ai_asked_at <= {now} - {AI_ANSWER_TIMEOUT}, 0)")
}

/// SQL condition. Its `max` is NULL unless the customer waits and a colleague has the conversation.
fn colleague_condition(now: &str) -> String {
    format!("coalesce(max(colleague_claimed_at, waiting_since) <= {now} - {COLLEAGUE_TIMEOUT}, 0)")
}

/// Selects rows of channel `?1` whose flags are wrong at `?2`; `?3` is the lease of a pause.
fn select_due() -> String {
    let window = "SELECT number FROM conversation INDEXED BY conversation_window
         WHERE channel = ?1 AND is_closed = 0 AND service_window = 'open' AND waiting_since IS NOT NULL";
    let asked = "SELECT number FROM conversation INDEXED BY conversation_ai_asked
         WHERE channel = ?1 AND ai_asked_at IS NOT NULL";
    let paused = "SELECT number FROM conversation INDEXED BY conversation_paused
         WHERE channel = ?1 AND paused_from IS NOT NULL";
    let colleague = "SELECT number FROM conversation INDEXED BY conversation_colleague
         WHERE channel = ?1 AND colleague_claimed_at IS NOT NULL";
    let (closing, silent) = (format!("?2 - {WINDOW_AGE}"), format!("?2 - {AI_ANSWER_TIMEOUT}"));
    let late = colleague_condition("?2");
    format!(
        "{window} AND window_closing = 0 AND last_inbound_at > ?2 - {DAY} AND last_inbound_at <= {closing}
         UNION ALL {window} AND window_closing = 1 AND last_inbound_at <= ?2 - {DAY}
         UNION ALL {window} AND window_closing = 1 AND last_inbound_at > {closing}
         UNION ALL {asked} AND ai_silent = 0 AND ai_asked_at <= {silent}
         UNION ALL {asked} AND ai_silent = 1 AND ai_asked_at > {silent}
         UNION ALL {paused} AND pause_expired = 0 AND paused_from <= ?2 - ?3 AND ?3 > 0
         UNION ALL {paused} AND pause_expired = 1 AND (paused_from > ?2 - ?3 OR ?3 = 0)
         UNION ALL {colleague} AND colleague_late = 0 AND {late} = 1
         UNION ALL {colleague} AND colleague_late = 1 AND {late} = 0"
    )
}

/// Sets the flags whose time has come, and clears those whose time has passed.
pub(crate) fn apply_time(
    connection: &Connection,
    channel: &ChannelId,
    now: Timestamp,
    lease: i64,
) -> Result<usize, StoreError> {
    let sql = format!(
        "UPDATE conversation SET window_closing = {}, ai_silent = {}, colleague_late = {},
             pause_expired = coalesce(?3 > 0 AND paused_from <= ?2 - ?3, 0)
         WHERE number IN ({})",
        window_condition("?2"),
        silence_condition("?2"),
        colleague_condition("?2"),
        select_due()
    );
    Ok(connection.execute(&sql, params![channel, now, lease])?)
}

/// Returns true if a flag is due in a channel, and the time at which the next one is.
pub(crate) fn next_change(
    connection: &Connection,
    channel: &ChannelId,
    now: Timestamp,
    lease: i64,
) -> Result<(bool, Option<Timestamp>), StoreError> {
    let sql = format!("SELECT EXISTS ({})", select_due());
    let due = connection.scalar(&sql, params![channel, now, lease])?;
    let window = "FROM conversation INDEXED BY conversation_window
         WHERE channel = ?1 AND is_closed = 0 AND service_window = 'open' AND waiting_since IS NOT NULL";
    let asked = "FROM conversation INDEXED BY conversation_ai_asked
         WHERE channel = ?1 AND ai_asked_at IS NOT NULL";
    let paused = "FROM conversation INDEXED BY conversation_paused
         WHERE channel = ?1 AND paused_from IS NOT NULL";
    let colleague = "FROM conversation INDEXED BY conversation_colleague
         WHERE channel = ?1 AND colleague_claimed_at IS NOT NULL";
    let waits = "max(colleague_claimed_at, waiting_since)";
    let sql = format!(
        "SELECT min(at) FROM (
             SELECT min(last_inbound_at) + {WINDOW_AGE} AS at {window} AND window_closing = 0
                 AND last_inbound_at > ?2 - {WINDOW_AGE}
             UNION ALL SELECT min(last_inbound_at) + {DAY} {window} AND window_closing = 1
                 AND last_inbound_at > ?2 - {DAY}
             UNION ALL SELECT min(ai_asked_at) + {AI_ANSWER_TIMEOUT} {asked} AND ai_silent = 0
                 AND ai_asked_at > ?2 - {AI_ANSWER_TIMEOUT}
             UNION ALL SELECT min(paused_from) + ?3 {paused} AND pause_expired = 0
                 AND paused_from > ?2 - ?3 AND ?3 > 0
             UNION ALL SELECT min({waits}) + {COLLEAGUE_TIMEOUT} {colleague} AND colleague_late = 0
                 AND {waits} > ?2 - {COLLEAGUE_TIMEOUT})"
    );
    Ok((due, connection.scalar(&sql, params![channel, now, lease])?))
}

/// Conversations of this connection's outbox whose copies are outdated.
type ChangedConversations = Vec<(ChannelId, ConversationId)>;

/// Installs the triggers that collect changed conversations.
pub(crate) fn install(outbox: &Connection) -> Result<(), StoreError> {
    let mut sql = "CREATE TEMP TABLE changed_conversation (channel TEXT NOT NULL, conversation TEXT NOT NULL,
         PRIMARY KEY (channel, conversation)) STRICT, WITHOUT ROWID;"
        .to_owned();
    let mut add = |table: &str, event: &str, row: &str, condition: &str| {
        let name = format!("{table}_{}_{row}", event[..6].to_lowercase());
        sql.push_str(&format!(
            "CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table} WHEN {condition} BEGIN
                 INSERT OR IGNORE INTO changed_conversation VALUES ({row}.channel, {row}.conversation); END;"
        ));
    };
    for table in SOURCES {
        add(table, "INSERT", "new", "1");
        add(table, "UPDATE", "new", "1");
        add(table, "DELETE", "old", "1");
    }
    let stops = "new.conversation IS NOT NULL AND (old.state = 'stopped') <> (new.state = 'stopped')";
    add("outbox", "INSERT", "new", "new.conversation IS NOT NULL AND new.operation = 'close'");
    add("outbox", "UPDATE OF state", "new", stops);
    let counts = "old.conversation IS NOT NULL AND (old.state = 'stopped' OR old.operation = 'close')";
    add("outbox", "DELETE", "old", counts);
    Ok(outbox.execute_batch(&sql)?)
}

/// Takes the conversations that jobs have changed since the last call.
pub(crate) fn take_changed(outbox: &Connection) -> Result<ChangedConversations, StoreError> {
    let sql = "SELECT channel, conversation FROM temp.changed_conversation";
    let changed: ChangedConversations =
        outbox.all(sql, [], |row| Ok((row.get("channel")?, row.get("conversation")?)))?;
    if !changed.is_empty() {
        outbox.execute("DELETE FROM temp.changed_conversation", [])?;
    }
    Ok(changed)
}

/// Refreshes the copies of conversations that are stored.
pub(crate) fn refresh_changed(cache: &mut Cache, changed: &ChangedConversations) -> Result<(), StoreError> {
    let change = cache.connection.transaction()?;
    for (channel, conversation) in changed {
        let sql = "SELECT number FROM conversation WHERE channel = ?1 AND id = ?2";
        if let Some(number) = change.first(sql, params![channel, conversation], only_cell)? {
            refresh(&change, number)?;
        }
    }
    change.commit()?;
    Ok(())
}

impl Store {
    /// Moves rows of a channel whose place depends on the time. Blocks.
    pub(crate) fn apply_time(
        &self,
        channel: &ChannelId,
        now: Timestamp,
        lease: i64,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache().change(move |change| apply_time(change, &channel, now, lease).map(drop))
    }
}
