//! Points in time and the formats of time spans on the screen. Has no clock: functions take a
//! [`Clock`] or a [`Timestamp`].

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::steady::{ClockReading, ClockStep, MIN_CLOCK_STEP, Moment};

mod steady;

pub const SECOND: i64 = 1_000_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// A point in time, in microseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Timestamp(i64);

/// A time zone with its daylight saving rules. The shell reads the system's zone once and passes it
/// in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(jiff::tz::TimeZone);

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

impl From<jiff::tz::TimeZone> for Zone {
    fn from(zone: jiff::tz::TimeZone) -> Self {
        Self(zone)
    }
}

impl Zone {
    pub const UTC: Self = Self(jiff::tz::TimeZone::UTC);

    /// Looks a name of the time zone database up, such as `Europe/Lisbon`.
    pub fn from_name(name: &str) -> Option<Self> {
        jiff::tz::TimeZone::get(name).ok().map(Self)
    }

    /// Parses the rule of a POSIX `TZ` variable, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    pub fn from_posix_rule(rule: &str) -> Option<Self> {
        jiff::tz::TimeZone::posix(rule).ok().map(Self)
    }

    /// Returns the name in the time zone database, if any.
    pub fn name(&self) -> Option<&str> {
        self.0.iana_name()
    }

    /// Returns the UTC offset at a moment: `+09:00`.
    pub fn offset_name(&self, at: Timestamp) -> String {
        let ahead = self.utc_offset(at);
        let minutes = ahead.abs() / MINUTE;
        format!("{}{:02}:{:02}", if ahead < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
    }

    /// Returns the moment of a local time (microseconds since midnight) on a day (see
    /// [`Timestamp::day_number`]). A time skipped by a clock change moves later by the skipped
    /// span; of a repeated time it is the first, or the second if the first is not after `now`.
    pub fn next_at(&self, day: i64, time: i64, now: Timestamp) -> Timestamp {
        let (first, second) = self.local_candidates(day, time);
        if first > now { first } else { second }
    }

    /// As [`Zone::next_at`], but always the first of a repeated time.
    pub fn at(&self, day: i64, time: i64) -> Timestamp {
        self.local_candidates(day, time).0
    }

    fn local_candidates(&self, day: i64, time: i64) -> (Timestamp, Timestamp) {
        let wall = Timestamp(day.saturating_mul(DAY).saturating_add(time));
        let found = self.0.to_ambiguous_timestamp(jiff::tz::TimeZone::UTC.to_datetime(wall.to_jiff()));
        let known = |result: Result<jiff::Timestamp, jiff::Error>| {
            result.map_or(wall, |time| Timestamp(time.as_microsecond()))
        };
        (known(found.compatible()), known(found.later()))
    }

    fn utc_offset(&self, at: Timestamp) -> i64 {
        i64::from(self.0.to_offset(at.to_jiff()).seconds()) * SECOND
    }
}

/// Source of time: the system clock, a manual clock in tests, or the service's shiftable clock.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Reads the steady clock. Defaults to the wall clock, for test clocks that are advanced but
    /// never set.
    fn moment(&self) -> Moment {
        ClockReading::manual(self.now()).moment
    }

    /// Reads the wall clock and the steady clock.
    fn times(&self) -> ClockReading {
        ClockReading::read(|| self.now(), || self.moment())
    }

    /// Microseconds since boot, including sleep, if the system reports them. Not affected by
    /// changes of the wall clock.
    fn since_boot(&self) -> Option<i64> {
        None
    }
}

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// Parses an ISO 8601 timestamp with a zone.
    pub fn parse(text: &str) -> Option<Self> {
        let stamp: jiff::Timestamp = text.trim().parse().ok()?;
        Some(Self(stamp.as_microsecond()))
    }

    /// Parses the date of a mail (RFC 5322), including obsolete forms and wrong weekdays.
    pub fn parse_mail_date(text: &str) -> Option<Self> {
        const PARSER: jiff::fmt::rfc2822::DateTimeParser =
            jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
        Some(Self(PARSER.parse_timestamp(text.trim()).ok()?.as_microsecond()))
    }

    /// Adds a span in microseconds; saturates.
    #[must_use]
    pub const fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Microseconds since `earlier`; negative if `earlier` is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// ISO 8601 in UTC with milliseconds: `2026-11-20T10:02:03.456Z`.
    pub fn iso(self) -> IsoText {
        let (year, month, day) = date_of_day(self.0.div_euclid(DAY));
        if !(0..=9_999).contains(&year) {
            return IsoText::EPOCH;
        }
        let (second, milli) = (self.0.rem_euclid(DAY) / SECOND, self.0.rem_euclid(SECOND) / 1_000);
        let mut text = IsoText::EPOCH;
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

    pub fn hour_and_minute(self, zone: &Zone) -> String {
        let minute = self.minute_of_day(zone);
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }

    pub fn minute_of_day(self, zone: &Zone) -> i64 {
        self.local(zone).rem_euclid(DAY) / MINUTE
    }

    /// Local date as `Thu 20 Nov`.
    pub fn day_name(self, zone: &Zone) -> String {
        day_name(self.day_number(zone))
    }

    /// Local date as `20 Nov 2026`.
    pub fn date(self, zone: &Zone) -> String {
        let (year, month, day) = date_of_day(self.day_number(zone));
        format!("{day:02} {} {year:04}", month_name(month))
    }

    pub fn day_number(self, zone: &Zone) -> i64 {
        self.local(zone).div_euclid(DAY)
    }

    pub fn time_of_day(self, zone: &Zone) -> i64 {
        self.local(zone).rem_euclid(DAY)
    }

    /// Local time with offset, unambiguous in any zone: `2026-11-20 19:02:03 +09:00`.
    pub fn local_timestamp(self, zone: &Zone) -> String {
        let (year, month, day) = date_of_day(self.day_number(zone));
        let second = self.time_of_day(zone) / SECOND;
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let offset = zone.offset_name(self);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} {offset}")
    }

    fn local(self, zone: &Zone) -> i64 {
        self.0.saturating_add(zone.utc_offset(self))
    }

    /// Converts to jiff's type, clamped to its range.
    fn to_jiff(self) -> jiff::Timestamp {
        let (least, most) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        let micros = self.0.clamp(least.as_microsecond(), most.as_microsecond());
        jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    /// ISO 8601 in UTC with milliseconds, as in the interface.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.iso().as_str())
    }
}

