//! A mail being composed: headers and text in the format of a draft, and the conversion to a
//! sendable mail. Creates answers and forwards.

use crate::bounds;
use crate::email::MailMessage;
use crate::email::addresses::{TypedAddress, parse_list, remove_duplicates, to_header_line};
use crate::email::attached::DraftFile;
use crate::email::quoting::QuoteStyle;
use crate::ids::{MessageId, ThreadId};
use crate::outbox::content::Mail;

/// Line between the written and the quoted text in a draft.
const QUOTE_SEPARATOR: &str = "---- quoted below ----";
const MAX_QUOTE_CHARS: usize = 8_000;
/// Number of recipients from which sending asks for confirmation.
pub const MANY_RECIPIENTS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComposedMail {
    pub to: String,
    pub cc: String,
    pub bcc: String,
    pub subject: String,
    /// Sender, if not the account's default.
    pub from: Option<String>,
    pub in_reply_to: Option<String>,
    /// True if the text is Markdown that is also sent as HTML.
    pub html: bool,
    pub files: Vec<DraftFile>,
    pub body: String,
    pub quote: Option<String>,
    pub quoting: QuoteStyle,
}

/// Defaults for mails of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailStyle {
    /// Sender, if not the account's default.
    pub from: Option<String>,
    pub signature: Option<String>,
    pub quoting: QuoteStyle,
    /// Template of the line above a quote; `{date}`, `{name}`, `{address}` and `{subject}` are
    /// replaced. `None` for the default.
    pub attribution: Option<String>,
}

const SIGNATURE_SEPARATOR: &str = "-- ";

impl ComposedMail {
    /// Serializes to the draft format.
    pub fn to_draft_text(&self) -> String {
        let line = |text: &str| to_header_line(text);
        let mut text = format!("To: {}\n", line(&self.to));
        for (name, value) in [("Cc", &self.cc), ("Bcc", &self.bcc)] {
            if !value.trim().is_empty() {
                text.push_str(&format!("{name}: {}\n", line(value)));
            }
        }
        text.push_str(&format!("Subject: {}\n", line(&self.subject)));
        if let Some(from) = &self.from {
            text.push_str(&format!("From: {}\n", line(from)));
        }
        if let Some(answers) = &self.in_reply_to {
            text.push_str(&format!("Answers: {}\n", line(answers)));
        }
        if self.html {
            text.push_str("Format: HTML\n");
        }
        if self.quoting != QuoteStyle::Below {
            text.push_str(&format!("Quote: {}\n", self.quoting.word()));
        }
        for file in &self.files {
            text.push_str(&format!("{}\n", file.to_line()));
        }
        text.push('\n');
        text.push_str(&self.body);
        if let Some(quote) = &self.quote {
            text.push_str(&format!("\n{QUOTE_SEPARATOR}\n{quote}"));
        }
        text
    }

    /// Parses a draft; `None` if it is not a mail.
    pub fn from_draft_text(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
        if !head.starts_with("To:") {
            return None;
        }
        let mut written = Self::default();
        for line in head.lines() {
            let (name, value) = line.split_once(':')?;
            let value = value.trim().to_owned();
            match name {
                "To" => written.to = value,
                "Cc" => written.cc = value,
                "Bcc" => written.bcc = value,
                "Subject" => written.subject = value,
                "From" => written.from = Some(value),
                "Quote" => written.quoting = QuoteStyle::from_word(&value).unwrap_or_default(),
                "Answers" => written.in_reply_to = Some(value),
                "Format" => written.html = value == "HTML",
                name => written.files.push(DraftFile::from_line(name, value)?),
            }
        }
        match rest.split_once(&format!("\n{QUOTE_SEPARATOR}\n")) {
            Some((body, quote)) => {
                body.clone_into(&mut written.body);
                written.quote = Some(quote.to_owned());
            }
            None => rest.clone_into(&mut written.body),
        }
        Some(written)
    }

    /// True if the text and files contain nothing typed by a person.
    pub fn is_blank(&self) -> bool {
        let is_own = |written_file: &DraftFile| matches!(written_file, DraftFile::Typed(_));
        self.own_text().trim().is_empty() && !self.files.iter().any(is_own)
    }

