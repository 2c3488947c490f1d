//! Remember: the precious outbox and the cache of what the server told.
//!
//! Two files, one owning thread each. Shell calls block until the commit;
//! sync calls are `async` and end after it. Readers have connections of their
//! own and never wait for a writer.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use disk::{FileStatus, FileWatch};
use model::chance::Chance;
use model::ids::{ChannelId, ConversationId};
use model::time::Zone;

pub mod account;
mod audience;
mod board;
mod broadcast_messages;
mod broadcast_only;
pub mod broadcasts;
pub mod campaigns;
mod changed;
pub mod clock;
mod clock_steps;
pub mod contacts;
pub mod conversations;
pub mod decisions;
pub mod draft_only;
pub mod drafts;
pub(crate) mod email;
mod erasing;
pub mod errors;
mod facts;
mod files;
mod filter;
pub mod history;
mod idempotency_support;
pub mod inspect;
pub mod lane;
mod latest;
pub mod leases;
pub mod local;
pub mod macros;
mod mark_file;
pub mod messages;
pub mod meta;
pub mod model_usage;
pub mod notes;
pub mod outbox;
pub mod pauses;
pub mod people;
pub mod presence;
pub mod processes;
pub mod proposals;
pub mod reader;
pub mod receipts;
pub mod requests;
mod restored;
pub mod reviews;
mod rows;
pub mod script_keys;
mod search;
mod seen;
pub mod sending_account;
mod set_aside;
mod settling;
pub mod since;
pub mod spending;
mod stand_ins;
mod stopped_rows;
pub mod suggestions;
pub mod templates;
#[cfg(test)]
mod tests;
mod tombstones;
pub mod transcript;
mod trouble;
pub mod uploaded_files;
mod uploads;
pub mod waves;
mod wiping;
mod writer;

pub use email::{RuleMatch, ThreadChangeOutcome};
pub use errors::StoreError;
pub use reader::{Interrupt, Reader};
pub use tombstones::ListComparison;

use clock::StoreClock;
use files::Paths;
use latest::LatestMoments;
use mark_file::MarkFile;
use wiping::Wiping;
use writer::{FileOwner, OpenFile, Reopen, WriterThread};

/// Conversations remembered as written here; more would mean answers that
/// take longer than any time-out.
const MAX_LOCAL_WRITES: usize = 1000;
/// The same of readings that were applied.
const MAX_APPLIED_READS: usize = 5000;

/// The two files of one data folder. Cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<StoreState>);

struct StoreState {
    paths: Paths,
    outbox: WriterThread<Connection>,
    cache: Arc<WriterThread<Cache>>,
    /// Counts the caches that were opened in place of one that was deleted,
    /// moved or replaced.
    reopened_caches: Arc<AtomicU64>,
    /// Rows that may have been sent before this outbox was brought back.
    restored: Option<usize>,
    /// Place of the newest row when the outbox was opened.
    newest_at_start: i64,
    /// The newest state of the outbox, outside both files.
    mark_file: MarkFile,
    /// Orders snapshots and local writes; see [`Snapshot`].
    counter: Arc<AtomicU64>,
    rebuilt: bool,
    /// Whether a count in the cache was mended at the start.
    repaired: bool,
    chance: Chance,
    /// How this desk names itself to those who share its folder.
    owner: String,
    zone: Zone,
    /// The drafts as this process knows them.
    drafts: drafts::DraftTexts,
    /// Held while this process lives.
    _lock: File,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Where keys, ids and jitter are drawn from.
    pub chance: Chance,
    pub durability: StoreDurability,
    /// How this desk names itself: pauses of the AI made from here bear it.
    pub owner: String,
    /// The zone whose days what was spent is counted by, and whose clocks
    /// transcripts show.
    pub zone: Zone,
    /// The folder of the cache; beside the outbox if not said.
    pub cache: Option<PathBuf>,
    /// The folder of the mark that tells an older copy of the files; beside the
    /// outbox if not said.
    pub marks: Option<PathBuf>,
    /// What time it is when something changes that is kept.
    pub clock: StoreClock,
}

/// What a commit promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreDurability {
    /// The outbox outlives a loss of power, the cache an end of the process.
    Full,
    /// Nothing outlives a loss of power: for simulations of days, which wait
    /// for no disk. No command offers it.
    Simulated,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            chance: Chance::new(rand::random),
            durability: StoreDurability::Full,
            owner: String::new(),
            zone: Zone::UTC,
            cache: None,
            marks: None,
            clock: StoreClock::default(),
        }
    }
}

/// What the cache's thread owns.
pub(crate) struct Cache {
    pub connection: Connection,
    /// When this process last wrote what a send's answer told of a
    /// conversation, in snapshot numbers.
    local_writes: LatestMoments,
    /// The newest reading of a conversation that was applied, in the same
    /// numbers.
    applied_reads: LatestMoments,
    counter: Arc<AtomicU64>,
    /// What was removed and is to leave the files' bytes.
    pub(crate) wiping: Wiping,
}

