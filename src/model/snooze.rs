//! Putting a conversation aside until a time or until the customer writes,
//! and the words in which a person says when.
//!
//! Knows no clock: whoever asks says what time it is.

use crate::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// Later than any message: what is put aside after this stays away whatever
/// the customer writes.
pub const WHATEVER_COMES: Timestamp = Timestamp::from_micros(i64::MAX);
/// Up to this long it is the span that is meant, not the time of day.
const SPAN: i64 = DAY / 2;

/// When a working day begins, for wishes that name only a day.
const MORNING: i64 = 9 * HOUR;
/// The furthest a conversation can be put aside.
const FURTHEST: i64 = 366 * DAY;

/// A conversation that was put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snooze {
    /// Until when; `None`: until the customer writes.
    pub until: Option<Timestamp>,
    /// The newest inbound message known then: a later one wakes it.
    pub after: Timestamp,
    /// When it was put aside.
    pub set_at: Timestamp,
    /// Why it is back; `None` while it is away.
    pub woken: Option<Woken>,
}

/// Why a conversation is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Its time has come.
    Time,
    /// The customer wrote.
    Reply,
}

impl Snooze {
    /// One that begins now; the newest inbound message known is this. One that
    /// `stays` comes back at its time only.
    pub fn new(until: Option<Timestamp>, stays: bool, newest: Option<Timestamp>, now: Timestamp) -> Self {
        let stays = stays && until.is_some();
        let after = if stays { WHATEVER_COMES } else { newest.unwrap_or_default() };
        Self { until, after, set_at: now, woken: None }
    }

    /// Whether what the customer writes does not bring it back.
    pub fn stays(&self) -> bool {
        self.after == WHATEVER_COMES
    }

    /// The same time again: that time if it is still to come, else as long
    /// again, or the same time of the next day where more than half a day was
    /// meant. `None` where no time was.
    pub fn again(&self, now: Timestamp) -> Option<Timestamp> {
        let until = self.until?;
        let meant = until.since(self.set_at);
        Some(match now.since(until) {
            late if late < 0 => until,
            _ if meant <= SPAN => now.plus(meant),
            late => until.plus((late / DAY + 1) * DAY),
        })
    }

    /// Whether it is away.
    pub fn is_asleep(&self) -> bool {
        self.woken.is_none()
    }

    /// Until when, or why it is back, in words.
    pub fn words(&self, now: Timestamp, offset_minutes: i32) -> String {
        match (self.woken, self.until) {
            (Some(Woken::Reply), _) => "back: the customer wrote".to_owned(),
            (Some(Woken::Time), _) => "back: its time has come".to_owned(),
            (None, None) => "until a reply".to_owned(),
            (None, Some(until)) => {
                let stays = if self.stays() { ", whatever comes" } else { "" };
                format!("until {}{stays}", moment(until, now, offset_minutes))
            }
        }
    }
}

/// A time as people name it from here: the hour alone today, the weekday
/// within a week, the date beyond.
pub fn moment(at: Timestamp, now: Timestamp, offset_minutes: i32) -> String {
    let face = at.clock_face(offset_minutes);
    let day = at.day_name(offset_minutes);
    match at.day_number(offset_minutes) - now.day_number(offset_minutes) {
        0 => face,
        1 => format!("tomorrow {face}"),
        2..=6 => format!("{} {face}", &day[..3]),
        _ => format!("{day} {face}"),
    }
}

/// An hour from now.
pub fn in_an_hour(now: Timestamp) -> Timestamp {
    now.plus(HOUR)
}

/// Nine o'clock tomorrow.
pub fn tomorrow(now: Timestamp, offset_minutes: i32) -> Timestamp {
    on_day(now.day_number(offset_minutes) + 1, MORNING, offset_minutes)
}

/// Nine o'clock on the next Monday that is not today.
pub fn monday(now: Timestamp, offset_minutes: i32) -> Timestamp {
    on_day(next_weekday(now, 0, offset_minutes), MORNING, offset_minutes)
}

