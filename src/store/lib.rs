//! Local storage of a data folder: the outbox, which cannot be restored from anywhere, and the
//! cache, which can be read from the server again.
//!
//! Each file has one writer thread. Synchronous calls block until the commit; `async` calls
//! complete after it. Readers have their own connections and never wait for a writer.

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
mod history_events;
mod idempotency_support;
pub mod inspect;
pub mod lane;
mod latest;
pub mod leases;
pub mod local;
mod mark_file;
pub mod messages;
pub mod meta;
pub mod model_usage;
pub mod notes;
pub mod outbox;
pub mod pauses;
pub mod people;
mod phone_entries;
pub mod presence;
pub mod processes;
pub mod proposals;
mod queue;
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
pub mod suggestions;
pub mod team;
mod team_replies;
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

/// Maximum number of remembered local writes; enough for answers that arrive within any time-out.
const MAX_LOCAL_WRITES: usize = 1000;
const MAX_APPLIED_READS: usize = 5000;

/// Handle of both files of a data folder. Cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<StoreState>);

struct StoreState {
    paths: Paths,
    outbox: WriterThread<Connection>,
    cache: Arc<WriterThread<Cache>>,
    /// Number of times the cache was reopened because its file was deleted, moved or replaced.
    reopened_caches: Arc<AtomicU64>,
    /// Rows that may have been sent before the outbox was restored from an older copy.
    restored: Option<usize>,
    /// Sequence number of the newest row when the outbox was opened.
    newest_at_start: i64,
    /// Newest generation of the outbox, kept outside both files.
    mark_file: MarkFile,
    /// Orders snapshots and local writes; see [`Snapshot`].
    counter: Arc<AtomicU64>,
    rebuilt: bool,
    /// True if the start corrected a count in the cache or detected a restored outbox.
    repaired: bool,
    chance: Chance,
    /// Name of this desk for other processes on the folder.
    owner: String,
    zone: Zone,
    drafts: drafts::DraftTexts,
    /// Shared lock of the folder.
    _lock: File,
}

#[derive(Debug, Clone)]
pub struct StoreOptions {
    pub chance: Chance,
    pub durability: StoreDurability,
    /// Name of this desk's agent, recorded with AI pauses it makes; claims under it are this desk's
    /// own. Empty in processes that act for nobody.
    pub owner: String,
    /// Time zone for daily spending and for times in transcripts.
    pub zone: Zone,
    /// Folder of the cache; defaults to the folder of the outbox.
    pub cache: Option<PathBuf>,
    /// Folder of the mark file, which reveals an older copy of the outbox; defaults to the folder
    /// of the outbox.
    pub marks: Option<PathBuf>,
    pub clock: StoreClock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreDurability {
    /// The outbox survives a power loss, the cache the end of the process.
    Full,
    /// Nothing survives a power loss; for simulations only, which do not wait for the disk.
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

pub(crate) struct Cache {
    pub connection: Connection,
    /// Snapshot number of this process's last write per conversation.
    local_writes: LatestMoments,
    /// Snapshot number of the newest applied read per conversation.
    applied_reads: LatestMoments,
    counter: Arc<AtomicU64>,
    /// Removes deleted content from the bytes of the files.
    pub(crate) wiping: Wiping,
}

/// Moment taken before a read request leaves and passed in with its answer, so that an answer that
/// was in flight while this desk changed the conversation does not undo that change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot(u64);

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Store").field(&self.0.paths).finish()
    }
}

