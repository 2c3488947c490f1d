//! A pool of threads, each with its own connection, that share one queue of jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::database::DatabaseError;
use crate::database::load::{JobTicket, LoadSnapshot, PoolLoad};

type Job<S> = Box<dyn FnOnce(&S) + Send>;

/// Dropping the pool ends its threads after the last job.
pub struct Pool<S: ?Sized> {
    jobs: Sender<Job<S>>,
    load: Arc<PoolLoad>,
}

impl<S: ?Sized + Send + 'static> Pool<S> {
    pub fn start(name: &str, connections: Vec<Box<S>>) -> Result<Self, DatabaseError> {
        let (jobs, waiting) = channel::<Job<S>>();
        let (waiting, load) = (Arc::new(Mutex::new(waiting)), PoolLoad::of(connections.len()));
        for (number, connection) in connections.into_iter().enumerate() {
            let (waiting, load) = (Arc::clone(&waiting), Arc::clone(&load));
            std::thread::Builder::new()
                .name(format!("{name}-{number}"))
                .spawn(move || run_all(connection.as_ref(), &waiting, &load))?;
        }
        Ok(Self { jobs, load })
    }

    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&S) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let ticket = JobTicket::new(&self.load);
        let turn = ticket.clone();
        self.send(move |connection| {
            if turn.begin() {
                let _ = answer.send(job(connection));
            }
        })?;
        ticket.wait_for_answer(answered).await?
    }

    pub fn load(&self) -> LoadSnapshot {
        self.load.read()
    }

    /// Queues a job without waiting for it.
    pub fn send(&self, job: impl FnOnce(&S) + Send + 'static) -> Result<(), DatabaseError> {
        self.jobs.send(Box::new(job)).map_err(|_| DatabaseError::Closed)
    }
}

fn run_all<S: ?Sized>(connection: &S, waiting: &Mutex<Receiver<Job<S>>>, load: &PoolLoad) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let _working = load.mark_busy();
        if catch_unwind(AssertUnwindSafe(|| job(connection))).is_err() {
            tracing::error!("a job of the database panicked");
        }
    }
}
