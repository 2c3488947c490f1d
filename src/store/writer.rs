//! One thread that owns one writing connection; everyone else sends it jobs
//! and waits for the result, which comes after the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction};
use tokio::sync::oneshot;

use crate::errors::StoreError;
use crate::set_aside;
use disk::Standing;

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

/// What a thread owns that writes a file.
pub(crate) trait WritesFile {
    fn connection(&mut self) -> &mut Connection;
}

impl WritesFile for Connection {
    fn connection(&mut self) -> &mut Connection {
        self
    }
}

/// The thread and the way to it. Dropping it ends the thread after the jobs
/// already sent.
pub(crate) struct WriterThread<T> {
    jobs: Option<mpsc::Sender<Job<T>>>,
    /// The file it writes: what is written into one that stands no more is
    /// lost.
    standing: Standing,
    /// Whether the file is marked when a job finds it damaged.
    marks_damage: bool,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> WriterThread<T> {
    /// Moves `state` to a thread of its own. While no job waits, it does one
    /// piece of `spare` work after the other until that tells there is no
    /// more.
    pub(crate) fn start(
        name: &str,
        mut state: T,
        (standing, marks_damage): (Standing, bool),
        mut spare: impl FnMut(&mut T) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job<T>>();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                while do_spare(&queue, &mut state, &mut spare)
                    && let Ok(job) = queue.recv()
                {
                    run(job, &mut state);
                }
            })
            .map_err(|source| StoreError::Folder { path: name.into(), source })?;
        Ok(Self { jobs: Some(jobs), standing, marks_damage, thread: Some(thread) })
    }

    /// Runs a job and blocks until it is done.
    pub fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let (reply, result) = mpsc::sync_channel(1);
        let standing = self.standing.clone();
        self.send(Box::new(move |state| {
            // The caller may be gone; the work is done all the same.
            let _ = reply.send(kept(&standing, || job(state)));
        }))?;
        self.note_damage(result.recv().map_err(|_| StoreError::Closed)?)
    }

    /// Leaves a job behind; a failure of it is only logged.
    pub(crate) fn post(
        &self,
        job: impl FnOnce(&mut T) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        let standing = self.standing.clone();
        self.send(Box::new(move |state| {
            if let Err(error) = kept(&standing, || job(state)) {
                tracing::error!(%error, "a job that nobody waits for failed");
            }
        }))
    }

    /// Runs a job without blocking the caller's thread. The job runs even if
    /// the future is dropped.
    pub(crate) async fn later<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let (reply, result) = oneshot::channel();
        let standing = self.standing.clone();
        self.send(Box::new(move |state| {
            let _ = reply.send(kept(&standing, || job(state)));
        }))?;
        self.note_damage(result.await.map_err(|_| StoreError::Closed)?)
    }

    /// Runs a job in one transaction, and blocks until it is committed.
    pub fn change<R: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError>
    where
        T: WritesFile,
    {
        self.call(move |state| in_transaction(state.connection(), job))
    }

    /// The same without blocking the caller's thread.
    pub(crate) async fn change_later<R: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError>
    where
        T: WritesFile,
    {
        self.later(move |state| in_transaction(state.connection(), job)).await
    }

    fn note_damage<R>(&self, result: Result<R, StoreError>) -> Result<R, StoreError> {
        if self.marks_damage && matches!(result, Err(StoreError::Damaged(_))) {
            set_aside::mark_damaged(self.standing.path());
        }
        result
    }

    fn send(&self, job: Job<T>) -> Result<(), StoreError> {
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(job).map_err(|_| StoreError::Closed)
    }
}

fn in_transaction<R>(
    connection: &mut Connection,
    job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError>,
) -> Result<R, StoreError> {
    let change = connection.transaction()?;
    let done = job(&change)?;
    change.commit()?;
    Ok(done)
}

/// Runs a job on a file that stands before and after it: else nothing of it is
/// kept, whatever the database says.
fn kept<R>(standing: &Standing, job: impl FnOnce() -> Result<R, StoreError>) -> Result<R, StoreError> {
    let gone = || Err(StoreError::Gone { path: standing.path().to_owned() });
    if !standing.holds() {
        return gone();
    }
    let done = job()?;
    if standing.holds() { Ok(done) } else { gone() }
}

/// A job that panics has rolled back by unwinding; its caller is told by the
/// dropped reply.
fn run<T>(job: Job<T>, state: &mut T) {
    if catch_unwind(AssertUnwindSafe(|| job(state))).is_err() {
        tracing::error!("a job of the store panicked");
    }
}

/// Does spare work between the jobs; tells whether jobs may still come.
fn do_spare<T>(
    queue: &mpsc::Receiver<Job<T>>,
    state: &mut T,
    spare: &mut impl FnMut(&mut T) -> Result<bool, StoreError>,
) -> bool {
    loop {
        match queue.try_recv() {
            Ok(job) => run(job, state),
            Err(mpsc::TryRecvError::Disconnected) => return false,
            Err(mpsc::TryRecvError::Empty) => match spare(state) {
                Ok(true) => {}
                Ok(false) => return true,
                Err(error) => {
                    tracing::warn!(%error, "spare work of the store waits for the next job");
                    return true;
                }
            },
        }
    }
}

impl<T> Drop for WriterThread<T> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic inside was already logged; nothing more can be done.
            let _ = thread.join();
        }
    }
}
