//! Writes the calendar part of an answer to an invitation (RFC 5546, method REPLY).
//!
//! Programs match an answer by the id, the organizer and the guest, so these lines are repeated as they
//! came. Outlook refuses a calendar that names a time zone without describing it, so the zones of the
//! invitation are repeated as well.

use api::carriers::{CalendarEvent, CalendarPerson};
use model::email::invitations::InvitationAnswer;
use model::time::Timestamp;

/// Maximum length of a line, in bytes without its end; longer ones are folded.
const MAX_LINE_BYTES: usize = 75;
/// Parameters of a guest that an answer sets or leaves out.
const REPLACED_PARAMETERS: [&str; 3] = ["PARTSTAT", "RSVP", "SENT-BY"];

/// Writes the answer of `guest`; `sender` is the address that the mail is sent from.
pub fn write_reply(
    event: &CalendarEvent,
    (organizer, guest): (&CalendarPerson, &CalendarPerson),
    answer: InvitationAnswer,
    sender: &str,
    at: Timestamp,
) -> String {
    let stamp: String = at.iso().as_str().chars().filter(|letter| !matches!(letter, '-' | ':')).collect();
    let stamp = stamp.split('.').next().unwrap_or_default();
    let head =
        ["BEGIN:VCALENDAR", "PRODID:-//frontdesk//EN", "VERSION:2.0", "CALSCALE:GREGORIAN", "METHOD:REPLY"];
    let mut lines: Vec<String> = head.map(str::to_owned).to_vec();
    lines.extend(event.zones.iter().cloned());
    lines.extend(["BEGIN:VEVENT".to_owned(), format!("UID:{}", event.uid)]);
    lines.extend(event.recurrence.clone());
    lines.extend([
        format!("SEQUENCE:{}", event.sequence),
        format!("DTSTAMP:{stamp}Z"),
        organizer.line.clone(),
        guest_line(guest, answer, sender),
    ]);
    lines.extend(event.lines.iter().cloned());
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    lines.iter().map(|line| fold(line)).collect()
}

/// Line of the guest with the answer, and with the address that answers for it if that is another.
fn guest_line(guest: &CalendarPerson, answer: InvitationAnswer, sender: &str) -> String {
    let colon = find_outside_quotes(&guest.line, ':').unwrap_or(guest.line.len());
    let (head, value) = guest.line.split_at(colon);
    let is_kept = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap_or_default();
        !REPLACED_PARAMETERS.iter().any(|replaced| replaced.eq_ignore_ascii_case(name))
    };
    let kept: Vec<&str> = split_outside_quotes(head, ';').into_iter().skip(1).filter(is_kept).collect();
    let mut line = format!("ATTENDEE;PARTSTAT={}", answer.word().to_ascii_uppercase());
    for parameter in kept {
        line.push_str(&format!(";{parameter}"));
    }
    if !sender.eq_ignore_ascii_case(&guest.address) {
        line.push_str(&format!(";SENT-BY=\"mailto:{sender}\""));
    }
    line + value
}

/// Ends a line, and breaks it where it is too long; never within a character.
fn fold(line: &str) -> String {
    let (mut folded, mut used) = (String::with_capacity(line.len() + 2), 0);
    for letter in line.chars() {
        if used + letter.len_utf8() > MAX_LINE_BYTES {
            folded.push_str("\r\n ");
            used = 1;
        }
        folded.push(letter);
        used += letter.len_utf8();
    }
    folded + "\r\n"
}

/// Byte position of a sign outside of quotes.
pub fn find_outside_quotes(text: &str, sign: char) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(at, letter)| {
        is_quoted ^= letter == '"';
        (letter == sign && !is_quoted).then_some(at)
    })
}

fn split_outside_quotes(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(at) = find_outside_quotes(rest, sign) {
        parts.push(&rest[..at]);
        rest = &rest[at + sign.len_utf8()..];
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(address: &str, line: &str) -> CalendarPerson {
        CalendarPerson { address: address.to_owned(), line: line.to_owned() }
    }

    #[test]
    fn reply_repeats_the_lines_by_which_programs_match_it() {
        let organizer =
            person("ann@a.example", "ORGANIZER;SENT-BY=\"mailto:bo@a.example\";CN=Ann:MAILTO:ann@a.example");
        let guest = person(
            "help@shop.example",
            "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;CN=\"Hafen; PARTSTAT=x: Räder\";RSVP=TRUE:mailto:help@shop.example",
        );
        let event = CalendarEvent {
            uid: format!("040000008200E00074C5B7101A82E008{}", "0".repeat(60)),
            sequence: 2,
            recurrence: Some("RECURRENCE-ID;TZID=Berlin:20261126T090000".to_owned()),
            lines: vec![
                "SUMMARY:Größe, und so weiter in einer sehr langen Zeile über Räder und Öl".to_owned(),
            ],
            zones: ["BEGIN:VTIMEZONE", "TZID:Berlin", "END:VTIMEZONE"].map(str::to_owned).to_vec(),
            ..CalendarEvent::default()
        };
        let at = Timestamp::parse("2026-11-20T10:02:03.456Z").expect("a time");
        let people = (&organizer, &guest);
        let reply = write_reply(&event, people, InvitationAnswer::Tentative, "desk@shop.example", at);
        assert!(reply.split("\r\n").all(|line| line.len() <= 75), "{reply}");
        assert!(!reply.replace("\r\n", "").contains(['\r', '\n']), "each line ends as mail does");
        let expected = [
            "BEGIN:VCALENDAR",
            "PRODID:-//frontdesk//EN",
            "VERSION:2.0",
            "CALSCALE:GREGORIAN",
            "METHOD:REPLY",
            "BEGIN:VTIMEZONE",
            "TZID:Berlin",
            "END:VTIMEZONE",
            "BEGIN:VEVENT",
            &format!("UID:{}", event.uid),
            "RECURRENCE-ID;TZID=Berlin:20261126T090000",
            "SEQUENCE:2",
            "DTSTAMP:20261120T100203Z",
            &organizer.line,
            "ATTENDEE;PARTSTAT=TENTATIVE;ROLE=REQ-PARTICIPANT;CN=\"Hafen; PARTSTAT=x: Räder\";\
             SENT-BY=\"mailto:desk@shop.example\":mailto:help@shop.example",
            &event.lines.join(""),
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        ];
        assert_eq!(reply.replace("\r\n ", "").split("\r\n").collect::<Vec<_>>(), expected);
        let reply = write_reply(&event, people, InvitationAnswer::Accepted, "Help@shop.example", at);
        assert!(!reply.contains("SENT-BY=\"mailto:desk"), "{reply}");
    }
}
