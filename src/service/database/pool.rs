//! A few threads, each with a connection of its own, that take jobs in turn.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::database::DatabaseError;

type Job<S> = Box<dyn FnOnce(&S) + Send>;

/// The threads. They end after the last job when this is dropped.
pub struct Pool<S: ?Sized> {
    jobs: Sender<Job<S>>,
}

impl<S: ?Sized + Send + 'static> Pool<S> {
    /// Starts a thread for each connection.
    pub fn start(name: &str, connections: Vec<Box<S>>) -> Result<Self, DatabaseError> {
        let (jobs, waiting) = channel::<Job<S>>();
        let waiting = Arc::new(Mutex::new(waiting));
        for (number, connection) in connections.into_iter().enumerate() {
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new()
                .name(format!("{name}-{number}"))
                .spawn(move || run_all(connection.as_ref(), &waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job and waits for it.
    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&S) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.send(move |connection| drop(answer.send(job(connection))))?;
        answered.await.map_err(|_| DatabaseError::Closed)?
    }

    /// Has a job run that nobody waits for.
    pub fn send(&self, job: impl FnOnce(&S) + Send + 'static) -> Result<(), DatabaseError> {
        self.jobs.send(Box::new(job)).map_err(|_| DatabaseError::Closed)
    }
}

fn run_all<S: ?Sized>(connection: &S, waiting: &Mutex<Receiver<Job<S>>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job(connection))).is_err() {
            tracing::error!("a job of the database panicked");
        }
    }
}
