//! A mail as it is read, composed when a history is loaded, not per frame.

pub(crate) mod update;

use crate::wrap;
use model::email::{MailFile, MailMessage, files, quotes};
use model::messages::MessageRow;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

const LABEL_WIDTH: usize = 12;
/// Addresses shown per line; the rest is counted.
const MAX_SHOWN_ADDRESSES: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailView {
    /// True prefers the text of the HTML part.
    pub prefers_html: bool,
    /// True shows the whole header and the quotes.
    pub unfolded: bool,
}

/// Replaces a mail's content with the text to display. Other messages are unchanged. With `has_header`, a
/// header is shown above the text, which repeats none of it.
pub fn set_display_text(row: &mut MessageRow, view: MailView, subject: Option<&SafeText>, has_header: bool) {
    let Some(letter) = &mut row.mail else { return };
    if letter.plain.is_none() && letter.rich.is_none() {
        // Keep the placeholder text for later calls.
        letter.plain = Some(row.message.content.clone());
    }
    row.message.content = SafeText::block(&display_text(letter, view, subject, has_header));
}

fn display_text(
    letter: &MailMessage,
    view: MailView,
    subject: Option<&SafeText>,
    has_header: bool,
) -> String {
    let mut text = if view.unfolded || has_header { String::new() } else { header_notes(letter, subject) };
    let body = preferred_body(letter, view).map_or("", SafeText::as_str);
    if view.unfolded {
        text.push_str(body);
    } else {
        text.push_str(&quotes::fold_quotes(body).0);
    }
    for (place, file) in letter.files.iter().enumerate() {
        text.push_str(if place == 0 { "\n\n" } else { "\n" });
        text.push_str(&file_line(place, file));
    }
    text.trim().to_owned()
}

/// The preferred text, or the other one if it is missing.
fn preferred_body(letter: &MailMessage, view: MailView) -> Option<&SafeText> {
    let (first, second) = match view.prefers_html {
        true => (&letter.rich, &letter.plain),
        false => (&letter.plain, &letter.rich),
    };
    first.as_ref().or(second.as_ref())
}

/// Subject of a mail, if it is not that of its thread.
fn own_subject<'a>(letter: &'a MailMessage, subject: Option<&SafeText>) -> Option<&'a SafeText> {
    letter.subject.as_ref().filter(|text| Some(normalize_subject(text)) != subject.map(normalize_subject))
}

/// Header lines that deviate from the usual, such as its own subject or a reply address.
fn header_notes(letter: &MailMessage, subject: Option<&SafeText>) -> String {
    let mut lines = Vec::new();
    if let Some(own) = own_subject(letter, subject) {
        lines.push(format!("Subject: {own}"));
    }
    if letter.to.len() > 1 || !letter.cc.is_empty() {
        lines.push(format!("To: {}", format_addresses(&letter.to)));
    }
    if !letter.cc.is_empty() {
        lines.push(format!("Cc: {}", format_addresses(&letter.cc)));
    }
    lines.extend(letter.delivered_to.as_ref().map(|address| format!("Reached {address}")));
    lines.extend(letter.describe_reply_address());
    lines.extend(letter.dated_at.map(date_note));
    lines.extend(
        Some(invitation_line(letter))
            .filter(|line| !line.is_empty())
            .map(|line| format!("Invitation: {line}")),
    );
    if lines.is_empty() { String::new() } else { format!("{}\n\n", lines.join("\n")) }
}

