//! Sessions on SQLite: one connection with cached prepared statements.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, Statement, ToSql, params_from_iter};

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, RowCells, SqlValue};
use crate::database::session::{DbSession, Obstacle, Visit, WriteScope, WritingConnection};
use crate::database::transfer::note;
use disk::FileStatus;
use sqlite::{Queries, has_distinct_columns};

const MAX_JOBS_PER_TRANSACTION: usize = 256;
/// Time for which a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that an attempt to remove erased data from the log waits for readers, while writes wait for it.
const WIPE_PATIENCE: Duration = Duration::from_millis(250);
/// Pause after such an attempt has failed, as during a backup, which reads for longer.
const WIPE_INTERVAL: Duration = Duration::from_secs(2);
/// Size above which the log is truncated, in bytes.
const MAX_WAL_BYTES: u64 = 4 * 1024 * 1024;

impl From<rusqlite::Error> for DatabaseError {
    fn from(cause: rusqlite::Error) -> Self {
        match cause.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => {
                Self::Corrupt(cause.to_string())
            }
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full(cause.to_string()),
            _ => Self::Sql(cause.to_string()),
        }
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl RowCells for Row<'_> {
    fn count(&self) -> usize {
        statement(self).column_count()
    }

    fn name(&self, place: usize) -> &str {
        statement(self).column_name(place).unwrap_or_default()
    }

    fn value(&self, place: usize) -> Result<SqlValue<'_>, DatabaseError> {
        Ok(match self.get_ref(place)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(number) => SqlValue::Int(number),
            ValueRef::Blob(bytes) => SqlValue::Bytes(bytes),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text);
                SqlValue::Text(text.map_err(|cause| DatabaseError::Sql(cause.to_string()))?)
            }
            ValueRef::Real(_) => return Err(DatabaseError::Sql("a cell holds a fraction".to_owned())),
        })
    }
}

fn statement<'a>(row: &'a Row<'_>) -> &'a Statement<'a> {
    row.as_ref()
}

