//! Estimates the server's time from the `Date` header of its responses.
//!
//! Adds the boot time elapsed since the response, which cannot be set by users. Without a boot
//! clock it adds the wall clock difference, unless that is negative.

use model::outbox::ClockTimes;
use model::time::Timestamp;

/// Latest `Date` header and the moment it was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerClock(Option<(Timestamp, ClockTimes)>);

impl ServerClock {
    pub fn record_date(&mut self, date: Timestamp, now: ClockTimes) {
        self.0 = Some((date, now));
    }

    /// Returns the server's time at `moment`, before or after the response; `None` without a
    /// response or after the wall clock was set back.
    pub fn at(&self, moment: ClockTimes) -> Option<Timestamp> {
        let (date, heard) = self.0?;
        let wall = moment.wall.since(heard.wall);
        let span = match (heard.since_boot, moment.since_boot) {
            (Some(heard), Some(then)) => then.saturating_sub(heard),
            _ if wall < 0 => return None,
            _ => wall,
        };
        Some(date.plus(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::HOUR;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_micros(480_000 * HOUR + hours * HOUR)
    }

    fn moment(wall: i64, since_boot: Option<i64>) -> ClockTimes {
        ClockTimes {
            wall: at(wall),
            server: None,
            since_boot: since_boot.map(|since_boot| since_boot * HOUR),
        }
    }

    #[test]
    fn the_servers_time_goes_on_between_answers() {
        let cases = [
            ("now", moment(0, None), moment(0, None), Some(100)),
            ("later", moment(0, None), moment(3, None), Some(103)),
            ("the wall clock was set back", moment(0, None), moment(-1, None), None),
            ("set ahead, boot knows", moment(0, Some(5)), moment(9000, Some(6)), Some(101)),
            ("set back, boot knows", moment(0, Some(5)), moment(-9000, Some(6)), Some(101)),
            ("before the answer, boot knows", moment(0, Some(5)), moment(-2, Some(3)), Some(98)),
        ];
        for (name, heard, then, hours) in cases {
            let mut clock = ServerClock::default();
            assert_eq!(clock.at(then), None);
            clock.record_date(at(100), heard);
            assert_eq!(clock.at(then), hours.map(at), "{name}");
        }
    }
}
