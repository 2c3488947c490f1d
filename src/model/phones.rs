//! Time zones of phone numbers by country. Countries with several zones are omitted: a wrong hour
//! is worse than none.

use crate::time::{Timestamp, Zone};

const WESTERN_EUROPE_RULE: &str = "WET0WEST,M3.5.0/1,M10.5.0";
const CENTRAL_EUROPE_RULE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const EASTERN_EUROPE_RULE: &str = "EET-2EEST,M3.5.0/3,M10.5.0/4";

const COUNTRY_ZONES: &[(&str, &str)] = &[
    ("+20", "EET-2EEST,M4.5.5/0,M10.5.4/24"),
    ("+234", "WAT-1"),
    ("+254", "EAT-3"),
    ("+27", "SAST-2"),
    ("+30", EASTERN_EUROPE_RULE),
    ("+31", CENTRAL_EUROPE_RULE),
    ("+32", CENTRAL_EUROPE_RULE),
    ("+33", CENTRAL_EUROPE_RULE),
    ("+34", CENTRAL_EUROPE_RULE),
    ("+351", WESTERN_EUROPE_RULE),
    ("+353", "GMT0IST,M3.5.0/1,M10.5.0"),
    ("+354", "GMT0"),
    ("+358", EASTERN_EUROPE_RULE),
    ("+36", CENTRAL_EUROPE_RULE),
    ("+380", EASTERN_EUROPE_RULE),
    ("+39", CENTRAL_EUROPE_RULE),
    ("+40", EASTERN_EUROPE_RULE),
    ("+41", CENTRAL_EUROPE_RULE),
    ("+420", CENTRAL_EUROPE_RULE),
    ("+43", CENTRAL_EUROPE_RULE),
    ("+44", "GMT0BST,M3.5.0/1,M10.5.0"),
    ("+45", CENTRAL_EUROPE_RULE),
    ("+46", CENTRAL_EUROPE_RULE),
    ("+47", CENTRAL_EUROPE_RULE),
    ("+48", CENTRAL_EUROPE_RULE),
    ("+49", CENTRAL_EUROPE_RULE),
    ("+51", "<-05>5"),
    ("+54", "<-03>3"),
    ("+57", "<-05>5"),
    ("+60", "<+08>-8"),
    ("+63", "PST-8"),
    ("+64", "NZST-12NZDT,M9.5.0,M4.1.0/3"),
    ("+65", "<+08>-8"),
    ("+66", "<+07>-7"),
    ("+81", "JST-9"),
    ("+82", "KST-9"),
    ("+84", "<+07>-7"),
    ("+86", "CST-8"),
    ("+90", "<+03>-3"),
    ("+91", "IST-5:30"),
    ("+971", "<+04>-4"),
    ("+972", "IST-2IDT,M3.4.4/26,M10.5.0"),
];

/// Local hours for calls, end exclusive.
const CALLING_HOURS: std::ops::Range<i64> = 8..20;

/// Removes blanks, brackets, dashes, slashes and dots.
pub fn strip_separators(typed: &str) -> String {
    typed
        .chars()
        .filter(|character| !character.is_whitespace() && !matches!(character, '-' | '(' | ')' | '/' | '.'))
        .collect()
}

/// Returns the time zone of a number; `None` if the country is unknown or has several zones.
pub fn zone_of(number: &str) -> Option<Zone> {
    COUNTRY_ZONES
        .iter()
        .find(|(prefix, _)| number.starts_with(prefix))
        .and_then(|(_, rule)| Zone::from_posix_rule(rule))
}

pub fn is_outside_calling_hours(now: Timestamp, zone: &Zone) -> bool {
    !CALLING_HOURS.contains(&(now.minute_of_day(zone) / 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_time_it_is_there() {
        let cases = [
            ("+447700900517", "2026-11-20T08:00:00Z", Some("08:00"), false),
            ("+447700900517", "2026-11-20T07:59:00Z", Some("07:59"), true),
            ("+447700900517", "2026-07-20T07:00:00Z", Some("08:00"), false),
            ("+34600111222", "2026-11-20T18:59:00Z", Some("19:59"), false),
            ("+34600111222", "2026-11-20T19:00:00Z", Some("20:00"), true),
            ("+34600111222", "2026-07-20T18:00:00Z", Some("20:00"), true),
            ("+919800000000", "2026-11-20T02:30:00Z", Some("08:00"), false),
            ("+573000000000", "2026-11-20T12:00:00Z", Some("07:00"), true),
            ("+64211234567", "2026-12-20T12:00:00Z", Some("01:00"), true),
            ("+12025550123", "2026-11-20T12:00:00Z", None, true),
        ];
        for (number, now, face, unsocial) in cases {
            let now = Timestamp::parse(now).unwrap();
            let zone = zone_of(number);
            assert_eq!(zone.as_ref().map(|zone| now.hour_and_minute(zone)).as_deref(), face, "{number}");
            assert_eq!(
                zone.is_none_or(|zone| is_outside_calling_hours(now, &zone)),
                unsocial,
                "{number} {now}"
            );
        }
    }

    #[test]
    fn the_rules_are_those_of_the_database() {
        let cities = [
            ("+20", "Africa/Cairo"),
            ("+234", "Africa/Lagos"),
            ("+254", "Africa/Nairobi"),
            ("+27", "Africa/Johannesburg"),
            ("+351", "Europe/Lisbon"),
            ("+353", "Europe/Dublin"),
            ("+354", "Atlantic/Reykjavik"),
            ("+358", "Europe/Helsinki"),
            ("+380", "Europe/Kyiv"),
            ("+44", "Europe/London"),
            ("+49", "Europe/Berlin"),
            ("+51", "America/Lima"),
            ("+54", "America/Buenos_Aires"),
            ("+57", "America/Bogota"),
            ("+60", "Asia/Kuala_Lumpur"),
            ("+63", "Asia/Manila"),
            ("+64", "Pacific/Auckland"),
            ("+65", "Asia/Singapore"),
            ("+66", "Asia/Bangkok"),
            ("+81", "Asia/Tokyo"),
            ("+82", "Asia/Seoul"),
            ("+84", "Asia/Ho_Chi_Minh"),
            ("+86", "Asia/Shanghai"),
            ("+90", "Europe/Istanbul"),
            ("+91", "Asia/Kolkata"),
            ("+971", "Asia/Dubai"),
            ("+972", "Asia/Jerusalem"),
        ];
        let start = Timestamp::parse("2026-01-01T00:30:00Z").unwrap();
        for (prefix, city) in cities {
            let (rule, city) = (zone_of(prefix).expect("a rule"), jiff::tz::TimeZone::get(city).expect(city));
            let city = Zone::from(city);
            for hour in 0..2 * 365 * 24 {
                let now = start.plus(hour * crate::time::HOUR);
                assert_eq!(now.local_timestamp(&rule), now.local_timestamp(&city), "{prefix} {city:?}");
            }
        }
        assert!(COUNTRY_ZONES.iter().all(|(_, rule)| Zone::from_posix_rule(rule).is_some()));
    }
}
