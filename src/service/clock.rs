//! The service's clock: a base clock plus a shift that `/dev/clock` moves.
//!
//! Two times are kept apart:
//!
//! - [`now`](Clock::now), the wall clock. Windows, schedules and timestamps use it. The machine's
//!   administrator may set it forward or back while the service runs.
//! - [`elapsed`](ServiceClock::elapsed), monotonic time, as far as the machine reports its uptime, plus each
//!   move of `/dev/clock`. Retention (idempotency keys, records of platform calls) uses it.
//!
//! When the wall clock is set, [`consume_step`](ServiceClock::consume_step) reports by how much, and pending waits
//! are moved (`waits.rs`).

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model::time::{Clock, HOUR, Moment, SECOND, Timestamp, Zone};

/// Maximum elapsed time counted for a stop of the service, in microseconds: a long stop cannot be
/// distinguished from a clock that was set forward.
const MAX_STOP: i64 = HOUR;
/// Difference between wall clock and uptime since the last check, in microseconds, below which the clock
/// counts as not set.
const MAX_CLOCK_DRIFT: i64 = 2 * SECOND;

pub struct ServiceClock {
    base: Arc<dyn Clock>,
    shift: AtomicI64,
    /// Elapsed time, without the shift, at the machine's boot, in microseconds.
    origin: Option<i64>,
    /// Wall clock time of the machine's boot, as computed at the last check.
    booted_at: AtomicI64,
    /// Latest boot time computed for a row's timestamp since the last check.
    latest_booted_at: AtomicI64,
    /// Start and end of the latest move.
    moved: Mutex<(Timestamp, Timestamp)>,
}

impl ServiceClock {
    /// Creates a clock ahead of `base` by `shift` microseconds. `kept` is the elapsed time without shift at
    /// which an earlier run ended.
    pub fn new(base: Arc<dyn Clock>, shift: i64, kept: Option<i64>) -> Self {
        let (wall, booted) = (base.now().micros(), base.since_boot());
        let begin = kept.map_or(wall, |kept| wall.clamp(kept, kept.saturating_add(MAX_STOP)));
        Self {
            base,
            shift: AtomicI64::new(shift),
            origin: booted.map(|booted| begin - booted),
            booted_at: AtomicI64::new(wall - booted.unwrap_or(0)),
            latest_booted_at: AtomicI64::new(i64::MIN),
            moved: Mutex::default(),
        }
    }

    /// Returns the elapsed time on the scale of the wall clock at the first start. Falls back to the wall
    /// clock if the machine does not report its uptime.
    pub fn elapsed(&self) -> Timestamp {
        Timestamp::from_micros(self.elapsed_less_shift().saturating_add(self.shift()))
    }

    /// Returns the elapsed time without the shift, in microseconds, to be stored for the next run.
    pub fn elapsed_less_shift(&self) -> i64 {
        match (self.origin, self.base.since_boot()) {
            (Some(origin), Some(booted)) => origin.saturating_add(booted),
            _ => self.base.now().micros(),
        }
    }

    /// Returns the earlier of both times, for deciding how old a row with a wall clock timestamp is: never
    /// older than it really is.
    pub fn retention_time(&self) -> Timestamp {
        self.now().min(self.elapsed())
    }

    /// Returns true if the machine reports its uptime, so that a change of its wall clock can be detected.
    pub const fn has_monotonic_clock(&self) -> bool {
        self.origin.is_some()
    }

    /// Returns the wall clock time for a new row's timestamp and records it for
    /// [`consume_lead`](Self::consume_lead). `None` if the machine does not report its uptime.
    pub fn reliable_wall_time(&self) -> Option<Timestamp> {
        let (wall, booted) = (self.base.now(), self.base.since_boot()?);
        self.latest_booted_at.fetch_max(wall.micros().saturating_sub(booted), Ordering::SeqCst);
        Some(wall.plus(self.shift()))
    }

    /// Returns by how much the wall clock was set back after rows got timestamps since the last check, in
    /// microseconds; 0 below [`MAX_CLOCK_DRIFT`].
    pub fn consume_lead(&self) -> i64 {
        let Some(booted) = self.base.since_boot() else { return 0 };
        let latest = self.latest_booted_at.swap(i64::MIN, Ordering::SeqCst);
        let lead = latest.saturating_sub(self.base.now().micros().saturating_sub(booted));
        if lead < MAX_CLOCK_DRIFT { 0 } else { lead }
    }

