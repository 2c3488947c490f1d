//! Clocks that are ahead of, or behind, the one that is turned by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::model::time::{Clock, Moment, Timestamp};

use crate::desk::HandClock;

/// The true clock plus a span that can be changed.
pub struct Skewed {
    base: Arc<HandClock>,
    by: AtomicI64,
}

impl Skewed {
    pub fn new(base: Arc<HandClock>, by: i64) -> Arc<Self> {
        Arc::new(Self { base, by: AtomicI64::new(by) })
    }

    /// Jumps so that it is this much off.
    pub fn set(&self, by: i64) {
        self.by.store(by, Ordering::SeqCst);
    }
}

impl Clock for Skewed {
    fn now(&self) -> Timestamp {
        self.base.now().plus(self.by.load(Ordering::SeqCst))
    }

    /// Counts on, whatever the clock was set to.
    fn moment(&self) -> Moment {
        self.base.moment()
    }

    /// Counts on, whatever the clock was set to.
    fn since_boot(&self) -> Option<i64> {
        Some(self.base.now().micros())
    }
}