/// Reads a wish: `2h`, `45m`, `3d`, `14:30`, `fri`, `fri 9:00`,
/// `tomorrow 14:00`. `None` for anything else, for the past and for more than
/// a year.
pub fn parse(wish: &str, now: Timestamp, offset_minutes: i32) -> Option<Timestamp> {
    let wish = wish.trim().to_lowercase();
    let mut words = wish.split_whitespace();
    let (first, second, rest) = (words.next()?, words.next(), words.next());
    if rest.is_some() {
        return None;
    }
    let at = match (span(first), time_of_day(first), day(first, now, offset_minutes)) {
        (Some(span), ..) if second.is_none() => now.plus(span),
        (_, Some(time), _) if second.is_none() => {
            let today = on_day(now.day_number(offset_minutes), time, offset_minutes);
            if today > now { today } else { today.plus(DAY) }
        }
        (.., Some(day)) => {
            let time = second.map_or(Some(MORNING), time_of_day)?;
            on_day(day, time, offset_minutes)
        }
        _ => return None,
    };
    (0 < at.since(now) && at.since(now) <= FURTHEST).then_some(at)
}

fn span(word: &str) -> Option<i64> {
    let unit = match word.chars().last()? {
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    let count: i64 = word[..word.len() - 1].parse().ok().filter(|it| (1..=10_000).contains(it))?;
    Some(count * unit)
}

fn time_of_day(word: &str) -> Option<i64> {
    let (hour, minute) = word.split_once(':')?;
    let number = |it: &str, below: i64| it.parse::<i64>().ok().filter(|it| (0..below).contains(it));
    let two = minute.len() == 2;
    Some(number(hour, 24)? * HOUR + number(minute, 60).filter(|_| two)? * MINUTE)
}

/// The number of the day a word names.
fn day(word: &str, now: Timestamp, offset_minutes: i32) -> Option<i64> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let today = now.day_number(offset_minutes);
    match word {
        "today" => return Some(today),
        "tomorrow" | "tom" => return Some(today + 1),
        _ => (),
    }
    let weekday = DAYS.iter().position(|it| word.len() >= 3 && it.starts_with(word))?;
    Some(next_weekday(now, i64::try_from(weekday).unwrap_or(0), offset_minutes))
}

/// The next day with this place in the week, Monday being 0; never today.
fn next_weekday(now: Timestamp, weekday: i64, offset_minutes: i32) -> i64 {
    let today = now.day_number(offset_minutes);
    // 1 January 1970 was a Thursday.
    let ahead = (weekday - (today + 3)).rem_euclid(7);
    today + if ahead == 0 { 7 } else { ahead }
}

fn on_day(day: i64, time: i64, offset_minutes: i32) -> Timestamp {
    Timestamp::from_micros(day * DAY + time - i64::from(offset_minutes) * MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday, ten in the morning.
    const NOW: &str = "2026-11-20T10:00:00Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a time")
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
            assert_eq!(parse(wish, at(NOW), 0), expected.map(at), "{wish:?}");
        }
    }

    #[test]
    fn mornings_are_local() {
        let berlin = 60;
        assert_eq!(tomorrow(at(NOW), berlin), at("2026-11-21T08:00:00Z"));
        assert_eq!(monday(at(NOW), berlin), at("2026-11-23T08:00:00Z"));
        assert_eq!(parse("11:30", at(NOW), berlin), Some(at("2026-11-20T10:30:00Z")));
        // Late on a Sunday in UTC it is Monday in Tokyo already.
        assert_eq!(monday(at("2026-11-22T20:00:00Z"), 9 * 60), at("2026-11-30T00:00:00Z"));
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
            assert_eq!(snooze.again(at(now)), Some(at(again)), "{until} {now}");
        }
        assert_eq!(Snooze::new(None, true, None, at(NOW)).again(at(NOW)), None);
    }

    #[test]
    fn only_what_has_a_time_stays_away() {
        let newest = Some(at(NOW));
        for (until, stays, kept) in
            [(Some(at(NOW)), true, true), (None, true, false), (Some(at(NOW)), false, false)]
        {
            assert_eq!(Snooze::new(until, stays, newest, at(NOW)).stays(), kept);
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
            assert_eq!(moment(at(time), at(NOW), 0), words);
        }
    }
}
