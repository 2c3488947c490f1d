//! Detects an outbox that was restored from an older copy.
//!
//! The outbox has an id and a generation, which grows with every row that is queued, sent or given
//! up. The cache and a mark file outside both files keep the highest generation seen; they are
//! written before the bytes of a row leave. An outbox is an older copy if
//!
//! - it opens with a lower generation than the cache or the mark file has;
//! - the mark file is itself a copy, as then everything in its folder is;
//! - the server answers the first attempt of a row that existed at the start with a stored answer:
//!   the state of the whole machine was restored, including all marks.
//!
//! Its rows may have been sent since. They stop with an unknown outcome, are searched for in the
//! server's history, and are never sent automatically. Running campaigns are paused.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::mark_file::MarkFile;
use crate::writer::WriterThread;
use crate::{Cache, Store, StoreError};
use model::ids::RowId;
use model::outbox::StopReason;
use sqlite::Queries;

const RESTORED_REASON: &str =
    "the outbox was restored from an older copy: it may have been sent or given up since";
const RESTORED_CAMPAIGN_REASON: &str =
    "the outbox was restored from an older copy: further waves may have been sent since";

/// Id and generation of an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutboxMark {
    id: String,
    generation: i64,
}

impl OutboxMark {
    pub(crate) fn load(outbox: &Connection) -> Result<Option<Self>, StoreError> {
        Ok(outbox.first("SELECT id, generation FROM identity", [], |row| {
            Ok(Self { id: row.get("id")?, generation: row.get("generation")? })
        })?)
    }

    /// Stores the mark in the cache unless a newer one is there.
    fn store(&self, cache: &Connection) -> Result<(), StoreError> {
        cache.execute(
            "INSERT INTO outbox_mark (id, generation) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET generation = excluded.generation
                 WHERE excluded.generation > generation",
            params![self.id, self.generation],
        )?;
        Ok(())
    }

    fn store_in_file(&self, file: &MarkFile) {
        let kept = file.store(&self.id, self.generation);
        // Without the mark a restored copy of both files may go unnoticed.
        drop(kept.inspect_err(|error| tracing::warn!(%error, "the mark of the outbox could not be written")));
    }
}

impl Store {
    /// Stores the mark in both places, before bytes of a row leave.
    pub(crate) async fn store_mark(&self, mark: OutboxMark) {
        mark.store_in_file(&self.0.mark_file);
        let kept = self.cache().call_async(move |cache| mark.store(&cache.connection)).await;
        // Without the mark a restored copy may go unnoticed.
        drop(
            kept.inspect_err(|error| tracing::warn!(%error, "the state of the outbox could not be recorded")),
        );
    }
}

impl Store {
    /// Marks the other rows that existed at the start as unknown, because the server answered the
    /// first attempt of `row` with a stored answer. Ignores rows of scripts, which may reuse a key
    /// on purpose. Returns the number of rows marked.
    pub async fn mark_other_rows_unknown(&self, row: &RowId) -> Result<usize, StoreError> {
        let (row, last) = (row.clone(), self.0.newest_at_start);
        self.outbox()
            .call_async(move |outbox| {
                let change = outbox.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let is_of_script = "SELECT EXISTS (SELECT 1 FROM script_key WHERE row = ?1)";
                if change.scalar(is_of_script, [&row])? {
                    return Ok(0);
                }
                let doubtful = mark_rows_unknown(&change, last, Some(&row))?;
                change.commit()?;
                Ok(doubtful)
            })
            .await
    }
}

/// Stores the mark in the mark file and, in the background, in the cache, if it changed.
pub(crate) fn store_mark_later(
    outbox: &Connection,
    kept: &mut Option<OutboxMark>,
    cache: &WriterThread<Cache>,
    file: &MarkFile,
) -> Result<(), StoreError> {
    let Some(mark) = OutboxMark::load(outbox)?.filter(|mark| kept.as_ref() != Some(mark)) else {
        return Ok(());
    };
    mark.store_in_file(file);
    *kept = Some(mark.clone());
    cache.run_in_background(move |cache| mark.store(&cache.connection))
}

/// Marks rows as unknown if the outbox is an older copy. Returns their number; `None` if it is not
/// older, or if the mark file is a copy but no row is affected.
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
        mark.store_in_file(file);
    }
    Ok(doubtful)
}

/// Marks all rows as unknown unless another process has just done so.
fn mark_rows_uncertain(outbox: &mut Connection, known: i64) -> Result<Option<usize>, StoreError> {
    let change = outbox.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if OutboxMark::load(&change)?.is_none_or(|mark| mark.generation >= known) {
        return Ok(None);
    }
    tracing::warn!("the outbox was restored from an older copy");
    let doubtful = mark_rows_unknown(&change, i64::MAX, None)?;
    // Makes this outbox the newest.
    change.execute("UPDATE identity SET generation = ?1", [known + 1])?;
    change.commit()?;
    Ok(Some(doubtful))
}

/// Stops rows up to sequence `last` as unknown, except one, and pauses campaigns.
fn mark_rows_unknown(change: &Connection, last: i64, except: Option<&RowId>) -> Result<usize, StoreError> {
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

/// Returns the sequence number of the newest row.
pub(crate) fn newest_row(outbox: &Connection) -> Result<i64, StoreError> {
    Ok(outbox.scalar("SELECT coalesce(max(sequence), 0) FROM outbox", [])?)
}
