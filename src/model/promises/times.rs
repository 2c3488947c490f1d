//! The time a sentence names, in the words of several languages.

use crate::time::{DAY, HOUR, MINUTE, Timestamp, Zone};

/// When a day without a time begins, and when today ends.
const MORNING: i64 = 9 * HOUR;
const EVENING: i64 = 18 * HOUR;
const NOON: i64 = 12 * HOUR;

/// The time a sentence names: a span from now, or a day, an hour, or both.
pub(super) fn time_in(words: &[&str], now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    if let Some(span) = (0..words.len()).find_map(|at| span_at(&words[at..])) {
        return Some(now.plus(span));
    }
    let day = (0..words.len()).find_map(|at| day_at(words, at, now, zone));
    let clock = (0..words.len()).find_map(|at| clock_at(words, at));
    let today = now.day_number(zone);
    match (day, clock) {
        (None, None) => None,
        (Some(day), None) if day == today => Some(zone.next_at(day, EVENING, now)),
        (Some(day), None) => Some(zone.at(day, MORNING)),
        (Some(day), Some(clock)) if day == today => clock.next(day, now, zone),
        (Some(day), Some(clock)) => Some(zone.at(day, clock.in_working_hours())),
        (None, Some(clock)) => {
            clock.next(today, now, zone).or_else(|| Some(zone.at(today + 1, clock.in_working_hours())))
        }
    }
}

/// `in 2 hours`, `in einer Stunde`, `dans 30 minutes`.
fn span_at(words: &[&str]) -> Option<i64> {
    let [first, rest @ ..] = words else { return None };
    let rest = match (*first, rest) {
        ("dentro", ["de", rest @ ..]) | ("daqui", ["a", rest @ ..]) => rest,
        ("in" | "within" | "en" | "em" | "dans" | "tra" | "fra" | "over" | "binnen" | "innerhalb", rest) => {
            rest
        }
        _ => return None,
    };
    let rest = match rest {
        ["the", "next", rest @ ..] | ["about", rest @ ..] | ["ca", rest @ ..] | ["etwa", rest @ ..] => rest,
        rest => rest,
    };
    let (number, unit) = match rest {
        ["half", "an", "hour", ..]
        | ["einer", "halben", "stunde", ..]
        | ["media", "hora", ..]
        | ["meia", "hora", ..]
        | ["mezz", "ora", ..]
        | ["een", "half", "uur", ..] => return Some(HOUR / 2),
        ["une", "demi", "heure", ..] => return Some(HOUR / 2),
        ["an" | "a" | "one" | "einer" | "einem" | "una" | "uma" | "um" | "un" | "une" | "een", unit, ..] => {
            (1, *unit)
        }
        [number, unit, ..] => {
            (number.parse::<i64>().ok().filter(|number| (1..=1_000).contains(number))?, *unit)
        }
        _ => return None,
    };
    let unit = match unit {
        "min" | "mins" | "minute" | "minutes" | "minuten" | "minuto" | "minutos" | "minuti" | "minuut" => {
            MINUTE
        }
        "h" | "hour" | "hours" | "hr" | "hrs" | "std" | "stunde" | "stunden" | "hora" | "horas" | "heure"
        | "heures" | "ora" | "ore" | "uur" | "uren" => HOUR,
        "day" | "days" | "tag" | "tagen" | "dia" | "dias" | "jour" | "jours" | "giorno" | "giorni"
        | "dag" | "dagen" => DAY,
        _ => return None,
    };
    Some(number * unit)
}

/// The number of the day that a word names.
fn day_at(words: &[&str], at: usize, now: Timestamp, zone: &Zone) -> Option<i64> {
    /// Monday first; what a day is called in each language.
    const WEEKDAYS: [&[&str]; 7] = [
        &["monday", "montag", "lunes", "segunda", "lundi", "lunedi", "maandag"],
        &["tuesday", "dienstag", "martes", "terca", "mardi", "martedi", "dinsdag"],
        &["wednesday", "mittwoch", "miercoles", "quarta", "mercredi", "mercoledi", "woensdag"],
        &["thursday", "donnerstag", "jueves", "quinta", "jeudi", "giovedi", "donderdag"],
        &["friday", "freitag", "viernes", "sexta", "vendredi", "venerdi", "vrijdag"],
        &["saturday", "samstag", "sonnabend", "sabado", "samedi", "sabato", "zaterdag"],
        &["sunday", "sonntag", "domingo", "dimanche", "domenica", "zondag"],
    ];
    let today = now.day_number(zone);
    let before = at.checked_sub(1).map_or("", |number| words[number]);
    match words[at] {
        "today" | "tonight" | "heute" | "hoy" | "hoje" | "aujourd" | "oggi" | "vandaag" => Some(today),
        // In the morning, or good morning, is no other day.
        "morgen" | "manana" if matches!(before, "am" | "guten" | "jeden" | "la" | "goede" | "de") => None,
        "tomorrow" | "morgen" | "manana" | "amanha" | "demain" | "domani" => Some(today + 1),
        word => {
            let weekday = WEEKDAYS.iter().position(|weekday| weekday.contains(&word))?;
            // 1 January 1970 was a Thursday.
            let ahead = (i64::try_from(weekday).unwrap_or(0) - (today + 3)).rem_euclid(7);
            Some(today + if ahead == 0 { 7 } else { ahead })
        }
    }
}

