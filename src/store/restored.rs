//! Notices an outbox that was brought back from an older copy.
//!
//! The outbox has an id and a generation, which grows with everything that may
//! leave, leaves or is given up. The cache keeps the highest generation seen of
//! each id; it is written before the bytes of a row leave. An outbox that opens
//! with less is an older copy: its rows may have been sent since. They wait for
//! a person as unknown, are looked for in the server's history like other
//! unknown rows, and never leave by themselves. Broadcasts in waves that go on
//! in the copy are paused.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::writer::WriterThread;
use crate::{Cache, Store, StoreError};
use model::outbox::Stop;
use sqlite::Queries;

/// Words of a row that may have been sent before the outbox was brought back.
const RESTORED: &str =
    "the outbox was brought back from an older copy: it may have been sent or given up since";
/// Words of a broadcast that was going on in the copy.
const RESTORED_CAMPAIGN: &str =
    "the outbox was brought back from an older copy: further waves may have been sent since";

/// The state of an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutboxMark {
    id: String,
    generation: i64,
}

impl OutboxMark {
    /// Reads the state of the outbox that is open.
    pub(crate) fn of(outbox: &Connection) -> Result<Option<Self>, StoreError> {
        Ok(outbox.first("SELECT id, generation FROM identity", [], |row| {
            Ok(Self { id: row.get("id")?, generation: row.get("generation")? })
        })?)
    }

    /// Keeps it in the cache, unless a newer one is there.
    fn keep(&self, cache: &Connection) -> Result<(), StoreError> {
        cache.execute(
            "INSERT INTO outbox_mark (id, generation) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET generation = excluded.generation
                 WHERE excluded.generation > generation",
            params![self.id, self.generation],
        )?;
        Ok(())
    }
}

impl Store {
    /// Keeps the state of the outbox before bytes of it leave.
    pub(crate) async fn keep_mark(&self, mark: OutboxMark) {
        let kept = self.cache().later(move |cache| mark.keep(&cache.connection)).await;
        // Without it an older copy may go unnoticed.
        drop(kept.inspect_err(|error| tracing::warn!(%error, "the state of the outbox could not be noted")));
    }
}

/// Has the state of the outbox kept in the cache, if it changed since it was
/// last.
pub(crate) fn keep_mark_later(
    outbox: &Connection,
    kept: &mut Option<OutboxMark>,
    cache: &WriterThread<Cache>,
) -> Result<(), StoreError> {
    let Some(mark) = OutboxMark::of(outbox)?.filter(|mark| kept.as_ref() != Some(mark)) else {
        return Ok(());
    };
    *kept = Some(mark.clone());
    cache.post(move |cache| mark.keep(&cache.connection))
}

/// Marks what may have been sent as unknown if the outbox is older than the
/// state that the cache knows of it. Returns the number of rows;
/// `None` if it is not older.
pub(crate) fn mark_doubtful(
    outbox: &mut Connection,
    cache: &Connection,
) -> Result<Option<usize>, StoreError> {
    let Some(found) = OutboxMark::of(outbox)? else { return Ok(None) };
    let known: Option<i64> =
        cache.first("SELECT generation FROM outbox_mark WHERE id = ?1", [&found.id], sqlite::only)?;
    match known {
        Some(known) if known > found.generation => mark_older(outbox, known),
        _ => Ok(None),
    }
}

/// Marks all that may have been sent, unless another process has just done so.
fn mark_older(outbox: &mut Connection, known: i64) -> Result<Option<usize>, StoreError> {
    let change = outbox.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if OutboxMark::of(&change)?.is_none_or(|mark| mark.generation >= known) {
        return Ok(None);
    }
    tracing::warn!("the outbox was brought back from an older copy");
    let doubtful = change.execute(
        "UPDATE outbox SET state = 'stopped', stop = ?1, why = ?2, fence = fence + 1,
             attempts = max(attempts, 1), first_attempt_at = coalesce(first_attempt_at, created_at),
             last_attempt_at = coalesce(last_attempt_at, created_at),
             attempted_as = coalesce(attempted_as, written_as), offered_account = NULL
         WHERE state <> 'stopped' OR stop NOT IN (?1, ?3, ?4)",
        params![Stop::Unknown.word(), RESTORED, Stop::Expired.word(), Stop::Ask.word()],
    )?;
    change.execute(
        "UPDATE campaign SET phase = 'paused', cause = NULL, why = ?1 WHERE phase = 'running'",
        [RESTORED_CAMPAIGN],
    )?;
    // From here on it is the newest.
    change.execute("UPDATE identity SET generation = ?1", [known + 1])?;
    change.commit()?;
    Ok(Some(doubtful))
}
