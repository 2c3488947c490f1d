//! Looking back: a time in the past as a person types it, and what the files
//! can tell of then.

use crate::time::{DAY, HOUR, MINUTE, Timestamp, Zone};

/// What the files can tell of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PastNote {
    /// Since when changes without a time of their own are kept; before that
    /// the oldest known state is shown.
    pub since: Option<Timestamp>,
    /// Whether there were more conversations than are shown.
    pub is_cut: bool,
}

/// A moment as a person names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastMoment {
    /// The present.
    Now,
    /// A time before it.
    Past(Timestamp),
}

impl PastMoment {
    /// What is typed after `:at`, for help and for what cannot be read.
    pub const FORMS: &str = "14:05, yesterday 14:05, 2026-11-20 09:00, 90m, 2h, 3d or now";

    /// Reads a moment on the clocks of a zone: `now`; `14:05`, today or, where
    /// that is still to come, yesterday; `yesterday 14:05`; a day alone or with
    /// a time; `90m`, `2h`, `3d` back.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str, now: Timestamp, zone: &Zone) -> Result<Self, String> {
        let text = text.trim().to_lowercase();
        if text == "now" {
            return Ok(Self::Now);
        }
        if let Some(back) = span(&text) {
            return Ok(Self::Past(now.plus(-back)));
        }
        let unknown = || format!("{text:?} is no time: {}", Self::FORMS);
        let (day, time) = match text.split_once(' ') {
            Some((day, time)) => (Some(day), Some(time.trim())),
            None if text.contains(':') => (None, Some(text.as_str())),
            None => (Some(text.as_str()), None),
        };
        let today = now.day_number(zone);
        let number = match day {
            None | Some("today") => today,
            Some("yesterday") => today - 1,
            Some(day) => date(day).ok_or_else(unknown)?,
        };
        let time = match time {
            Some(time) => time_of_day(time).ok_or_else(unknown)?,
            None => 0,
        };
        let at = zone.at(number, time);
        let at = if day.is_none() && at > now { zone.at(number - 1, time) } else { at };
        match at > now {
            true => Err("that is still to come; only what has been can be shown".to_owned()),
            false => Ok(Self::Past(at)),
        }
    }
}

/// `90m`, `2h`, `3d`.
fn span(text: &str) -> Option<i64> {
    let unit = match text.chars().last()? {
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let count: i64 = text[..text.len() - 1].trim_start_matches('-').parse().ok()?;
    (0..=100_000).contains(&count).then_some(count * unit)
}

/// The day of `2026-11-20`.
fn date(text: &str) -> Option<i64> {
    let is_date = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let midnight = Timestamp::parse(&format!("{text}T00:00:00Z")).filter(|_| is_date)?;
    Some(midnight.day_number(&Zone::UTC))
}

/// Microseconds since midnight of `14:05`.
fn time_of_day(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|_| (1..=2).contains(&text.len()));
    let (hour, minute) = (number(hour)?, number(minute)?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(hour * HOUR + minute * MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_they_are_typed() {
        let zone = Zone::posix("CET-1").expect("a zone");
        // Fri 20 Nov, 10:00 on its clocks.
        let now = Timestamp::parse("2026-11-20T09:00:00Z").expect("a time");
        let cases = [
            ("9:30", Some("2026-11-20T08:30:00.000Z")),
            // Still to come today: yesterday's is meant.
            ("14:05", Some("2026-11-19T13:05:00.000Z")),
            ("yesterday 14:05", Some("2026-11-19T13:05:00.000Z")),
            ("Yesterday", Some("2026-11-18T23:00:00.000Z")),
            ("today 08:00", Some("2026-11-20T07:00:00.000Z")),
            ("2026-11-18 09:00", Some("2026-11-18T08:00:00.000Z")),
            ("2h", Some("2026-11-20T07:00:00.000Z")),
            ("90m", Some("2026-11-20T07:30:00.000Z")),
            ("1d", Some("2026-11-19T09:00:00.000Z")),
            ("today 14:05", None),
            ("2026-12-01", None),
            ("25:00", None),
            ("soon", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let read = PastMoment::parse(text, now, &zone).ok().map(|entry| match entry {
                PastMoment::Past(at) => at.to_string(),
                PastMoment::Now => "now".to_owned(),
            });
            assert_eq!(read.as_deref(), expected, "{text}");
        }
        assert_eq!(PastMoment::parse(" NOW ", now, &zone), Ok(PastMoment::Now));
    }
}
