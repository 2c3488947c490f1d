//! Invariants of a run: every desk stores what the service holds, once and in its order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::simulation::desk::Desk;
use crate::simulation::human::Human;
use crate::simulation::town::Town;

/// Message id, and true if a customer wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    id: String,
    inbound: bool,
}

#[derive(Debug, Default)]
pub struct Wrongs(pub Vec<String>);

impl Wrongs {
    fn add(&mut self, wrong: impl FnOnce() -> String) {
        if self.0.len() < 20 {
            self.0.push(wrong());
        }
    }
}

/// Adds triggers to the desk's file that record forbidden intermediate states.
pub fn watch(folder: &Path) {
    let rank = |word: &str| {
        format!(
            "CASE {word} WHEN 'queued' THEN 0 WHEN 'sent' THEN 1 WHEN 'delivered' THEN 3 WHEN 'read' THEN 4 ELSE 2 END"
        )
    };
    let connection = Connection::open(folder.join("cache.db")).expect("the cache opens");
    let sql = format!(
        "CREATE TABLE IF NOT EXISTS simulated_wrong (what TEXT NOT NULL);
         CREATE TRIGGER IF NOT EXISTS simulated_status AFTER UPDATE OF delivery ON message
         WHEN {} < {} BEGIN
             INSERT INTO simulated_wrong VALUES
                 ('the status of ' || new.id || ' went from ' || old.delivery || ' to ' || new.delivery);
         END;
         CREATE TRIGGER IF NOT EXISTS simulated_place AFTER UPDATE OF sort_at ON message
         WHEN old.sort_at <> new.sort_at AND old.provisional = 0 AND old.unreadable = 0 BEGIN
             INSERT INTO simulated_wrong VALUES ('the place of ' || new.id || ' changed');
         END;",
        rank("new.delivery"),
        rank("old.delivery"),
    );
    connection.execute_batch(&sql).expect("it watches");
}

/// Compares a desk with the service, once everything had time to arrive.
pub async fn desk(town: &Town, desk: &Desk, human: &Human, wrongs: &mut Wrongs) {
    let served = served(town);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let cache = Connection::open_with_flags(desk.folder.join("cache.db"), flags).expect("the cache opens");
    let held = histories(
        &cache,
        "SELECT c.id, m.id, m.inbound FROM message m JOIN conversation c ON c.number = m.conversation
         WHERE c.channel = 'chat' ORDER BY c.id, m.sort_at, m.id",
    );
    same_histories(town, desk, &served, &held, wrongs);
    unread(&cache, desk, &served, wrongs);
    for what in strings(&cache, "SELECT what FROM simulated_wrong") {
        wrongs.add(|| format!("desk {}: {what}", desk.number));
    }
    for conversation in &desk.notices.lock().expect("no one failed").doubled {
        wrongs.add(|| format!("desk {}: {conversation} rang for nothing new", desk.number));
    }
    sent_once(town, desk, human, wrongs).await;
}

fn same_histories(
    town: &Town,
    desk: &Desk,
    served: &BTreeMap<String, Vec<Held>>,
    held: &BTreeMap<String, Vec<Held>>,
    wrongs: &mut Wrongs,
) {
    let notices = desk.notices.lock().expect("no one failed");
    for (conversation, served) in served {
        let empty = Vec::new();
        let held = held.get(conversation).unwrap_or(&empty);
        let ids: BTreeSet<_> = held.iter().map(|held| &held.id).collect();
        if ids.len() < held.len() {
            wrongs.add(|| format!("desk {}: a message is there twice in {conversation}", desk.number));
        }
        let missing: Vec<_> = served.iter().filter(|held| !ids.contains(&held.id)).collect();
        if !missing.is_empty() {
            wrongs.add(|| {
                format!("desk {}: {} missing in {conversation}: {:?}", desk.number, missing.len(), missing[0])
            });
        } else if served != held {
            wrongs.add(|| format!("desk {}: another order in {conversation}", desk.number));
        }
        let silent = served.iter().filter(|held| held.inbound && !notices.has(&held.id));
        let silent: Vec<_> = silent.collect();
        if !silent.is_empty() {
            wrongs.add(|| {
                format!(
                    "desk {}: {} never rang in {conversation}: {:?}",
                    desk.number,
                    silent.len(),
                    silent[0]
                )
            });
        }
    }
    for conversation in held.keys() {
        if !served.contains_key(conversation) && !town.deleted.contains(conversation) {
            wrongs.add(|| format!("desk {}: nobody knows of {conversation}", desk.number));
        }
    }
}

