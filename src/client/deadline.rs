//! A time by which all requests of a command must end.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use model::time::Moment;

/// Shared deadline that can be moved; none by default.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<AtomicI64>);

impl Default for Deadline {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MAX)))
    }
}

impl Deadline {
    pub fn set(&self, at: Moment) {
        self.0.store(at.micros(), Ordering::SeqCst);
    }

    /// Removes the deadline; requests keep their own timeouts.
    pub fn clear(&self) {
        self.0.store(i64::MAX, Ordering::SeqCst);
    }

    pub fn at(&self) -> Moment {
        Moment::from_micros(self.0.load(Ordering::SeqCst))
    }

    /// Returns `most`, shortened to the time left.
    pub(crate) fn bound(&self, most: Duration, now: Moment) -> Duration {
        let left = self.0.load(Ordering::SeqCst).saturating_sub(now.micros());
        most.min(Duration::from_micros(u64::try_from(left).unwrap_or(0).max(1)))
    }
}
