//! Snoozing a conversation until a time or a reply, and parsing the time a person types.
//!
//! Has no clock: the caller passes the time.

use crate::text::SafeText;
use crate::time::{DAY, HOUR, MINUTE, Timestamp, Zone};

/// Later than any message; a snooze after this time ignores replies.
pub const AFTER_ANY_MESSAGE: Timestamp = Timestamp::from_micros(i64::MAX);
/// Longest snooze that is repeated as a span; longer ones repeat the time of day.
const MAX_IMPLIED_SPAN: i64 = DAY / 2;

/// Time of day used if only a day is given.
const WORKDAY_START: i64 = 9 * HOUR;
const MAX_SNOOZE: i64 = 366 * DAY;
pub const MAX_NOTE_CHARS: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snooze {
    /// `None` means until the customer writes.
    pub until: Option<Timestamp>,
    /// Newest inbound message at the start; a later one ends the snooze.
    pub after: Timestamp,
    pub set_at: Timestamp,
    /// `None` while the conversation is snoozed.
    pub wake_reason: Option<WakeReason>,
    /// Shown when the conversation comes back.
    pub note: Option<SafeText>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    Time,
    Reply,
}

impl Snooze {
    /// Starts a snooze at `now`. `newest` is the newest inbound message. With `stays`, only the
    /// time ends the snooze.
    pub fn new(until: Option<Timestamp>, stays: bool, newest: Option<Timestamp>, now: Timestamp) -> Self {
        let stays = stays && until.is_some();
        let after = if stays { AFTER_ANY_MESSAGE } else { newest.unwrap_or_default() };
        Self { until, after, set_at: now, wake_reason: None, note: None }
    }

    /// Sets the note; an empty one counts as none.
    #[must_use]
    pub fn with_note(self, note: Option<SafeText>) -> Self {
        Self { note: note.filter(|note| !note.as_str().trim().is_empty()), ..self }
    }

    pub fn ignores_replies(&self) -> bool {
        self.after == AFTER_ANY_MESSAGE
    }

    /// Returns the end of a repeated snooze: the same time if it is still ahead; else the same span
    /// up to half a day; else the next occurrence of the same time of day. `None` if it had no end
    /// time.
    pub fn repeat(&self, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let until = self.until?;
        let meant = until.since(self.set_at);
        Some(match until > now {
            true => until,
            false if meant <= MAX_IMPLIED_SPAN => now.plus(meant),
            false => next_at_time(until.time_of_day(zone), now, zone),
        })
    }

    pub fn is_asleep(&self) -> bool {
        self.wake_reason.is_none()
    }

    pub fn describe(&self, now: Timestamp, zone: &Zone) -> String {
        let note = self.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
        match (self.wake_reason, self.until) {
            (Some(_), _) if !note.is_empty() => format!("back{note}"),
            (Some(WakeReason::Reply), _) => "back: the customer wrote".to_owned(),
            (Some(WakeReason::Time), _) => "back: time is up".to_owned(),
            (None, None) => format!("until a reply{note}"),
            (None, Some(until)) => {
                let stays = if self.ignores_replies() { "; replies do not wake it" } else { "" };
                format!("until {}{stays}{note}", format_time(until, now, zone))
            }
        }
    }
}

/// Formats a time relative to today: the time alone today, with the weekday within a week, else
/// with the date.
pub fn format_time(at: Timestamp, now: Timestamp, zone: &Zone) -> String {
    let face = at.hour_and_minute(zone);
    let day = at.day_name(zone);
    match at.day_number(zone) - now.day_number(zone) {
        0 => face,
        1 => format!("tomorrow {face}"),
        2..=6 => format!("{} {face}", &day[..3]),
        _ => format!("{day} {face}"),
    }
}

pub fn after_an_hour(now: Timestamp) -> Timestamp {
    now.plus(HOUR)
}

pub fn tomorrow_morning(now: Timestamp, zone: &Zone) -> Timestamp {
    zone.at(now.day_number(zone) + 1, WORKDAY_START)
}

/// Monday of next week at nine if today is Monday.
pub fn monday_morning(now: Timestamp, zone: &Zone) -> Timestamp {
    zone.at(next_weekday(now, 0, zone), WORKDAY_START)
}

/// Parses `2h`, `45m`, `3d`, `14:30`, `fri`, `fri 9:00`, `tomorrow 14:00`. `None` for anything
/// else, for the past, and for more than 366 days.
pub fn parse(wish: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let wish = wish.trim().to_lowercase();
    let mut words = wish.split_whitespace();
    let (first, second, rest) = (words.next()?, words.next(), words.next());
    if rest.is_some() {
        return None;
    }
    let at = match (parse_span(first, now, zone), parse_time_of_day(first), parse_day(first, now, zone)) {
        (Some(at), ..) if second.is_none() => at,
        (_, Some(time), _) if second.is_none() => next_at_time(time, now, zone),
        (.., Some(day)) => zone.next_at(day, second.map_or(Some(WORKDAY_START), parse_time_of_day)?, now),
        _ => return None,
    };
    (0 < at.since(now) && at.since(now) <= MAX_SNOOZE).then_some(at)
}

