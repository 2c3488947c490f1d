//! Check of the time zone, which displayed times, quiet hours and planned messages follow.

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::problem::Problem;
use crate::shell::clock::{SystemClock, system_zone};
use model::time::{Clock, Timestamp, Zone};

pub fn check_zone() -> CheckResult {
    zone_result(system_zone().map_err(|error| error.to_string()), SystemClock.now())
}

fn zone_result(zone: Result<Zone, String>, now: Timestamp) -> CheckResult {
    match zone {
        Ok(zone) => {
            let name = zone.name().map_or_else(|| "unnamed time zone".to_owned(), str::to_owned);
            CheckResult::ok("time zone", format!("{name}, local time {}", now.local_timestamp(&zone)))
        }
        Err(why) => CheckResult::warn(
            Problem::TimeZone,
            "time zone",
            format!("unknown, times are shown in UTC ({why})"),
            "set TZ to a name such as Europe/Berlin",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_the_zone_or_what_to_do() {
        let now = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
        let tokyo = jiff::tz::TimeZone::get("Asia/Tokyo").map(Zone::from).map_err(|error| error.to_string());
        let known = zone_result(tokyo, now).finding;
        assert!(
            known.starts_with("Asia/Tokyo, ") && known.ends_with(" 2026-11-20 19:00:00 +09:00"),
            "{known}"
        );
        let rule = Zone::from_posix_rule("JST-9").ok_or_else(String::new);
        let unnamed = zone_result(rule, now).finding;
        assert!(unnamed.ends_with(" 2026-11-20 19:00:00 +09:00"), "{unnamed}");
        let unknown = zone_result(Err("no such zone".to_owned()), now);
        assert!(unknown.finding.ends_with("times are shown in UTC (no such zone)"), "{}", unknown.finding);
        assert!(unknown.advice.contains("TZ"));
    }
}