/// Address of the mailbox that the mail reached; empty for the main one.
fn reached_line(letter: &MailMessage) -> String {
    letter.delivered_to.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// State of the invitation in a mail, or the answer that the mail is.
fn invitation_line(letter: &MailMessage) -> String {
    match (&letter.invitation, letter.invitation_response) {
        (Some(invitation), _) => invitation.describe_state().to_owned(),
        (None, Some(answer)) => answer.label().to_owned(),
        (None, None) => String::new(),
    }
}

fn date_note(dated_at: Timestamp) -> String {
    format!("Dated {} {} UTC by its sender", dated_at.date(&Zone::UTC), dated_at.hour_and_minute(&Zone::UTC))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLine {
    pub text: String,
    /// True for the address of the answer where it is not the author's.
    pub is_marked: bool,
}

impl HeaderLine {
    fn plain(text: String) -> Self {
        Self { text, is_marked: false }
    }
}

/// Lines of the header above the newest mail, except sender and time: recipients, and the address of
/// the answer where it is not the author's.
pub fn short_header_lines(letter: &MailMessage, subject: Option<&SafeText>, width: usize) -> Vec<HeaderLine> {
    let own = own_subject(letter, subject).map(ToString::to_string).unwrap_or_default();
    let reply = match (letter.describe_reply_address(), letter.reply_addresses()) {
        (None, _) => String::new(),
        (Some(why), addresses) if addresses.is_empty() => why,
        (Some(_), addresses) => format!("{} · replies go here", addresses.join(", ")),
    };
    let fields = [
        ("To", format_addresses(&letter.to), false),
        ("Cc", format_addresses(&letter.cc), false),
        ("Reached", reached_line(letter), false),
        ("Reply-To", reply, true),
        ("Invitation", invitation_line(letter), true),
        ("Subject", own, false),
    ];
    let mut lines = Vec::new();
    for (name, value, is_marked) in fields.iter().filter(|field| !field.1.is_empty()) {
        let wrapped = wrap_field(name, value, width);
        lines.extend(wrapped.map(|text| HeaderLine { text, is_marked: *is_marked }));
    }
    lines.extend(letter.dated_at.map(date_note).map(HeaderLine::plain));
    lines
}

/// Lines of a field with its name before the first.
fn wrap_field(name: &str, value: &str, width: usize) -> impl Iterator<Item = String> {
    let parts = wrap::wrap(value, width.saturating_sub(LABEL_WIDTH).max(1));
    parts.into_iter().enumerate().map(move |(row, part)| {
        let label = if row == 0 { name } else { "" };
        format!("{label:<LABEL_WIDTH$}{}", value[part].trim_end())
    })
}

/// Lines of the whole header, except sender and time.
pub fn header_lines(letter: &MailMessage, width: usize) -> Vec<HeaderLine> {
    let is_reply_elsewhere = letter.describe_reply_address().is_some();
    let all = |entry: &[SafeText]| entry.iter().map(SafeText::as_str).collect::<Vec<_>>().join(", ");
    let told = |text: &Option<SafeText>| text.as_ref().map_or_else(String::new, ToString::to_string);
    let message_id = letter
        .header_id
        .as_deref()
        .map_or_else(String::new, |header_id| SafeText::line(header_id).to_string());
    let fields = [
        ("To", all(&letter.to)),
        ("Cc", all(&letter.cc)),
        ("Reached", reached_line(letter)),
        ("Sender", told(&letter.sender)),
        ("Reply-To", all(&letter.reply_to)),
        ("Invitation", invitation_line(letter)),
        ("Subject", told(&letter.subject)),
        ("Message-ID", message_id),
    ];
    let mut lines: Vec<HeaderLine> =
        letter.dated_at.map(date_note).map(HeaderLine::plain).into_iter().collect();
    for (name, value) in fields.iter().filter(|field| !field.1.is_empty()) {
        let is_marked = is_reply_elsewhere && *name == "Reply-To";
        lines.extend(wrap_field(name, value, width).map(|text| HeaderLine { text, is_marked }));
    }
    lines
}

/// Date and time of a mail in a long and a short form, with the zone.
pub fn format_times(at: Timestamp, zone: &Zone) -> (String, String) {
    let (day, date) = (at.day_name(zone), at.date(zone));
    let weekday = day.split(' ').next().unwrap_or_default();
    let clock = format!("{} {}", at.hour_and_minute(zone), zone.offset_name(at));
    (format!("{weekday} {date} {clock}"), format!("{date} {clock}"))
}

/// Subject without reply and forward prefixes, in lower case.
pub fn normalize_subject(subject: &SafeText) -> String {
    let mut rest = subject.as_str().trim();
    loop {
        let Some((mark, after)) = rest.split_once(':') else { return rest.to_lowercase() };
        let is_mark = ["re", "aw", "fw", "fwd", "wg", "sv", "tr", "rv", "res", "odp"];
        if !is_mark.contains(&mark.trim().to_lowercase().as_str()) {
            return rest.to_lowercase();
        }
        rest = after.trim();
    }
}

fn format_addresses(all: &[SafeText]) -> String {
    let mut words: Vec<&str> = all.iter().take(MAX_SHOWN_ADDRESSES).map(SafeText::as_str).collect();
    let more = format!("and {} more", all.len().saturating_sub(MAX_SHOWN_ADDRESSES));
    if all.len() > MAX_SHOWN_ADDRESSES {
        words.push(&more);
    }
    words.join(", ")
}

pub fn file_line(place: usize, file: &MailFile) -> String {
    let name = files::display_name(file.name.as_str());
    let kind = file.kind.as_ref().map_or_else(String::new, |kind| format!(" · {kind}"));
    let size = file.size.map_or_else(String::new, |number| format!(" · {}", files::format_size(number)));
    let runs = if files::is_executable(&name) { " · PROGRAM: opening it runs it" } else { "" };
    let known = file.url.is_some() || file.enclosed;
    let at = if known { "" } else { " · cannot be saved" };
    format!("[file {}] {name}{kind}{size}{runs}{at}", place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> SafeText {
        SafeText::line(text)
    }

    #[test]
    fn a_mail_is_shown_with_what_is_not_expected() {
        let letter = MailMessage {
            from: line("ana@y.example"),
            to: vec![line("shop@x.example")],
            subject: Some(line("Re: AW: Order 1041")),
            plain: Some(SafeText::block("Yes.\n\nOn Monday Bob wrote:\n> one\n> two")),
            rich: Some(SafeText::block("Yes!")),
            ..MailMessage::default()
        };
        let subject = line("Order 1041");
        let shown = |letter: &MailMessage, view| display_text(letter, view, Some(&subject), false);
        assert_eq!(shown(&letter, MailView::default()), "Yes.\n\n▸ 3 quoted lines");
        assert_eq!(shown(&letter, MailView { prefers_html: true, unfolded: false }), "Yes!");
        assert!(shown(&letter, MailView { prefers_html: false, unfolded: true }).ends_with("> two"));
        let file = MailFile {
            name: line("report.pdf          .exe"),
            kind: Some(line("application/pdf")),
            size: Some(12_000),
            enclosed: true,
            url: None,
        };
        let odd = MailMessage {
            subject: Some(line("Other")),
            cc: vec![line("c@z.example")],
            reply_to: vec![line("list@y.example")],
            dated_at: Timestamp::parse("2031-01-02T03:04:00Z"),
            files: vec![file],
            ..letter
        };
        let text = shown(&odd, MailView { prefers_html: true, unfolded: false });
        for part in [
            "Subject: Other",
            "Cc: c@z.example",
            "Replies go to: list@y.example",
            "02 Jan 2031 03:04",
            "[file 1] report.pdf .exe · application/pdf · 12 KB · PROGRAM: opening it runs it",
        ] {
            assert!(text.contains(part), "{text}");
        }
        // The unfolded header has them; they are not repeated in the text.
        let unfolded = shown(&odd, MailView { prefers_html: true, unfolded: true });
        assert!(!unfolded.contains("Cc:") && !unfolded.contains("Replies go to"), "{unfolded}");
        let line = |text: &str, is_marked| HeaderLine { text: text.to_owned(), is_marked };
        let lines = header_lines(&odd, 30);
        assert!(lines.contains(&line("Reply-To    list@y.example", true)), "{lines:?}");
        assert!(lines.contains(&line("To          shop@x.example", false)), "{lines:?}");
        assert_eq!(header_lines(&MailMessage::default(), 30), []);
        // Above the newest mail, the address of the answer is marked and labelled.
        let lines = short_header_lines(&odd, Some(&subject), 80);
        let expected = [
            line("To          shop@x.example", false),
            line("Cc          c@z.example", false),
            line("Reply-To    list@y.example · replies go here", true),
            line("Subject     Other", false),
        ];
        assert_eq!(lines[..4], expected);
        assert_eq!(
            display_text(&odd, MailView::default(), Some(&subject), true).lines().next(),
            Some("Yes.")
        );
    }
}
