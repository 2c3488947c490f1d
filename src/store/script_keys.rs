//! Idempotency keys of scripts: one names a change, so that a command that is
//! run again finds the row of the first run instead of queueing another.
//!
//! The key is written in the transaction that queues the row, and is the row's
//! own `Idempotency-Key`. A server may keep a refusal under it, so a row that is
//! queued after one that certainly was not done gets the key with a number. A run
//! with it is
//!
//! 1. new: nothing has it, or what had it certainly was not done;
//! 2. known: it asks for the same, and follows the row, or the row that a
//!    person sent in its place;
//! 3. refused: it asks for something else, or a person gave the row up while it
//!    may have been done.

use rusqlite::{Connection, Transaction, params};

use crate::outbox::NewRow;
use crate::{Store, StoreError, outbox};
use model::ids::{CampaignId, ChannelId, IdempotencyKey, RowId};
use model::outbox::OutboxRow;
use model::text::SafeText;
use model::time::{DAY, Timestamp};
use model::waves::NewCampaign;
use sqlite::{Queries, only_cell, read_row};

/// Microseconds after which a key of something that is over is forgotten.
const KEY_LIFETIME: i64 = 30 * DAY;
/// Endings of rows of which no byte left, or that the server refused.
const UNSENT_ENDINGS: [&str; 3] = ["given up", "taken back", "replaced by a newer wish"];

/// A change that a script names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptKey {
    pub key: IdempotencyKey,
    /// Print of the command and of all that it is asked to do.
    pub fingerprint: String,
    /// Answer of the command once it is done, as a JSON object.
    pub answer: String,
}

/// How far the change of a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyUse {
    /// Nothing has it, or what had it was not done.
    New,
    Used(KeyedChange),
    /// Something else was asked for under it.
    Other,
    /// A person gave this row up, which may have been done.
    GivenUp(RowId),
}

/// A change that was asked for before under its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedChange {
    pub channel: ChannelId,
    /// The row that stands for it now, or the broadcast in waves.
    pub row: RowId,
    pub answer: String,
}

impl Store {
    /// Returns how far the change of a key is. Blocks.
    ///
    /// # Errors
    /// When the database fails.
    pub fn key_use(&self, key: &ScriptKey) -> Result<KeyUse, StoreError> {
        let key = key.clone();
        self.outbox().call(move |connection| key_use(connection, &key))
    }

    /// Queues rows under a key, which the last of them gets, unless it is in
    /// use. Blocks.
    ///
    /// # Errors
    /// When the database fails; then nothing was queued.
    pub fn enqueue_with_key(
        &self,
        rows: Vec<NewRow>,
        key: &ScriptKey,
        now: Timestamp,
    ) -> Result<Result<Vec<OutboxRow>, KeyUse>, StoreError> {
        let (key, chance) = (key.clone(), self.chance().clone());
        self.outbox().change(move |change| {
            let before = key_use(change, &key)?;
            if before != KeyUse::New {
                return Ok(Err(before));
            }
            let mut queued = Vec::with_capacity(rows.len());
            for row in rows {
                queued.push(outbox::queue(change, row, now, &chance)?);
            }
            if let Some(last) = queued.last_mut() {
                assign_key(change, last, &key, now)?;
            }
            Ok(Ok(queued))
        })
    }

    /// Begins a broadcast in waves under a key, unless it is in use. Blocks.
    ///
    /// # Errors
    /// When the database fails; then nothing was begun.
    pub fn start_campaign_with_key(
        &self,
        new: NewCampaign,
        quality: Option<SafeText>,
        key: &ScriptKey,
        now: Timestamp,
    ) -> Result<Result<CampaignId, KeyUse>, StoreError> {
        let id = CampaignId::new(outbox::new_row_id(now, self.chance()).as_str());
        let key = key.clone();
        self.outbox().change(move |change| {
            let before = key_use(change, &key)?;
            if before != KeyUse::New {
                return Ok(Err(before));
            }
            crate::campaigns::insert(change, &id, &new, quality.as_ref(), now)?;
            insert_key(change, &key, &new.channel, id.as_str(), now)?;
            Ok(Ok(id))
        })
    }
}

