//! Parses times in formats of other programs. The interface requires ISO 8601 with a zone; servers
//! also send local times, numbers and mail dates.

use crate::time::{SECOND, Timestamp};

/// Seconds from 1973 to 5138; numbers outside are no seconds.
const EPOCH_SECONDS: std::ops::Range<f64> = 1e8..1e11;

impl Timestamp {
    /// Parses a time in one of these formats:
    ///
    /// - ISO 8601, also with a space for the `T`, `+0000` for `+00:00`, or a date alone (its
    ///   midnight); UTC if there is no zone
    /// - seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size
    /// - `Fri, 20 Nov 2026 10:00:00 GMT`, as in mail and HTTP
    /// - `/Date(1795168800000)/`
    ///
    /// Returns `None` for zero times (the epoch and `0001-01-01T00:00:00Z`), which mean "not set".
    pub fn parse_any(text: &str) -> Option<Self> {
        let text = text.trim();
        let read = Self::parse(text)
            .or_else(|| parse_without_zone(text))
            .or_else(|| parse_plain_offset(text))
            .or_else(|| parse_epoch(text))
            .or_else(|| parse_mail_date(text));
        read.filter(|at| *at != Self::default() && !at.is_calendar_zero())
    }

    fn is_calendar_zero(self) -> bool {
        // Within a day, because the zone is unknown.
        const YEAR_ONE_MICROS: i64 = -62_135_596_800 * SECOND;
        (self.micros() - YEAR_ONE_MICROS).abs() <= crate::time::DAY
    }
}

fn parse_without_zone(text: &str) -> Option<Timestamp> {
    let wall: jiff::civil::DateTime = match text.parse() {
        Ok(wall) => wall,
        Err(_) => text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0),
    };
    let at = jiff::tz::TimeZone::UTC.to_timestamp(wall).ok()?;
    Some(Timestamp::from_micros(at.as_microsecond()))
}

/// Parses an offset of four digits without a colon.
fn parse_plain_offset(text: &str) -> Option<Timestamp> {
    let (time, offset) = text.split_at_checked(text.len().checked_sub(5)?)?;
    let digits = offset.strip_prefix(['+', '-'])?;
    let sign = &offset[..1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !time.contains(':') {
        return None;
    }
    Timestamp::parse(&format!("{}{sign}{}:{}", time.trim_end(), &digits[..2], &digits[2..]))
}

fn parse_epoch(text: &str) -> Option<Timestamp> {
    let inner = text.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/")).unwrap_or(text);
    if !inner.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let micros = |per_second: f64| {
        // Integers are converted without loss.
        if let Ok(whole) = inner.parse::<i64>() {
            return Some(scale_to_micros(whole, per_second));
        }
        let micros = inner.parse::<f64>().ok()? / per_second * 1e6;
        format!("{micros:.0}").parse().ok()
    };
    let number: f64 = inner.parse().ok()?;
    let per_second =
        [1.0, 1e3, 1e6, 1e9].into_iter().find(|unit| EPOCH_SECONDS.contains(&(number / unit)))?;
    micros(per_second).map(Timestamp::from_micros)
}

fn scale_to_micros(number: i64, per_second: f64) -> i64 {
    if per_second <= 1.0 {
        number.saturating_mul(SECOND)
    } else if per_second <= 1e3 {
        number.saturating_mul(1_000)
    } else if per_second <= 1e6 {
        number
    } else {
        number / 1_000
    }
}

fn parse_mail_date(text: &str) -> Option<Timestamp> {
    let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(Timestamp::from_micros(zoned.timestamp().as_microsecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_programs_are_read() {
        let ten = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
        let forms = [
            "2026-11-20T10:00:00Z",
            "2026-11-20T12:00:00+02:00",
            "2026-11-20T10:00:00",
            "2026-11-20 10:00:00",
            " 2026-11-20T10:00:00.000 ",
            "2026-11-20T10:00",
            "2026-11-20 10:00:00+00:00",
            "2026-11-20T12:00:00+0200",
            "2026-11-20 12:00:00 +0200",
            "2026-11-20T10:00:00-0000",
            "20261120T100000Z",
            "1795168800",
            "1795168800.0",
            "1795168800000",
            "1795168800000000",
            "1795168800000000000",
            "1.7951688e9",
            "Fri, 20 Nov 2026 10:00:00 GMT",
            "Fri, 20 Nov 2026 12:00:00 +0200",
            "/Date(1795168800000)/",
        ];
        for form in forms {
            assert_eq!(Timestamp::parse_any(form), Some(ten), "{form}");
        }
        assert_eq!(Timestamp::parse_any("2026-11-20"), Some(ten.plus(-10 * crate::time::HOUR)));
        assert_eq!(Timestamp::parse_any("1795168800.25"), Some(ten.plus(250_000)));
        assert_eq!(Timestamp::parse_any("1795168800123"), Some(ten.plus(123_000)));
    }

    #[test]
    fn what_is_no_time_is_none() {
        let forms = [
            "",
            "0",
            "-1",
            "1.5",
            "12345678",
            "346001112223334445556",
            "+34600111222",
            "soon",
            "0001-01-01T00:00:00Z",
            "0001-01-01T00:00:00",
            "1970-01-01T00:00:00Z",
            "0000-00-00 00:00:00",
            "2026-13-40",
            "nan",
            "inf",
            "1e400",
            "/Date(x)/",
        ];
        for form in forms {
            assert_eq!(Timestamp::parse_any(form), None, "{form}");
        }
    }
}
