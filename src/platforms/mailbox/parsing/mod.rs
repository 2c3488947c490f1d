//! Parses a mail: sender and recipients, the target of answers, the mail it answers, its content,
//! and if a program made it.
//!
//! [`parse_mail`] is a pure function of the bytes and their location. `mail-parser` splits the
//! bytes; addresses are read here from the raw headers. Nothing is dropped: an unreadable mail
//! shows its raw text. The mails in `tests/mail` hold the expected results.

mod automation;
mod charsets;
mod content;
mod correspondence;
mod encoded_words;
mod flowed;
mod invitations;
mod lines;
mod mailboxes;
mod reports;
mod rtf;
mod signed;
mod stand_ins;
mod tnef;
mod uuencode;

#[cfg(test)]
mod charset_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

use mail_parser::{HeaderValue, Message, MessageParser};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::contract::OutboundFile;
use crate::mail::InboundMail;
use crate::mail::answer_target::{AnswerTarget, is_mail_daemon};
use crate::mail::{ArrivedMail, BounceReport, topics};
use crate::mailbox::large::decoded_size;
use api::carriers::{
    CalendarEvent, LeftPart, MailPartReference, MailUpdateHeader, MailUpdateKind, PendingFile,
};
use api::email::{MAX_BODY_CHARS, MAX_REFERENCE_CHARS};
use automation::MailKind;
use content::{LeftFile, MailContent};
use correspondence::Correspondence;
use lines::{header_values, one_line};
use mailboxes::AddressHeader;
use model::bounds;
use model::time::{SECOND, Timestamp};

pub(super) use content::extract_encoded_file;
pub use correspondence::MailDirection;

/// Maximum number of references kept: the newest.
const MAX_REFERENCES: usize = 40;

#[derive(Debug, Clone, Copy)]
pub struct MailPlace<'a> {
    pub folder: MailUpdateKind,
    /// Addresses of the mailbox, the main one first.
    pub own: &'a [String],
    /// True if only the beginning of the mail was fetched.
    pub is_cut: bool,
    /// Files that stay in the mailbox.
    pub left: &'a [LeftPart],
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedMail {
    pub people: Correspondence,
    /// `Message-ID` in angle brackets; derived from the bytes if the mail has no usable one.
    pub message_id: String,
    pub has_own_id: bool,
    pub in_reply_to: Option<String>,
    /// Ids of the mails before it, oldest first.
    pub references: Vec<String>,
    pub subject: String,
    /// Subject without reply prefixes; empty if too generic to identify a topic.
    pub topic: String,
    pub kind: MailKind,
    /// Headers that mark the mail as made by a program.
    pub marks: Map<String, Value>,
    /// `Date` header as written; `None` if unreadable.
    pub claimed_at: Option<Timestamp>,
    pub text: Option<String>,
    pub html: Option<String>,
    pub files: Vec<OutboundFile>,
    /// Files that stay in the mailbox.
    pub left: Vec<LeftFile>,
    /// Report on a mail that this service sent.
    pub bounce: Option<BounceReport>,
    /// Address of the mailbox that the mail reached, if it is not the main one.
    pub delivered_to: Option<String>,
    pub event: Option<CalendarEvent>,
}

pub fn parse_mail(raw: &[u8], place: MailPlace<'_>) -> ParsedMail {
    let content_id = content_id(raw, place.own);
    let Some(parsed) = MessageParser::default().parse(raw) else {
        let text: String = charsets::decode_text(raw, None)
            .chars()
            .filter(|letter| *letter != '\0')
            .take(MAX_BODY_CHARS)
            .collect();
        let nobody = AnswerTarget::Nobody { shown: String::new() };
        let people = Correspondence { answers_go_to: nobody, ..Correspondence::default() };
        let mut content = MailContent { text: Some(text), ..MailContent::default() };
        if place.is_cut {
            content.append_cut_notice();
        }
        return ParsedMail { people, message_id: content_id, text: content.text, ..ParsedMail::default() };
    };
    let mut people = correspondence::read_correspondence(&parsed, place.folder, place.own);
    let own_id = parsed.message_id().and_then(usable_id);
    let answered = match &people.answers_go_to {
        AnswerTarget::Others { to, .. } => to.first().map(String::as_str).unwrap_or_default(),
        _ => people.from.mailboxes.first().map(|mailbox| mailbox.address.as_str()).unwrap_or_default(),
    };
    let marks = automation::robot_marks(&parsed, answered);
    let author = people.from.mailboxes.first().map_or("", |mailbox| mailbox.address.as_str());
    let returned = reports::read_report(&parsed, author);
    let kind = automation::classify(&marks, returned.as_ref());
    if kind == MailKind::Report || is_mail_daemon(author) {
        // Nobody reads answers to a mail server.
        people.answers_go_to = AnswerTarget::Nobody { shown: people.from.shown.clone() };
    }
    let calendar = content::calendar_of(&parsed);
    let event = calendar
        .and_then(|(calendar, declared)| invitations::read_event(&calendar, declared.as_deref(), place.own));
    let MailContent { text, html, files, left } = content::read_content(&parsed, returned.as_ref(), place);
    let subject = header_values(&parsed, "Subject").into_iter().next().unwrap_or_default();
    let subject = one_line(&encoded_words::decode_words(&subject), bounds::MAX_SUBJECT_CHARS);
    let mut references = message_ids(parsed.references());
    references.drain(..references.len().saturating_sub(MAX_REFERENCES));
    ParsedMail {
        has_own_id: own_id.is_some(),
        message_id: own_id.unwrap_or(content_id),
        in_reply_to: message_ids(parsed.in_reply_to()).pop(),
        references,
        topic: topics::distinct_topic(&subject),
        subject,
        kind,
        claimed_at: sender_date(&parsed),
        marks,
        text,
        html,
        files,
        left,
        bounce: returned,
        delivered_to: correspondence::reached_address(&parsed, &people, place.own),
        event,
        people,
    }
}

