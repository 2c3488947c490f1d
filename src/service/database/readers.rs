//! Readers: a few threads, each with a session that cannot write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::database::DatabaseError;
use crate::database::session::DbSession;

type Job = Box<dyn FnOnce(&dyn DbSession) + Send>;

/// The threads that read. They end when this is dropped.
pub struct Readers {
    jobs: Sender<Job>,
}

impl Readers {
    /// Starts a thread for each session.
    pub fn start(sessions: Vec<Box<dyn DbSession + Send>>) -> Result<Self, DatabaseError> {
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for (number, session) in sessions.into_iter().enumerate() {
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new()
                .name(format!("service-reader-{number}"))
                .spawn(move || read_all(session.as_ref(), &waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job and waits for it.
    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| drop(answer.send(job(db))));
        self.jobs.send(job).map_err(|_| DatabaseError::Closed)?;
        answered.await.map_err(|_| DatabaseError::Closed)?
    }
}

fn read_all(session: &dyn DbSession, waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job(session))).is_err() {
            tracing::error!("a reading job of the database panicked");
        }
    }
}