    /// Returns the text without signature and without quotes between its lines.
    fn own_text(&self) -> String {
        let text = self.without_signature();
        let is_quoted = |(at, text): &(usize, &str)| *at == 0 || text.starts_with('>');
        match self.quoting {
            QuoteStyle::Between if text.lines().any(|line| line.starts_with('>')) => {
                let own = text.lines().enumerate().filter(|pair| !is_quoted(pair));
                own.map(|pair| pair.1).collect::<Vec<_>>().join("\n")
            }
            _ => text.to_owned(),
        }
    }

    fn without_signature(&self) -> &str {
        let start = self.body.strip_prefix(SIGNATURE_SEPARATOR).filter(|text| text.starts_with('\n'));
        let signed = || self.body.split_once(&format!("\n{SIGNATURE_SEPARATOR}\n")).map(|pair| pair.0);
        if start.is_some() { "" } else { signed().unwrap_or(&self.body) }
    }

    /// Applies the sender, signature and quoting style of a tab.
    #[must_use]
    pub fn with_style(mut self, style: &MailStyle) -> Self {
        if let Some(signature) = &style.signature {
            self.body = format!("\n\n{SIGNATURE_SEPARATOR}\n{}", signature.trim_end());
        }
        self.from.clone_from(&style.from);
        if !self.is_forward() {
            self = self.with_quote_style(style.quoting);
        }
        self
    }

    /// True for a forward, which needs no text.
    fn is_forward(&self) -> bool {
        self.in_reply_to.is_none() && self.quote.is_some()
    }

    /// Converts to a sendable mail. `own` are the addresses of the account.
    ///
    /// # Errors
    /// The index of the invalid field, with `To` as 0, and the reason.
    pub fn to_mail(&self, thread: Option<ThreadId>, own: &[String]) -> Result<Mail, (usize, String)> {
        let lines = [(&self.to, "To"), (&self.cc, "Cc"), (&self.bcc, "Bcc")];
        let mut lists: [Vec<String>; 3] = Default::default();
        for (place, (line, name)) in lines.into_iter().enumerate() {
            for typed in parse_list(line) {
                match typed {
                    TypedAddress::Address(address) => lists[place].push(address),
                    TypedAddress::Invalid(text) => {
                        return Err((place, format!("{name}: {text:?} is not a mail address")));
                    }
                }
            }
        }
        // Own addresses are kept only if the mail goes to nobody else.
        let to_self = lists.iter().flatten().all(|list| own.iter().any(|own| own.eq_ignore_ascii_case(list)));
        let [to, cc, bcc] = remove_duplicates(lists, if to_self { &[] } else { own });
        if to.is_empty() {
            return Err((0, "To: at least one address is needed".to_owned()));
        }
        let subject = to_header_line(&self.subject);
        if subject.is_empty() {
            return Err((3, "Subject: empty".to_owned()));
        }
        let length = bounds::count_chars(&subject);
        if length > bounds::MAX_SUBJECT_CHARS {
            return Err((
                3,
                format!("Subject: {length} characters; at most {} are allowed", bounds::MAX_SUBJECT_CHARS),
            ));
        }
        if self.files.len() > bounds::MAX_ATTACHMENTS {
            return Err((
                4,
                format!("{} files; at most {} are allowed", self.files.len(), bounds::MAX_ATTACHMENTS),
            ));
        }
        if self.is_blank() && !self.is_forward() {
            return Err((4, "the mail is empty".to_owned()));
        }
        let text = self.full_text();
        Ok(Mail {
            to,
            cc,
            bcc,
            subject,
            text: Some(text),
            from: self.from.clone(),
            in_reply_to: self.in_reply_to.clone(),
            thread,
            attachments: self.files.iter().map(DraftFile::to_attachment).collect(),
            ..Mail::default()
        })
    }

    pub fn full_text(&self) -> String {
        match &self.quote {
            Some(quote) if self.quoting == QuoteStyle::Above => {
                format!("{quote}\n\n{}", self.body.trim_end())
            }
            Some(quote) if self.quoting != QuoteStyle::Nowhere => {
                format!("{}\n\n{quote}", self.body.trim_end())
            }
            Some(_) | None => self.body.clone(),
        }
    }

    /// True if the text mentions an attachment but there is none.
    pub fn is_missing_file(&self) -> bool {
        let text = self.own_text().to_lowercase();
        self.files.is_empty() && ATTACHMENT_WORDS.iter().any(|word| text.contains(word))
    }

