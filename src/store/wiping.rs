//! Removes deleted content from the bytes of the files: from the search indexes, the journals and a
//! damaged copy that was set aside.
//!
//! Deleted rows are zeroed at once (`secure_delete`). A search index only records which texts are
//! deleted; their words disappear when its segments are merged, in slices while the writer is idle.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::errors::StoreError;
use crate::files::{self, BUSY_TIMEOUT};
use crate::set_aside;
use sqlite::Queries;

const SEARCH_INDEXES: [&str; 3] = ["search", "search_people", "search_list"];
/// Pages merged per slice.
const MERGE_PAGES: i64 = 64;
/// Time a slice waits for readers.
const READER_TIMEOUT: Duration = Duration::from_millis(100);

/// Remaining work for one cache; a marker file beside it lets the next start resume.
#[derive(Debug)]
pub(crate) struct Wiping {
    cache: PathBuf,
    next: Option<WipeStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WipeStep {
    Begin(usize),
    Merge(usize),
    Journal,
}

impl Wiping {
    /// Resumes work left by an earlier start.
    pub(crate) fn for_cache(cache: &Path) -> Self {
        let wiping = Self { cache: cache.to_owned(), next: None };
        let next = wiping.marker_path().exists().then_some(WipeStep::Begin(0));
        Self { next, ..wiping }
    }

    /// Call before content is removed.
    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        files::private_file(&self.marker_path())?;
        self.next = Some(WipeStep::Begin(0));
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Runs one slice; returns true if more can be done now.
    pub(crate) fn run_slice(&mut self, connection: &Connection) -> Result<bool, StoreError> {
        let Some(step) = self.next else { return Ok(false) };
        self.next = match step {
            WipeStep::Begin(at) if merge_index(connection, SEARCH_INDEXES[at], -MERGE_PAGES)? => {
                Some(WipeStep::Merge(at))
            }
            WipeStep::Merge(at) if merge_index(connection, SEARCH_INDEXES[at], MERGE_PAGES)? => {
                Some(WipeStep::Merge(at))
            }
            WipeStep::Begin(at) | WipeStep::Merge(at) if at + 1 < SEARCH_INDEXES.len() => {
                Some(WipeStep::Begin(at + 1))
            }
            WipeStep::Begin(_) | WipeStep::Merge(_) => Some(WipeStep::Journal),
            WipeStep::Journal => {
                if !empty_journal(connection)? {
                    // A reader is active; retried after the next job.
                    return Ok(false);
                }
                remove(&set_aside::set_aside_path(&self.cache))?;
                remove(&self.marker_path())?;
                None
            }
        };
        Ok(self.next.is_some())
    }

    fn marker_path(&self) -> PathBuf {
        self.cache.with_extension("db.wiping")
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::Folder { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// Merges segments of an index; a negative number of pages includes all of them. Returns true if
/// there was something to merge.
fn merge_index(connection: &Connection, index: &str, pages: i64) -> Result<bool, StoreError> {
    let changes = || connection.scalar::<i64>("SELECT total_changes()", []);
    let before = changes()?;
    connection.execute(&format!("INSERT INTO {index} ({index}, rank) VALUES ('merge', ?1)"), [pages])?;
    Ok(changes()? - before >= 2)
}

/// Checkpoints and truncates the write-ahead log; returns false if a reader prevented it.
pub(crate) fn empty_journal(connection: &Connection) -> Result<bool, StoreError> {
    connection.busy_timeout(READER_TIMEOUT)?;
    let busy = connection.scalar::<i64>("PRAGMA main.wal_checkpoint(TRUNCATE)", []);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}
