//! Delivery reports (RFC 3464), and those in free text that servers still write.

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

use crate::mail::BounceReport;
use crate::mailbox::parsing::charsets::decode_text;
use crate::mailbox::parsing::lines::{header_values, one_line};
use crate::mailbox::parsing::{message_ids, usable_id};

const MAX_REASON_CHARS: usize = 500;
/// Local parts from which servers send reports.
const REPORT_SENDERS: [&str; 3] = ["mailer-daemon", "postmaster", "mail-daemon"];
/// Phrases of servers that could not deliver a mail, in lower case.
const FAILURE_PHRASES: [&str; 12] = [
    "could not be delivered",
    "couldn't be delivered",
    "wasn't able to deliver",
    "unable to deliver",
    "permanent fatal errors",
    "permanent error",
    "delivery failed",
    "delivery to the following recipient failed",
    "undeliverable",
    "undelivered mail returned",
    "returned mail",
    "failure notice",
];
/// Phrases of servers that still try.
const DELAY_PHRASES: [&str; 4] = ["delayed", "will be retried", "still trying", "no action is required"];

/// Reads a report about a mail sent by this service; `None` for other mails, or if the reported
/// mail is unknown.
pub fn read_report(parsed: &Message<'_>, author: &str) -> Option<BounceReport> {
    let status = parsed.parts.iter().find(|part| part.is_content_type("message", "delivery-status"));
    let text: String = parsed.text_bodies().filter_map(|part| part.text_contents()).collect();
    let (has_failed, why) = match status {
        Some(status) => read_status(&decode_text(status.contents(), None)),
        None => read_free_text(parsed, author, &text)?,
    };
    let original = attached_mail_id(parsed).or_else(|| quoted_id(&text)).or_else(|| {
        let before = message_ids(parsed.in_reply_to()).pop();
        before.or_else(|| message_ids(parsed.references()).pop())
    })?;
    Some(BounceReport { header_id: original, has_failed, why: one_line(&why, MAX_REASON_CHARS) })
}

/// Reads all recipients of a report: true if one of them does not get the mail, and the reasons.
fn read_status(status: &str) -> (bool, String) {
    let status = status.replace("\r\n", "\n");
    let mut reasons = Vec::new();
    let mut has_failed = false;
    for recipient in status.split("\n\n") {
        let field = |name: &str| {
            recipient.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        let failed = field("Action").is_some_and(|text| text.to_ascii_lowercase().starts_with("failed"));
        let told = ["Final-Recipient", "Status", "Diagnostic-Code"].into_iter().filter_map(field);
        let told = told.collect::<Vec<_>>().join("; ");
        // Failures replace delays.
        if failed && !has_failed {
            reasons.clear();
        }
        if !told.is_empty() && (failed || !has_failed) {
            reasons.push(told);
        }
        has_failed |= failed;
    }
    (has_failed, reasons.join(" / "))
}

/// Reads a report in free text. The sender must be a mail server, as customers quote such texts.
fn read_free_text(parsed: &Message<'_>, author: &str, text: &str) -> Option<(bool, String)> {
    let local = author.split('@').next().unwrap_or_default().to_ascii_lowercase();
    let failed_recipients = header_values(parsed, "X-Failed-Recipients").join(", ");
    let is_empty_path = header_values(parsed, "Return-Path").iter().any(|path| path == "<>");
    let is_daemon = REPORT_SENDERS.iter().any(|daemon| local.starts_with(daemon))
        || (author.is_empty() && is_empty_path)
        || !failed_recipients.is_empty();
    if !is_daemon {
        return None;
    }
    let subject = parsed.subject().unwrap_or_default();
    let words = format!("{subject}\n{text}").to_lowercase();
    let says = |all: &[&str]| all.iter().any(|text| words.contains(text));
    let is_late = says(&DELAY_PHRASES) && failed_recipients.is_empty();
    let is_report = says(&FAILURE_PHRASES) || is_late || !failed_recipients.is_empty();
    let why = if failed_recipients.is_empty() { subject.to_owned() } else { failed_recipients };
    is_report.then_some((!is_late, why))
}

/// Returns the id of the enclosed mail, or of its enclosed headers.
fn attached_mail_id(parsed: &Message<'_>) -> Option<String> {
    parsed.parts.iter().find_map(|part| match &part.body {
        PartType::Message(inner) => inner.message_id().and_then(usable_id),
        _ if part.is_content_type("text", "rfc822-headers") => {
            let headers = MessageParser::default().parse_headers(part.contents())?;
            headers.message_id().and_then(usable_id)
        }
        _ => None,
    })
}

fn quoted_id(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.trim_start_matches(['>', ' ', '|']).split_once(':')?;
        let id = value.trim().strip_prefix('<')?.strip_suffix('>')?;
        name.trim().eq_ignore_ascii_case("Message-ID").then(|| usable_id(id)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_recipient_of_many_counts() {
        let status = "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; a@x.example\r\nAction: delivered\r\n\r\n\
                      Final-Recipient: rfc822; b@x.example\r\nAction: FAILED (no such user)\r\nStatus: 5.1.1\r\n";
        assert_eq!(read_status(status), (true, "rfc822; b@x.example; 5.1.1".to_owned()));
        let late = "Action: delayed\nFinal-Recipient: rfc822; a@x.example\n";
        assert_eq!(read_status(late), (false, "rfc822; a@x.example".to_owned()));
    }
}
