//! Points in time, and the words the screen uses for spans of time.
//!
//! Knows no clock of its own: whoever needs the time is given a [`Clock`] or
//! a [`Timestamp`].

use std::fmt;

/// Microseconds in one second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in one minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in one hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in one day.
pub const DAY: i64 = 24 * HOUR;

/// A point in time, in microseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Timestamp(i64);

/// Where the time comes from: the system at the edge, a hand-turned clock in
/// tests, the service's own shiftable clock behind its socket.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

impl Timestamp {
    /// From microseconds since the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// Reads an ISO 8601 timestamp with a zone; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let stamp: jiff::Timestamp = text.trim().parse().ok()?;
        Some(Self(stamp.as_microsecond()))
    }

    /// This time plus a span in microseconds, stopping at the ends of range.
    #[must_use]
    pub const fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// How long after `earlier` this is, in microseconds; negative if before.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// `HH:MM` on the given offset from UTC, in minutes.
    pub fn clock_face(self, offset_minutes: i32) -> String {
        let (_, _, _, second) = self.civil(offset_minutes);
        format!("{:02}:{:02}", second / 3600, second / 60 % 60)
    }

    /// `Thu 20 Nov` on the given offset from UTC, in minutes.
    pub fn day_name(self, offset_minutes: i32) -> String {
        const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (_, month, day, _) = self.civil(offset_minutes);
        // 1 January 1970 was a Thursday.
        let weekday = (self.day_number(offset_minutes) + 3).rem_euclid(7);
        let weekday = DAYS[usize::try_from(weekday).unwrap_or(0)];
        let month = MONTHS[usize::from(month.saturating_sub(1)) % 12];
        format!("{weekday} {day:02} {month}")
    }

    /// Days since the epoch on the given offset: equal for times of one day.
    pub fn day_number(self, offset_minutes: i32) -> i64 {
        (self.0 + i64::from(offset_minutes) * MINUTE).div_euclid(DAY)
    }

    /// Year, month, day, and second of the day on the given offset.
    fn civil(self, offset_minutes: i32) -> (i16, u8, u8, i64) {
        let shifted = self.0.saturating_add(i64::from(offset_minutes) * MINUTE);
        let second = shifted.rem_euclid(DAY) / SECOND;
        match jiff::Timestamp::from_microsecond(shifted) {
            Ok(stamp) => {
                let date = stamp.to_zoned(jiff::tz::TimeZone::UTC).date();
                let month = u8::try_from(date.month()).unwrap_or(1);
                let day = u8::try_from(date.day()).unwrap_or(1);
                (date.year(), month, day, second)
            }
            Err(_) => (1970, 1, 1, second),
        }
    }
}

impl fmt::Display for Timestamp {
    /// ISO 8601 in UTC with milliseconds, as the interface shows times.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(stamp) => write!(formatter, "{stamp:.3}"),
            Err(_) => formatter.write_str("1970-01-01T00:00:00.000Z"),
        }
    }
}

/// A span as a short word that fits a list column: `now`, `6m`, `21h`, `3d`.
/// A negative span (clocks differ) reads as `now`.
pub fn short_span(micros: i64) -> String {
    match micros {
        span if span < MINUTE => "now".to_owned(),
        span if span < HOUR => format!("{}m", span / MINUTE),
        span if span < DAY => format!("{}h", span / HOUR),
        span if span < 100 * DAY => format!("{}d", span / DAY),
        span => format!("{}w", (span / (7 * DAY)).min(9_999)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_iso_8601() {
        let stamp = Timestamp::parse("2026-11-20T10:02:03.456Z").expect("valid");
        assert_eq!(stamp.to_string(), "2026-11-20T10:02:03.456Z");
        assert_eq!(Timestamp::parse("2026-11-20T11:02:03.456+01:00"), Some(stamp));
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-20T10:02:03"] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_days_and_faces() {
        let stamp = Timestamp::parse("2026-11-20T23:30:00Z").expect("valid");
        assert_eq!(stamp.day_name(0), "Fri 20 Nov");
        assert_eq!(stamp.day_name(60), "Sat 21 Nov");
        assert_eq!(stamp.clock_face(60), "00:30");
    }

    #[test]
    fn spans_are_short() {
        let cases = [
            (-5, "now"),
            (59 * SECOND, "now"),
            (MINUTE, "1m"),
            (HOUR, "1h"),
            (25 * HOUR, "1d"),
            (400 * DAY, "57w"),
        ];
        for (span, word) in cases {
            assert_eq!(short_span(span), word);
        }
    }
}
