//! The system's clock, read at the edge and handed in everywhere else.
//!
//! Knows nothing of who asks.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::model::time::{Clock, Timestamp};

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A point on the steady clock, for waiting.
#[expect(clippy::disallowed_methods, reason = "waiting needs the steady clock, and only the loop waits")]
pub fn instant() -> Instant {
    Instant::now()
}

/// Minutes the local zone is ahead of UTC now.
pub fn offset_minutes(now: Timestamp) -> i32 {
    let zone = jiff::tz::TimeZone::system();
    match jiff::Timestamp::from_microsecond(now.micros()) {
        Ok(stamp) => zone.to_offset(stamp).seconds() / 60,
        Err(_) => 0,
    }
}
