//! Words for a mail without a text of its own: it says what it is.

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

use crate::platforms::mailbox::understanding::lines::{header_values, one_line};
use crate::platforms::mailbox::understanding::mailboxes::read_mailboxes;
use model::bounds;

/// Characters of a field of an invitation that are shown.
const MAX_FIELD_CHARS: usize = 200;

/// Describes a mail in which no text was found, `None` for one that has only
/// files.
pub fn describe_content(parsed: &Message<'_>) -> Option<String> {
    let has = |kind: &str, subtype: &str| parsed.parts.iter().any(|part| part.is_content_type(kind, subtype));
    if has("multipart", "encrypted") || has("application", "pgp-encrypted") {
        return Some(
            "[an encrypted mail (PGP): its text can be read only with the recipient's key]".to_owned(),
        );
    }
    if has("application", "pkcs7-mime") || has("application", "x-pkcs7-mime") {
        return Some("[an S/MIME mail, signed or encrypted: its text is in the attached file]".to_owned());
    }
    let calendar = parsed.parts.iter().find(|part| part.is_content_type("text", "calendar"));
    if let Some(calendar) = calendar {
        return Some(describe_invitation(&String::from_utf8_lossy(calendar.contents())));
    }
    parsed.parts.iter().find_map(|part| match &part.body {
        PartType::Message(inner) => Some(describe_forward(inner)),
        _ => None,
    })
}

/// A forwarded mail with its head.
fn describe_forward(inner: &Message<'_>) -> String {
    let headers = MessageParser::default().parse_headers(inner.raw_message());
    let from = headers.map(|headers| read_mailboxes(&header_values(&headers, "From")).shown);
    let from = from.unwrap_or_default();
    let subject = one_line(inner.subject().unwrap_or_default(), bounds::SUBJECT);
    let text: Vec<&str> = inner.text_bodies().filter_map(|part| part.text_contents()).collect();
    let head = "---------- Forwarded message ----------";
    format!("{head}\nFrom: {from}\nSubject: {subject}\n\n{}", text.join("\n").trim())
}

/// When, where and who of an invitation (RFC 5545).
fn describe_invitation(calendar: &str) -> String {
    // A long line goes on behind a blank.
    let unfolded = calendar.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    let event = unfolded.split_once("BEGIN:VEVENT").map_or(unfolded.as_str(), |(_, event)| event);
    let field = |name: &str| {
        event.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            let is_named = key.split(';').next().is_some_and(|key| key.eq_ignore_ascii_case(name));
            let value = value.replace("\\,", ",").replace("\\;", ";").replace("\\n", " ");
            let value = one_line(value.trim_start_matches("mailto:"), MAX_FIELD_CHARS);
            (is_named && !value.is_empty()).then_some(value)
        })
    };
    let told = [
        ("What", field("SUMMARY")),
        ("From", field("DTSTART").map(|text| readable_time(&text))),
        ("Until", field("DTEND").map(|text| readable_time(&text))),
        ("Where", field("LOCATION")),
        ("Organizer", field("ORGANIZER")),
    ];
    let lines = told.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?)));
    let lines: Vec<String> = std::iter::once("[an invitation]".to_owned()).chain(lines).collect();
    lines.join("\n")
}

/// `20261126T090000Z` as `2026-11-26 09:00 UTC`; another form as it stands.
fn readable_time(told: &str) -> String {
    let digits = |range: std::ops::Range<usize>| {
        told.get(range).filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let day = (digits(0..4), digits(4..6), digits(6..8));
    let (Some(year), Some(month), Some(day)) = day else { return told.to_owned() };
    match (told.get(8..9), digits(9..11), digits(11..13)) {
        (Some("T"), Some(hour), Some(minute)) => {
            let zone = if told.ends_with('Z') { " UTC" } else { "" };
            format!("{year}-{month}-{day} {hour}:{minute}{zone}")
        }
        _ => format!("{year}-{month}-{day}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_says_when_and_where() {
        let calendar = "BEGIN:VCALENDAR\r\nDTSTART:19700101T000000\r\nBEGIN:VEVENT\r\nSUMMARY:Fork\\, and\r\n  wheel\r\n\
                        DTSTART;TZID=Europe/Lisbon:20261126T090000\r\nDTEND:20261126T100000Z\r\n\
                        ORGANIZER;CN=Ann:mailto:ann@a.example\r\nEND:VEVENT\r\n";
        let told = "[an invitation]\nWhat: Fork, and wheel\nFrom: 2026-11-26 09:00\nUntil: 2026-11-26 10:00 UTC\n\
                    Organizer: ann@a.example";
        assert_eq!(describe_invitation(calendar), told);
        assert_eq!(readable_time("20261126"), "2026-11-26");
        assert_eq!(readable_time("tomorrow"), "tomorrow");
    }
}