/// Parses a span that starts now. Hours are exact; days keep the local time of day.
fn parse_span(word: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let unit = word.chars().last()?;
    let count: i64 =
        word[..word.len() - unit.len_utf8()].parse().ok().filter(|number| (1..=10_000).contains(number))?;
    let days = |count| zone.at(now.day_number(zone) + count, now.time_of_day(zone));
    match unit {
        'm' => Some(now.plus(count * MINUTE)),
        'h' => Some(now.plus(count * HOUR)),
        'd' => Some(days(count)),
        'w' => Some(days(7 * count)),
        _ => None,
    }
}

/// Returns the next moment with this local time.
fn next_at_time(time: i64, now: Timestamp, zone: &Zone) -> Timestamp {
    let today = now.day_number(zone);
    let at = zone.next_at(today, time, now);
    if at > now { at } else { zone.at(today + 1, time) }
}

fn parse_time_of_day(word: &str) -> Option<i64> {
    let (hour, minute) = word.split_once(':')?;
    let number =
        |text: &str, below: i64| text.parse::<i64>().ok().filter(|number| (0..below).contains(number));
    let two = minute.len() == 2;
    Some(number(hour, 24)? * HOUR + number(minute, 60).filter(|_| two)? * MINUTE)
}

fn parse_day(word: &str, now: Timestamp, zone: &Zone) -> Option<i64> {
    const WEEKDAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let today = now.day_number(zone);
    match word {
        "today" => return Some(today),
        "tomorrow" | "tom" => return Some(today + 1),
        _ => (),
    }
    let weekday = WEEKDAYS.iter().position(|day| word.len() >= 3 && day.starts_with(word))?;
    Some(next_weekday(now, i64::try_from(weekday).unwrap_or(0), zone))
}

