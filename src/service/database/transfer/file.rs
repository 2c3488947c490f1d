//! Side of a transfer that is a file.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::database::lock::{self, DatabaseLock};
use crate::database::session::DbSession;
use crate::database::transfer::note::{self, TransferMarker};
use crate::database::transfer::tables::{self, TransferTable};
use crate::database::transfer::{RowVisit, TransferSide};
use crate::database::{DatabaseError, open};
use crate::media::files::MediaFiles;

const PART_BYTES: usize = 256 * 1024;
/// Pages that are copied before they are written out.
const PAGES_PER_STEP: i32 = 4_096;
/// A small cache writes the pages of a copy soon.
const COPY_SETTINGS: &str = "PRAGMA cache_size = -4096";
/// Settings of a target, which holds nothing that a crash could damage: pages are written once and not to a
/// log first. Foreign keys hold at the source, and the copy is compared with it.
const TARGET_SETTINGS: &str = "
    PRAGMA journal_mode = DELETE;
    PRAGMA foreign_keys = OFF;
    PRAGMA cache_size = -131072;
";

/// A file, locked like by a service, in a transaction.
pub struct FileSide {
    connection: Connection,
    media: MediaFiles,
    /// SQL of the dropped indexes.
    indexes: RefCell<Vec<String>>,
    /// `None` for a snapshot.
    lock: Option<DatabaseLock>,
}

/// Reads the transfer marker of a file, which may be in use.
pub fn read_transfer_marker(path: &Path) -> Result<Option<TransferMarker>, DatabaseError> {
    note::read(&open::open_unchecked(path)?)
}

impl FileSide {
    pub fn source(path: &Path) -> Result<Self, DatabaseError> {
        open::open_unchecked(path)?;
        Self::open_for_transfer(path)
    }

    /// Opens a snapshot of a file, which may be in use.
    pub fn snapshot(path: &Path) -> Result<Self, DatabaseError> {
        let connection = open::open_for_inspection(path)?;
        connection.execute_batch("BEGIN")?;
        Self::new(connection, path, None)
    }

    pub fn open_arrived(path: &Path) -> Result<Self, DatabaseError> {
        Self::source(path)
    }

    /// Creates the target file; refuses one that holds data.
    pub fn target(path: &Path, from: &str) -> Result<Self, DatabaseError> {
        let holds_something = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
        if holds_something && note::read(&open::open_traceless(path)?)?.is_none() {
            return Err(DatabaseError::Occupied(path.display().to_string()));
        }
        disk::folder(path.parent().unwrap_or(Path::new("")))?;
        disk::open(path)?;
        let held = lock::acquire(path)?;
        let (connection, fresh) = open::open_migrated(path)?;
        if fresh {
            // The marker keeps an incomplete target from being served.
            let arriving = TransferMarker::Arriving { id: String::new(), place: from.to_owned() };
            note::write(&connection, &arriving)?;
        }
        drop((connection, held));
        let lock = lock::acquire(path)?;
        let (connection, _) = open::open_migrated(path)?;
        connection.execute_batch(TARGET_SETTINGS)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Self::new(connection, path, Some(lock))
    }

    /// Copies all pages of this snapshot, in one transaction of the target.
    pub fn copy_pages_to(&self, target: &mut Self, path: &Path) -> Result<(), DatabaseError> {
        target.connection.execute_batch(&format!("COMMIT; {COPY_SETTINGS}"))?;
        let file = File::open(path)?;
        let backup = Backup::new(&self.connection, &mut target.connection)?;
        loop {
            match backup.step(PAGES_PER_STEP)? {
                StepResult::Done => return Ok(()),
                // Written out now: a service that waits for its own few pages would wait for all of these.
                StepResult::More => file.sync_data()?,
                // The source is read in a transaction, and the target is locked.
                _ => return Err(DatabaseError::Busy),
            }
        }
    }

    /// Closes a copy, which needs no lock file: nobody serves it.
    pub fn close_copy(self, path: &Path) -> Result<(), DatabaseError> {
        let Self { connection, lock, .. } = self;
        drop(connection);
        lock.map_or(Ok(()), |held| Ok(lock::remove(path, held)?))
    }

    /// Checks the pages of a copy, and removes one that is damaged.
    pub fn check_pages(&self) -> Result<(), DatabaseError> {
        open::check_integrity(&self.connection).inspect_err(|_| {
            if let Some(path) = self.connection.path() {
                let _ = std::fs::remove_file(path);
            }
        })
    }

    fn open_for_transfer(path: &Path) -> Result<Self, DatabaseError> {
        let lock = lock::acquire(path)?;
        let (connection, _) = open::open_migrated(path)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Self::new(connection, path, Some(lock))
    }

    fn new(connection: Connection, path: &Path, lock: Option<DatabaseLock>) -> Result<Self, DatabaseError> {
        let (media, indexes) = (MediaFiles::beside_database(path)?, RefCell::default());
        Ok(Self { connection, media, indexes, lock })
    }
}

impl TransferSide for FileSide {
    fn session(&self) -> &dyn DbSession {
        &self.connection
    }

    fn tables(&self) -> Result<Vec<TransferTable>, DatabaseError> {
        tables::file_tables(&self.connection)
    }

    fn visit_rows(&self, table: &TransferTable, visit: &mut RowVisit<'_>) -> Result<(), DatabaseError> {
        self.session().rows(&table.select_from_file(), &[], &mut |row| {
            visit(&row.values()?)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn clear(&self, tables: &[TransferTable]) -> Result<(), DatabaseError> {
        for table in tables.iter().rev() {
            self.connection.execute_batch(&format!("DELETE FROM \"{}\"", table.name))?;
        }
        // Those without SQL belong to a constraint.
        let sql =
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
        let found: Vec<(String, String)> =
            self.session().fetch_all(sql, &[], |row| Ok((row.get("name")?, row.get("sql")?)))?;
        for (name, sql) in found {
            self.connection.execute_batch(&format!("DROP INDEX \"{name}\""))?;
            self.indexes.borrow_mut().push(sql);
        }
        Ok(())
    }

    fn restore_indexes(&self) -> Result<(), DatabaseError> {
        for sql in self.indexes.take() {
            self.connection.execute_batch(&sql)?;
        }
        Ok(())
    }

    fn read_media(&self, id: &str, visit: &mut dyn FnMut(&[u8])) -> Result<bool, DatabaseError> {
        let mut file = match self.media.open(id) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(cause.into()),
        };
        let mut part = vec![0; PART_BYTES];
        loop {
            match file.read(&mut part)? {
                0 => return Ok(true),
                count => visit(&part[..count]),
            }
        }
    }

    fn write_media(&self, id: &str, parts: &[Vec<u8>]) -> Result<(), DatabaseError> {
        if self.media.open(id).is_ok() {
            // Left from an earlier run.
            self.media.remove(id);
        }
        Ok(self.media.store(id, &parts.concat())?)
    }

    /// The lock and the marker suffice.
    fn set_serveable(&self, _: bool) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        Ok(self.connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")?)
    }
}
