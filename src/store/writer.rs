//! One thread that owns one writing connection; everyone else sends it jobs
//! and waits for the result, which comes after the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction};
use tokio::sync::oneshot;

use crate::errors::StoreError;
use crate::set_aside;
use disk::FileStatus;

type Job<T> = Box<dyn FnOnce(&mut OpenFile<T>) + Send>;
/// Opens a file anew that was deleted, moved or replaced; told what it was.
pub(crate) type Reopen<T> = Box<dyn FnMut(&mut T, &FileStatus) -> Result<(), StoreError> + Send>;

/// What a thread owns that writes a file.
pub(crate) trait FileOwner {
    fn connection(&mut self) -> &mut Connection;
}

impl FileOwner for Connection {
    fn connection(&mut self) -> &mut Connection {
        self
    }
}

/// A file that a thread writes, and what the thread owns of it.
pub(crate) struct OpenFile<T> {
    state: T,
    /// The file as it was opened: what is written into one that is no longer
    /// at its path is lost.
    file_status: FileStatus,
    /// `None` for a file that cannot be read again from anywhere.
    reopen: Option<Reopen<T>>,
}

impl<T> OpenFile<T> {
    pub(crate) fn new(state: T, file_status: FileStatus, reopen: Option<Reopen<T>>) -> Self {
        Self { state, file_status, reopen }
    }

    /// Runs a job on the file that is at its path before and after it: else
    /// nothing of it is kept, whatever the database says.
    fn run_checked<R>(&mut self, job: impl FnOnce(&mut T) -> Result<R, StoreError>) -> Result<R, StoreError> {
        if !self.file_status.is_unchanged() {
            let Some(reopen) = &mut self.reopen else { return Err(self.missing_error()) };
            reopen(&mut self.state, &self.file_status)?;
            self.file_status = FileStatus::of_database(self.file_status.path());
        }
        let done = job(&mut self.state)?;
        if self.file_status.is_unchanged() { Ok(done) } else { Err(self.missing_error()) }
    }

    fn missing_error(&self) -> StoreError {
        StoreError::FileReplaced { path: self.file_status.path().to_owned() }
    }
}

/// The thread and the way to it. Dropping it ends the thread after the jobs
/// already sent.
pub(crate) struct WriterThread<T> {
    jobs: Option<mpsc::Sender<Job<T>>>,
    /// The file as it was at the start.
    file_status: FileStatus,
    /// Whether the file is marked when a job finds it damaged.
    marks_damage: bool,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> WriterThread<T> {
    /// Moves `file` to a thread of its own. While no job waits, it does one
    /// piece of `spare` work after the other until that tells there is no
    /// more.
    pub(crate) fn start(
        name: &str,
        mut file: OpenFile<T>,
        marks_damage: bool,
        mut spare: impl FnMut(&mut T) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let standing = file.file_status.clone();
        let (jobs, queue) = mpsc::channel::<Job<T>>();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                while run_idle_work(&queue, &mut file, &mut spare)
                    && let Ok(job) = queue.recv()
                {
                    run(job, &mut file);
                }
            })
            .map_err(|source| StoreError::Folder { path: name.into(), source })?;
        Ok(Self { jobs: Some(jobs), file_status: standing, marks_damage, thread: Some(thread) })
    }

    /// Runs a job and blocks until it is done.
    pub fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let (reply, result) = mpsc::sync_channel(1);
        self.send(Box::new(move |file| {
            // The caller may be gone; the work is done all the same.
            let _ = reply.send(file.run_checked(job));
        }))?;
        self.record_damage(result.recv().map_err(|_| StoreError::Closed)?)
    }

    /// Leaves a job behind; a failure of it is only logged.
    pub(crate) fn run_in_background(
        &self,
        job: impl FnOnce(&mut T) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.send(Box::new(move |file| {
            if let Err(error) = file.run_checked(job) {
                tracing::error!(%error, "a job that nobody waits for failed");
            }
        }))
    }

    /// Runs a job without blocking the caller's thread. The job runs even if
    /// the future is dropped.
    pub(crate) async fn call_async<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let (reply, result) = oneshot::channel();
        self.send(Box::new(move |file| {
            let _ = reply.send(file.run_checked(job));
        }))?;
        self.record_damage(result.await.map_err(|_| StoreError::Closed)?)
    }

    /// Runs a job in one transaction, and blocks until it is committed.
    pub fn change<R: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError>
    where
        T: FileOwner,
    {
        self.call(move |state| in_transaction(state.connection(), job))
    }

    /// The same without blocking the caller's thread.
    pub(crate) async fn change_async<R: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError>
    where
        T: FileOwner,
    {
        self.call_async(move |state| in_transaction(state.connection(), job)).await
    }

    /// Path of the file if another one or none is there now.
    pub(crate) fn missing_file(&self) -> Option<&Path> {
        (!self.file_status.is_unchanged()).then(|| self.file_status.path())
    }

    fn record_damage<R>(&self, result: Result<R, StoreError>) -> Result<R, StoreError> {
        if self.marks_damage && matches!(result, Err(StoreError::Damaged(_))) {
            set_aside::mark_cache_damaged(self.file_status.path());
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

/// A job that panics has rolled back by unwinding; its caller is told by the
/// dropped reply.
fn run<T>(job: Job<T>, file: &mut OpenFile<T>) {
    if catch_unwind(AssertUnwindSafe(|| job(file))).is_err() {
        tracing::error!("a job of the store panicked");
    }
}

/// Does spare work between the jobs; tells whether jobs may still come.
fn run_idle_work<T>(
    queue: &mpsc::Receiver<Job<T>>,
    file: &mut OpenFile<T>,
    spare: &mut impl FnMut(&mut T) -> Result<bool, StoreError>,
) -> bool {
    loop {
        match queue.try_recv() {
            Ok(job) => run(job, file),
            Err(mpsc::TryRecvError::Disconnected) => return false,
            Err(mpsc::TryRecvError::Empty) => match spare(&mut file.state) {
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
