//! Detects mail written by a program.

use mail_parser::{Message, MimeHeaders};
use serde_json::{Map, Value};

use crate::mail::BounceReport;
use crate::mailbox::parsing::lines::one_line;

/// Prefixes of local parts that nobody reads.
const ROBOT_PREFIXES: [&str; 5] = ["mailer-daemon", "postmaster", "no-reply", "noreply", "do-not-reply"];
/// Headers of mail that a program sent or a list forwarded.
const AUTOMATION_HEADERS: [&str; 7] = [
    "X-Autoreply",
    "X-Autorespond",
    "X-Auto-Response-Suppress",
    "List-Id",
    "List-Unsubscribe",
    "Feedback-ID",
    "X-Loop",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MailKind {
    #[default]
    Person,
    Report,
    AutoReply,
    /// Forwarded by a mailing list.
    List,
    /// Written by a program, such as a newsletter.
    Automatic,
}

/// Returns the headers that mark a mail as written by a program; empty for a person's. `address` is
/// the target of answers.
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
