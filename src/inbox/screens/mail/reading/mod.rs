//! A mail as it is read: its recipients, its text with what was quoted
//! folded, its files. Made when a history comes, not when it is drawn.
//!
//! Its text came with the mail.

pub(crate) mod update;

use crate::wrap;
use model::email::{MailFile, MailMessage, files, quotes};
use model::messages::MessageRow;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

/// Columns of the names of a header's fields.
const LABEL: usize = 12;
/// Addresses shown of one line; more are counted.
const ADDRESSES: usize = 6;

/// How mails are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailView {
    /// The HTML's text, where there is a plain one too.
    pub rich: bool,
    /// The whole header, and what was quoted, in full.
    pub unfolded: bool,
}

/// Gives a row the text its mail is shown with. Other rows stay.
pub fn compose(row: &mut MessageRow, view: MailView, subject: Option<&SafeText>) {
    let Some(letter) = &mut row.mail else { return };
    if letter.plain.is_none() && letter.rich.is_none() {
        // Whatever stands there instead of a text is shown again and again.
        letter.plain = Some(row.message.content.clone());
    }
    row.message.content = SafeText::block(&text(letter, view, subject));
}

fn text(letter: &MailMessage, view: MailView, subject: Option<&SafeText>) -> String {
    // The whole header says it all.
    let mut text = if view.unfolded { String::new() } else { heading(letter, subject) };
    let body = body(letter, view).map_or("", SafeText::as_str);
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

/// The text that is shown: the one that was asked for, if there is one.
fn body(letter: &MailMessage, view: MailView) -> Option<&SafeText> {
    let (first, second) = match view.rich {
        true => (&letter.rich, &letter.plain),
        false => (&letter.plain, &letter.rich),
    };
    first.as_ref().or(second.as_ref())
}

/// What differs from what one expects: a subject of its own, several
/// recipients, an address for answers.
fn heading(letter: &MailMessage, subject: Option<&SafeText>) -> String {
    let mut lines = Vec::new();
    if let Some(own) = letter.subject.as_ref().filter(|text| Some(bare(text)) != subject.map(bare)) {
        lines.push(format!("Subject: {own}"));
    }
    if letter.to.len() > 1 || !letter.cc.is_empty() {
        lines.push(format!("To: {}", addresses(&letter.to)));
    }
    if !letter.cc.is_empty() {
        lines.push(format!("Cc: {}", addresses(&letter.cc)));
    }
    lines.extend(letter.describe_reply_address());
    lines.extend(letter.dated_at.map(date_note));
    if lines.is_empty() { String::new() } else { format!("{}\n\n", lines.join("\n")) }
}

/// Words for a date of the sender that cannot be true.
fn date_note(dated_at: Timestamp) -> String {
    format!("Dated {} {} UTC by its sender", dated_at.date(&Zone::UTC), dated_at.hour_and_minute(&Zone::UTC))
}

/// The lines of a mail's whole header, beside its sender and its time.
pub fn header_lines(letter: &MailMessage, width: usize) -> Vec<String> {
    let all = |entry: &[SafeText]| entry.iter().map(SafeText::as_str).collect::<Vec<_>>().join(", ");
    let told = |text: &Option<SafeText>| text.as_ref().map_or_else(String::new, ToString::to_string);
    let message_id = letter
        .header_id
        .as_deref()
        .map_or_else(String::new, |header_id| SafeText::line(header_id).to_string());
    let fields = [
        ("To", all(&letter.to)),
        ("Cc", all(&letter.cc)),
        ("Sender", told(&letter.sender)),
        ("Reply-To", all(&letter.reply_to)),
        ("Subject", told(&letter.subject)),
        ("Message-ID", message_id),
    ];
    let mut lines: Vec<String> = letter.dated_at.map(date_note).into_iter().collect();
    for (name, value) in fields.iter().filter(|field| !field.1.is_empty()) {
        for (row, part) in wrap::wrap(value, width.saturating_sub(LABEL).max(1)).into_iter().enumerate() {
            let label = if row == 0 { *name } else { "" };
            lines.push(format!("{label:<LABEL$}{}", value[part].trim_end()));
        }
    }
    lines
}

/// When a mail was written, whole and short, with its zone: a reader may be
/// elsewhere.
pub fn when(at: Timestamp, zone: &Zone) -> (String, String) {
    let (day, date) = (at.day_name(zone), at.date(zone));
    let weekday = day.split(' ').next().unwrap_or_default();
    let clock = format!("{} {}", at.hour_and_minute(zone), zone.offset_name(at));
    (format!("{weekday} {date} {clock}"), format!("{date} {clock}"))
}

/// A subject without the marks of answers, in lower case.
pub fn bare(subject: &SafeText) -> String {
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

fn addresses(all: &[SafeText]) -> String {
    let mut words: Vec<&str> = all.iter().take(ADDRESSES).map(SafeText::as_str).collect();
    let more = format!("and {} more", all.len().saturating_sub(ADDRESSES));
    if all.len() > ADDRESSES {
        words.push(&more);
    }
    words.join(", ")
}

/// A file with its real type and size.
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
        let shown = |letter: &MailMessage, view| text(letter, view, Some(&subject));
        assert_eq!(shown(&letter, MailView::default()), "Yes.\n\n▸ 3 quoted lines");
        assert_eq!(shown(&letter, MailView { rich: true, unfolded: false }), "Yes!");
        assert!(shown(&letter, MailView { rich: false, unfolded: true }).ends_with("> two"));
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
        let text = shown(&odd, MailView { rich: true, unfolded: false });
        for part in [
            "Subject: Other",
            "Cc: c@z.example",
            "Answers go to: list@y.example",
            "02 Jan 2031 03:04",
            "[file 1] report.pdf .exe · application/pdf · 12 KB · PROGRAM: opening it runs it",
        ] {
            assert!(text.contains(part), "{text}");
        }
        // Unfolded, the header has them, and nothing says them twice.
        let unfolded = shown(&odd, MailView { rich: true, unfolded: true });
        assert!(!unfolded.contains("Cc:") && !unfolded.contains("Answers go to"), "{unfolded}");
        let lines = header_lines(&odd, 30);
        assert!(lines.contains(&"Reply-To    list@y.example".to_owned()), "{lines:?}");
        assert!(lines.contains(&"To          shop@x.example".to_owned()), "{lines:?}");
        assert_eq!(header_lines(&MailMessage::default(), 30), Vec::<String>::new());
    }
}
