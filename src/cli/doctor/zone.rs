//! Check of the time zone, which displayed times, quiet hours and planned messages follow.

use crate::cli::doctor::CheckResult;
use crate::shell::clock::{SystemClock, system_zone};
use model::time::{Clock, Timestamp, Zone};

pub fn check_zone() -> CheckResult {
    zone_result(system_zone().map_err(|error| error.to_string()), SystemClock.now())
}

fn zone_result(zone: Result<Zone, String>, now: Timestamp) -> CheckResult {
    match zone {
        Ok(zone) => {
            let name = zone.name().map_or_else(|| "a zone without a name".to_owned(), str::to_owned);
            CheckResult::ok("time zone", format!("{name}, here it is {}", now.local_timestamp(&zone)))
        }
        Err(why) => CheckResult::warn(
            "time zone",
            format!("not known, times are shown in UTC ({why})"),
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
        assert_eq!(zone_result(tokyo, now).finding, "Asia/Tokyo, here it is 2026-11-20 19:00:00 +09:00");
        let rule = Zone::from_posix_rule("JST-9").ok_or_else(String::new);
        assert_eq!(
            zone_result(rule, now).finding,
            "a zone without a name, here it is 2026-11-20 19:00:00 +09:00"
        );
        let unknown = zone_result(Err("no such zone".to_owned()), now);
        assert_eq!(unknown.finding, "not known, times are shown in UTC (no such zone)");
        assert!(unknown.advice.contains("TZ"));
    }
}
