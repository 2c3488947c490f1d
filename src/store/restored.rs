//! Notices an outbox that was brought back from an older copy.
//!
//! The outbox has an id and a generation, which grows with everything that may
//! leave, leaves or is given up. The cache and a file outside of both keep the
//! highest generation seen; they are written before the bytes of a row leave. An
//! outbox is an older copy if
//!
//! - it opens with less than the cache or the file tells;
//! - the file is a copy itself, as everything in its folder then is;
//! - the server answers the first attempt of a row that was here before with an
//!   answer of earlier: the state of a machine was brought back with all marks.
//!
//! Its rows may have been sent since. They wait for a person as unknown, are
//! looked for in the server's history like other unknown rows, and never leave by
//! themselves. Broadcasts in waves that go on in the copy are paused.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::mark_file::MarkFile;
use crate::writer::WriterThread;
use crate::{Cache, Store, StoreError};
use model::ids::RowId;
use model::outbox::StopReason;
use sqlite::Queries;

/// Words of a row that may have been sent before the outbox was brought back.
const RESTORED_REASON: &str =
    "the outbox was brought back from an older copy: it may have been sent or given up since";
/// Words of a broadcast that was going on in the copy.
const RESTORED_CAMPAIGN_REASON: &str =
    "the outbox was brought back from an older copy: further waves may have been sent since";

/// The state of an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutboxMark {
    id: String,
    generation: i64,
}

impl OutboxMark {
    /// Reads the state of the outbox that is open.
    pub(crate) fn load(outbox: &Connection) -> Result<Option<Self>, StoreError> {
        Ok(outbox.first("SELECT id, generation FROM identity", [], |row| {
            Ok(Self { id: row.get("id")?, generation: row.get("generation")? })
        })?)
    }

    /// Keeps it in the cache, unless a newer one is there.
    fn store(&self, cache: &Connection) -> Result<(), StoreError> {
        cache.execute(
            "INSERT INTO outbox_mark (id, generation) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET generation = excluded.generation
                 WHERE excluded.generation > generation",
            params![self.id, self.generation],
        )?;
        Ok(())
    }

    /// Keeps it outside both files.
    fn keep_in_file(&self, file: &MarkFile) {
        let kept = file.keep(&self.id, self.generation);
        // Without it an older copy of both files may go unnoticed.
        drop(kept.inspect_err(|error| tracing::warn!(%error, "the mark of the outbox could not be written")));
    }
}

impl Store {
    /// Keeps the state of the outbox before bytes of it leave.
    pub(crate) async fn store_mark(&self, mark: OutboxMark) {
        mark.keep_in_file(&self.0.mark_file);
        let kept = self.cache().call_async(move |cache| mark.store(&cache.connection)).await;
        // Without it an older copy may go unnoticed.
        drop(kept.inspect_err(|error| tracing::warn!(%error, "the state of the outbox could not be noted")));
    }
}

impl Store {
    /// Marks the other rows that were here when the files were opened as unknown:
    /// the first attempt of this one was answered with an answer of earlier, so the
    /// files are older than what was sent from them. A script may name its key twice,
    /// which tells nothing.
    pub async fn doubt_rows_beside(&self, row: &RowId) -> Result<usize, StoreError> {
        let (row, last) = (row.clone(), self.0.newest_at_start);
        self.outbox()
            .call_async(move |outbox| {
                let change = outbox.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let is_of_script = "SELECT EXISTS (SELECT 1 FROM script_key WHERE row = ?1)";
                if change.scalar(is_of_script, [&row])? {
                    return Ok(0);
                }
                let doubtful = doubt(&change, last, Some(&row))?;
                change.commit()?;
                Ok(doubtful)
            })
            .await
    }
}

/// Has the state of the outbox kept in the cache, if it changed since it was
/// last.
pub(crate) fn store_mark_later(
    outbox: &Connection,
    kept: &mut Option<OutboxMark>,
    cache: &WriterThread<Cache>,
    file: &MarkFile,
) -> Result<(), StoreError> {
    let Some(mark) = OutboxMark::load(outbox)?.filter(|mark| kept.as_ref() != Some(mark)) else {
        return Ok(());
    };
    mark.keep_in_file(file);
    *kept = Some(mark.clone());
    cache.run_in_background(move |cache| mark.store(&cache.connection))
}

/// Marks what may have been sent as unknown if the outbox is an older copy.
/// Returns the number of rows; `None` if it is not older, or if nothing waits in
/// one that is as new as any mark.
pub(crate) fn mark_uncertain(
    outbox: &mut Connection,
    cache: &Connection,
    file: &MarkFile,
) -> Result<Option<usize>, StoreError> {
    let Some(found) = OutboxMark::load(outbox)? else { return Ok(None) };
    let in_cache: Option<i64> =
        cache.first("SELECT generation FROM outbox_mark WHERE id = ?1", [&found.id], sqlite::only_cell)?;
    let in_file = file.newest(&found.id);
    let newest = in_cache.max(in_file.as_ref().map(|mark| mark.generation));
    let doubtful = match newest {
        Some(newest) if newest > found.generation => mark_rows_uncertain(outbox, newest)?,
        _ if in_file.is_some_and(|mark| mark.is_copy) => {
            mark_rows_uncertain(outbox, found.generation + 1)?.filter(|rows| *rows > 0)
        }
        _ => None,
    };
    if let Some(mark) = OutboxMark::load(outbox)? {
        mark.keep_in_file(file);
    }
    Ok(doubtful)
}

/// Marks all that may have been sent, unless another process has just done so.
fn mark_rows_uncertain(outbox: &mut Connection, known: i64) -> Result<Option<usize>, StoreError> {
    let change = outbox.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if OutboxMark::load(&change)?.is_none_or(|mark| mark.generation >= known) {
        return Ok(None);
    }
    tracing::warn!("the outbox was brought back from an older copy");
    let doubtful = doubt(&change, i64::MAX, None)?;
    // From here on it is the newest.
    change.execute("UPDATE identity SET generation = ?1", [known + 1])?;
    change.commit()?;
    Ok(Some(doubtful))
}

/// Marks rows up to a place in the queue as unknown, except one, and pauses
/// broadcasts in waves.
fn doubt(change: &Connection, last: i64, except: Option<&RowId>) -> Result<usize, StoreError> {
    let doubtful = change.execute(
        "UPDATE outbox SET state = 'stopped', stop = ?1, why = ?2, fence = fence + 1,
             attempts = max(attempts, 1), first_attempt_at = coalesce(first_attempt_at, created_at),
             last_attempt_at = coalesce(last_attempt_at, created_at),
             attempted_as = coalesce(attempted_as, written_as), offered_account = NULL
         WHERE (state <> 'stopped' OR stop NOT IN (?1, ?3, ?4)) AND sequence <= ?5 AND id IS NOT ?6",
        params![
            StopReason::Unknown.word(),
            RESTORED_REASON,
            StopReason::Expired.word(),
            StopReason::KeyUnproven.word(),
            last,
            except
        ],
    )?;
    change.execute(
        "UPDATE campaign SET phase = 'paused', cause = NULL, why = ?1 WHERE phase = 'running'",
        [RESTORED_CAMPAIGN_REASON],
    )?;
    Ok(doubtful)
}

/// Returns the place of the newest row.
pub(crate) fn newest_row(outbox: &Connection) -> Result<i64, StoreError> {
    Ok(outbox.scalar("SELECT coalesce(max(sequence), 0) FROM outbox", [])?)
}
