//! Writer thread that owns a file's only writing connection. Others send it jobs and wait for the
//! result, which arrives after the commit.

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
/// Reopens a file that was deleted, moved or replaced; gets the status of the lost file.
pub(crate) type Reopen<T> = Box<dyn FnMut(&mut T, &FileStatus) -> Result<(), StoreError> + Send>;

/// Work that follows each job, before its caller gets the result.
pub(crate) type AfterJob<T> = Box<dyn FnMut(&mut T) -> Result<(), StoreError> + Send>;

pub(crate) trait FileOwner {
    fn connection(&mut self) -> &mut Connection;
}

impl FileOwner for Connection {
    fn connection(&mut self) -> &mut Connection {
        self
    }
}

pub(crate) struct OpenFile<T> {
    state: T,
    /// Status of the file when opened; writes to a file that is no longer at its path are lost.
    file_status: FileStatus,
    /// `None` for the outbox, whose content cannot be restored.
    reopen: Option<Reopen<T>>,
    after_job: Option<AfterJob<T>>,
}

impl<T> OpenFile<T> {
    pub(crate) fn new(state: T, file_status: FileStatus, reopen: Option<Reopen<T>>) -> Self {
        Self { state, file_status, reopen, after_job: None }
    }

    pub(crate) fn with_after_job(self, after_job: AfterJob<T>) -> Self {
        Self { after_job: Some(after_job), ..self }
    }

    /// Runs a job, after reopening a lost cache. Fails if the file is not at its path afterwards:
    /// the writes are lost then, even if the commit succeeded.
    fn run_checked<R>(&mut self, job: impl FnOnce(&mut T) -> Result<R, StoreError>) -> Result<R, StoreError> {
        if !self.file_status.is_unchanged() {
            let Some(reopen) = &mut self.reopen else { return Err(self.missing_error()) };
            reopen(&mut self.state, &self.file_status)?;
            self.file_status = FileStatus::of_database(self.file_status.path());
        }
        let done = job(&mut self.state)?;
        // The job is committed; what does not follow is repaired at the next start.
        if let Some(Err(error)) = self.after_job.as_mut().map(|after_job| after_job(&mut self.state)) {
            tracing::error!(%error, "the list could not be updated after a change of this desk's files");
        }
        if self.file_status.is_unchanged() { Ok(done) } else { Err(self.missing_error()) }
    }

    fn missing_error(&self) -> StoreError {
        StoreError::FileReplaced { path: self.file_status.path().to_owned() }
    }
}

/// Handle of a writer thread. Dropping it ends the thread after the jobs already sent.
pub(crate) struct WriterThread<T> {
    jobs: Option<mpsc::Sender<Job<T>>>,
    file_status: FileStatus,
    /// True if a job that finds the file damaged marks it for the next start.
    marks_damage: bool,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> WriterThread<T> {
    /// Starts the thread. While no job waits it repeats `spare` until that returns false.
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

    pub fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let (reply, result) = mpsc::sync_channel(1);
        self.send(Box::new(move |file| {
            // The caller may have gone.
            let _ = reply.send(file.run_checked(job));
        }))?;
        self.record_damage(result.recv().map_err(|_| StoreError::Closed)?)
    }

    /// Queues a job without waiting; a failure is only logged.
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

    /// As [`Self::change`], without blocking the caller's thread.
    pub(crate) async fn change_async<R: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError>
    where
        T: FileOwner,
    {
        self.call_async(move |state| in_transaction(state.connection(), job)).await
    }

    /// Returns the file's path if the file was deleted, moved or replaced.
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

/// Unwinding rolls back a job that panics; its caller sees the dropped reply.
fn run<T>(job: Job<T>, file: &mut OpenFile<T>) {
    if catch_unwind(AssertUnwindSafe(|| job(file))).is_err() {
        tracing::error!("a job of the store panicked");
    }
}

/// Runs spare work between jobs; returns false once no more jobs can come.
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
                    tracing::warn!(%error, "idle work of the store is postponed to the next job");
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
            // A panic was already logged.
            let _ = thread.join();
        }
    }
}