/// Gives a row that was just queued the key of a script.
pub(crate) fn assign_key(
    change: &Transaction<'_>,
    row: &mut OutboxRow,
    key: &ScriptKey,
    now: Timestamp,
) -> Result<(), StoreError> {
    insert_key(change, key, &row.channel, row.id.as_str(), now)?;
    let sql = "SELECT runs FROM script_key WHERE key = ?1";
    let runs: i64 = change.first(sql, [key.key.as_str()], only_cell)?.unwrap_or(1);
    if runs == 1 {
        row.key = key.key.clone();
    } else {
        row.key = IdempotencyKey::new(format!("{}.{runs}", key.key));
    }
    change.execute("UPDATE outbox SET idempotency_key = ?2 WHERE id = ?1", params![row.id, row.key])?;
    Ok(())
}

fn insert_key(
    change: &Connection,
    key: &ScriptKey,
    channel: &ChannelId,
    row: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    change.execute(
        "DELETE FROM script_key WHERE created_at < ?1
             AND NOT EXISTS (SELECT 1 FROM outbox WHERE id = script_key.row)",
        [now.plus(-KEY_LIFETIME)],
    )?;
    change.execute(
        "INSERT INTO script_key (key, wish, channel, row, answer, runs, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)
         ON CONFLICT DO UPDATE SET wish = excluded.wish, channel = excluded.channel, row = excluded.row,
             answer = excluded.answer, runs = runs + 1, created_at = excluded.created_at",
        params![key.key, key.fingerprint, channel, row, key.answer, now],
    )?;
    Ok(())
}

/// Takes the number of a deleted person out of what commands said.
pub(crate) fn remove_number(
    connection: &Connection,
    channel: &ChannelId,
    number: &str,
) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE script_key SET answer = replace(answer, ?2, '') WHERE channel = ?1 AND instr(answer, ?2) > 0",
        params![channel, number],
    )?;
    Ok(())
}

/// Returns how far the change of a key is.
pub(crate) fn key_use(connection: &Connection, key: &ScriptKey) -> Result<KeyUse, StoreError> {
    let sql = "SELECT wish, channel, row, answer FROM script_key WHERE key = ?1";
    let found = connection.first(sql, [key.key.as_str()], |row| {
        let known = read_row!(row, KeyedChange { channel, row, answer });
        Ok((row.get::<String>("wish")?, known))
    })?;
    let Some((wish, known)) = found else {
        // A row of another key is not taken for this change.
        let sql = "SELECT 1 FROM outbox WHERE idempotency_key = ?1";
        let is_taken = connection.first(sql, [key.key.as_str()], only_cell::<i64>)?.is_some();
        return Ok(if is_taken { KeyUse::Other } else { KeyUse::New });
    };
    if wish != key.fingerprint {
        return Ok(KeyUse::Other);
    }
    follow_change(connection, known)
}

/// Follows a change to the row that stands for it now.
fn follow_change(connection: &Connection, mut known: KeyedChange) -> Result<KeyUse, StoreError> {
    // A person may have sent it again more than once.
    loop {
        let sql = "SELECT 1 FROM outbox WHERE id = ?1 UNION ALL SELECT 1 FROM campaign WHERE id = ?1";
        if connection.first(sql, [known.row.as_str()], only_cell::<i64>)?.is_some() {
            return Ok(KeyUse::Used(known));
        }
        let ending = outbox::ending(connection, &known.row)?;
        let ending = ending.as_deref();
        if ending == Some("done") {
            return Ok(KeyUse::Used(known));
        }
        let sql =
            "SELECT successor FROM decision WHERE row = ?1 AND successor <> row ORDER BY number DESC LIMIT 1";
        if let Some(heir) = connection.first(sql, [known.row.as_str()], only_cell::<RowId>)? {
            known.row = heir;
            continue;
        }
        let is_not_done = ending.is_some_and(|ending| UNSENT_ENDINGS.contains(&ending));
        if is_not_done || outbox::refusal(connection, &known.row)?.is_some() {
            return Ok(KeyUse::New);
        }
        return Ok(KeyUse::GivenUp(known.row));
    }
}
