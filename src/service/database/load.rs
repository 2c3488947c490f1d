//! Load of the connections, and the time limit for waiting jobs: a quick "busy" is better than no
//! answer.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::database::DatabaseError;
use crate::database::session::Obstacle;

/// Maximum time for which a job waits for a connection.
const JOB_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct PoolLoad {
    connections: usize,
    waiting: AtomicUsize,
    busy: AtomicUsize,
    turned_away: AtomicU64,
    /// Most recent obstacle and its time.
    obstacle: Mutex<Option<(Obstacle, Instant)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadSnapshot {
    pub connections: usize,
    pub busy: usize,
    pub waiting: usize,
    pub turned_away: u64,
}

impl PoolLoad {
    pub fn of(connections: usize) -> Arc<Self> {
        Arc::new(Self { connections, ..Self::default() })
    }

    pub fn read(&self) -> LoadSnapshot {
        LoadSnapshot {
            connections: self.connections,
            busy: self.busy.load(Ordering::Relaxed),
            waiting: self.waiting.load(Ordering::Relaxed),
            turned_away: self.turned_away.load(Ordering::Relaxed),
        }
    }

    pub fn record_obstacle(&self, obstacle: Obstacle) {
        *self.obstacle.lock().unwrap_or_else(PoisonError::into_inner) = Some((obstacle, Instant::now()));
    }

    pub fn was_met(&self, obstacle: Obstacle, span: Duration) -> bool {
        let met = *self.obstacle.lock().unwrap_or_else(PoisonError::into_inner);
        met.is_some_and(|(last, at)| last == obstacle && at.elapsed() < span)
    }

    /// Counts a connection as busy until the guard is dropped.
    pub fn mark_busy(&self) -> BusyGuard<'_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        BusyGuard(self)
    }
}

pub struct BusyGuard<'a>(&'a PoolLoad);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A queued job: either begun by a connection or abandoned by the caller.
#[derive(Clone)]
pub struct JobTicket {
    load: Arc<PoolLoad>,
    is_taken: Arc<AtomicBool>,
}

impl JobTicket {
    pub fn new(load: &Arc<PoolLoad>) -> Self {
        load.waiting.fetch_add(1, Ordering::Relaxed);
        Self { load: load.clone(), is_taken: Arc::default() }
    }

    /// Begins the job; false if it was abandoned.
    pub fn begin(&self) -> bool {
        let is_first = !self.is_taken.swap(true, Ordering::SeqCst);
        if is_first {
            self.load.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        is_first
    }

    /// Waits for the answer. A job that is not begun within `JOB_TIMEOUT` is abandoned.
    pub async fn wait_for_answer<T>(self, mut answered: oneshot::Receiver<T>) -> Result<T, DatabaseError> {
        let waited = tokio::time::timeout(JOB_TIMEOUT, &mut answered).await;
        let told = match waited {
            Ok(told) => told,
            Err(_) if self.begin() => {
                self.load.turned_away.fetch_add(1, Ordering::Relaxed);
                let is_locked = self.load.was_met(Obstacle::ForeignLock, JOB_TIMEOUT);
                return Err(if is_locked { DatabaseError::Locked } else { DatabaseError::Busy });
            }
            Err(_) => answered.await,
        };
        told.map_err(|_| DatabaseError::Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_job_is_begun_or_given_up() {
        let load = PoolLoad::of(1);
        let ticket = JobTicket::new(&load);
        let (answer, answered) = oneshot::channel();
        assert_eq!(load.read().waiting, 1);
        assert!(ticket.begin() && !ticket.begin());
        let late = tokio::spawn(ticket.wait_for_answer(answered));
        tokio::time::sleep(2 * JOB_TIMEOUT).await;
        answer.send(7).expect("somebody waits for what was begun");
        assert_eq!(late.await.expect("no panic").expect("answered"), 7);

        let ticket = JobTicket::new(&load);
        let (_answer, answered) = oneshot::channel::<u8>();
        let given_up = ticket.clone().wait_for_answer(answered).await;
        assert!(matches!(given_up, Err(DatabaseError::Busy)));
        assert!(!ticket.begin(), "it never runs");
        let told = load.read();
        assert_eq!((told.waiting, told.turned_away), (0, 1));

        let ticket = JobTicket::new(&load);
        let (answer, answered) = oneshot::channel::<u8>();
        drop(answer);
        assert!(matches!(ticket.wait_for_answer(answered).await, Err(DatabaseError::Closed)));
    }
}