    /// Returns by how much the wall clock was set since the last check, in microseconds; 0 below [`MAX_CLOCK_DRIFT`] or
    /// without uptime.
    pub fn consume_step(&self) -> i64 {
        let Some(booted) = self.base.since_boot() else { return 0 };
        let booted_at = self.base.now().micros().saturating_sub(booted);
        let step = booted_at.saturating_sub(self.booted_at.swap(booted_at, Ordering::SeqCst));
        if step.abs() < MAX_CLOCK_DRIFT { 0 } else { step }
    }

    /// Moves the clock forward, in microseconds.
    pub fn advance(&self, micros: i64) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.now();
        *moved = (from, from.plus(micros));
        self.shift.fetch_add(micros, Ordering::SeqCst);
    }

    /// Moves the clock forward to a shift that another process has set, in microseconds.
    pub fn follow(&self, shift: i64) {
        let ahead = shift.saturating_sub(self.shift());
        if ahead > 0 {
            self.advance(ahead);
        }
    }

    pub fn shift(&self) -> i64 {
        self.shift.load(Ordering::SeqCst)
    }

    /// Returns the time at which something due happens: its due time if `/dev/clock` jumped over it, as if
    /// the clock had run through it, else now or the due time, whichever is later.
    pub fn when_due(&self, due: Timestamp) -> Timestamp {
        let (from, to) = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        if (from..=to).contains(&due) { due } else { self.now().max(due) }
    }
}

impl Clock for ServiceClock {
    fn now(&self) -> Timestamp {
        self.base.now().plus(self.shift())
    }

    fn moment(&self) -> Moment {
        self.base.moment().plus(self.shift())
    }
}

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

    /// Clock that can be set, on a machine that reports its uptime.
    #[derive(Default)]
    struct Settable {
        wall: AtomicI64,
        booted: AtomicI64,
    }

    impl Settable {
        fn passes(&self, span: i64) {
            self.wall.fetch_add(span, Ordering::SeqCst);
            self.booted.fetch_add(span, Ordering::SeqCst);
        }
    }

    impl Clock for Settable {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.wall.load(Ordering::SeqCst))
        }

        fn since_boot(&self) -> Option<i64> {
            Some(self.booted.load(Ordering::SeqCst))
        }
    }

    #[test]
    fn elapsed_time_follows_no_wall_clock_that_is_set() {
        let base = Arc::new(Settable::default());
        base.wall.store(1_000 * HOUR, Ordering::SeqCst);
        let clock = ServiceClock::new(base.clone(), 0, None);
        let (at, begin) = (|hours: i64| Timestamp::from_micros(hours * HOUR), 1_000);
        assert_eq!(clock.elapsed(), at(begin));
        for (step, lead) in [(48 * HOUR, 0), (-72 * HOUR, 72 * HOUR)] {
            base.wall.fetch_add(step, Ordering::SeqCst);
            assert_eq!((clock.elapsed(), clock.consume_step(), clock.consume_step()), (at(begin), step, 0));
            assert_eq!(
                (clock.consume_lead(), clock.reliable_wall_time(), clock.consume_lead()),
                (lead, Some(clock.now()), 0)
            );
            clock.reliable_wall_time();
        }
        assert_eq!((clock.now(), clock.retention_time()), (at(begin - 24), at(begin - 24)));
        base.passes(HOUR);
        assert_eq!((clock.elapsed(), clock.consume_step()), (at(begin + 1), 0));
        clock.advance(24 * HOUR);
        assert_eq!(clock.elapsed(), at(begin + 25), "a deliberate move counts");
        base.passes(HOUR);
        let kept = clock.elapsed_less_shift();
        assert_eq!(kept, (begin + 2) * HOUR);

        // The next run continues after the last one, at most [`MAX_STOP`] later.
        for (wall, begins) in [(begin - 22, begin + 2), (begin + 2, begin + 2), (begin + 90, begin + 3)] {
            base.wall.store(wall * HOUR, Ordering::SeqCst);
            let next = ServiceClock::new(base.clone(), 0, Some(kept));
            assert_eq!(next.elapsed(), at(begins), "{wall}");
        }
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
        let clock = ServiceClock::new(Arc::new(Still), 0, None);
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
