//! Calendars in mails (RFC 5545): described as text (time, place and people), and read as an event that
//! can be answered (RFC 5546).

use crate::mail::calendar::find_outside_quotes;
use crate::mailbox::parsing::correspondence::is_own;
use crate::mailbox::parsing::lines::one_line;
use api::carriers::{CalendarEvent, CalendarMethod, CalendarPerson};
use model::bounds;
use model::email::invitations::InvitationAnswer;
use model::time::{DAY, HOUR, MINUTE, SECOND, Timestamp, Zone};

const MAX_FIELD_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 4_000;
/// Maximum number of guests shown by name; more are counted.
const MAX_GUESTS: usize = 10;
const MAX_LINES: usize = 20_000;
/// Maximum length of a line that an answer repeats, in bytes; an event with a longer id has no answer.
const MAX_KEPT_LINE_BYTES: usize = 1_000;
/// Maximum size of the time zones that an answer repeats, in bytes.
const MAX_ZONE_BYTES: usize = 16 * 1024;
/// Fields of an event that an answer repeats.
const REPEATED_FIELDS: [&str; 4] = ["DTSTART", "DTEND", "DURATION", "SUMMARY"];
/// Time by which an event in an unknown or floating time zone may end later than in UTC.
const MAX_ZONE_DELAY: i64 = 12 * HOUR;

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

    /// Unfolded line as it came, `None` if it is too long to be repeated.
    fn kept_line(&self) -> Option<String> {
        let line = format!("{}{}:{}", self.name, self.parameters, self.value);
        let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
        (line.len() <= MAX_KEPT_LINE_BYTES).then_some(line)
    }

    /// Mail address of a person.
    fn address(&self) -> Option<String> {
        let value = self.value.trim();
        let mailto = |text: &str| {
            let scheme = text.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"))?;
            Some(text[scheme.len()..].replace("%2B", "+").replace("%2b", "+").replace("%40", "@"))
        };
        let bare = bounds::is_email(value).then(|| value.to_owned());
        let found = mailto(value).or_else(|| self.parameter("EMAIL")).or(bare)?;
        Some(found.trim().to_owned()).filter(|address| bounds::is_email(address))
    }

    fn person(&self) -> Option<CalendarPerson> {
        Some(CalendarPerson { address: self.address()?, line: self.kept_line()? })
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

    fn answer(&self) -> Option<InvitationAnswer> {
        InvitationAnswer::from_word(&self.parameter("PARTSTAT")?.to_ascii_lowercase())
    }

    fn guest_state(&self) -> Option<&'static str> {
        match self.parameter("PARTSTAT")?.to_ascii_uppercase().as_str() {
            "ACCEPTED" => Some("accepted"),
            "DECLINED" => Some("declined"),
            "TENTATIVE" => Some("perhaps"),
            "DELEGATED" => Some("delegated to another person"),
            _ => None,
        }
    }
}

