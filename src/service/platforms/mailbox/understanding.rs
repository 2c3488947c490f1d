//! What a mail says, taken apart: texts, who wrote to whom, what it answers,
//! what is attached, and whether a program wrote it.

use mail_parser::{Address, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use serde_json::{Map, Value};

use crate::carriers::{ArrivedMail, MailReturn, ParcelFile};
use crate::mail::content::{BODY, REFERENCE};
use crate::mail::receive::InboundMail;
use model::bounds;
use wire::carriers::{PieceHead, PieceKind};

/// Attachments that are kept of one mail.
const FILES: usize = 50;
/// References that are looked at: the newest.
const REFERENCES: usize = 40;
/// Addresses that are kept of each kind.
const ADDRESSES: usize = 100;
/// Where mail comes from that nobody reads answers at.
const ROBOTS: [&str; 5] = ["mailer-daemon", "postmaster", "no-reply", "noreply", "do-not-reply"];
/// What a mail has that a program sent, or a list passed on.
const MARKS: [&str; 7] = [
    "X-Autoreply",
    "X-Autorespond",
    "X-Auto-Response-Suppress",
    "List-Id",
    "List-Unsubscribe",
    "Feedback-ID",
    "X-Loop",
];

/// A mail of a mailbox whose address is `own`.
pub fn understand(head: &PieceHead, raw: &[u8], own: &str) -> Option<ArrivedMail> {
    let parsed = MessageParser::default().parse(raw)?;
    let from = parsed.from().and_then(Address::first);
    let sender =
        from.and_then(|it| it.address()).map(|it| plain(it, bounds::EMAIL_ADDRESS)).unwrap_or_default();
    let is_own = head.kind == PieceKind::Sent || sender.eq_ignore_ascii_case(own);
    let domain = own.rsplit('@').next().unwrap_or("mail.example");
    let header_id = parsed
        .message_id()
        .map(|it| format!("<{}>", plain(it, REFERENCE)))
        // One without a name is known by its place.
        .unwrap_or_else(|| format!("<{}.{}.{}@{domain}>", head.kind.word(), head.validity, head.uid));
    let mut references = ids(parsed.references());
    references.drain(..references.len().saturating_sub(REFERENCES));
    let marks = robot_marks(&parsed, &sender);
    let (text, html) = (body(&parsed, &parsed.text_body, false), body(&parsed, &parsed.html_body, true));
    let cut = if head.cut { "\n\n[the mail is longer than what is fetched of one]" } else { "" };
    let mail = InboundMail {
        from: if sender.is_empty() { format!("unknown@{domain}") } else { sender },
        name: from
            .and_then(|it| it.name())
            .map(|it| line(it, bounds::CONTACT_NAME))
            .filter(|it| !it.is_empty()),
        subject: line(parsed.subject().unwrap_or_default(), bounds::SUBJECT),
        text: text.or_else(|| html.is_none().then(String::new)).map(|it| it + cut),
        html,
        in_reply_to: ids(parsed.in_reply_to()).pop(),
        attachments: Vec::new(),
        header_id: Some(header_id),
        references,
        to: addresses(parsed.to()),
        copies: addresses(parsed.cc()),
        headers: Value::Object(marks.clone()).to_string(),
        is_automatic: !marks.is_empty(),
    };
    let known = parsed.message_id().is_some_and(|it| plain(it, REFERENCE) == it);
    let number = (known && head.kind == PieceKind::Inbox).then_some((head.validity, head.uid));
    let (files, returned) = (files(&parsed), returned(&parsed));
    Some(ArrivedMail { mail, files, kept: Vec::new(), is_own, number, returned })
}

/// The text of one kind, where the mail has it: converted ones are not asked
/// for.
fn body(parsed: &Message<'_>, parts: &[u32], is_html: bool) -> Option<String> {
    let mut found = String::new();
    for id in parts {
        let text = match (&parsed.part(*id)?.body, is_html) {
            (PartType::Html(text), true) | (PartType::Text(text), false) => text,
            _ => continue,
        };
        if !found.is_empty() {
            found.push('\n');
        }
        found.extend(text.chars().filter(|it| *it != '\0').take(BODY - found.chars().count().min(BODY)));
    }
    Some(found).filter(|it| !it.trim().is_empty())
}

/// What is attached, also what HTML shows within itself.
fn files(parsed: &Message<'_>) -> Vec<ParcelFile> {
    let all = parsed.attachments().enumerate().filter(|(_, it)| !is_report(it)).take(FILES);
    all.map(|(index, part)| {
        let kind = part.content_type().map(|it| match it.subtype() {
            Some(subtype) => format!("{}/{subtype}", it.ctype()).to_ascii_lowercase(),
            None => it.ctype().to_ascii_lowercase(),
        });
        let (bytes, usual) = match &part.body {
            PartType::Message(inner) => (inner.raw_message().to_vec(), "mail.eml"),
            _ => (part.contents().to_vec(), "attachment"),
        };
        let name = part.attachment_name().map(|it| line(it, bounds::FILENAME)).filter(|it| !it.is_empty());
        ParcelFile {
            name: name.unwrap_or_else(|| {
                if index == 0 { usual.to_owned() } else { format!("{}-{usual}", index + 1) }
            }),
            mime_type: kind
                .filter(|it| it.is_ascii())
                .unwrap_or_else(|| "application/octet-stream".to_owned()),
            bytes,
        }
    })
    .collect()
}

/// Whether a part only tells a program of a delivery.
fn is_report(part: &MessagePart<'_>) -> bool {
    part.is_content_type("message", "delivery-status") || part.is_content_type("text", "rfc822-headers")
}

/// The marks of a mail that no person has written; a list's, too. None for a
/// person's.
fn robot_marks(parsed: &Message<'_>, sender: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut note = |name: &str, value: &str| found.insert(name.to_owned(), Value::String(line(value, 200)));
    let raw = |name: &'static str| parsed.header_raw(name).map(str::trim);
    if let Some(value) = raw("Auto-Submitted").filter(|it| !it.to_ascii_lowercase().starts_with("no")) {
        note("Auto-Submitted", value);
    }
    let bulk = ["bulk", "junk", "list", "auto_reply", "auto-reply"];
    if let Some(value) = raw("Precedence").filter(|it| bulk.contains(&it.to_ascii_lowercase().as_str())) {
        note("Precedence", value);
    }
    for name in MARKS {
        if let Some(value) = raw(name) {
            note(name, value);
        }
    }
    let root = parsed.root_part();
    if root.is_content_type("multipart", "report") {
        note("Content-Type", "multipart/report");
    }
    if raw("Return-Path").is_some_and(|it| it == "<>") {
        note("Return-Path", "<>");
    }
    let local = sender.split('@').next().unwrap_or_default().to_ascii_lowercase();
    if sender.is_empty() || ROBOTS.iter().any(|it| local.starts_with(it)) {
        note("From", sender);
    }
    found
}

/// What a report of a delivery says of a mail that was sent from here.
fn returned(parsed: &Message<'_>) -> Option<MailReturn> {
    let root = parsed.root_part();
    let kind = root.content_type().and_then(|it| it.attribute("report-type"));
    if !root.is_content_type("multipart", "report")
        || kind.is_none_or(|it| !it.eq_ignore_ascii_case("delivery-status"))
    {
        return None;
    }
    let status = parsed.parts.iter().find(|it| it.is_content_type("message", "delivery-status"))?;
    let told = String::from_utf8_lossy(status.contents()).into_owned();
    let field = |name: &str| {
        let found = told.lines().find_map(|it| {
            let (key, value) = it.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        });
        found.unwrap_or_default()
    };
    let action = field("Action").to_ascii_lowercase();
    let original = parsed.parts.iter().find_map(|it| match &it.body {
        PartType::Message(inner) => inner.message_id().map(str::to_owned),
        _ if it.is_content_type("text", "rfc822-headers") => {
            let parsed = MessageParser::default().parse_headers(it.contents())?;
            parsed.message_id().map(str::to_owned)
        }
        _ => None,
    })?;
    let why = [field("Final-Recipient"), field("Status"), field("Diagnostic-Code")];
    let why: Vec<&str> = why.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    Some(MailReturn {
        header_id: format!("<{}>", plain(&original, REFERENCE)),
        has_failed: action == "failed",
        why: line(&why.join("; "), 500),
    })
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all = match value {
        HeaderValue::Text(id) => vec![id.as_ref()],
        HeaderValue::TextList(ids) => ids.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    all.into_iter().map(|it| format!("<{}>", plain(it, REFERENCE))).collect()
}

fn addresses(found: Option<&Address<'_>>) -> Vec<String> {
    let all = found.into_iter().flat_map(Address::iter).filter_map(|it| it.address());
    all.map(|it| plain(it, bounds::EMAIL_ADDRESS)).filter(|it| bounds::is_email(it)).take(ADDRESSES).collect()
}

/// Without controls and white space, cut.
fn plain(text: &str, most: usize) -> String {
    text.chars().filter(|it| !it.is_control() && !it.is_whitespace()).take(most).collect()
}

/// One line, cut.
fn line(text: &str, most: usize) -> String {
    let words = text.split(|it: char| it.is_control() || it.is_whitespace()).filter(|it| !it.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(most).collect()
}
