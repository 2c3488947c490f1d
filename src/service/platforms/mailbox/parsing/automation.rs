//! Whether a program wrote a mail.

use mail_parser::{Message, MimeHeaders};
use serde_json::{Map, Value};

use crate::carriers::BounceReport;
use crate::platforms::mailbox::parsing::lines::one_line;

/// Beginnings of local parts at which nobody reads answers.
const ROBOT_PREFIXES: [&str; 5] = ["mailer-daemon", "postmaster", "no-reply", "noreply", "do-not-reply"];
/// Headers of mail that a program sent, or a list passed on.
const AUTOMATION_HEADERS: [&str; 7] = [
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
    if let Some(value) = raw("Auto-Submitted").filter(|text| !text.to_ascii_lowercase().starts_with("no")) {
        note("Auto-Submitted", value);
    }
    let bulk = ["bulk", "junk", "list", "auto_reply", "auto-reply"];
    if let Some(value) = raw("Precedence").filter(|text| bulk.contains(&text.to_ascii_lowercase().as_str())) {
        note("Precedence", value);
    }
    for name in AUTOMATION_HEADERS {
        if let Some(value) = raw(name) {
            note(name, value);
        }
    }
    if parsed.root_part().is_content_type("multipart", "report") {
        note("Content-Type", "multipart/report");
    }
    if raw("Return-Path").is_some_and(|text| text == "<>") {
        note("Return-Path", "<>");
    }
    let local = address.split('@').next().unwrap_or_default().to_ascii_lowercase();
    if address.is_empty() || ROBOT_PREFIXES.iter().any(|one| local.starts_with(one)) {
        note("From", address);
    }
    found
}

/// The kind that marks speak for.
pub fn classify(marks: &Map<String, Value>, returned: Option<&BounceReport>) -> MailKind {
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
