//! Clocks with an offset to the test's clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::model::time::{Clock, Moment, Timestamp};

use crate::desk::HandClock;

pub struct Skewed {
    base: Arc<HandClock>,
    by: AtomicI64,
}

impl Skewed {
    pub fn new(base: Arc<HandClock>, by: i64) -> Arc<Self> {
        Arc::new(Self { base, by: AtomicI64::new(by) })
    }

    /// Sets the offset, in microseconds.
    pub fn set(&self, by: i64) {
        self.by.store(by, Ordering::SeqCst);
    }
}

impl Clock for Skewed {
    fn now(&self) -> Timestamp {
        self.base.now().plus(self.by.load(Ordering::SeqCst))
    }

    /// Not affected by the offset.
    fn moment(&self) -> Moment {
        self.base.moment()
    }

    /// Not affected by the offset.
    fn since_boot(&self) -> Option<i64> {
        Some(self.base.now().micros())
    }
}
