//! Describes invitations (RFC 5545) as text: time, place and people.

use crate::mailbox::parsing::lines::one_line;
use model::time::{DAY, Timestamp};

const MAX_FIELD_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 4_000;
/// Maximum number of guests shown by name; more are counted.
const MAX_GUESTS: usize = 10;
const MAX_LINES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: String,
    /// `;NAME=VALUE` for each parameter.
    parameters: String,
    value: String,
}

impl Field {
    fn read(line: &str) -> Option<Self> {
        let colon = find_outside_quotes(line, ':')?;
        let head = &line[..colon];
        let end = head.find(';').unwrap_or(head.len());
        Some(Self {
            name: head[..end].trim().to_ascii_uppercase(),
            parameters: head[end..].to_owned(),
            value: line[colon + 1..].to_owned(),
        })
    }

    fn parameter(&self, name: &str) -> Option<String> {
        let mut rest = self.parameters.strip_prefix(';')?;
        loop {
            let end = find_outside_quotes(rest, ';').unwrap_or(rest.len());
            let (key, value) = rest[..end].split_once('=').unwrap_or((&rest[..end], ""));
            if key.trim().eq_ignore_ascii_case(name) {
                return Some(one_line(value.trim().trim_matches('"'), MAX_FIELD_CHARS));
            }
            rest = rest.get(end + 1..)?;
        }
    }

    fn to_line(&self) -> String {
        one_line(&unescape(&self.value), MAX_FIELD_CHARS)
    }

    /// `Ann <ann@a.example> (accepted)`.
    fn describe_person(&self) -> String {
        let value = self.value.trim();
        let is_mail = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
        let address = one_line(if is_mail { &value[7..] } else { value }, MAX_FIELD_CHARS);
        let named = match self.parameter("CN").filter(|name| !name.is_empty() && *name != address) {
            Some(name) if address.is_empty() => name,
            Some(name) => format!("{name} <{address}>"),
            None => address,
        };
        match self.guest_state() {
            Some(state) => format!("{named} ({state})"),
            None => named,
        }
    }

    fn guest_state(&self) -> Option<&'static str> {
        match self.parameter("PARTSTAT")?.to_ascii_uppercase().as_str() {
            "ACCEPTED" => Some("accepted"),
            "DECLINED" => Some("declined"),
            "TENTATIVE" => Some("perhaps"),
            "DELEGATED" => Some("sends another person"),
            _ => None,
        }
    }
}

/// Describes the first event of a calendar, without its description if the mail has a text of its
/// own.
pub fn describe_invitation(calendar: &str, has_text: bool) -> String {
    let (event, method, count) = first_event(calendar);
    let all = |name: &'static str| event.iter().filter(move |field| field.name == name);
    let field = |name| all(name).map(Field::to_line).find(|words| !words.is_empty());
    let is_cancelled =
        method == "CANCEL" || field("STATUS").is_some_and(|word| word.eq_ignore_ascii_case("CANCELLED"));
    let title = match method.as_str() {
        _ if is_cancelled => "[an event that was cancelled]",
        "REPLY" => "[an answer to an invitation]",
        "COUNTER" => "[another proposal for an event]",
        "REQUEST" | "" => "[an invitation]",
        _ => "[an event of a calendar]",
    };
    let told = [
        ("What", field("SUMMARY")),
        ("When", describe_time(&event)),
        ("Repeats", all("RRULE").next().and_then(|rule| describe_repetition(&rule.value))),
        ("Where", field("LOCATION")),
        ("Link", field("URL")),
        ("Organizer", all("ORGANIZER").next().map(Field::describe_person)),
        ("Guests", describe_guests(all("ATTENDEE"))),
        ("More", (count > 1).then(|| format!("{} more events in the file", count - 1))),
    ];
    let told =
        told.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let mut lines = vec![title.to_owned()];
    lines.extend(told.map(|(name, value)| format!("{name}: {value}")));
    let description = all("DESCRIPTION").next().filter(|_| !has_text).map(|field| unescape(&field.value));
    if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
        let description: String = description.trim().chars().take(MAX_DESCRIPTION_CHARS).collect();
        lines.extend([String::new(), description]);
    }
    lines.join("\n")
}

