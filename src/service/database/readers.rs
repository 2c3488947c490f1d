//! Readers: a few threads, each with a connection that cannot write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::database::{DatabaseError, open};

/// Threads that read; more would only wait for the same processors.
const THREADS: usize = 3;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The threads that read. They end when this is dropped.
pub struct Readers {
    jobs: Sender<Job>,
}

impl Readers {
    /// Opens the connections and starts the threads.
    pub fn start(path: &Path) -> Result<Self, DatabaseError> {
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..THREADS {
            let connection = open::reader(path)?;
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new()
                .name(format!("service-reader-{number}"))
                .spawn(move || read_all(&connection, &waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job and waits for it.
    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| drop(answer.send(job(db))));
        self.jobs.send(job).map_err(|_| DatabaseError::Closed)?;
        answered.await.map_err(|_| DatabaseError::Closed)?
    }
}

fn read_all(connection: &Connection, waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job(connection))).is_err() {
            tracing::error!("a reading job of the database panicked");
        }
    }
}
