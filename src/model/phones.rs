//! What a phone number tells about its country: about what time it is there.
//!
//! Countries that span several zones are left out: a wrong hour is worse than
//! none. Summer time is not known here, so an hour may be one off.

use crate::model::time::{HOUR, Timestamp};

/// Prefixes of countries with one zone, and their standard minutes ahead of
/// UTC.
const ZONES: &[(&str, i32)] = &[
    ("+20", 120),
    ("+234", 60),
    ("+254", 180),
    ("+27", 120),
    ("+30", 120),
    ("+31", 60),
    ("+32", 60),
    ("+33", 60),
    ("+34", 60),
    ("+351", 0),
    ("+353", 0),
    ("+354", 0),
    ("+358", 120),
    ("+36", 60),
    ("+380", 120),
    ("+39", 60),
    ("+40", 120),
    ("+41", 60),
    ("+420", 60),
    ("+43", 60),
    ("+44", 0),
    ("+45", 60),
    ("+46", 60),
    ("+47", 60),
    ("+48", 60),
    ("+49", 60),
    ("+51", -300),
    ("+54", -180),
    ("+57", -300),
    ("+60", 480),
    ("+63", 480),
    ("+64", 720),
    ("+65", 480),
    ("+66", 420),
    ("+81", 540),
    ("+82", 540),
    ("+84", 420),
    ("+86", 480),
    ("+90", 180),
    ("+91", 330),
    ("+971", 240),
    ("+972", 120),
];

/// Hours in which nobody minds a call: from, and before.
const POLITE: std::ops::Range<i64> = 8..20;

/// A number as a person writes it, without blanks, brackets and dashes.
pub fn plain(typed: &str) -> String {
    typed.chars().filter(|it| !it.is_whitespace() && !matches!(it, '-' | '(' | ')' | '/' | '.')).collect()
}

/// Minutes ahead of UTC at a number, by its country; `None` where the country
/// has several zones or is not known.
pub fn offset_of(number: &str) -> Option<i32> {
    ZONES.iter().find(|(prefix, _)| number.starts_with(prefix)).map(|(_, offset)| *offset)
}

/// Whether a call at this time, so many minutes ahead of UTC, comes early in
/// the morning, late in the evening or at night.
pub fn is_unsocial(now: Timestamp, offset_minutes: i32) -> bool {
    let local = now.micros() + i64::from(offset_minutes) * 60_000_000;
    !POLITE.contains(&local.div_euclid(HOUR).rem_euclid(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_time_it_is_there() {
        let cases = [
            ("+447700900517", "2026-11-20T08:00:00Z", Some(0), false),
            ("+447700900517", "2026-11-20T07:59:00Z", Some(0), true),
            ("+34600111222", "2026-11-20T18:59:00Z", Some(60), false),
            ("+34600111222", "2026-11-20T19:00:00Z", Some(60), true),
            ("+919800000000", "2026-11-20T02:30:00Z", Some(330), false),
            ("+573000000000", "2026-11-20T12:00:00Z", Some(-300), true),
            ("+12025550123", "2026-11-20T12:00:00Z", None, false),
        ];
        for (number, now, offset, unsocial) in cases {
            let now = Timestamp::parse(now).unwrap();
            assert_eq!(offset_of(number), offset, "{number}");
            assert_eq!(is_unsocial(now, offset.unwrap_or(0)), unsocial, "{number} {now}");
        }
    }
}
