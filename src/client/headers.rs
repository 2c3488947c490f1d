//! Tolerant parsing of response headers.
//!
//! The API does not state the unit of `X-RateLimit-Reset`, so it is inferred from the magnitude.

use reqwest::header::HeaderMap;

use model::time::{MINUTE, SECOND, Timestamp};

/// Maximum accepted `Retry-After` and reset time, in microseconds.
const MAX_WAIT: i64 = 60 * MINUTE;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponseFacts {
    pub date: Option<Timestamp>,
    /// In microseconds, between 1 s and 1 h.
    pub retry_after: Option<i64>,
    /// True for the answer kept from an earlier request under the same idempotency key.
    pub replayed: bool,
    pub rate: Option<Rate>,
    /// Media type without parameters, in lower case.
    pub content_type: String,
    pub location: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Calls allowed in the window.
    pub limit: u32,
    pub remaining: u32,
    /// Time until the limit resets, in microseconds.
    pub reset_in: Option<i64>,
}

pub fn read(headers: &HeaderMap, now: Timestamp) -> ResponseFacts {
    let text = |name: &str| headers.get(name).and_then(|header| header.to_str().ok()).map(str::trim);
    let date = text("date").and_then(http_date);
    let server_now = date.unwrap_or(now);
    let content_type = text("content-type").unwrap_or("").split(';').next().unwrap_or("");
    ResponseFacts {
        date,
        retry_after: text("retry-after").and_then(|text| retry_after(text, server_now)),
        replayed: text("idempotent-replayed").is_some_and(|text| text.eq_ignore_ascii_case("true")),
        rate: rate(
            text("x-ratelimit-limit"),
            text("x-ratelimit-remaining"),
            text("x-ratelimit-reset"),
            server_now,
        ),
        content_type: content_type.trim().to_ascii_lowercase(),
        location: text("location").map(str::to_owned),
    }
}

pub(crate) fn charset(headers: &HeaderMap) -> Option<String> {
    let mut parameters = headers.get("content-type")?.to_str().ok()?.split(';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// Accepts seconds with an optional fraction or an HTTP date.
fn retry_after(text: &str, now: Timestamp) -> Option<i64> {
    let seconds = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let wait = match seconds {
        // Clamped first, so that the number fits.
        Some(seconds) => whole_seconds(seconds.ceil().min(3600.0))?.saturating_mul(SECOND),
        None => http_date(text)?.since(now),
    };
    Some(wait.clamp(SECOND, MAX_WAIT))
}

fn rate(limit: Option<&str>, remaining: Option<&str>, reset: Option<&str>, now: Timestamp) -> Option<Rate> {
    let limit: i64 = limit?.parse().ok()?;
    let remaining: i64 = remaining?.parse().ok()?;
    Some(Rate {
        limit: u32::try_from(limit).ok().filter(|number| *number > 0)?,
        remaining: u32::try_from(remaining.max(0)).ok()?,
        reset_in: reset.and_then(|reset| reset.parse().ok()).and_then(|number| reset_in(number, now)),
    })
}

/// Converts a reset value: milliseconds or seconds since the Unix epoch, or seconds from now.
fn reset_in(number: i64, now: Timestamp) -> Option<i64> {
    let wait = match number {
        ..0 => return None,
        1_000_000_000_001.. => Timestamp::from_micros(number.saturating_mul(1000)).since(now),
        1_000_000_001.. => Timestamp::from_micros(number.saturating_mul(SECOND)).since(now),
        _ => number.saturating_mul(SECOND),
    };
    Some(wait.clamp(0, MAX_WAIT))
}

fn http_date(text: &str) -> Option<Timestamp> {
    let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(Timestamp::from_micros(zoned.timestamp().as_microsecond()))
}

/// Converts a whole number of seconds; the caller has clamped it.
fn whole_seconds(number: f64) -> Option<i64> {
    format!("{number:.0}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-10-21T07:27:00Z").expect("valid")
    }

    #[test]
    fn retry_after_cases() {
        let cases = [
            ("7", Some(7)),
            ("1.5", Some(2)),
            ("0", Some(1)),
            ("99999999999", Some(3600)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", Some(60)),
            ("Wed, 21 Oct 2020 07:28:00 GMT", Some(1)),
            ("-3", None),
            ("soon", None),
            ("", None),
            ("NaN", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(retry_after(text, now()), seconds.map(|second| second * SECOND), "{text}");
        }
    }

    #[test]
    fn rate_cases() {
        let epoch = now().seconds() + 12;
        let (seconds, millis) = (epoch.to_string(), (epoch * 1000).to_string());
        for reset in ["12", seconds.as_str(), millis.as_str()] {
            let read = rate(Some("300"), Some("-3"), Some(reset), now()).expect("read");
            assert_eq!(read, Rate { limit: 300, remaining: 0, reset_in: Some(12 * SECOND) }, "{reset}");
        }
        assert_eq!(rate(None, Some("1"), None, now()), None);
        assert_eq!(rate(Some("0"), Some("1"), None, now()), None);
        let without = rate(Some("300"), Some("299"), Some("later"), now()).expect("read");
        assert_eq!(without.reset_in, None);
    }
}
