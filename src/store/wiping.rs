//! Taking what was removed out of the bytes of the files too: out of the index
//! of words, out of the journals, and with a damaged copy that was set aside.
//!
//! Deleted rows are zeroed at once (`secure_delete`). The index only notes
//! which texts are gone; their words leave it when its parts are merged, which
//! is done in slices while no one waits for the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::errors::StoreError;
use crate::files::{self, BUSY_TIMEOUT};
use crate::set_aside;
use sqlite::Queries;

/// The indexes, in the order they are merged.
const SEARCH_INDEXES: [&str; 3] = ["search", "search_people", "search_list"];
/// Pages merged at once.
const MERGE_PAGES: i64 = 64;
/// How long a slice waits for those who read.
const READER_TIMEOUT: Duration = Duration::from_millis(100);

/// What is still to be done, of one cache. A file beside it says so to the
/// next start.
#[derive(Debug)]
pub(crate) struct Wiping {
    cache: PathBuf,
    next: Option<WipeStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WipeStep {
    /// Begin to merge this index.
    Begin(usize),
    /// Go on with it.
    Merge(usize),
    /// Empty the journal.
    Journal,
}

impl Wiping {
    /// Of a cache; an earlier start may have left something to do.
    pub(crate) fn for_cache(cache: &Path) -> Self {
        let wiping = Self { cache: cache.to_owned(), next: None };
        let next = wiping.marker_path().exists().then_some(WipeStep::Begin(0));
        Self { next, ..wiping }
    }

    /// Notes that something is removed; before it is.
    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        files::private_file(&self.marker_path())?;
        self.next = Some(WipeStep::Begin(0));
        Ok(())
    }

    /// Whether everything removed is gone.
    #[cfg(test)]
    pub(crate) fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Does one slice; tells whether there is more to do at once.
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
                    // Somebody reads; after the next job it is tried again.
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

/// Merges parts of an index; a negative number of pages begins with all of
/// them. Tells whether there was something to merge.
fn merge_index(connection: &Connection, index: &str, pages: i64) -> Result<bool, StoreError> {
    let changes = || connection.scalar::<i64>("SELECT total_changes()", []);
    let before = changes()?;
    connection.execute(&format!("INSERT INTO {index} ({index}, rank) VALUES ('merge', ?1)"), [pages])?;
    // The command itself counts as one change.
    Ok(changes()? - before >= 2)
}

/// Moves what the journal holds into the file and empties it; tells whether
/// nobody's reading kept it.
pub(crate) fn empty_journal(connection: &Connection) -> Result<bool, StoreError> {
    connection.busy_timeout(READER_TIMEOUT)?;
    let busy = connection.scalar::<i64>("PRAGMA main.wal_checkpoint(TRUNCATE)", []);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}
