//! Waiting for body memory, and its release.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::bodies::ledger::{BodyOwner, Ledger, ReservationId, TooSlow};
use crate::errors::ApiError;
use api::errors::ErrorCode;
use model::time::Clock;

/// Interval at which a waiting body has the rates of the others checked.
const RECHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Memory of request bodies, shared by all requests of a service.
#[derive(Clone)]
pub struct BodyBudget {
    shared: Arc<SharedLedger>,
}

struct SharedLedger {
    ledger: Mutex<Ledger>,
    changed: Notify,
    clock: Arc<dyn Clock>,
}

/// Memory reserved for one body; released when dropped.
pub struct BodyReservation {
    shared: Arc<SharedLedger>,
    id: ReservationId,
}

impl SharedLedger {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyBudget {
    /// `clock` measures the rate at which bodies arrive.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { shared: Arc::new(SharedLedger { ledger: Mutex::default(), changed: Notify::new(), clock }) }
    }

    /// Waits for a reservation of `bytes`, in order of request.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` after `patience`.
    pub async fn reserve(
        &self,
        owner: BodyOwner,
        bytes: usize,
        patience: Duration,
    ) -> Result<BodyReservation, ApiError> {
        let last = Instant::now() + patience;
        let id = self.shared.ledger().enqueue(owner, bytes);
        // Leaves the queue if this future is dropped.
        let room = BodyReservation { shared: Arc::clone(&self.shared), id };
        loop {
            let changed = self.shared.changed.notified();
            let (is_news, is_held) = {
                let mut ledger = self.shared.ledger();
                (ledger.grant_waiting(self.shared.clock.now()), ledger.is_granted(id))
            };
            if is_news {
                self.shared.changed.notify_waiters();
            }
            if is_held {
                return Ok(room);
            }
            tokio::select! {
                () = changed => {}
                () = sleep_until(last.min(Instant::now() + RECHECK_INTERVAL)) => {}
            }
            if Instant::now() >= last {
                let message = "too many large requests are being received; try again in a moment";
                return Err(ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(1));
            }
        }
    }
}

impl BodyReservation {
    /// Starts the time that counts for the next chunk.
    pub fn wait_for_more(&self) {
        self.shared.ledger().wait_for_more(self.id, self.shared.clock.now());
    }

    /// Counts received bytes.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` below [`MIN_RATE`](super::MIN_RATE).
    pub fn receive(&self, bytes: usize) -> Result<(), ApiError> {
        let received = self.shared.ledger().receive(self.id, bytes, self.shared.clock.now());
        received.map_err(|TooSlow| {
            let message = "the body arrives too slowly; try again over a faster connection";
            ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(1)
        })
    }

    /// Marks the body as received in full; its rate no longer matters.
    pub fn complete(&self) {
        self.shared.ledger().complete(self.id);
    }

    /// Completes when this body has to yield its memory to another, with the error to answer.
    pub async fn wait_until_revoked(&self) -> ApiError {
        loop {
            let changed = self.shared.changed.notified();
            if self.shared.ledger().is_revoked(self.id) {
                let message = "the body arrived slowly and its memory was needed for other requests; try \
                               again in a moment";
                return ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(1);
            }
            changed.await;
        }
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        {
            let mut ledger = self.shared.ledger();
            ledger.release(self.id);
            ledger.grant_waiting(self.shared.clock.now());
        }
        self.shared.changed.notify_waiters();
    }
}

impl fmt::Debug for BodyReservation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BodyRoom").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
