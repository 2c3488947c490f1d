//! Those that write: each takes the jobs that wait in one lane, runs each in a
//! savepoint of one transaction, commits once, then answers all of them. A file
//! has one writer and one lane; on a server each workspace has a lane.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use crate::database::lanes::Lanes;
use crate::database::load::{JobTicket, LoadSnapshot, PoolLoad};
use crate::database::session::{DbSession, Obstacle, WriteScope, WritingConnection};
use crate::database::{DatabaseError, savepoint};

/// How long what could not be tidied up waits where nothing is written.
const TIDYING_INTERVAL: Duration = Duration::from_secs(1);

/// Answers a job, once it is known whether its transaction is kept.
type Answer = Box<dyn FnOnce(Result<(), DatabaseError>) + Send>;
/// Runs in the transaction that is open, or is told why there is none; whether it
/// has done anything.
type Job = Box<dyn FnOnce(Result<&dyn DbSession, &DatabaseError>) -> (Answer, bool) + Send>;

/// The threads that write.
pub struct Writer {
    lanes: Arc<Lanes<Job>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    commits: Arc<AtomicU64>,
    load: Arc<PoolLoad>,
    /// Whether there are several, and so lanes beside one another.
    is_wide: bool,
}

/// What the threads have in common.
struct WriterShared {
    lanes: Arc<Lanes<Job>>,
    committed: Arc<Notify>,
    commits: Arc<AtomicU64>,
    load: Arc<PoolLoad>,
}

impl Writer {
    /// Starts a thread for each connection.
    pub fn start(
        connections: Vec<Box<dyn WritingConnection>>,
        committed: Arc<Notify>,
    ) -> Result<Self, DatabaseError> {
        let (lanes, commits) = (Arc::new(Lanes::default()), Arc::new(AtomicU64::new(0)));
        let load = PoolLoad::of(connections.len());
        let is_wide = connections.len() > 1;
        let mut threads = Vec::with_capacity(connections.len());
        for (number, connection) in connections.into_iter().enumerate() {
            let (lanes, committed) = (lanes.clone(), committed.clone());
            let common = WriterShared { lanes, committed, commits: commits.clone(), load: load.clone() };
            let thread = std::thread::Builder::new().name(format!("service-writer-{number}"));
            threads.push(thread.spawn(move || write_all(connection.as_ref(), &common))?);
        }
        Ok(Self { lanes, threads: Mutex::new(threads), commits, load, is_wide })
    }

    /// Runs a job and waits for its commit.
    pub async fn run<T, E, F>(&self, scope: WriteScope, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let ticket = JobTicket::new(&self.load);
        let turn = ticket.clone();
        let job: Job = Box::new(move |begun| {
            if !turn.begin() {
                return (Box::new(|_| {}), false);
            }
            let outcome = match begun {
                Ok(db) => run_in_savepoint(db, job),
                Err(failure) => Err(failure.clone().into()),
            };
            let is_done = outcome.is_ok();
            let answer: Answer = Box::new(move |committed: Result<(), DatabaseError>| {
                // Whoever failed before is told why.
                let told = outcome.and_then(|done| Ok(committed.map(|()| done)?));
                // The caller may have gone; the work is kept all the same.
                let _ = answer.send(told);
            });
            (answer, is_done)
        });
        self.lanes.add(if self.is_wide { scope } else { WriteScope::Everything }, job)?;
        ticket.wait_for_answer(answered).await?
    }

    /// How much is asked of it now.
    pub fn load(&self) -> LoadSnapshot {
        self.load.read()
    }

    /// Returns true if an obstacle was met within a span.
    pub fn was_met(&self, obstacle: Obstacle, span: Duration) -> bool {
        self.load.was_met(obstacle, span)
    }