/// Taken before a read request leaves, and handed in with what it brought: an
/// answer that was on its way while this desk changed the same conversation
/// does not undo the change on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot(u64);

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Store").field(&self.0.paths).finish()
    }
}

impl Store {
    /// Opens or makes both files in a folder and mends what a crash left:
    /// rows whose bytes may have left become uncertain.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, StoreOptions::default())
    }

    /// The same under a name, or for simulations with other randomness or
    /// without durability.
    pub fn open_with(folder: &Path, setup: StoreOptions) -> Result<Self, StoreError> {
        let paths = Paths::prepare(folder, setup.cache.as_deref())?;
        let mut outbox = files::open_outbox(&paths, setup.durability, &setup.clock)?;
        // Alone here: whatever is marked as leaving was cut off.
        let mut aside = false;
        let lock = paths.enter_folder(|| {
            paths.migrate_cache(folder);
            aside = set_aside::set_damaged_aside(&paths)?;
            lane::recover(&mut outbox, None).map(drop)
        })?;
        let (mut connection, rebuilt) = files::open_cache(&paths, setup.durability, &setup.clock)?;
        let rebuilt = rebuilt || aside;
        let mark_file = MarkFile::new(setup.marks.as_deref().unwrap_or(folder));
        let restored = restored::mark_uncertain(&mut outbox, &connection, &mark_file)?;
        let newest_at_start = restored::newest_row(&outbox)?;
        let mended = stopped_rows::repair_counts(&mut connection).inspect_err(|error| {
            if matches!(error, StoreError::Damaged(_)) {
                set_aside::mark_cache_damaged(&paths.cache);
            }
        })?;
        let counter = Arc::new(AtomicU64::new(1));
        let cache = Cache {
            connection,
            local_writes: LatestMoments::with_capacity(MAX_LOCAL_WRITES),
            applied_reads: LatestMoments::with_capacity(MAX_APPLIED_READS),
            counter: counter.clone(),
            wiping: Wiping::for_cache(&paths.cache),
        };
        let standing = [&paths.outbox, &paths.cache].map(|path| FileStatus::of_database(path));
        let [outbox_file, cache_file] = standing;
        let reopened_caches = Arc::new(AtomicU64::new(0));
        let reopen = reopen_cache(paths.clone(), &setup, reopened_caches.clone());
        let mut done_at = None;
        let cache = OpenFile::new(cache, cache_file, Some(reopen));
        let cache = Arc::new(WriterThread::start("cache", cache, true, move |cache| {
            // A job that only read leaves nothing to be done.
            let more = done_at != Some(cache.connection.total_changes()) && {
                let more = search::add_slice(&mut cache.connection)?;
                trouble::score_batch(&mut cache.connection)? || more
            };
            done_at = Some(cache.connection.total_changes()).filter(|_| !more);
            Ok(cache.wiping.run_slice(&cache.connection)? || more)
        })?);
        let (mut marked, mark_in, in_file) = (None, cache.clone(), mark_file.clone());
        let outbox = OpenFile::new(outbox, outbox_file, None);
        let outbox = WriterThread::start("outbox", outbox, false, move |outbox| {
            restored::store_mark_later(outbox, &mut marked, &mark_in, &in_file)?;
            Ok(false)
        })?;
        Ok(Self(Arc::new(StoreState {
            paths,
            outbox,
            cache,
            reopened_caches,
            restored,
            newest_at_start,
            mark_file,
            counter,
            rebuilt,
            repaired: mended > 0 || restored.is_some(),
            chance: setup.chance,
            owner: setup.owner,
            zone: setup.zone,
            drafts: drafts::DraftTexts::default(),
            _lock: lock,
        })))
    }

    /// The zone of this desk.
    pub fn zone(&self) -> &Zone {
        &self.0.zone
    }

    /// Reads what the files hold before they are opened, for a first frame that
    /// waits for no lock, check or write. None where opening them would change
    /// what is read: new files, another version, rows that were cut off.
    pub fn peek(folder: &Path, setup: &StoreOptions) -> Option<Reader> {
        let paths = Paths::for_folder(folder, setup.cache.as_deref());
        let connection = files::open_as_is(&paths)?;
        let reader = Reader::new(connection, &setup.zone, drafts::DraftTexts::default()).ok()?;
        Some(reader.with_paths(paths))
    }

    /// Whether opening the files changed what [`Self::peek`] read before.
    pub fn was_repaired(&self) -> bool {
        self.0.rebuilt || self.0.repaired
    }

    /// A connection of its own for reading windows, for one thread.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers().open()
    }

    /// Opens connections later, for a thread that may never read.
    pub fn readers(&self) -> ReaderSource {
        ReaderSource {
            paths: self.0.paths.clone(),
            zone: self.zone().clone(),
            drafts: self.draft_texts().clone(),
        }
    }

    /// Goes on with the connection that [`Self::peek`] read with, and with the
    /// questions it knows; with a new one where opening the files changed them.
    pub fn adopt(&self, reader: Reader) -> Result<Reader, StoreError> {
        if self.was_repaired() {
            return self.reader();
        }
        Ok(reader.with_draft_texts(self.draft_texts().clone()))
    }

    /// Tells when a process writes the files, this one too; none where the
    /// system does not tell.
    pub fn watch(&self) -> Option<FileWatch> {
        let watch = FileWatch::new(&[&self.0.paths.cache, &self.0.paths.outbox]);
        watch.inspect_err(|error| tracing::info!(%error, "the files are looked at instead")).ok()
    }

    /// Whether the cache could not be used and was made anew.
    pub fn cache_was_rebuilt(&self) -> bool {
        self.0.rebuilt
    }

    /// Path of the outbox if it was deleted, moved or replaced while it was
    /// open: nothing is kept or sent any more.
    pub fn missing_outbox(&self) -> Option<&Path> {
        self.0.outbox.missing_file()
    }

    /// Counts the caches that were opened anew because the file was deleted,
    /// moved or replaced; all that they held is to be read again.
    pub fn reopened_caches(&self) -> u64 {
        self.0.reopened_caches.load(Ordering::SeqCst)
    }

    /// Says how many rows may have been sent before this outbox was brought back
    /// from an older copy; `None` if it was not. Told by the process that opens
    /// it first.
    pub fn restored(&self) -> Option<String> {
        let rows = self.0.restored?;
        let rows = if rows == 1 { "1 row of it".to_owned() } else { format!("{rows} rows of it") };
        Some(format!(
            "the outbox was brought back from an older copy: {rows} may have been sent since, and wait for a person"
        ))
    }

    /// Marks the moment a read request leaves.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.0.counter.fetch_add(1, Ordering::SeqCst))
    }

    /// Where keys, ids and jitter are drawn from.
    pub fn chance(&self) -> &Chance {
        &self.0.chance
    }

    pub(crate) fn draft_texts(&self) -> &drafts::DraftTexts {
        &self.0.drafts
    }

    pub(crate) fn owner(&self) -> &str {
        &self.0.owner
    }

    pub(crate) fn outbox(&self) -> &WriterThread<Connection> {
        &self.0.outbox
    }

    pub(crate) fn cache(&self) -> &WriterThread<Cache> {
        &self.0.cache
    }
}

