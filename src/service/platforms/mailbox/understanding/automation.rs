//! Whether a program wrote a mail, and what a server reports in it.

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};
use serde_json::{Map, Value};

use crate::carriers::MailReturn;
use crate::mail::content::REFERENCE;
use crate::platforms::mailbox::understanding::lines::one_line;
use crate::platforms::mailbox::understanding::without_gaps;

/// Beginnings of local parts at which nobody reads answers.
const ROBOTS: [&str; 5] = ["mailer-daemon", "postmaster", "no-reply", "noreply", "do-not-reply"];
/// Headers of mail that a program sent, or a list passed on.
const MARKS: [&str; 7] = [
    "X-Autoreply",
    "X-Autorespond",
    "X-Auto-Response-Suppress",
    "List-Id",
    "List-Unsubscribe",
    "Feedback-ID",
    "X-Loop",
];

/// How a mail was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MailKind {
    /// Nothing shows that a program made it.
    #[default]
    Person,
    /// A server reports of a delivery.
    Report,
    /// A program answered by itself.
    AutoReply,
    /// A list passed it on.
    List,
    /// A program wrote it, such as a newsletter.
    Automatic,
}

/// The marks of a mail that no person wrote to this mailbox, by header; none
/// for a person's. `address` is where an answer goes.
pub fn robot_marks(parsed: &Message<'_>, address: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut note = |name: &str, value: &str| {
        found.insert(name.to_owned(), Value::String(one_line(value, 200)));
    };
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
    if parsed.root_part().is_content_type("multipart", "report") {
        note("Content-Type", "multipart/report");
    }
    if raw("Return-Path").is_some_and(|it| it == "<>") {
        note("Return-Path", "<>");
    }
    let local = address.split('@').next().unwrap_or_default().to_ascii_lowercase();
    if address.is_empty() || ROBOTS.iter().any(|it| local.starts_with(it)) {
        note("From", address);
    }
    found
}

/// The kind that marks speak for.
pub fn kind_of(marks: &Map<String, Value>, returned: Option<&MailReturn>) -> MailKind {
    let has = |name: &str| marks.contains_key(name);
    let says = |name: &str, words: &[&str]| {
        let value = marks.get(name).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        words.iter().any(|word| value.starts_with(word))
    };
    if returned.is_some() || has("Content-Type") {
        MailKind::Report
    } else if has("X-Autoreply")
        || has("X-Autorespond")
        || says("Auto-Submitted", &["auto-replied"])
        || says("Precedence", &["auto"])
    {
        MailKind::AutoReply
    } else if has("List-Id") || says("Precedence", &["list"]) {
        MailKind::List
    } else if marks.is_empty() {
        MailKind::Person
    } else {
        MailKind::Automatic
    }
}

/// What a report of a delivery says of a mail that was sent from here.
pub fn returned(parsed: &Message<'_>) -> Option<MailReturn> {
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
        header_id: format!("<{}>", without_gaps(&original, REFERENCE)),
        has_failed: action == "failed",
        why: one_line(&why.join("; "), 500),
    })
}