/// Returns the next day with this weekday (Monday is 0), never today.
fn next_weekday(now: Timestamp, weekday: i64, zone: &Zone) -> i64 {
    let today = now.day_number(zone);
    // 1 January 1970 was a Thursday.
    let ahead = (weekday - (today + 3)).rem_euclid(7);
    today + if ahead == 0 { 7 } else { ahead }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday at ten in the morning.
    const NOW: &str = "2026-11-20T10:00:00Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a time")
    }

    fn named(name: &str) -> Zone {
        Zone::from(jiff::tz::TimeZone::get(name).expect("a zone of the database"))
    }

    #[test]
    fn wishes() {
        let cases = [
            ("2h", Some("2026-11-20T12:00:00Z")),
            (" 45M ", Some("2026-11-20T10:45:00Z")),
            ("3d", Some("2026-11-23T10:00:00Z")),
            ("1w", Some("2026-11-27T10:00:00Z")),
            ("14:30", Some("2026-11-20T14:30:00Z")),
            ("9:00", Some("2026-11-21T09:00:00Z")),
            ("fri 9:00", Some("2026-11-27T09:00:00Z")),
            ("mon", Some("2026-11-23T09:00:00Z")),
            ("saturday 8:15", Some("2026-11-21T08:15:00Z")),
            ("tomorrow 14:00", Some("2026-11-21T14:00:00Z")),
            ("today 10:30", Some("2026-11-20T10:30:00Z")),
            ("today 9:00", None),
            ("", None),
            ("h", None),
            ("0h", None),
            ("-2h", None),
            ("24:00", None),
            ("9:5", None),
            ("fri 9", None),
            ("fr", None),
            ("2h 3m", None),
            ("500d", None),
            ("9999999999999999999h", None),
            ("später", None),
        ];
        for (wish, expected) in cases {
            assert_eq!(parse(wish, at(NOW), &Zone::UTC), expected.map(at), "{wish:?}");
        }
    }

    #[test]
    fn mornings_are_local() {
        let (berlin, tokyo) = (named("Europe/Berlin"), named("Asia/Tokyo"));
        assert_eq!(tomorrow_morning(at(NOW), &berlin), at("2026-11-21T08:00:00Z"));
        assert_eq!(monday_morning(at(NOW), &berlin), at("2026-11-23T08:00:00Z"));
        assert_eq!(parse("11:30", at(NOW), &berlin), Some(at("2026-11-20T10:30:00Z")));
        // Sunday evening in UTC is already Monday in Tokyo.
        assert_eq!(monday_morning(at("2026-11-22T20:00:00Z"), &tokyo), at("2026-11-30T00:00:00Z"));
    }

    #[test]
    fn wishes_across_the_changes_of_the_clocks() {
        // (now, wish, then); clocks go forward at 02:00 on 14 March 2027 and back at 02:00 on 1
        // November 2026.
        let cases = [
            ("2027-03-13T15:00:00Z", "tomorrow 9:00", "2027-03-14T13:00:00Z"),
            ("2027-03-13T15:00:00Z", "24h", "2027-03-14T15:00:00Z"),
            ("2027-03-13T15:00:00Z", "1d", "2027-03-14T14:00:00Z"),
            ("2027-03-12T15:00:00Z", "1w", "2027-03-19T14:00:00Z"),
            ("2027-03-13T15:00:00Z", "mon", "2027-03-15T13:00:00Z"),
            ("2027-03-13T15:00:00Z", "sun 2:30", "2027-03-14T07:30:00Z"),
            ("2027-03-14T06:45:00Z", "2:30", "2027-03-14T07:30:00Z"),
            ("2027-03-14T06:45:00Z", "3:00", "2027-03-14T07:00:00Z"),
            ("2027-03-14T06:45:00Z", "1h", "2027-03-14T07:45:00Z"),
            ("2026-10-31T15:00:00Z", "tomorrow 9:00", "2026-11-01T14:00:00Z"),
            ("2026-10-31T15:00:00Z", "24h", "2026-11-01T15:00:00Z"),
            ("2026-10-31T15:00:00Z", "1d", "2026-11-01T16:00:00Z"),
            ("2026-10-31T15:00:00Z", "sun 1:30", "2026-11-01T05:30:00Z"),
            ("2026-11-01T05:15:00Z", "1:30", "2026-11-01T05:30:00Z"),
            ("2026-11-01T05:45:00Z", "1:30", "2026-11-01T06:30:00Z"),
            ("2026-11-01T05:45:00Z", "today 1:30", "2026-11-01T06:30:00Z"),
            ("2026-11-01T06:45:00Z", "1:30", "2026-11-02T06:30:00Z"),
        ];
        let new_york = named("America/New_York");
        for (now, wish, then) in cases {
            assert_eq!(parse(wish, at(now), &new_york), Some(at(then)), "{now} {wish}");
        }
        // The evening before each clock change.
        for (now, morning) in [
            ("2027-03-14T03:00:00Z", "2027-03-14T13:00:00Z"),
            ("2026-11-01T03:00:00Z", "2026-11-01T14:00:00Z"),
        ] {
            assert_eq!(tomorrow_morning(at(now), &new_york), at(morning));
            assert_eq!(format_time(at(morning), at(now), &new_york), "tomorrow 09:00");
        }
    }

    #[test]
    fn the_same_time_again_is_on_the_clock() {
        // Until nine, before and after each clock change.
        let cases = [
            ("2027-03-12T20:00:00Z", "2027-03-13T14:00:00Z", "2027-03-13T14:01:00Z", "2027-03-14T13:00:00Z"),
            ("2026-10-30T20:00:00Z", "2026-10-31T13:00:00Z", "2026-10-31T13:01:00Z", "2026-11-01T14:00:00Z"),
            ("2026-10-30T20:00:00Z", "2026-10-31T13:00:00Z", "2026-11-01T14:00:00Z", "2026-11-02T14:00:00Z"),
        ];
        for (set, until, now, again) in cases {
            let snooze = Snooze::new(Some(at(until)), false, None, at(set));
            assert_eq!(snooze.repeat(at(now), &named("America/New_York")), Some(at(again)), "{until} {now}");
        }
    }

    #[test]
    fn the_same_time_again() {
        let cases = [
            // (set, until, now) -> again
            ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", "2026-11-20T10:30:00Z", "2026-11-20T11:00:00Z"),
            ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", "2026-11-20T11:05:00Z", "2026-11-20T12:05:00Z"),
            ("2026-11-20T10:00:00Z", "2026-11-21T09:00:00Z", "2026-11-21T09:01:00Z", "2026-11-22T09:00:00Z"),
            ("2026-11-20T10:00:00Z", "2026-11-21T09:00:00Z", "2026-11-23T10:00:00Z", "2026-11-24T09:00:00Z"),
        ];
        for (set, until, now, again) in cases {
            let snooze = Snooze::new(Some(at(until)), false, None, at(set));
            assert_eq!(snooze.repeat(at(now), &Zone::UTC), Some(at(again)), "{until} {now}");
        }
        assert_eq!(Snooze::new(None, true, None, at(NOW)).repeat(at(NOW), &Zone::UTC), None);
    }

    #[test]
    fn only_what_has_a_time_stays_away() {
        let newest = Some(at(NOW));
        for (until, stays, kept) in
            [(Some(at(NOW)), true, true), (None, true, false), (Some(at(NOW)), false, false)]
        {
            assert_eq!(Snooze::new(until, stays, newest, at(NOW)).ignores_replies(), kept);
        }
    }

    #[test]
    fn moments() {
        let cases = [
            ("2026-11-20T14:30:00Z", "14:30"),
            ("2026-11-21T09:00:00Z", "tomorrow 09:00"),
            ("2026-11-23T09:00:00Z", "Mon 09:00"),
            ("2026-12-01T09:00:00Z", "Tue 01 Dec 09:00"),
        ];
        for (time, words) in cases {
            assert_eq!(format_time(at(time), at(NOW), &Zone::UTC), words);
        }
    }
}