impl Store {
    /// Opens or creates both files of a folder. Rows that were `sending` turn `uncertain`.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, StoreOptions::default())
    }

    /// As [`Self::open`], with options.
    pub fn open_with(folder: &Path, setup: StoreOptions) -> Result<Self, StoreError> {
        let paths = Paths::prepare(folder, setup.cache.as_deref())?;
        let mut outbox = files::open_outbox(&paths, setup.durability, &setup.clock)?;
        // No other process uses the folder, so every `sending` row was interrupted.
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
        let mended = queue::prepare(&mut connection, &setup.owner).inspect_err(|error| {
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
            // Skips idle work after a job that wrote nothing.
            let more = done_at != Some(cache.connection.total_changes()) && {
                let more = search::add_slice(&mut cache.connection)?;
                trouble::score_batch(&mut cache.connection)? || more
            };
            done_at = Some(cache.connection.total_changes()).filter(|_| !more);
            Ok(cache.wiping.run_slice(&cache.connection)? || more)
        })?);
        let (mut marked, mark_in, in_file) = (None, cache.clone(), mark_file.clone());
        let copies_in = cache.clone();
        let outbox = OpenFile::new(outbox, outbox_file, None).with_after_job(Box::new(move |outbox| {
            let changed = queue::take_changed(outbox)?;
            if changed.is_empty() {
                return Ok(());
            }
            copies_in.call(move |cache| queue::refresh_changed(cache, &changed))
        }));
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

    pub fn zone(&self) -> &Zone {
        &self.0.zone
    }

    /// Opens both files read-only as they are, for a first frame without locks, checks or writes.
    /// Returns `None` if opening the store would change the content: new files, another version, or
    /// interrupted rows.
    pub fn peek(folder: &Path, setup: &StoreOptions) -> Option<Reader> {
        let paths = Paths::for_folder(folder, setup.cache.as_deref());
        let connection = files::open_as_is(&paths)?;
        let reader = Reader::new(connection, &setup.zone, drafts::DraftTexts::default()).ok()?;
        Some(reader.with_paths(paths))
    }

    /// True if opening the files changed what [`Self::peek`] read.
    pub fn was_repaired(&self) -> bool {
        self.0.rebuilt || self.0.repaired
    }

    /// Opens a read connection for one thread.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers().open()
    }

    /// Returns a source of read connections that are opened on demand.
    pub fn readers(&self) -> ReaderSource {
        ReaderSource {
            paths: self.0.paths.clone(),
            zone: self.zone().clone(),
            drafts: self.draft_texts().clone(),
        }
    }

    /// Keeps using the connection of [`Self::peek`] with its prepared statements; opens a new one
    /// if opening the files changed them.
    pub fn adopt(&self, reader: Reader) -> Result<Reader, StoreError> {
        if self.was_repaired() {
            return self.reader();
        }
        Ok(reader.with_draft_texts(self.draft_texts().clone()))
    }

    /// Watches both files for writes by any process, including this one. Returns `None` if the
    /// system cannot watch files.
    pub fn watch(&self) -> Option<FileWatch> {
        let watch = FileWatch::new(&[&self.0.paths.cache, &self.0.paths.outbox]);
        watch
            .inspect_err(|error| {
                tracing::info!(%error, "file changes cannot be watched; the files are checked instead")
            })
            .ok()
    }

    /// True if the cache was unusable and was recreated.
    pub fn cache_was_rebuilt(&self) -> bool {
        self.0.rebuilt
    }

    /// Returns the path of the outbox if it was deleted, moved or replaced while open; nothing is
    /// stored or sent then.
    pub fn missing_outbox(&self) -> Option<&Path> {
        self.0.outbox.missing_file()
    }

    /// Returns how often the cache was reopened because its file was deleted, moved or replaced.
    /// Its content must be read from the server again.
    pub fn reopened_caches(&self) -> u64 {
        self.0.reopened_caches.load(Ordering::SeqCst)
    }

    /// Describes how many rows may have been sent before the outbox was restored from an older
    /// copy; `None` if it was not. Reported only by the process that detects it.
    pub fn restored(&self) -> Option<String> {
        let rows = self.0.restored?;
        let rows = if rows == 1 { "1 change".to_owned() } else { format!("{rows} changes") };
        Some(format!(
            "the outbox was restored from an older copy: {rows} may have been sent since; decide about each"
        ))
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.0.counter.fetch_add(1, Ordering::SeqCst))
    }

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

/// Returns a function that opens the cache now at its path, or creates it.
fn reopen_cache(paths: Paths, setup: &StoreOptions, reopened: Arc<AtomicU64>) -> Reopen<Cache> {
    let (durability, clock, owner) = (setup.durability, setup.clock.clone(), setup.owner.clone());
    Box::new(move |cache, lost| {
        cache.connection = files::reopen_cache(&paths, lost, durability, &clock)?;
        queue::prepare(&mut cache.connection, &owner)?;
        cache.wiping = Wiping::for_cache(&paths.cache);
        reopened.fetch_add(1, Ordering::SeqCst);
        tracing::warn!(file = %paths.cache.display(), "the cache was deleted or replaced; it is read again");
        Ok(())
    })
}

impl FileOwner for Cache {
    fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

pub struct ReaderSource {
    paths: Paths,
    zone: Zone,
    drafts: drafts::DraftTexts,
}

impl ReaderSource {
    pub fn open(&self) -> Result<Reader, StoreError> {
        let connection = files::open_reader(&self.paths)?;
        let reader = Reader::new(connection, &self.zone, self.drafts.clone())?;
        Ok(reader.with_paths(self.paths.clone()))
    }
}

impl Cache {
    pub(crate) fn record_local_write(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        let now = self.counter.fetch_add(1, Ordering::SeqCst);
        self.local_writes.record(channel, conversation, now);
    }

    pub(crate) fn record_applied(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) {
        self.applied_reads.record(channel, conversation, snapshot.0);
    }

    /// True if a read that was requested later has been applied; answers may arrive out of order.
    pub(crate) fn is_superseded(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) -> bool {
        self.applied_reads.is_after(channel, conversation, snapshot.0)
    }

    /// True if the snapshot was taken before this desk's last change of the conversation.
    pub(crate) fn is_outdated(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        snapshot: Snapshot,
    ) -> bool {
        self.local_writes.is_after(channel, conversation, snapshot.0)
    }
}