    /// Transactions so far. Grows before a job of the transaction is answered.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Takes no more jobs and waits for the last.
    pub fn close(&self) {
        self.lanes.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // The last of the service may be held by a job: its thread ends by itself.
            if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
                tracing::error!("a writer of the database failed");
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs a job in a savepoint; undone when it fails or panics.
fn run_in_savepoint<T, E, F>(db: &dyn DbSession, job: F) -> Result<T, E>
where
    F: FnOnce(&dyn DbSession) -> Result<T, E>,
    E: From<DatabaseError>,
{
    savepoint::in_savepoint(db, || {
        catch_unwind(AssertUnwindSafe(|| job(db))).unwrap_or_else(|_| {
            tracing::error!("a job of the database panicked");
            Err(DatabaseError::Closed.into())
        })
    })
}

fn write_all(connection: &dyn WritingConnection, common: &WriterShared) {
    let mut is_untidy = false;
    loop {
        let taken = common.lanes.next_job(is_untidy.then_some(TIDYING_INTERVAL));
        let Some(job) = taken else { break };
        if let Some((scope, first)) = job {
            let _working = common.load.mark_busy();
            write_batch(connection, common, &scope, first);
            common.lanes.release(&scope);
        }
        is_untidy = connection.run_maintenance();
    }
    connection.close();
}

/// Runs a job, and those that wait behind it in its lane, in one transaction.
fn write_batch(connection: &dyn WritingConnection, common: &WriterShared, scope: &WriteScope, first: Job) {
    // Another process may hold the database. A job that ran all the same
    // would keep its work by itself and be called a failure.
    let begun = connection.begin(scope);
    let open = begun.as_ref().map(|()| connection.session());
    let (answer, mut is_done) = first(open);
    let mut answers = vec![answer];
    let together = if *scope == WriteScope::Unordered { 1 } else { connection.max_jobs() };
    while answers.len() < together
        && let Some(job) = common.lanes.next_in_lane(scope)
    {
        let (answer, is_another_done) = job(open);
        answers.push(answer);
        is_done |= is_another_done;
    }
    // Where every job was undone a commit would change nothing but the count of
    // commits, and wake all processes for it.
    let kept = begun.and_then(|()| match is_done {
        true => connection.commit(),
        false => {
            connection.roll_back();
            Ok(())
        }
    });
    if let Err(cause) = &kept {
        tracing::error!(?cause, "a transaction could not be kept");
    }
    if let Some(obstacle) = connection.take_obstacle() {
        common.load.record_obstacle(obstacle);
    }
    // A writer that failed would be woken by its own failure, to fail again.
    let is_news = is_done && matches!(kept, Ok(()) | Err(DatabaseError::Unknown));
    if is_news {
        common.commits.fetch_add(1, Ordering::SeqCst);
    }
    answers.into_iter().for_each(|answer| answer(kept.clone()));
    if is_news {
        common.committed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::database::rows::SqlValue;
    use crate::database::sqlite::FileWriter;

    #[tokio::test]
    async fn without_a_transaction_nothing_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.db");
        let other = Connection::open(&path).expect("opens");
        other.execute_batch("CREATE TABLE t (a)").expect("made");
        let connection = Connection::open(&path).expect("opens");
        connection.busy_timeout(std::time::Duration::ZERO).expect("set");
        let writer =
            Writer::start(vec![Box::new(FileWriter::new(connection))], Arc::default()).expect("starts");
        // Held while the job begins, and let go before it would write.
        other.execute_batch("BEGIN IMMEDIATE").expect("held");
        let job = writer.run(WriteScope::Everything, move |db| {
            other.execute_batch("COMMIT").expect("let go");
            db.change("INSERT INTO t VALUES (1)", &[])
        });
        assert!(matches!(job.await, Err(DatabaseError::Commit(_))));
        let count =
            writer.run(WriteScope::Everything, |db| db.fetch_scalar::<i64>("SELECT count(*) FROM t", &[]));
        assert_eq!(count.await.expect("reads"), 0);
    }

    #[tokio::test]
    async fn a_failing_job_takes_nothing_else_with_it() {
        let connection = Connection::open_in_memory().expect("opens");
        connection.execute_batch("CREATE TABLE t (a)").expect("made");
        let writer =
            Writer::start(vec![Box::new(FileWriter::new(connection))], Arc::default()).expect("starts");
        let insert = |number: i64, fails: bool| {
            writer.run(WriteScope::Everything, move |db| {
                db.change("INSERT INTO t VALUES (?1)", &[SqlValue::Int(number)])?;
                assert!(number != 3, "a panic");
                if fails { Err(DatabaseError::Closed) } else { Ok(number) }
            })
        };
        let (one, two, three, four) =
            tokio::join!(insert(1, false), insert(2, true), insert(3, false), insert(4, false));
        assert!(one.is_ok() && two.is_err() && three.is_err() && four.is_ok());
        let sum = writer
            .run(WriteScope::Everything, |db| db.fetch_scalar::<i64>("SELECT sum(a) FROM t", &[]))
            .await;
        assert_eq!(sum.expect("reads"), 5);
    }
}
