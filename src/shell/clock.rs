//! The system clock, read only at the edge of the program.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use model::time::{Clock, Moment, SECOND, Timestamp, Zone};

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    /// Time since boot. Includes sleep where the system counts it: on Linux only this clock does, on macOS
    /// the monotonic one.
    fn moment(&self) -> Moment {
        #[cfg(target_os = "linux")]
        let clock = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let clock = rustix::time::ClockId::Monotonic;
        let read = rustix::time::clock_gettime(clock);
        Moment::from_micros(read.tv_sec.saturating_mul(SECOND).saturating_add(read.tv_nsec / 1_000))
    }

    fn since_boot(&self) -> Option<i64> {
        uptime(&std::fs::read_to_string("/proc/uptime").ok()?)
    }
}

/// Returns the processor time this thread has used: a busy machine does not make it longer.
pub fn thread_time() -> Duration {
    let read = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let whole = Duration::from_secs(u64::try_from(read.tv_sec).unwrap_or(0));
    whole + Duration::from_nanos(u64::try_from(read.tv_nsec).unwrap_or(0))
}

/// Parses the first number of `/proc/uptime`, seconds with two decimals, in microseconds.
fn uptime(text: &str) -> Option<i64> {
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    let (seconds, hundredths): (i64, i64) = (seconds.parse().ok()?, hundredths.parse().ok()?);
    (hundredths < 100).then(|| seconds.saturating_mul(SECOND) + hundredths * (SECOND / 100))
}

/// Instant of the steady clock, for waiting.
#[expect(clippy::disallowed_methods, reason = "waiting needs the steady clock, and only the loop waits")]
pub fn instant() -> Instant {
    Instant::now()
}

/// Time zone of the system: `TZ`, else the system setting, else UTC.
pub fn zone() -> Zone {
    system_zone().unwrap_or_default()
}

/// Time zone of the system, or the reason it cannot be read.
///
/// # Errors
/// When `TZ` names no zone, or the system's own cannot be found.
pub fn system_zone() -> Result<Zone, jiff::Error> {
    let usual = std::env::var_os("TZ").is_none().then(|| local_zone(Path::new("/etc/localtime"))).flatten();
    usual.map_or_else(TimeZone::try_system, Ok).map(Zone::from)
}

/// Reads the zone from `/etc/localtime`: the library would list the files of all zones to find one, which
/// delays the start.
fn local_zone(file: &Path) -> Option<TimeZone> {
    let target = std::fs::read_link(file).ok()?;
    let (_, name) = target.to_str()?.rsplit_once("zoneinfo/")?;
    TimeZone::tzif(name, &std::fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dangling link, or one that names no zone, is left to the library.
    #[test]
    fn the_systems_zone_is_read_from_its_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("localtime");
        assert!(local_zone(&file).is_none());
        std::os::unix::fs::symlink("/nowhere/zoneinfo/Mars/Base", &file).unwrap();
        assert!(local_zone(&file).is_none());
        let zones = folder.path().join("zoneinfo");
        std::fs::create_dir(&zones).unwrap();
        // Version 1 of the format: one zone two hours ahead of UTC.
        let mut tzif = b"TZif\0".to_vec();
        tzif.extend([0; 15]);
        tzif.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]);
        tzif.extend([0, 0, 0x1c, 0x20, 0, 0]);
        tzif.extend(b"EET\0");
        std::fs::write(zones.join("Athens"), tzif).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(zones.join("Athens"), &file).unwrap();
        let zone = local_zone(&file).unwrap();
        assert_eq!(zone.iana_name(), Some("Athens"));
        assert_eq!(zone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds(), 7_200);
    }

    #[test]
    fn steady_clock_goes_on_and_times_read_together_are_close() {
        let (before, times, after) = (SystemClock.moment(), SystemClock.times(), SystemClock.moment());
        assert!(Moment::default() < before && before <= times.moment && times.moment <= after);
        assert_eq!(times.clock_step(SystemClock.times()), 0);
    }

    #[test]
    fn the_time_since_boot_is_read() {
        assert_eq!(uptime("6543.21 12345.67\n"), Some(6_543_210_000));
        for odd in ["", "x.y", "12", "12.345 1"] {
            assert_eq!(uptime(odd), None, "{odd}");
        }
        if cfg!(target_os = "linux") {
            let (first, second) = (SystemClock.since_boot(), SystemClock.since_boot());
            assert!(first.is_some() && first <= second);
        }
    }
}
