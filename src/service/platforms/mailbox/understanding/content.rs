//! The texts of a mail, and what is attached to it.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::carriers::ParcelFile;
use crate::mail::content::BODY;
use crate::platforms::mailbox::understanding::charsets;
use crate::platforms::mailbox::understanding::lines::one_line;
use model::bounds;

/// Attachments that are kept of one mail.
const MAX_FILES: usize = 50;

/// The plain text and the HTML of a mail, as far as it has them itself: the
/// parser's conversions are left out. Where the mail has text beside HTML that
/// is no other form of it, such as the footer of a list, both are in the HTML.
pub fn bodies(parsed: &Message<'_>) -> (Option<String>, Option<String>) {
    let part = |id: &u32| parsed.part(*id);
    let is_html = |part: &MessagePart<'_>| matches!(part.body, PartType::Html(_));
    let plain = match parsed.text_body.iter().filter_map(part).any(is_html) {
        true => None,
        false => join(parsed, &parsed.text_body, false),
    };
    let html = match parsed.html_body.iter().filter_map(part).any(is_html) {
        true => join(parsed, &parsed.html_body, true),
        false => None,
    };
    (plain, html)
}

fn join(parsed: &Message<'_>, parts: &[u32], as_html: bool) -> Option<String> {
    let (mut found, mut left) = (String::new(), BODY);
    for part in parts.iter().filter_map(|id| parsed.part(*id)) {
        let text = match &part.body {
            PartType::Html(text) if as_html => charsets::text_of_part(parsed, part, text, true),
            PartType::Text(text) => {
                let text = charsets::text_of_part(parsed, part, text, false);
                if as_html { format!("<pre>{}</pre>", escaped(&text)) } else { text }
            }
            _ => continue,
        };
        if !found.is_empty() {
            found.push('\n');
        }
        found.extend(text.chars().filter(|letter| *letter != '\0').take(left));
        left = left.saturating_sub(text.chars().count());
    }
    Some(found).filter(|text| !text.trim().is_empty())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The first text of a mail whose parts cannot be told apart: among the
/// attached files, or below the headers as it stands.
pub fn first_text(parsed: &Message<'_>) -> Option<String> {
    let is_text =
        |part: &&MessagePart<'_>| part.is_content_type("text", "plain") && part.attachment_name().is_none();
    let attached = parsed.attachments().find(is_text);
    let attached = attached.map(|part| String::from_utf8_lossy(part.contents()).into_owned());
    attached.filter(|text| !text.trim().is_empty())
}

/// A multipart mail whose boundary is missing or wrong, with the boundary that
/// stands in its body; `None` for a mail that is not broken so.
pub fn mended_multipart(parsed: &Message<'_>) -> Option<Vec<u8>> {
    let root = parsed.root_part();
    if !root.content_type().is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("multipart")) {
        return None;
    }
    let body = parsed.raw_message().get(usize::try_from(root.offset_body).ok()?..)?;
    let text = String::from_utf8_lossy(body);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let boundary =
            line.trim_end().strip_prefix("--").filter(|text| !text.is_empty() && text.len() <= 100);
        let is_head = lines.peek().is_some_and(|next| next.to_ascii_lowercase().starts_with("content-"));
        if let Some(boundary) = boundary.filter(|text| is_head && !text.contains(['"', '\\'])) {
            let head = format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n");
            return Some([head.as_bytes(), body].concat());
        }
    }
    None
}

/// Attached files, also those that HTML shows within itself.
pub fn files(parsed: &Message<'_>) -> Vec<ParcelFile> {
    let all = parsed.attachments().enumerate().filter(|(_, it)| !is_report(it)).take(MAX_FILES);
    all.map(|(index, part)| {
        let kind = part.content_type().map(|kind| match kind.subtype() {
            Some(subtype) => format!("{}/{subtype}", kind.ctype()).to_ascii_lowercase(),
            None => kind.ctype().to_ascii_lowercase(),
        });
        let (bytes, usual) = match &part.body {
            PartType::Message(inner) => (inner.raw_message().to_vec(), "mail.eml"),
            _ if part.is_content_type("text", "calendar") => (part.contents().to_vec(), "invitation.ics"),
            _ => (part.contents().to_vec(), "attachment"),
        };
        let name = part
            .attachment_name()
            .map(|piece| one_line(piece, bounds::FILENAME))
            .filter(|piece| !piece.is_empty());
        ParcelFile {
            name: name.unwrap_or_else(|| {
                if index == 0 { usual.to_owned() } else { format!("{}-{usual}", index + 1) }
            }),
            mime_type: kind
                .filter(|kind| is_media_type(kind))
                .unwrap_or_else(|| "application/octet-stream".to_owned()),
            bytes,
        }
    })
    .collect()
}

/// True for `type/subtype` without anything more.
fn is_media_type(kind: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    let is_token = |token: &str| !token.is_empty() && token.len() <= 127 && token.bytes().all(is_letter);
    kind.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

/// True if a part only tells a program of a delivery.
fn is_report(part: &MessagePart<'_>) -> bool {
    part.is_content_type("message", "delivery-status") || part.is_content_type("text", "rfc822-headers")
}
