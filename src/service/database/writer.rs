//! The one writer: takes the jobs that wait, runs each in a savepoint of one
//! transaction, commits once, then answers all of them.
//!
//! Knows nothing of what jobs do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{Notify, oneshot};

use crate::service::database::DatabaseError;

/// Jobs in one transaction at most.
const TOGETHER: usize = 256;

/// Answers a job, once it is known whether its transaction is kept.
type Answer = Box<dyn FnOnce(Result<(), String>) + Send>;
type Job = Box<dyn FnOnce(&Connection) -> Answer + Send>;

/// The thread that writes.
pub struct Writer {
    jobs: Mutex<Option<Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread.
    pub fn start(connection: Connection, committed: Arc<Notify>) -> Result<Self, DatabaseError> {
        let (jobs, waiting) = channel();
        let thread = std::thread::Builder::new()
            .name("service-writer".to_owned())
            .spawn(move || write_all(connection, &waiting, &committed))?;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)) })
    }

    /// Runs a job and waits for its commit.
    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            let outcome = attempt(db, job);
            Box::new(move |committed: Result<(), String>| {
                let told = match committed {
                    Ok(()) => outcome,
                    Err(cause) => Err(DatabaseError::Commit(cause).into()),
                };
                // Whoever asked may have gone; the work is kept all the same.
                let _ = answer.send(told);
            })
        });
        self.send(job)?;
        answered.await.map_err(|_| DatabaseError::Closed)?
    }

    fn send(&self, job: Job) -> Result<(), DatabaseError> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = jobs.as_ref().ok_or(DatabaseError::Closed)?;
        jobs.send(job).map_err(|_| DatabaseError::Closed)
    }

    /// Takes no more jobs and waits for the last.
    pub fn close(&self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the writer of the database failed");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs a job in a savepoint; undone when it fails or panics.
fn attempt<T, E, F>(db: &Connection, job: F) -> Result<T, E>
where
    F: FnOnce(&Connection) -> Result<T, E>,
    E: From<DatabaseError>,
{
    let run = |sql: &str| db.execute_batch(sql).map_err(DatabaseError::from);
    run("SAVEPOINT job")?;
    let outcome = catch_unwind(AssertUnwindSafe(|| job(db))).unwrap_or_else(|_| {
        tracing::error!("a job of the database panicked");
        Err(DatabaseError::Closed.into())
    });
    if outcome.is_err() {
        run("ROLLBACK TO job")?;
    }
    run("RELEASE job")?;
    outcome
}

fn write_all(connection: Connection, waiting: &Receiver<Job>, committed: &Notify) {
    while let Ok(first) = waiting.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE");
        let mut answers = vec![first(&connection)];
        while answers.len() < TOGETHER
            && let Ok(job) = waiting.try_recv()
        {
            answers.push(job(&connection));
        }
        let kept = begun.and_then(|()| connection.execute_batch("COMMIT")).map_err(|cause| {
            tracing::error!(%cause, "a transaction could not be kept");
            // Fails when the transaction has ended already.
            let _ = connection.execute_batch("ROLLBACK");
            cause.to_string()
        });
        answers.into_iter().for_each(|answer| answer(kept.clone()));
        committed.notify_waiters();
    }
    // Next time there is nothing to recover.
    if let Err(cause) = connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);") {
        tracing::warn!(%cause, "the database's log could not be folded in");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failing_job_takes_nothing_else_with_it() {
        let connection = Connection::open_in_memory().expect("opens");
        connection.execute_batch("CREATE TABLE t (a)").expect("made");
        let writer = Writer::start(connection, Arc::default()).expect("starts");
        let insert = |number: i64, fails: bool| {
            writer.run(move |db| {
                db.execute("INSERT INTO t VALUES (?1)", [number])?;
                assert!(number != 3, "a panic");
                if fails { Err(DatabaseError::Closed) } else { Ok(number) }
            })
        };
        let (one, two, three, four) =
            tokio::join!(insert(1, false), insert(2, true), insert(3, false), insert(4, false));
        assert!(one.is_ok() && two.is_err() && three.is_err() && four.is_ok());
        let sum = writer
            .run(|db| {
                Ok::<_, DatabaseError>(db.query_row("SELECT sum(a) FROM t", [], |row| row.get::<_, i64>(0))?)
            })
            .await;
        assert_eq!(sum.expect("reads"), 5);
    }
}
