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

    /// Microseconds the machine has been running, its sleep included, where
    /// that can be told. Nobody sets this clock.
    fn since_boot(&self) -> Option<i64> {
        None
    }
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

    /// ISO 8601 in UTC with milliseconds: `2026-11-20T10:02:03.456Z`.
    pub fn iso(self) -> Iso {
        let (year, month, day) = date_of_day(self.0.div_euclid(DAY));
        if !(0..=9_999).contains(&year) {
            return Iso::EPOCH;
        }
        let (second, milli) = (self.0.rem_euclid(DAY) / SECOND, self.0.rem_euclid(SECOND) / 1_000);
        let mut text = Iso::EPOCH;
        let fields = [
            (3, 4, year),
            (6, 2, month),
            (9, 2, day),
            (12, 2, second / 3_600),
            (15, 2, second / 60 % 60),
            (18, 2, second % 60),
            (22, 3, milli),
        ];
        for (last, digits, value) in fields {
            let mut rest = value;
            for place in 0..digits {
                text.0[last - place] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
                rest /= 10;
            }
        }
        text
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
        formatter.write_str(self.iso().as_str())
    }
}

/// A timestamp's text, without an allocation: lists are full of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iso([u8; 24]);

impl Iso {
    /// The epoch: stands for years that have not four digits.
    const EPOCH: Self = Self(*b"1970-01-01T00:00:00.000Z");

    /// The text.
    pub fn as_str(&self) -> &str {
        // Only digits and signs are ever written.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Year, month and day of a day of the proleptic Gregorian calendar, counted
/// from the epoch: whole cycles of 400 years, with years that begin in March.
const fn date_of_day(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let (cycle, day_of_cycle) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_cycle + cycle * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
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

/// How long ago something was: `just now`, `7m ago`.
pub fn ago(micros: i64) -> String {
    if micros < MINUTE { "just now".to_owned() } else { format!("{} ago", short_span(micros)) }
}

/// A span with seconds while it is short: `7s`, then as [`short_span`].
pub fn precise_span(micros: i64) -> String {
    if micros < MINUTE { format!("{}s", micros.max(0) / SECOND) } else { short_span(micros) }
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
    fn writes_what_the_library_writes() {
        let (mut micros, mut step) = (-62_167_219_200 * SECOND, 1_i64);
        while micros < 253_402_207_200 * SECOND {
            let library =
                jiff::Timestamp::from_microsecond(micros.div_euclid(1_000) * 1_000).expect("in range");
            assert_eq!(Timestamp(micros).to_string(), format!("{library:.3}"));
            step = step * 31 % 1_000_003;
            micros += step * 7_919 * SECOND / 13 + step;
        }
        assert_eq!(Timestamp(i64::MAX).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(i64::MIN).to_string(), "1970-01-01T00:00:00.000Z");
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