/// Describes the first event of a calendar, without its description if the mail has a text of its
/// own.
pub fn describe_invitation(calendar: &str, has_text: bool) -> String {
    let FirstEvent { fields: event, method, count, .. } = first_event(calendar);
    let all = |name: &'static str| event.iter().filter(move |field| field.name == name);
    let field = |name| all(name).map(Field::to_line).find(|words| !words.is_empty());
    let is_cancelled =
        method == "CANCEL" || field("STATUS").is_some_and(|word| word.eq_ignore_ascii_case("CANCELLED"));
    let title = match method.as_str() {
        _ if is_cancelled => "[a cancelled event]",
        "REPLY" => "[an answer to an invitation]",
        "COUNTER" => "[a counterproposal for an event]",
        "REQUEST" | "" => "[an invitation]",
        _ => "[a calendar event]",
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

/// Reads the first event of a calendar in a mail to a mailbox with the addresses `own`; `None` if it
/// is no invitation, cancellation or answer. `declared` is the method in the header of the part, for
/// calendars without one.
pub fn read_event(calendar: &str, declared: Option<&str>, own: &[String]) -> Option<CalendarEvent> {
    let found = first_event(calendar);
    let method = match found.method.as_str() {
        "" => declared.unwrap_or_default().trim().to_ascii_uppercase(),
        method => method.to_owned(),
    };
    let all = |name: &'static str| found.fields.iter().filter(move |field| field.name == name);
    let first = |name| all(name).next();
    let is_cancelled =
        first("STATUS").is_some_and(|field| field.value.trim().eq_ignore_ascii_case("CANCELLED"));
    let method = match method.as_str() {
        "CANCEL" => CalendarMethod::Cancel,
        "REQUEST" if is_cancelled => CalendarMethod::Cancel,
        "REQUEST" => CalendarMethod::Request,
        "REPLY" => CalendarMethod::Reply,
        _ => return None,
    };
    if found.is_task {
        return None;
    }
    let uid = first("UID").map(|field| field.value.trim_end().to_owned()).filter(|uid| {
        !uid.is_empty() && uid.len() <= MAX_KEPT_LINE_BYTES && !uid.chars().any(char::is_control)
    })?;
    let guests: Vec<(&Field, String)> =
        all("ATTENDEE").filter_map(|field| Some((field, field.address()?))).collect();
    let exact = |address: &String| own.iter().any(|one| one.eq_ignore_ascii_case(address));
    let guest = guests.iter().find(|(_, address)| exact(address));
    let guest = guest.or_else(|| guests.iter().find(|(_, address)| is_own(own, address)));
    let answer = guest.filter(|_| method == CalendarMethod::Reply).and_then(|(field, _)| field.answer());
    let recurrence = match first("RECURRENCE-ID") {
        // An answer without it would be one to the whole series.
        Some(field) => Some(field.kept_line()?),
        None => None,
    };
    let repeated: Vec<&Field> = REPEATED_FIELDS.iter().filter_map(|name| first(name)).collect();
    let named = |name: &String| {
        let mut timed = repeated.iter().copied().chain(first("RECURRENCE-ID"));
        timed.any(|field| field.parameter("TZID").as_ref() == Some(name))
    };
    let mut zones = found.zones;
    zones.retain(|zone| zone.name.as_ref().is_some_and(named));
    if zones.iter().flat_map(|zone| &zone.lines).map(String::len).sum::<usize>() > MAX_ZONE_BYTES {
        zones.clear();
    }
    let is_described = |field: &Field| match field.parameter("TZID") {
        Some(name) => zones.iter().any(|zone| zone.name.as_ref() == Some(&name)),
        None => true,
    };
    let lines = repeated.iter().filter(|field| is_described(field)).filter_map(|field| field.kept_line());
    let lines: Vec<String> = lines.collect();
    Some(CalendarEvent {
        method,
        uid,
        sequence: first("SEQUENCE").and_then(|field| field.value.trim().parse().ok()).unwrap_or(0),
        recurrence,
        summary: first("SUMMARY").map(Field::to_line).unwrap_or_default(),
        when: describe_time(&found.fields),
        ends_at: latest_end(&found.fields).map(Timestamp::micros),
        organizer: first("ORGANIZER").and_then(Field::person),
        guest: guest.and_then(|(field, _)| field.person()),
        guests: guests.iter().take(MAX_GUESTS).map(|(_, address)| address.clone()).collect(),
        answer,
        lines,
        zones: zones.into_iter().flat_map(|zone| zone.lines).collect(),
    })
}

/// Latest end of an event, or of the last one of its series; `None` if the series has no end or the
/// time cannot be parsed. An event in an unknown time zone is taken to end as late as it can.
fn latest_end(event: &[Field]) -> Option<Timestamp> {
    let named = |name: &str| event.iter().find(|field| field.name == name);
    let start = named("DTSTART")?;
    let begins = local_time(start)?;
    let length = match (named("DTEND"), named("DURATION")) {
        (Some(end), _) => local_time(end)?.since(begins),
        (None, Some(duration)) => duration_micros(duration.value.trim())?,
        (None, None) if EventTime::read(start)?.clock.is_none() => DAY,
        (None, None) => 0,
    };
    let last = match named("RRULE") {
        None => begins,
        Some(rule) => {
            let until = rule.value.split(';').find_map(|part| {
                let (key, value) = part.split_once('=')?;
                key.trim().eq_ignore_ascii_case("UNTIL").then(|| value.to_owned())
            })?;
            let parameters = start.parameters.clone();
            local_time(&Field { name: String::new(), parameters, value: until })?
        }
    };
    Some(last.plus(length))
}

/// Moment of a time field.
fn local_time(field: &Field) -> Option<Timestamp> {
    let EventTime { date, clock, .. } = EventTime::read(field)?;
    let midnight = Timestamp::parse(&format!("{date}T00:00:00Z"))?;
    let minutes = match clock.as_deref().and_then(|clock| clock.split_once(':')) {
        Some((hours, minutes)) => hours.parse::<i64>().ok()? * HOUR + minutes.parse::<i64>().ok()? * MINUTE,
        None => 0,
    };
    let at = midnight.plus(minutes);
    if field.value.trim().ends_with('Z') {
        return Some(at);
    }
    let zone = field.parameter("TZID").filter(|_| clock.is_some());
    match zone.and_then(|name| Zone::from_name(name.trim_start_matches('/'))) {
        Some(zone) => Some(zone.at(at.day_number(&Zone::UTC), at.time_of_day(&Zone::UTC))),
        None => Some(at.plus(MAX_ZONE_DELAY)),
    }
}

/// Reads `PT1H30M` as its numbers, each with its unit in words and in microseconds; `None` for other forms.
fn duration_parts(told: &str) -> Option<Vec<(String, &'static str, i64)>> {
    let rest = told.trim_start_matches('+').strip_prefix('P')?;
    let (mut parts, mut number, mut is_time) = (Vec::new(), String::new(), false);
    for letter in rest.chars() {
        let (words, micros) = match letter {
            'T' => {
                is_time = true;
                continue;
            }
            digit if digit.is_ascii_digit() => {
                number.push(digit);
                continue;
            }
            'W' => ("weeks", 7 * DAY),
            'D' => ("days", DAY),
            'H' => ("h", HOUR),
            'M' if is_time => ("min", MINUTE),
            'S' => ("s", SECOND),
            _ => return None,
        };
        parts.push((std::mem::take(&mut number), words, micros));
    }
    Some(parts)
}

fn duration_micros(told: &str) -> Option<i64> {
    duration_parts(told)?.into_iter().try_fold(0_i64, |total, (number, _, micros)| {
        let count: i64 = number.parse().ok()?;
        Some(total.saturating_add(count.saturating_mul(micros)))
    })
}

#[derive(Debug, Default)]
struct FirstEvent {
    /// Without those of alarms within the event.
    fields: Vec<Field>,
    /// Method of the calendar, in upper case.
    method: String,
    /// Number of events in the calendar.
    count: usize,
    /// True if the first is a task.
    is_task: bool,
    zones: Vec<ZoneLines>,
}

/// A time zone of a calendar, with its unfolded lines.
#[derive(Debug, Default)]
struct ZoneLines {
    name: Option<String>,
    lines: Vec<String>,
}

fn first_event(calendar: &str) -> FirstEvent {
    // A folded line continues after a space or tab.
    let unfolded = calendar.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    let mut found = FirstEvent::default();
    let mut open: Vec<String> = Vec::new();
    for field in unfolded.lines().take(MAX_LINES).filter_map(Field::read) {
        let component = field.value.trim().to_ascii_uppercase();
        if open.iter().any(|component| component == ZONE) || (field.name == "BEGIN" && component == ZONE) {
            found.read_zone_line(&field);
        }
        match field.name.as_str() {
            "BEGIN" => {
                found.is_task |= found.count == 0 && component == "VTODO";
                found.count += usize::from(is_event(&component));
                open.push(component);
            }
            "END" => {
                open.pop();
            }
            "METHOD" if open.len() <= 1 => found.method = component,
            _ if found.count == 1 && open.last().is_some_and(|component| is_event(component)) => {
                found.fields.push(field);
            }
            _ => {}
        }
    }
    found
}

const ZONE: &str = "VTIMEZONE";

impl FirstEvent {
    fn read_zone_line(&mut self, field: &Field) {
        if field.name == "BEGIN" && field.value.trim().eq_ignore_ascii_case(ZONE) {
            self.zones.push(ZoneLines::default());
        }
        let Some(zone) = self.zones.last_mut() else { return };
        if field.name == "TZID" {
            zone.name = Some(one_line(&field.value, MAX_FIELD_CHARS));
        }
        zone.lines.extend(field.kept_line());
    }
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
    let Some(parts) = duration_parts(told) else { return told.to_owned() };
    let words: Vec<String> = parts.into_iter().map(|(number, unit, _)| format!("{number} {unit}")).collect();
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
    fn event_is_read_with_what_an_answer_repeats() {
        let calendar = "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Berlin\nBEGIN:STANDARD\nTZOFFSETTO:+0100\n\
                        END:STANDARD\nEND:VTIMEZONE\nBEGIN:VTIMEZONE\nTZID:Other\nEND:VTIMEZONE\nBEGIN:VEVENT\n\
                        UID:a;b:c,1\nSEQUENCE:3\nRECURRENCE-ID;TZID=Berlin:20261126T090000\n\
                        DTSTART;TZID=Berlin:20261126T100000\nDTEND;TZID=Berlin:20261126T110000\n\
                        SUMMARY;LANGUAGE=de:Termin\\, kurz\nDESCRIPTION:Long\n\
                        ORGANIZER;SENT-BY=\"mailto:bo@a.example\";CN=\"Berg; Ann\":MAILTO:ann@a.example\n\
                        ATTENDEE;CN=Cy:mailto:cy@c.example\n\
                        ATTENDEE;CN=Desk;RSVP=TRUE:mailto:desk%2Bhelp@shop.example\nEND:VEVENT\nEND:VCALENDAR\n";
        let own = ["desk@shop.example".to_owned()];
        let event = read_event(calendar, Some("request"), &own).expect("an invitation");
        assert_eq!(
            (event.method, event.uid.as_str(), event.sequence),
            (CalendarMethod::Request, "a;b:c,1", 3)
        );
        assert_eq!(event.recurrence.as_deref(), Some("RECURRENCE-ID;TZID=Berlin:20261126T090000"));
        assert_eq!(event.key(), "a;b:c,1 20261126T090000");
        let organizer = event.organizer.expect("an organizer");
        assert_eq!(organizer.address, "ann@a.example");
        assert!(organizer.line.contains("SENT-BY=\"mailto:bo@a.example\""), "{organizer:?}");
        assert_eq!(event.guest.expect("a guest").address, "desk+help@shop.example");
        assert_eq!(event.summary, "Termin, kurz");
        let lines = [
            "DTSTART;TZID=Berlin:20261126T100000",
            "DTEND;TZID=Berlin:20261126T110000",
            "SUMMARY;LANGUAGE=de:Termin\\, kurz",
        ];
        assert_eq!(event.lines, lines);
        let zone = [
            "BEGIN:VTIMEZONE",
            "TZID:Berlin",
            "BEGIN:STANDARD",
            "TZOFFSETTO:+0100",
            "END:STANDARD",
            "END:VTIMEZONE",
        ];
        assert_eq!(event.zones, zone, "only the zone that a line names");
        // Outlook refuses a time in a zone that is not described.
        let bare = calendar.replace("TZID:Berlin", "TZID:Bern");
        let event = read_event(&bare, Some("REQUEST"), &own).expect("an event");
        assert_eq!((event.lines.len(), event.zones), (1, Vec::new()));
        // Without a method it is no request, and a task has no answer.
        assert_eq!(read_event(calendar, None, &own), None);
        assert_eq!(read_event(&calendar.replace("VEVENT", "VTODO"), Some("REQUEST"), &own), None);
        // The calendar's own method counts: nobody waits for an answer to a published event.
        let published = calendar.replacen("VCALENDAR\n", "VCALENDAR\nMETHOD:PUBLISH\n", 1);
        assert_eq!(read_event(&published, Some("REQUEST"), &own), None);
        let misplaced = calendar.replace("SEQUENCE:3", "METHOD:REQUEST\nSEQUENCE:3");
        assert!(read_event(&misplaced, Some("REQUEST"), &own).is_some());
        let cancelled = calendar.replace("SEQUENCE:3", "STATUS:CANCELLED");
        let event = read_event(&cancelled, Some("REQUEST"), &own).expect("an event");
        assert_eq!((event.method, event.sequence), (CalendarMethod::Cancel, 0));
        let foreign = read_event(calendar, Some("REQUEST"), &["x@x.example".to_owned()]).expect("an event");
        assert_eq!((foreign.guest, foreign.guests.len()), (None, 2));
    }

    #[test]
    fn end_is_the_latest_possible() {
        let cases = [
            ("DTSTART:20261126T090000Z\nDTEND:20261126T100000Z", Some("2026-11-26T10:00:00.000Z")),
            (
                "DTSTART;TZID=Europe/Berlin:20260726T090000\nDURATION:PT1H30M",
                Some("2026-07-26T08:30:00.000Z"),
            ),
            ("DTSTART;TZID=Romance Standard Time:20261126T090000", Some("2026-11-26T21:00:00.000Z")),
            ("DTSTART:20261126T090000", Some("2026-11-26T21:00:00.000Z")),
            ("DTSTART;VALUE=DATE:20261126", Some("2026-11-27T12:00:00.000Z")),
            ("DTSTART;VALUE=DATE:20261126\nDTEND;VALUE=DATE:20261128", Some("2026-11-28T12:00:00.000Z")),
            ("DTSTART:20261126T090000Z\nRRULE:FREQ=DAILY", None),
            (
                "DTSTART:20261126T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20261201T090000Z",
                Some("2026-12-01T10:00:00.000Z"),
            ),
            ("DTSTART:soon", None),
        ];
        for (fields, expected) in cases {
            let event: Vec<Field> = fields.lines().filter_map(Field::read).collect();
            assert_eq!(latest_end(&event).map(|end| end.to_string()).as_deref(), expected, "{fields}");
        }
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
