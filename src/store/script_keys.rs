//! Idempotency keys given by scripts: a command run again with its key finds the row of the first
//! run instead of queueing another.
//!
//! The key is stored in the transaction that queues the row and becomes the row's own
//! `Idempotency-Key`. Because a server may store a refusal under it, a row queued after one that
//! was certainly not executed gets the key with a run number appended. A key is
//!
//! 1. new: unused, or its row was certainly not executed;
//! 2. known: used for the same change; the command follows that row, or its successor;
//! 3. refused: used for another change, or a person gave up a row that may have been executed.

use rusqlite::{Connection, Transaction, params};

use crate::outbox::NewRow;
use crate::{Store, StoreError, outbox};
use model::ids::{CampaignId, ChannelId, IdempotencyKey, RowId};
use model::outbox::OutboxRow;
use model::text::SafeText;
use model::time::{DAY, Timestamp};
use model::waves::NewCampaign;
use sqlite::{Queries, only_cell, read_row};

/// Age at which the key of a finished change is deleted, in microseconds.
const KEY_LIFETIME: i64 = 30 * DAY;
/// Audit events of rows that were certainly not executed.
const UNSENT_ENDINGS: [&str; 3] = ["given up", "taken back", "replaced by a newer wish"];

/// Key of a script's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptKey {
    pub key: IdempotencyKey,
    /// Fingerprint of the command and its arguments.
    pub fingerprint: String,
    /// Output of the command once it is done, as a JSON object.
    pub answer: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyUse {
    /// Unused, or its change was not executed.
    New,
    Used(KeyedChange),
    /// Used for another change.
    Other,
    /// A person gave up this row, which may have been executed.
    GivenUp(RowId),
}

/// Change already requested with the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedChange {
    pub channel: ChannelId,
    /// Current row of the change, or its campaign.
    pub row: RowId,
    pub answer: String,
}

impl Store {
    /// Returns the state of a key. Blocks.
    pub fn key_use(&self, key: &ScriptKey) -> Result<KeyUse, StoreError> {
        let key = key.clone();
        self.outbox().call(move |connection| key_use(connection, &key))
    }

    /// Queues rows unless the key is in use; the last one gets the key. Blocks.
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

    /// Starts a campaign unless the key is in use. Blocks.
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

/// Assigns a script's key to a row just queued.
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

/// Removes the number of a deleted person from stored answers.
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

pub(crate) fn key_use(connection: &Connection, key: &ScriptKey) -> Result<KeyUse, StoreError> {
    let sql = "SELECT wish, channel, row, answer FROM script_key WHERE key = ?1";
    let found = connection.first(sql, [key.key.as_str()], |row| {
        let known = read_row!(row, KeyedChange { channel, row, answer });
        Ok((row.get::<String>("wish")?, known))
    })?;
    let Some((wish, known)) = found else {
        // A row that merely has this idempotency key is not this change.
        let sql = "SELECT 1 FROM outbox WHERE idempotency_key = ?1";
        let is_taken = connection.first(sql, [key.key.as_str()], only_cell::<i64>)?.is_some();
        return Ok(if is_taken { KeyUse::Other } else { KeyUse::New });
    };
    if wish != key.fingerprint {
        return Ok(KeyUse::Other);
    }
    follow_change(connection, known)
}

fn follow_change(connection: &Connection, mut known: KeyedChange) -> Result<KeyUse, StoreError> {
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
