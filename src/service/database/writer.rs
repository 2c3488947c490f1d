//! Writer threads. Each takes the jobs waiting in one lane, runs each in a savepoint of one
//! transaction, commits once, then answers all of them. A file has one writer and one lane; on a
//! server each workspace has a lane.

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

const TIDYING_INTERVAL: Duration = Duration::from_secs(1);

/// Answers a job once the outcome of its transaction is known.
type Answer = Box<dyn FnOnce(Result<(), DatabaseError>) + Send>;
/// Runs in the open transaction, or receives the error that prevented it; the flag is true if the
/// job succeeded.
type Job = Box<dyn FnOnce(Result<&dyn DbSession, &DatabaseError>) -> (Answer, bool) + Send>;

pub struct Writer {
    lanes: Arc<Lanes<Job>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    commits: Arc<AtomicU64>,
    load: Arc<PoolLoad>,
    /// True with several threads, and so parallel lanes.
    is_wide: bool,
}

struct WriterShared {
    lanes: Arc<Lanes<Job>>,
    committed: Arc<Notify>,
    commits: Arc<AtomicU64>,
    load: Arc<PoolLoad>,
}

impl Writer {
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
                // A job that failed itself gets its own error.
                let told = outcome.and_then(|done| Ok(committed.map(|()| done)?));
                // The work is kept even if the caller has gone.
                let _ = answer.send(told);
            });
            (answer, is_done)
        });
        self.lanes.add(if self.is_wide { scope } else { WriteScope::Everything }, job)?;
        ticket.wait_for_answer(answered).await?
    }

    pub fn load(&self) -> LoadSnapshot {
        self.load.read()
    }

    pub fn was_met(&self, obstacle: Obstacle, span: Duration) -> bool {
        self.load.was_met(obstacle, span)
    }

    /// Number of commits; increases before a job of the transaction is answered.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Accepts no more jobs and waits for the last.
    pub fn close(&self) {
        self.lanes.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A job may hold the last reference to the service; its thread then ends by itself.
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

/// Runs a job in a savepoint; rolls it back if it fails or panics.
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

/// Runs a job, and those queued behind it in its lane, in one transaction.
fn write_batch(connection: &dyn WritingConnection, common: &WriterShared, scope: &WriteScope, first: Job) {
    // Without a transaction no job may run: its changes would be committed alone while it is
    // reported as failed.
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
    // If every job was rolled back, a commit would only advance the revision and wake all
    // processes.
    let kept = begun.and_then(|()| match is_done {
        true => connection.commit(),
        false => {
            connection.roll_back();
            Ok(())
        }
    });
    if let Err(cause) = &kept {
        tracing::error!(?cause, "a transaction could not be committed");
    }
    if let Some(obstacle) = connection.take_obstacle() {
        common.load.record_obstacle(obstacle);
    }
    // A failed commit does not notify: the notification could trigger the same failing write again.
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
        // Held while the job begins, and released before it would write.
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
