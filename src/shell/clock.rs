//! The system's clock, read at the edge and handed in everywhere else.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use model::time::{Clock, SECOND, Timestamp, Zone};

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn since_boot(&self) -> Option<i64> {
        uptime(&std::fs::read_to_string("/proc/uptime").ok()?)
    }
}

/// Reads the first number, seconds with two digits after the point, as Linux
/// tells it; other systems have no such file.
fn uptime(text: &str) -> Option<i64> {
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    let (seconds, hundredths): (i64, i64) = (seconds.parse().ok()?, hundredths.parse().ok()?);
    (hundredths < 100).then(|| seconds.saturating_mul(SECOND) + hundredths * (SECOND / 100))
}

/// A point on the steady clock, for waiting.
#[expect(clippy::disallowed_methods, reason = "waiting needs the steady clock, and only the loop waits")]
pub fn instant() -> Instant {
    Instant::now()
}

/// The zone of this system: what `TZ` names, else what the system is set to;
/// UTC where neither can be read.
pub fn zone() -> Zone {
    system_zone().unwrap_or_default()
}

/// The same, or why it cannot be read.
///
/// # Errors
/// When `TZ` names no zone, or the system's own cannot be found.
pub fn system_zone() -> Result<Zone, jiff::Error> {
    jiff::tz::TimeZone::try_system().map(Zone::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_since_boot_is_read() {
        assert_eq!(uptime("6543.21 12345.67\n"), Some(6_543_210_000));
        for odd in ["", "x.y", "12", "12.345 1"] {
            assert_eq!(uptime(odd), None, "{odd}");
        }
        if cfg!(target_os = "linux") {
            let (first, second) = (SystemClock.since_boot(), SystemClock.since_boot());
            assert!(first.is_some() && first <= second);
        }
    }
}