/// Compares unread counts with those computed from the service's data.
fn unread(cache: &Connection, desk: &Desk, served: &BTreeMap<String, Vec<Held>>, wrongs: &mut Wrongs) {
    let mut statement = cache
        .prepare("SELECT id, unread, seen_id FROM conversation WHERE channel = 'chat'")
        .expect("prepared");
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?, row.get::<_, Option<String>>(2)?))
    });
    for row in rows.expect("rows") {
        let (conversation, unread, seen) = row.expect("a row");
        let Some(history) = served.get(&conversation) else { continue };
        // Without a seen position, nothing before the last answer is unread.
        let looked = match &seen {
            Some(seen) => history.iter().position(|held| held.id == *seen),
            None => history.iter().rposition(|held| !held.inbound),
        };
        let after = looked.map_or(0, |at| at + 1);
        let right = history[after..].iter().filter(|held| held.inbound).count().min(999);
        if u32::try_from(right) != Ok(unread) {
            wrongs.add(|| format!("desk {}: {unread} unread in {conversation}, not {right}", desk.number));
        }
    }
}

/// Every written text arrived once, unless it waits, was dropped, or sent again by a decision.
async fn sent_once(town: &Town, desk: &Desk, human: &Human, wrongs: &mut Wrongs) {
    let mut arrived: BTreeMap<String, u32> = BTreeMap::new();
    let reached = strings(town.sql(), "SELECT content FROM outbound");
    for content in reached.into_iter().chain(town.reached_before.iter().cloned()) {
        *arrived.entry(content).or_default() += 1;
    }
    let rows = desk.store().lane_rows(desk.channel()).await.expect("rows");
    let waiting: BTreeSet<String> = rows
        .into_iter()
        .filter_map(|row| match row.row.operation {
            frontdesk::model::outbox::Operation::SendText { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    for (text, resent) in human.written.iter().chain(&human.dropped) {
        let count = arrived.get(text).copied().unwrap_or(0);
        let done = human.written.contains_key(text) && !waiting.contains(text);
        if done && count == 0 {
            wrongs.add(|| format!("desk {}: {text:?} was lost", desk.number));
        }
        if count > 1 + resent {
            wrongs.add(|| format!("desk {}: {text:?} arrived {count} times", desk.number));
        }
    }
}

/// Every message that was sent was paid once.
pub fn books(town: &Town, wrongs: &mut Wrongs) {
    let sql = town.sql();
    let number =
        |query: &str| sql.query_row(query, [], |row| row.get::<_, Option<i64>>(0)).expect("a number");
    let (sum, balance) = (number("SELECT sum(amount) FROM ledger"), number("SELECT balance FROM workspaces"));
    if sum != balance {
        wrongs.add(|| format!("the ledger adds up to {sum:?}, the balance is {balance:?}"));
    }
    let doubled = strings(sql, "SELECT reference FROM ledger GROUP BY reference HAVING count(*) > 1");
    for reference in doubled {
        wrongs.add(|| format!("{reference} was paid twice"));
    }
}

fn served(town: &Town) -> BTreeMap<String, Vec<Held>> {
    histories(
        town.sql(),
        "SELECT conversation, id, direction = 'inbound' FROM messages WHERE channel = 'ch_whatsapp'
         ORDER BY conversation, created_at, id",
    )
}

fn histories(connection: &Connection, sql: &str) -> BTreeMap<String, Vec<Held>> {
    let mut histories: BTreeMap<String, Vec<Held>> = BTreeMap::new();
    let mut statement = connection.prepare(sql).expect("prepared");
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, String>(0)?, Held { id: row.get(1)?, inbound: row.get(2)? })));
    for row in rows.expect("rows") {
        let (conversation, held) = row.expect("a row");
        histories.entry(conversation).or_default().push(held);
    }
    histories
}

fn strings(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).expect("prepared");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a word")).collect()
}

pub fn count(folder: &Path) -> u64 {
    let connection = Connection::open(folder.join("cache.db")).expect("the cache opens");
    let count = connection.query_row("SELECT count(*) FROM message", [], |row| row.get::<_, u32>(0));
    u64::from(count.expect("a number"))
}

/// Number of messages deleted from a desk's file on purpose.
pub fn lost(folder: &Path) -> u64 {
    let connection = Connection::open(folder.join("cache.db")).expect("the cache opens");
    let count = connection.query_row("SELECT count(*) FROM simulated_loss", [], |row| row.get::<_, u32>(0));
    count.map_or(0, u64::from)
}

/// Contents of a desk's files that depend on the seed, for the trace.
pub fn contents(folder: &Path) -> Vec<String> {
    let cache = Connection::open(folder.join("cache.db")).expect("the cache opens");
    let mut all = strings(
        &cache,
        "SELECT id || ' ' || conversation || ' ' || sort_at || ' ' || delivery || ' ' || content FROM message
         ORDER BY conversation, sort_at, id",
    );
    let outbox = Connection::open(folder.join("outbox.db")).expect("the outbox opens");
    all.extend(strings(&outbox, "SELECT row || ' ' || event FROM audit ORDER BY number"));
    all
}