/// Converts a mail of the mailbox with the addresses `own` to an arrived mail.
pub fn read_mail(head: &MailUpdateHeader, raw: &[u8], own: &[String]) -> ArrivedMail {
    let reading = parse_mail(raw, MailPlace { folder: head.kind, own, is_cut: head.cut, left: &head.left });
    let own_id = reading.has_own_id.then(|| reading.message_id.clone());
    let people = reading.people;
    let author = people.from.mailboxes.first();
    let addresses = |header: AddressHeader| {
        header.mailboxes.into_iter().map(|mailbox| mailbox.address).collect::<Vec<_>>()
    };
    let mail = InboundMail {
        from: author.map_or_else(|| people.from.shown.clone(), |mailbox| mailbox.address.clone()),
        name: author.and_then(|mailbox| mailbox.name.clone()),
        answers_go_to: people.answers_go_to,
        sent_by: people.sender.map(|mailbox| mailbox.address),
        subject: reading.subject,
        text: reading.text,
        html: reading.html,
        in_reply_to: reading.in_reply_to,
        attachments: Vec::new(),
        header_id: Some(reading.message_id),
        references: reading.references,
        to: addresses(people.to),
        copies: addresses(people.cc),
        is_automatic: reading.kind != MailKind::Person,
        is_report: reading.bounce.is_some(),
        headers: reading.marks,
        claimed_at: reading.claimed_at,
        arrived_at: head.arrived_at.map(|seconds| Timestamp::from_micros(seconds.saturating_mul(SECOND))),
        delivered_to: reading.delivered_to,
        event: reading.event,
    };
    let is_numbered = reading.has_own_id && head.kind == MailUpdateKind::Inbox;
    let left = reading.left.into_iter().map(|file| to_pending_file(file, head, own_id.as_deref())).collect();
    ArrivedMail {
        mail,
        files: reading.files,
        left,
        direction: people.direction,
        number: is_numbered.then_some((head.validity, head.uid)),
        bounce: reading.bounce,
        earlier: None,
    }
}

/// Returns a file that stays in the mailbox as it is stored.
fn to_pending_file(file: LeftFile, head: &MailUpdateHeader, own_id: Option<&str>) -> PendingFile {
    let LeftFile { name, mime_type, part } = file;
    let size = i64::try_from(decoded_size(&part)).ok();
    let reference = MailPartReference {
        kind: head.kind,
        folder: head.folder.clone(),
        validity: head.validity,
        uid: head.uid,
        header_id: own_id.map(str::to_owned),
        section: part.section,
        octets: part.octets,
        encoding: part.encoding,
    };
    PendingFile {
        reference: serde_json::to_string(&reference).unwrap_or_default(),
        name,
        mime_type: Some(mime_type),
        size,
        is_of_mail: true,
        ..PendingFile::default()
    }
}

/// Describes a calendar for a mailbox with the addresses `own`, and reads its event if that can be
/// answered.
pub fn read_calendar(calendar: &str, own: &[String]) -> (String, Option<CalendarEvent>) {
    (invitations::describe_invitation(calendar, true), invitations::read_event(calendar, None, own))
}

/// Parses the sender's date; ignores what follows it, such as a header folded by mistake.
fn sender_date(parsed: &Message<'_>) -> Option<Timestamp> {
    let value = header_values(parsed, "Date").into_iter().next()?;
    let words: Vec<&str> = value.split_whitespace().collect();
    let beginnings = [usize::MAX, 6, 5].map(|count| words[..words.len().min(count)].join(" "));
    beginnings.iter().find_map(|date| Timestamp::parse_mail_date(date).or_else(|| Timestamp::parse(date)))
}

/// Derives an id from the bytes, which stay the same when a server renumbers its mails.
fn content_id(raw: &[u8], own: &[String]) -> String {
    let domain = own.first().and_then(|address| address.rsplit('@').next()).unwrap_or("mail.example");
    let digest = Sha256::digest(raw);
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("<content.{hex}@{domain}>")
}

/// Returns an id in angle brackets, `None` if no other mail could refer to it.
fn usable_id(id: &str) -> Option<String> {
    (!id.is_empty() && strip_spaces(id, MAX_REFERENCE_CHARS) == id).then(|| format!("<{id}>"))
}

fn message_ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all = match value {
        HeaderValue::Text(id) => vec![id.as_ref()],
        HeaderValue::TextList(ids) => ids.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    all.into_iter().filter_map(usable_id).collect()
}

fn strip_spaces(text: &str, max_chars: usize) -> String {
    text.chars().filter(|letter| !letter.is_control() && !letter.is_whitespace()).take(max_chars).collect()
}
