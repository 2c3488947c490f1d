//! Descriptions shown for mails without a text of their own.

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

use crate::mailbox::parsing::content::text_of;
use crate::mailbox::parsing::encoded_words::decode_words;
use crate::mailbox::parsing::lines::{header_values, one_line};
use api::email::MAX_BODY_CHARS;
use model::bounds;

const PGP_TEXT: &str = "-----BEGIN PGP MESSAGE-----";

/// Describes a mail without a text, `None` if it only has files.
pub fn describe_content(parsed: &Message<'_>) -> Option<String> {
    let has = |kind: &str, subtype: &str| parsed.parts.iter().any(|part| part.is_content_type(kind, subtype));
    if has("multipart", "encrypted") || has("application", "pgp-encrypted") {
        return Some("[an encrypted mail (PGP); it cannot be read here]".to_owned());
    }
    let is_smime = |subtype: &&str| has("application", subtype);
    if ["pkcs7-mime", "x-pkcs7-mime"].iter().any(is_smime) {
        return Some(describe_smime(parsed).to_owned());
    }
    parsed.parts.iter().find_map(|part| match &part.body {
        PartType::Message(inner) => describe_forward(inner.raw_message()),
        _ => None,
    })
}

pub fn describe_text(text: &str) -> Option<&'static str> {
    let is_encrypted = text.trim_start().starts_with(PGP_TEXT);
    is_encrypted.then_some("[an encrypted text (PGP); it cannot be read here]")
}

fn describe_smime(parsed: &Message<'_>) -> &'static str {
    let kinds = parsed.parts.iter().filter_map(|part| part.content_type()?.attribute("smime-type"));
    let kinds: Vec<String> = kinds.map(str::to_ascii_lowercase).collect();
    let is = |kind: &str| kinds.iter().any(|found| found == kind);
    if is("signed-data") {
        "[a signed mail (S/MIME); its text is inside the attached file]"
    } else if is("enveloped-data") || is("authenveloped-data") {
        "[an encrypted mail (S/MIME); it cannot be read here]"
    } else if is("certs-only") {
        "[certificates (S/MIME)]"
    } else {
        "[an S/MIME mail, signed or encrypted; it cannot be read here]"
    }
}

/// Formats a forwarded mail with its main headers.
fn describe_forward(raw: &[u8]) -> Option<String> {
    let parsed = MessageParser::default().parse(raw)?;
    let field = |name: &str| {
        let value = header_values(&parsed, name).into_iter().next().unwrap_or_default();
        let value = one_line(&decode_words(&value), bounds::MAX_SUBJECT_CHARS);
        (!value.is_empty()).then(|| format!("{name}: {value}\n"))
    };
    let head: String = ["From", "Date", "Subject", "To"].into_iter().filter_map(field).collect();
    let text: String = text_of(&parsed).trim().chars().take(MAX_BODY_CHARS).collect();
    Some(format!("---------- Forwarded message ----------\n{head}\n{text}"))
}