/// Text of a timestamp without heap allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsoText([u8; 24]);

impl IsoText {
    /// The epoch; also the result for years outside 0 to 9999.
    const EPOCH: Self = Self(*b"1970-01-01T00:00:00.000Z");

    pub fn as_str(&self) -> &str {
        // Only ASCII digits and signs are written.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Converts days since the epoch to year, month and day of the proleptic Gregorian calendar. Counts
/// cycles of 400 years and years that begin in March.
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

/// Formats days since the epoch as `Thu 20 Nov`.
pub fn day_name(day: i64) -> String {
    const WEEKDAY_NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let (_, month, date) = date_of_day(day);
    // 1 January 1970 was a Thursday.
    let weekday = WEEKDAY_NAMES[usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0)];
    format!("{weekday} {date:02} {}", month_name(month))
}

fn month_name(month: i64) -> &'static str {
    const MONTH_NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    MONTH_NAMES[usize::try_from(month - 1).unwrap_or(0) % 12]
}

/// Formats a span for a list column: `now`, `6m`, `21h`, `3d`. Negative spans (clock differences)
/// read as `now`.
pub fn format_short_span(micros: i64) -> String {
    match micros {
        span if span < MINUTE => "now".to_owned(),
        span if span < HOUR => format!("{}m", span / MINUTE),
        span if span < DAY => format!("{}h", span / HOUR),
        span if span < 100 * DAY => format!("{}d", span / DAY),
        span => format!("{}w", (span / (7 * DAY)).min(9_999)),
    }
}

/// Formats a span in hours and minutes: `1h 50m`, `50m`, `2h`. Under a minute it is `1m`.
pub fn format_hours_and_minutes(micros: i64) -> String {
    let minutes = (micros / MINUTE).max(1);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes}m"),
        (hours, 0) => format!("{hours}h"),
        (hours, minutes) => format!("{hours}h {minutes}m"),
    }
}

/// Formats a remaining span, rounded to the nearest unit so that two hours show as `2h` from the
/// start.
pub fn format_span_ahead(micros: i64) -> String {
    let unit = match micros {
        span if span < HOUR => MINUTE,
        span if span < DAY => HOUR,
        span if span < 100 * DAY => DAY,
        _ => 7 * DAY,
    };
    // Spans under a minute are not rounded.
    if micros < MINUTE { format_short_span(micros) } else { format_short_span(micros + unit / 2) }
}

/// Formats an age: `just now`, `7m ago`.
pub fn format_ago(micros: i64) -> String {
    if micros < MINUTE { "just now".to_owned() } else { format!("{} ago", format_short_span(micros)) }
}

/// Formats a span with seconds below one minute (`7s`), else as [`format_short_span`].
pub fn format_precise_span(micros: i64) -> String {
    if micros < MINUTE { format!("{}s", micros.max(0) / SECOND) } else { format_short_span(micros) }
}

#[cfg(test)]
mod tests;
