//! The texts of a mail, and what is attached to it.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::carriers::ParcelFile;
use crate::mail::content::BODY;
use crate::platforms::mailbox::understanding::lines::one_line;
use model::bounds;

/// Attachments that are kept of one mail.
const MAX_FILES: usize = 50;

/// The text of one kind, where the mail has it itself: the parser's conversions
/// from the other kind are left out.
pub fn body(parsed: &Message<'_>, parts: &[u32], is_html: bool) -> Option<String> {
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

/// Attached files, also those that HTML shows within itself.
pub fn files(parsed: &Message<'_>) -> Vec<ParcelFile> {
    let all = parsed.attachments().enumerate().filter(|(_, it)| !is_report(it)).take(MAX_FILES);
    all.map(|(index, part)| {
        let kind = part.content_type().map(|it| match it.subtype() {
            Some(subtype) => format!("{}/{subtype}", it.ctype()).to_ascii_lowercase(),
            None => it.ctype().to_ascii_lowercase(),
        });
        let (bytes, usual) = match &part.body {
            PartType::Message(inner) => (inner.raw_message().to_vec(), "mail.eml"),
            _ => (part.contents().to_vec(), "attachment"),
        };
        let name =
            part.attachment_name().map(|it| one_line(it, bounds::FILENAME)).filter(|it| !it.is_empty());
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
