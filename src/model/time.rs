//! Points in time, and the words the screen uses for spans of time.
//!
//! Has no clock of its own: functions take a [`Clock`] or a [`Timestamp`].

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::steady::{ClockReading, ClockStep, MIN_CLOCK_STEP, Moment};

mod steady;

/// Microseconds in one second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in one minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in one hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in one day.
pub const DAY: i64 = 24 * HOUR;

/// A point in time, in microseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Timestamp(i64);

/// A time zone: how far its clocks are from UTC at any moment, summer time
/// included. The shell reads the system's once and hands it in.
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
    /// Coordinated universal time.
    pub const UTC: Self = Self(jiff::tz::TimeZone::UTC);

    /// From the rule of a POSIX `TZ` variable, such as
    /// `CET-1CEST,M3.5.0,M10.5.0/3`.
    pub fn from_posix_rule(rule: &str) -> Option<Self> {
        jiff::tz::TimeZone::posix(rule).ok().map(Self)
    }

    /// Its name in the time zone database, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.iana_name()
    }

    /// `+09:00`: how far its clocks are ahead of UTC at a moment.
    pub fn offset_name(&self, at: Timestamp) -> String {
        let ahead = self.utc_offset(at);
        let minutes = ahead.abs() / MINUTE;
        format!("{}{:02}:{:02}", if ahead < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
    }

    /// The moment when its clocks show a time (microseconds since midnight) on
    /// a day (as [`Timestamp::day_number`] counts). A time that the clocks skip
    /// is as much later as they are put forward; of a time that they show twice
    /// it is the first, or the second if the first is not after `now`.
    pub fn next_at(&self, day: i64, time: i64, now: Timestamp) -> Timestamp {
        let (first, second) = self.local_candidates(day, time);
        if first > now { first } else { second }
    }

    /// The same, whatever time it is: of two the first.
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

    /// Microseconds its clocks are ahead of UTC at a moment.
    fn utc_offset(&self, at: Timestamp) -> i64 {
        i64::from(self.0.to_offset(at.to_jiff()).seconds()) * SECOND
    }
}

/// Where the time comes from: the system at the edge, a hand-turned clock in
/// tests, the service's own shiftable clock behind its socket.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// The steady clock. Defaults to the wall clock, for clocks of tests that
    /// are only turned by hand and never set.
    fn moment(&self) -> Moment {
        ClockReading::manual(self.now()).moment
    }

    /// Reads both clocks.
    fn times(&self) -> ClockReading {
        ClockReading::read(|| self.now(), || self.moment())
    }

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

    /// Reads the date of a mail (RFC 5322), in its obsolete forms, too; the day of
    /// the week may be wrong. `None` for anything else.
    pub fn parse_mail_date(text: &str) -> Option<Self> {
        const PARSER: jiff::fmt::rfc2822::DateTimeParser =
            jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
        Some(Self(PARSER.parse_timestamp(text.trim()).ok()?.as_microsecond()))
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

    /// `HH:MM` on the clocks of a zone.
    pub fn hour_and_minute(self, zone: &Zone) -> String {
        let minute = self.minute_of_day(zone);
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }

    /// Minutes since midnight on the clocks of a zone.
    pub fn minute_of_day(self, zone: &Zone) -> i64 {
        self.local(zone).rem_euclid(DAY) / MINUTE
    }

    /// `Thu 20 Nov` in a zone.
    pub fn day_name(self, zone: &Zone) -> String {
        day_name(self.day_number(zone))
    }

    /// `20 Nov 2026` in a zone.
    pub fn date(self, zone: &Zone) -> String {
        let (year, month, day) = date_of_day(self.day_number(zone));
        format!("{day:02} {} {year:04}", month_name(month))
    }

    /// Days since the epoch in a zone: equal for times of one day.
    pub fn day_number(self, zone: &Zone) -> i64 {
        self.local(zone).div_euclid(DAY)
    }

    /// Microseconds since midnight on the clocks of a zone.
    pub fn time_of_day(self, zone: &Zone) -> i64 {
        self.local(zone).rem_euclid(DAY)
    }

    /// `2026-11-20 19:02:03 +09:00`: the local time of a zone, which can be
    /// read back anywhere.
    pub fn local_timestamp(self, zone: &Zone) -> String {
        let (year, month, day) = date_of_day(self.day_number(zone));
        let second = self.time_of_day(zone) / SECOND;
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let offset = zone.offset_name(self);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} {offset}")
    }

    /// Microseconds since the epoch as the clocks of a zone count them.
    fn local(self, zone: &Zone) -> i64 {
        self.0.saturating_add(zone.utc_offset(self))
    }

    /// The library's time; one outside its years is the nearest inside.
    fn to_jiff(self) -> jiff::Timestamp {
        let (least, most) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        let micros = self.0.clamp(least.as_microsecond(), most.as_microsecond());
        jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
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
pub struct IsoText([u8; 24]);

impl IsoText {
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

/// `Thu 20 Nov`: a day counted from the epoch.
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

/// A span as a short word that fits a list column: `now`, `6m`, `21h`, `3d`.
/// A negative span (clocks differ) reads as `now`.
pub fn format_short_span(micros: i64) -> String {
    match micros {
        span if span < MINUTE => "now".to_owned(),
        span if span < HOUR => format!("{}m", span / MINUTE),
        span if span < DAY => format!("{}h", span / HOUR),
        span if span < 100 * DAY => format!("{}d", span / DAY),
        span => format!("{}w", (span / (7 * DAY)).min(9_999)),
    }
}

/// A span until something, to the nearest: two hours are `2h` at once, although
/// a moment of them is over.
pub fn format_span_ahead(micros: i64) -> String {
    let unit = match micros {
        span if span < HOUR => MINUTE,
        span if span < DAY => HOUR,
        span if span < 100 * DAY => DAY,
        _ => 7 * DAY,
    };
    // Less than a minute is said as such.
    if micros < MINUTE { format_short_span(micros) } else { format_short_span(micros + unit / 2) }
}

/// How long ago something was: `just now`, `7m ago`.
pub fn format_ago(micros: i64) -> String {
    if micros < MINUTE { "just now".to_owned() } else { format!("{} ago", format_short_span(micros)) }
}

/// A span with seconds while it is short: `7s`, then as [`short_span`].
pub fn format_precise_span(micros: i64) -> String {
    if micros < MINUTE { format!("{}s", micros.max(0) / SECOND) } else { format_short_span(micros) }
}

#[cfg(test)]
mod tests;