    pub fn recipient_count(&self) -> usize {
        [&self.to, &self.cc, &self.bcc].iter().map(|text| parse_list(text).len()).sum()
    }
}

/// Words that mention an attachment, in several languages.
const ATTACHMENT_WORDS: [&str; 14] = [
    "attach",
    "enclosed",
    "anhang",
    "angehängt",
    "beigefügt",
    "anbei",
    "adjunto",
    "adjunta",
    "adjuntamos",
    "ci-joint",
    "pièce jointe",
    "allegato",
    "in allegato",
    "em anexo",
];

/// Composes an answer to the sender or to all recipients.
pub fn reply_to_mail(
    letter: &MailMessage,
    thread_subject: Option<&str>,
    own: &[String],
    all: bool,
    when: &str,
) -> ComposedMail {
    let reached = letter.delivered_to.iter().map(|address| address.as_str());
    let own: Vec<&str> = own.iter().map(String::as_str).chain(reached).collect();
    let is_own = |text: &str| own.iter().any(|own| own.eq_ignore_ascii_case(text));
    let senders = letter.reply_addresses();
    let to_all = |entry: &[crate::text::SafeText]| {
        let others = entry.iter().map(ToString::to_string).filter(|text| !is_own(text));
        others.collect::<Vec<_>>().join(", ")
    };
    let strangers: Vec<&str> = senders.iter().filter(|address| !is_own(address)).copied().collect();
    // An answer to an own mail goes to its recipients.
    let (to, mut others) = match strangers.is_empty() && !senders.is_empty() {
        true => (to_all(&letter.to), String::new()),
        false => (strangers.join(", "), to_all(&letter.to)),
    };
    if !all {
        others.clear();
    }
    let cc = if all {
        [others, to_all(&letter.cc)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    } else {
        String::new()
    };
    let subject =
        letter.subject.as_ref().map_or_else(|| thread_subject.unwrap_or("").to_owned(), ToString::to_string);
    ComposedMail {
        to,
        cc,
        subject: prefix_subject("Re", &subject),
        in_reply_to: letter.header_id.clone(),
        quote: quote_text(letter, when),
        ..ComposedMail::default()
    }
}

/// Composes a forward with the headers, text and files of a mail.
pub fn forward_mail(
    letter: &MailMessage,
    message: &MessageId,
    thread_subject: Option<&str>,
    when: &str,
) -> ComposedMail {
    let subject =
        letter.subject.as_ref().map_or_else(|| thread_subject.unwrap_or("").to_owned(), ToString::to_string);
    let to: Vec<&str> = letter.to.iter().map(crate::text::SafeText::as_str).collect();
    let text = letter.plain.as_ref().or(letter.rich.as_ref()).map_or("", crate::text::SafeText::as_str);
    let quote = format!(
        "---------- Forwarded message ----------\nFrom: {}\nDate: {when}\nSubject: {subject}\nTo: {}\n\n{}",
        letter.from,
        to.join(", "),
        cut_quote(text)
    );
    let files =
        (0..).zip(&letter.files).filter_map(|(place, file)| DraftFile::from_received(message, place, file));
    ComposedMail {
        subject: prefix_subject("Fwd", &subject),
        files: files.collect(),
        quote: Some(quote),
        ..ComposedMail::default()
    }
}

/// Adds a prefix to a subject unless it already has it.
fn prefix_subject(mark: &str, subject: &str) -> String {
    let bare = subject.trim();
    match bare.split_once(':') {
        Some((before, _)) if before.trim().eq_ignore_ascii_case(mark) => bare.to_owned(),
        _ => format!("{mark}: {bare}"),
    }
}

fn quote_text(letter: &MailMessage, when: &str) -> Option<String> {
    let text = letter.plain.as_ref().or(letter.rich.as_ref())?;
    let lines: Vec<String> =
        cut_quote(text.as_str()).lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    let name = letter.from_name.as_ref().unwrap_or(&letter.from);
    Some(format!("On {when}, {name} wrote:\n{}", lines.join("\n")))
}

fn cut_quote(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTE_CHARS).collect();
    if cut.len() < text.len() { format!("{cut}\n[…]") } else { cut }
}

#[cfg(test)]
mod tests;
