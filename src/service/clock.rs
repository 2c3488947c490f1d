//! The service's clock: a given clock plus a shift that `/dev/clock` moves.
//!
//! Limits, windows, idempotency, schedules and the world all ask it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model::time::{Clock, Timestamp, Zone};

/// A clock that can be moved forward.
pub struct ServiceClock {
    base: Arc<dyn Clock>,
    shift: AtomicI64,
    /// What the clock was last moved over, from and to.
    moved: Mutex<(Timestamp, Timestamp)>,
}

impl ServiceClock {
    /// A clock ahead of `base` by `shift` microseconds.
    pub fn new(base: Arc<dyn Clock>, shift: i64) -> Self {
        Self { base, shift: AtomicI64::new(shift), moved: Mutex::default() }
    }

    /// Moves forward by so many microseconds.
    pub fn advance(&self, micros: i64) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.now();
        *moved = (from, from.plus(micros));
        self.shift.fetch_add(micros, Ordering::SeqCst);
    }

    /// Moves forward to a shift that another process has moved it to.
    pub fn follow(&self, shift: i64) {
        let ahead = shift.saturating_sub(self.shift());
        if ahead > 0 {
            self.advance(ahead);
        }
    }

    /// How far it was moved forward, in microseconds.
    pub fn shift(&self) -> i64 {
        self.shift.load(Ordering::SeqCst)
    }

    /// When something happens that was due: now, unless the clock was moved
    /// over its time; then it happens as if the clock had gone there by
    /// itself.
    pub fn when_due(&self, due: Timestamp) -> Timestamp {
        let (from, to) = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        if (from..=to).contains(&due) { due } else { self.now().max(due) }
    }
}

impl Clock for ServiceClock {
    fn now(&self) -> Timestamp {
        self.base.now().plus(self.shift())
    }
}

/// A time as the `Date` header writes it, so that clients compare the other
/// times they are told with the clock those come from.
pub fn http_date(at: Timestamp) -> String {
    let (weekday, iso) = (at.day_name(&Zone::UTC), at.iso());
    let time = iso.as_str().get(11..19).unwrap_or("00:00:00");
    format!("{}, {} {time} GMT", weekday.get(..3).unwrap_or("Thu"), at.date(&Zone::UTC))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_for_http() {
        let at = Timestamp::parse("1994-11-06T08:49:37.5Z").expect("valid");
        assert_eq!(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn what_the_clock_was_moved_over_happens_in_its_time() {
        struct Still;
        impl Clock for Still {
            fn now(&self) -> Timestamp {
                Timestamp::from_micros(1000)
            }
        }
        let at = Timestamp::from_micros;
        let clock = ServiceClock::new(Arc::new(Still), 0);
        assert_eq!(clock.when_due(at(400)), at(1000));
        clock.advance(500);
        clock.follow(500);
        assert_eq!(clock.now(), at(1500), "it is there already");
        let cases = [(999, 1500), (1000, 1000), (1400, 1400), (1500, 1500)];
        for (due, happens) in cases {
            assert_eq!(clock.when_due(at(due)), at(happens), "{due}");
        }
        clock.follow(700);
        assert_eq!((clock.now(), clock.when_due(at(1600))), (at(1700), at(1600)));
    }
}