impl DbSession for Connection {
    fn rows(&self, sql: &str, bound: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError> {
        let mut statement = self.prepare_cached(sql)?;
        debug_assert!(has_distinct_columns(&statement), "two columns of one name: {sql}");
        let mut rows = statement.query(params_from_iter(bound))?;
        while let Some(row) = rows.next()? {
            if visit(&DbRow::of(row))? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    fn change(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        let changed = self.prepare_cached(sql)?.execute(params_from_iter(bound))?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }

    fn begin_savepoint(&self) -> Result<(), DatabaseError> {
        self.change("SAVEPOINT part", &[]).map(drop)
    }

    fn release_savepoint(&self) -> Result<(), DatabaseError> {
        self.change("RELEASE part", &[]).map(drop)
    }

    fn roll_back_savepoint(&self) -> Result<(), DatabaseError> {
        self.change("ROLLBACK TO part", &[])?;
        self.release_savepoint()
    }
}

/// Write connection of a file, and the identity of the file when it was opened.
pub struct FileWriter {
    connection: Connection,
    file_status: FileStatus,
    /// True if this process holds the lock, so that nobody can move the data away.
    is_alone: bool,
    wal_path: PathBuf,
    obstacle: Cell<Option<Obstacle>>,
    /// True if erased data may still be in the log.
    wiping: Arc<AtomicBool>,
    /// Time of the last attempt to remove it, if that failed.
    wipe_failed_at: Cell<Option<Instant>>,
}

impl FileWriter {
    pub fn new(connection: Connection) -> Self {
        let path = connection.path().unwrap_or_default().to_owned();
        let (file_status, wal_path) = (FileStatus::of(Path::new(&path)), PathBuf::from(path + "-wal"));
        let (obstacle, wiping) = (Cell::default(), Arc::default());
        let wipe_failed_at = Cell::default();
        Self { connection, file_status, is_alone: true, wal_path, obstacle, wiping, wipe_failed_at }
    }

    /// Sets the flag that requests the removal of erased data from the log.
    #[must_use]
    pub fn with_wiping(self, wiping: Arc<AtomicBool>) -> Self {
        Self { wiping, ..self }
    }

    /// Checkpoints and truncates the log; false if a reader prevented it.
    fn truncate_wal(&self, patience: Duration) -> bool {
        let emptied = || {
            self.connection.busy_timeout(patience)?;
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            let busy = self.connection.scalar::<i64>(sql, []);
            self.connection.busy_timeout(BUSY_TIMEOUT)?;
            busy
        };
        emptied()
            .inspect_err(|cause| tracing::warn!(%cause, "the write-ahead log could not be merged"))
            .is_ok_and(|busy| busy == 0)
    }

    /// Deletes the planner's key samples, which may hold an erased person's data.
    fn delete_planner_samples(&self) {
        // The table is missing before the first ANALYZE.
        let _ = self.connection.execute("DELETE FROM sqlite_stat4", []);
    }

    pub fn without_lock(connection: Connection) -> Self {
        Self { is_alone: false, ..Self::new(connection) }
    }

    fn begin_transaction(&self) -> Result<(), DatabaseError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        if self.is_alone {
            return Ok(());
        }
        note::refuse_moved(&self.connection).inspect_err(|_| {
            let _ = self.connection.execute_batch("ROLLBACK");
        })
    }

    /// Refuses to write to a file that was deleted, moved or replaced.
    fn check_file(&self) -> Result<(), DatabaseError> {
        if self.file_status.is_unchanged() {
            return Ok(());
        }
        let path = self.file_status.path().display();
        Err(DatabaseError::Commit(format!(
            "{path} was deleted, moved or replaced while the service was using it, so nothing can be \
             stored any more: stop the service, restore the file if you have it, and start again"
        )))
    }
}

impl WritingConnection for FileWriter {
    fn max_jobs(&self) -> usize {
        MAX_JOBS_PER_TRANSACTION
    }

    /// A file has one order of all transactions.
    fn begin(&self, _: &WriteScope) -> Result<(), DatabaseError> {
        self.check_file()?;
        self.begin_transaction().map_err(|cause| DatabaseError::Commit(cause.to_string()))
    }

    fn session(&self) -> &dyn DbSession {
        &self.connection
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        let kept = self.connection.execute_batch("COMMIT").map_err(|cause| {
            self.roll_back();
            match DatabaseError::from(cause) {
                full @ DatabaseError::Full(_) => {
                    self.obstacle.set(Some(Obstacle::FullDisk));
                    full
                }
                other => DatabaseError::Commit(other.to_string()),
            }
        });
        kept.and_then(|()| self.check_file())
    }

    fn roll_back(&self) {
        // Fails if the transaction has ended already.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn take_obstacle(&self) -> Option<Obstacle> {
        self.obstacle.take()
    }

    /// Keeps the log short: while there are readers, SQLite does not restart it by itself.
    fn run_maintenance(&self) -> bool {
        if self.wiping.load(Ordering::SeqCst) {
            if self.wipe_failed_at.get().is_some_and(|at| at.elapsed() < WIPE_INTERVAL) {
                return true;
            }
            self.wiping.store(false, Ordering::SeqCst);
            self.delete_planner_samples();
            let is_done = self.truncate_wal(WIPE_PATIENCE);
            self.wiping.fetch_or(!is_done, Ordering::SeqCst);
            self.wipe_failed_at.set((!is_done).then(Instant::now));
            return !is_done;
        }
        let is_long = std::fs::metadata(&self.wal_path).is_ok_and(|log| log.len() > MAX_WAL_BYTES);
        is_long && !self.truncate_wal(Duration::ZERO)
    }

    /// Folds the log into the file, so that the next start has nothing to recover.
    fn close(&self) {
        if let Err(cause) = self.connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);")
        {
            tracing::warn!(%cause, "the write-ahead log of the database could not be merged");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::place::DatabaseLocation;
    use crate::database::rows::bound;
    use crate::database::{Database, Durability, meta};

    /// Size that the log never exceeds for long, in bytes.
    const BOUND: u64 = 8 * 1024 * 1024;

    #[tokio::test]
    async fn the_log_stays_short_while_somebody_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let place = DatabaseLocation::File(path.clone());
        let (database, _) = Database::open(&place, Durability::Simulated, Arc::default()).expect("it opens");
        let length = || std::fs::metadata(folder.path().join("service.db-wal")).expect("a log").len();
        let write = async |number: u64| {
            let written: Result<(), DatabaseError> = database
                .write(move |db| {
                    meta::set(
                        db,
                        "much",
                        &vec![u8::try_from(number % 250).unwrap_or(0); 64 * 1024].as_slice(),
                    )
                })
                .await;
            written.expect("written");
        };
        let reader = Connection::open(&path).expect("it opens");
        reader.execute_batch("BEGIN; SELECT count(*) FROM meta").expect("reads");
        for number in 0..200 {
            write(number).await;
        }
        assert!(length() > BOUND, "what is read is kept");
        reader.execute_batch("COMMIT").expect("read");
        // The second write runs after the maintenance that follows the first.
        write(200).await;
        write(201).await;
        assert!(length() < BOUND, "{}", length());
        for number in 0..300 {
            write(number).await;
            assert!(length() < BOUND, "{}", length());
        }
        database.close();
    }

    /// A backup reads for as long as it takes.
    #[tokio::test]
    async fn writes_do_not_wait_while_a_reader_keeps_erased_data_in_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let place = DatabaseLocation::File(path.clone());
        let (database, _) = Database::open(&place, Durability::Simulated, Arc::default()).expect("it opens");
        let write = async |number: i64| {
            let written: Result<(), DatabaseError> =
                database.write(move |db| meta::set(db, "some", &number)).await;
            written.expect("written");
        };
        write(0).await;
        let reader = Connection::open(&path).expect("it opens");
        reader.execute_batch("BEGIN; SELECT count(*) FROM meta").expect("reads");
        write(1).await;
        let begun = Instant::now();
        database.wipe().await;
        for number in 0..100 {
            write(number).await;
        }
        assert!(begun.elapsed() < BUSY_TIMEOUT, "{:?}", begun.elapsed());
        assert!(database.wiping.load(Ordering::SeqCst), "it is tried again");
        reader.execute_batch("COMMIT").expect("read");
        while database.wiping.load(Ordering::SeqCst) {
            write(2).await;
        }
        database.close();
    }

    #[tokio::test]
    async fn what_was_erased_is_in_no_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = DatabaseLocation::File(folder.path().join("service.db"));
        let (database, _) = Database::open(&place, Durability::Simulated, Arc::default()).expect("it opens");
        let change = async |sql: &'static str, word: &'static str| {
            let changed: Result<(), DatabaseError> =
                database.write(move |db| db.change_later(sql, bound![word.as_bytes()])).await;
            changed.expect("changed");
        };
        change("INSERT INTO meta (name, value) VALUES ('q', ?1)", "quagga and zyzzyva").await;
        let holds = || {
            let files = std::fs::read_dir(folder.path()).expect("a folder");
            let bytes = files.map(|file| std::fs::read(file.expect("a file").path()).unwrap_or_default());
            bytes.into_iter().any(|bytes| bytes.windows(6).any(|part| part == b"quagga"))
        };
        assert!(holds());
        change("DELETE FROM meta WHERE value = ?1", "quagga and zyzzyva").await;
        database.wipe().await;
        assert!(!holds());
        database.close();
    }
}
