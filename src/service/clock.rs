//! The service's clock: a given clock plus a shift that `/dev/clock` moves.
//!
//! Knows nothing of what follows it; limits, windows, idempotency, schedules
//! and the world all ask it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::time::{Clock, Timestamp};

/// A clock that can be moved forward.
pub struct ServiceClock {
    base: Arc<dyn Clock>,
    shift: AtomicI64,
}

impl ServiceClock {
    /// A clock ahead of `base` by `shift` microseconds.
    pub fn new(base: Arc<dyn Clock>, shift: i64) -> Self {
        Self { base, shift: AtomicI64::new(shift) }
    }

    /// Moves forward by so many microseconds; the new shift.
    pub fn advance(&self, micros: i64) -> i64 {
        self.shift.fetch_add(micros, Ordering::SeqCst).saturating_add(micros)
    }
}

impl Clock for ServiceClock {
    fn now(&self) -> Timestamp {
        self.base.now().plus(self.shift.load(Ordering::SeqCst))
    }
}

/// A time as the `Date` header writes it, so that clients compare the other
/// times they are told with the clock those come from.
pub fn http_date(at: Timestamp) -> String {
    let iso = at.to_string();
    let (weekday, day_month) = {
        let name = at.day_name(0);
        (name.get(0..3).unwrap_or("Thu").to_owned(), name.get(4..).unwrap_or("01 Jan").to_owned())
    };
    let year = iso.get(0..4).unwrap_or("1970");
    let time = iso.get(11..19).unwrap_or("00:00:00");
    format!("{weekday}, {day_month} {year} {time} GMT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_for_http() {
        let at = Timestamp::parse("1994-11-06T08:49:37.5Z").expect("valid");
        assert_eq!(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