/// Returns the fields of the first event, the method of the calendar, and its number of events.
/// Fields of alarms within the event are skipped.
fn first_event(calendar: &str) -> (Vec<Field>, String, usize) {
    // A folded line continues after a space or tab.
    let unfolded = calendar.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    let (mut event, mut method) = (Vec::new(), String::new());
    let (mut open, mut count): (Vec<String>, usize) = (Vec::new(), 0);
    for field in unfolded.lines().take(MAX_LINES).filter_map(Field::read) {
        let component = field.value.trim().to_ascii_uppercase();
        match field.name.as_str() {
            "BEGIN" => {
                count += usize::from(is_event(&component));
                open.push(component);
            }
            "END" => {
                open.pop();
            }
            "METHOD" if open.len() <= 1 => method = component,
            _ if count == 1 && open.last().is_some_and(|component| is_event(component)) => event.push(field),
            _ => {}
        }
    }
    (event, method, count)
}

fn is_event(component: &str) -> bool {
    matches!(component, "VEVENT" | "VTODO")
}

fn describe_guests<'a>(all: impl Iterator<Item = &'a Field>) -> Option<String> {
    let all: Vec<&Field> = all.collect();
    let mut named: Vec<String> = all.iter().take(MAX_GUESTS).map(|guest| guest.describe_person()).collect();
    if all.len() > MAX_GUESTS {
        named.push(format!("and {} more", all.len() - MAX_GUESTS));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct EventTime {
    /// `2026-11-26`.
    date: String,
    /// `09:00`; `None` for a whole day.
    clock: Option<String>,
    /// ` UTC`, ` (Europe/Lisbon)`, or empty for the local time of each guest.
    zone: String,
}

impl EventTime {
    /// Parses `20261126T090000Z` and similar forms.
    fn read(field: &Field) -> Option<Self> {
        let told = field.value.trim();
        let digits = |range: std::ops::Range<usize>| {
            told.get(range).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let date = format!("{}-{}-{}", digits(0..4)?, digits(4..6)?, digits(6..8)?);
        let clock = match told.get(8..9) {
            Some("T") => Some(format!("{}:{}", digits(9..11)?, digits(11..13)?)),
            _ => None,
        };
        let zone = match (&clock, field.parameter("TZID")) {
            (None, _) => String::new(),
            _ if told.ends_with('Z') => " UTC".to_owned(),
            (Some(_), Some(zone)) => format!(" ({zone})"),
            (Some(_), None) => String::new(),
        };
        Some(Self { date, clock, zone })
    }

    /// Day before: an event of whole days ends where the next day begins.
    fn day_before(&self) -> String {
        let midnight = Timestamp::parse(&format!("{}T00:00:00Z", self.date));
        midnight.map_or_else(|| self.date.clone(), |at| at.plus(-DAY).iso().as_str()[..10].to_owned())
    }
}

/// Describes the time of an event; unchanged if it cannot be parsed.
fn describe_time(event: &[Field]) -> Option<String> {
    let named = |name: &str| event.iter().find(|field| field.name == name);
    let start = named("DTSTART").or_else(|| named("DUE"))?;
    let Some(begins) = EventTime::read(start) else { return Some(start.to_line()) };
    let EventTime { date, clock, zone } = &begins;
    let length = named("DURATION").map(|field| format!(", for {}", describe_duration(&field.to_line())));
    let length = length.unwrap_or_default();
    let ends = named("DTEND").and_then(EventTime::read);
    Some(match (clock, ends) {
        (None, Some(ends)) if ends.clock.is_none() && ends.day_before() > *date => {
            format!("{date} to {}, all day", ends.day_before())
        }
        (None, _) => format!("{date}, all day{length}"),
        (Some(clock), None) => format!("{date} {clock}{zone}{length}"),
        (Some(clock), Some(ends)) => {
            let end_clock = ends.clock.unwrap_or_default();
            match (ends.date == *date, ends.zone == *zone) {
                (true, true) => format!("{date} {clock} to {end_clock}{zone}"),
                (_, true) => format!("{date} {clock} to {} {end_clock}{zone}", ends.date),
                _ => format!("{date} {clock}{zone} to {} {end_clock}{}", ends.date, ends.zone),
            }
        }
    })
}

/// Formats `PT1H30M` as `1 h 30 min`; other forms stay unchanged.
fn describe_duration(told: &str) -> String {
    let Some(rest) = told.trim_start_matches('+').strip_prefix('P') else { return told.to_owned() };
    let (mut words, mut number, mut is_time) = (Vec::new(), String::new(), false);
    for letter in rest.chars() {
        let unit = match letter {
            'T' => {
                is_time = true;
                continue;
            }
            digit if digit.is_ascii_digit() => {
                number.push(digit);
                continue;
            }
            'W' => "weeks",
            'D' => "days",
            'H' => "h",
            'M' if is_time => "min",
            'S' => "s",
            _ => return told.to_owned(),
        };
        words.push(format!("{} {unit}", std::mem::take(&mut number)));
    }
    words.join(" ")
}

/// Formats `FREQ=WEEKLY;BYDAY=MO` as `every week on MO`.
fn describe_repetition(rule: &str) -> Option<String> {
    let part = |name: &str| {
        rule.split(';').find_map(|part| {
            let (key, value) = part.split_once('=')?;
            key.trim().eq_ignore_ascii_case(name).then(|| one_line(value, MAX_FIELD_CHARS))
        })
    };
    let unit = match part("FREQ")?.to_ascii_uppercase().as_str() {
        "YEARLY" => "year",
        "MONTHLY" => "month",
        "WEEKLY" => "week",
        "DAILY" => "day",
        "HOURLY" => "hour",
        _ => return None,
    };
    let every = match part("INTERVAL").filter(|count| count != "1") {
        Some(count) => format!("every {count} {unit}s"),
        None => format!("every {unit}"),
    };
    let days = part("BYDAY").map(|days| format!(" on {}", days.replace(',', ", ")));
    let times = part("COUNT").map(|count| format!(", {count} times"));
    let last = part("UNTIL").and_then(|until| {
        let field = Field { name: String::new(), parameters: String::new(), value: until };
        Some(format!(", until {}", EventTime::read(&field)?.date))
    });
    Some([Some(every), days, times, last].into_iter().flatten().collect())
}

fn find_outside_quotes(text: &str, sign: char) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(at, letter)| {
        is_quoted ^= letter == '"';
        (letter == sign && !is_quoted).then_some(at)
    })
}

fn unescape(value: &str) -> String {
    let mut words = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => words.push('\n'),
                Some(other) => words.push(other),
                None => {}
            },
            '\0' => {}
            other => words.push(other),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invitation_says_when_where_and_who() {
        let calendar = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\n\
                        END:VTIMEZONE\r\nBEGIN:VEVENT\r\nSUMMARY:Fork\\, and\r\n  wheel\r\n\
                        DTSTART;TZID=Europe/Lisbon:20261126T090000\r\nDTEND;TZID=Europe/Lisbon:20261126T103000\r\n\
                        RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH,FR;COUNT=5\r\nBEGIN:VALARM\r\nDESCRIPTION:Alarm\r\nEND:VALARM\r\n\
                        ORGANIZER;CN=\"Berg: Ann\":MAILTO:ann@a.example\r\n\
                        ATTENDEE;PARTSTAT=ACCEPTED;CN=Bo:mailto:bo@b.example\r\nATTENDEE:mailto:c@c.example\r\n\
                        DESCRIPTION:Bring\\nthe bike.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let told = describe_invitation(calendar, false);
        for part in [
            "Fork, and wheel",
            "2026-11-26 09:00 to 10:30 (Europe/Lisbon)",
            "every 2 weeks on TH, FR, 5 times",
            "Berg: Ann <ann@a.example>",
            "Bo <bo@b.example> (accepted), c@c.example",
            "Bring\nthe bike.",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("Alarm") && !told.contains("1970"), "{told}");
        assert!(!describe_invitation(calendar, true).contains("Bring"));
    }

    #[test]
    fn times_are_read_in_every_form() {
        let cases = [
            ("DTSTART:20261126T090000Z\nDTEND:20261126T100000Z", "2026-11-26 09:00 to 10:00 UTC"),
            ("DTSTART:20261126T230000Z\nDTEND:20261127T010000Z", "2026-11-26 23:00 to 2026-11-27 01:00 UTC"),
            (
                "DTSTART;TZID=A/B:20261126T230000\nDTEND:20261127T010000Z",
                "2026-11-26 23:00 (A/B) to 2026-11-27 01:00 UTC",
            ),
            ("DTSTART;VALUE=DATE:20261126\nDTEND;VALUE=DATE:20261127", "2026-11-26, all day"),
            ("DTSTART;VALUE=DATE:20261126\nDTEND;VALUE=DATE:20261129", "2026-11-26 to 2026-11-28, all day"),
            ("DTSTART:20261126T090000\nDURATION:PT1H30M", "2026-11-26 09:00, for 1 h 30 min"),
            ("DTSTART:20261126T0900", "2026-11-26 09:00"),
            ("DTSTART:tomorrow", "tomorrow"),
        ];
        for (fields, expected) in cases {
            let event: Vec<Field> = fields.lines().filter_map(Field::read).collect();
            assert_eq!(describe_time(&event).as_deref(), Some(expected), "{fields}");
        }
        assert_eq!(describe_time(&[]), None);
        assert_eq!(describe_duration("P1W"), "1 weeks");
    }
}