/// What the clocks show, and whether that may mean the afternoon as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClockTime {
    time: i64,
    is_open: bool,
}

impl ClockTime {
    fn of(hour: i64, minute: i64, half: Option<&str>) -> Option<Self> {
        let hour = match half {
            Some("pm") if hour < 12 => hour + 12,
            Some("am") if hour == 12 => 0,
            _ => hour,
        };
        let fits = (0..24).contains(&hour) && (0..60).contains(&minute);
        fits.then_some(Self { time: hour * HOUR + minute * MINUTE, is_open: half.is_none() && hour < 12 })
    }

    /// When it is that time next on a day, in the morning or in the afternoon.
    fn next(self, day: i64, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let later = self.is_open.then_some(self.time + 12 * HOUR);
        [Some(self.time), later]
            .into_iter()
            .flatten()
            .map(|number| zone.next_at(day, number, now))
            .find(|time| *time > now)
    }

    /// On another day nobody means the night: five is five in the afternoon.
    fn in_working_hours(self) -> i64 {
        if self.is_open && self.time < 7 * HOUR { self.time + 12 * HOUR } else { self.time }
    }
}

/// The time that is named from a word on: `at 5`, `um 17 uhr`, `17h30`, `5pm`.
fn clock_at(words: &[&str], at: usize) -> Option<ClockTime> {
    let word = words[at];
    if matches!(word, "noon" | "mittag" | "mediodia" | "midi" | "mezzogiorno") {
        return Some(ClockTime { time: NOON, is_open: false });
    }
    if let Some(found) = joined_clock(word) {
        return Some(found);
    }
    let hour: i64 = word.parse().ok().filter(|_| word.len() <= 2)?;
    let (minute, after) = minute_after(words, at + 1);
    let half = matches!(after, "am" | "pm").then_some(after);
    let named = half.is_some() || matches!(after, "uhr" | "uur" | "h" | "heures" | "horas" | "o" | "hs");
    let before = at.checked_sub(1).map_or("", |number| words[number]);
    let led = matches!(
        before,
        "at" | "by"
            | "before"
            | "around"
            | "um"
            | "bis"
            | "gegen"
            | "vor"
            | "las"
            | "as"
            | "vers"
            | "avant"
            | "alle"
            | "ore"
            | "om"
            | "voor"
            | "rond"
            | "tegen"
            | "ate"
    ) || before == "le" && at >= 2 && words[at - 2] == "entro";
    (named || led).then(|| ClockTime::of(hour, minute, half)).flatten()
}

/// The minute that stands at a place, if one does, and the word behind it:
/// `30`, `30 uhr`, `30pm`.
fn minute_after<'a>(words: &[&'a str], at: usize) -> (i64, &'a str) {
    let word = words.get(at).copied().unwrap_or_default();
    let (digits, rest) = word.split_at(word.bytes().take_while(u8::is_ascii_digit).count());
    match (digits.len() == 2).then(|| digits.parse().ok()).flatten() {
        Some(minute) if rest.is_empty() => (minute, words.get(at + 1).copied().unwrap_or_default()),
        Some(minute) if matches!(rest, "am" | "pm") => (minute, rest),
        _ => (0, word),
    }
}

/// `17h`, `17h30`, `5pm`, `17hs`.
fn joined_clock(word: &str) -> Option<ClockTime> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (hour, rest) = word.split_at(digits);
    let hour: i64 = hour.parse().ok().filter(|_| digits <= 2)?;
    match rest {
        "am" | "pm" => ClockTime::of(hour, 0, Some(rest)),
        "h" | "hs" | "uhr" => ClockTime::of(hour, 0, None),
        _ => {
            let minute = rest.strip_prefix('h')?;
            ClockTime::of(hour, minute.parse().ok().filter(|_| minute.len() == 2)?, None)
        }
    }
}
