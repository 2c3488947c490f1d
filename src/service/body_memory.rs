//! The memory that bodies of requests may take together, over all callers
//! and however slowly they come.
//!
//! Small ones are taken at once; a larger one has its whole length set aside
//! before the rest of it is read, so that two half-read bodies never wait for
//! each other.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::errors::ApiError;
use wire::errors::ErrorCode;

/// Bytes of all larger bodies together: one mail of the largest size, and
/// room beside it.
const TOGETHER: usize = 64 * 1024 * 1024;
/// A body up to this many bytes needs no leave.
const SMALL: usize = 16 * 1024;
const KIB: usize = 1024;

/// Room that is set aside for one body while it is held.
pub type Room = Option<OwnedSemaphorePermit>;

/// What is left for bodies.
#[derive(Clone)]
pub struct BodyMemory {
    kibibytes: Arc<Semaphore>,
}

impl Default for BodyMemory {
    fn default() -> Self {
        Self { kibibytes: Arc::new(Semaphore::new(TOGETHER / KIB)) }
    }
}

impl BodyMemory {
    /// Sets room aside for a body of at most so many bytes, waiting for it in
    /// the order of asking.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` when there is none in time.
    pub async fn reserve(&self, bytes: usize, patience: Duration) -> Result<Room, ApiError> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let wanted = u32::try_from(bytes.min(TOGETHER).div_ceil(KIB)).unwrap_or(u32::MAX);
        match timeout(patience, Arc::clone(&self.kibibytes).acquire_many_owned(wanted)).await {
            Ok(Ok(room)) => Ok(Some(room)),
            _ => {
                let message = "too many large bodies are on their way; try again in a moment";
                Err(ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn large_bodies_wait_for_each_other_and_small_ones_for_nobody() {
        let memory = BodyMemory::default();
        let second = Duration::from_secs(1);
        let mail = memory.reserve(40 * 1024 * 1024, second).await.expect("room");
        let other = memory.reserve(24 * 1024 * 1024, second).await.expect("room");
        assert!(mail.is_some() && other.is_some());
        assert!(memory.reserve(SMALL, second).await.expect("room").is_none());
        let refused = memory.reserve(SMALL + 1, second).await.expect_err("no room");
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::RateLimitExceeded, Some(1)));
        drop(other);
        assert!(memory.reserve(SMALL + 1, second).await.expect("room again").is_some());
    }
}