/// Opens the cache that is at its path now, or makes one.
fn reopen_cache(paths: Paths, setup: &StoreOptions, reopened: Arc<AtomicU64>) -> Reopen<Cache> {
    let (durability, clock) = (setup.durability, setup.clock.clone());
    Box::new(move |cache, lost| {
        cache.connection = files::reopen_cache(&paths, lost, durability, &clock)?;
        cache.wiping = Wiping::for_cache(&paths.cache);
        reopened.fetch_add(1, Ordering::SeqCst);
        tracing::warn!(file = %paths.cache.display(), "the cache was deleted or replaced; it is read anew");
        Ok(())
    })
}

impl FileOwner for Cache {
    fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// Opens connections to read with; holds none of the files open itself.
pub struct ReaderSource {
    paths: Paths,
    zone: Zone,
    drafts: drafts::DraftTexts,
}

impl ReaderSource {
    /// A connection of its own for reading windows, for one thread.
    pub fn open(&self) -> Result<Reader, StoreError> {
        let connection = files::open_reader(&self.paths)?;
        let reader = Reader::new(connection, &self.zone, self.drafts.clone())?;
        Ok(reader.with_paths(self.paths.clone()))
    }
}

impl Cache {
    /// Notes that this desk changed a conversation just now.
    pub(crate) fn record_local_write(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        let now = self.counter.fetch_add(1, Ordering::SeqCst);
        self.local_writes.record(channel, conversation, now);
    }

    /// Notes that a reading of a conversation was applied.
    pub(crate) fn record_applied(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) {
        self.applied_reads.record(channel, conversation, snapshot.0);
    }

    /// Whether a reading that left later was applied already: answers may
    /// come in another order than they were asked for.
    pub(crate) fn is_superseded(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) -> bool {
        self.applied_reads.is_after(channel, conversation, snapshot.0)
    }

    /// Whether a snapshot was taken before this desk's last change.
    pub(crate) fn is_outdated(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) -> bool {
        self.local_writes.is_after(channel, conversation, snapshot.0)
    }
}
