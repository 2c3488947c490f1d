//! Serialization of an outgoing mail; the same mail always has the same bytes.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lettre::Message;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Body, Mailbox, MultiPart, SinglePart};

use crate::database::egress::EgressRow;
use crate::errors::ApiError;
use crate::media as hosted;
use crate::state::Service;
use api::carriers::MailDraft;
use api::errors::ErrorCode;
use platforms::mail::plain;
use platforms::mailbox::FILING_KIND;
use platforms::{OutboundFile, OutboundMessage};

/// Maximum text in one encoded word, in bytes; the word may have 75 characters.
const ENCODED_WORD_BYTES: usize = 39;

/// Returns the serialized mail of an outbound message; `None` if it is a change in the mailbox.
pub async fn load_mail_file(service: &Service, row: &EgressRow) -> Result<Option<OutboundFile>, ApiError> {
    let broken = |cause: serde_json::Error| ApiError::internal(&cause);
    let parcel: OutboundMessage = serde_json::from_str(&row.parcel).map_err(broken)?;
    if parcel.kind == FILING_KIND {
        return Ok(None);
    }
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(broken)?;
    let mut files = Vec::new();
    for told in &draft.attachments {
        let id = told.url.as_deref().and_then(|url| hosted::hosted_id(service, url));
        let id = id.ok_or_else(|| ApiError::internal(&"an attachment has no content"))?;
        files.push(OutboundFile {
            name: told.filename.clone(),
            mime_type: told.content_type.clone().unwrap_or_default(),
            bytes: service.read_media(id).await?,
        });
    }
    let bytes = build_mail(&draft, files)?;
    Ok(Some(OutboundFile { name: "mail.eml".to_owned(), mime_type: "message/rfc822".to_owned(), bytes }))
}

/// Serializes a mail with its attachments. Recipients of blind copies are not named.
///
/// # Errors
/// `VALIDATION_ERROR` for an address or header that is not valid in a mail.
pub fn build_mail(draft: &MailDraft, files: Vec<OutboundFile>) -> Result<Vec<u8>, ApiError> {
    let micros = u64::try_from(draft.at).unwrap_or(0);
    let mut mail = Message::builder()
        .message_id(Some(draft.header_id.clone()))
        .date(SystemTime::UNIX_EPOCH + Duration::from_micros(micros))
        .from(mailbox(draft.sender_name.as_deref(), &draft.sender)?);
    mail = match draft.subject.contains("=?") {
        true => mail.raw_header(encode_subject(&draft.subject)),
        false => mail.subject(draft.subject.clone()),
    };
    for address in &draft.to {
        mail = mail.to(mailbox(None, address)?);
    }
    for address in &draft.cc {
        mail = mail.cc(mailbox(None, address)?);
    }
    if let Some(answered) = &draft.in_reply_to {
        mail = mail.in_reply_to(answered.clone());
    }
    if !draft.references.is_empty() {
        mail = mail.references(draft.references.join(" "));
    }
    for (name, value) in &draft.headers {
        let value = value.as_str().unwrap_or_default();
        if name.eq_ignore_ascii_case("reply-to") {
            mail = mail.reply_to(mailbox(None, value)?);
            continue;
        }
        let refused = |_| ApiError::validation(format!("headers: `{name}` is not a valid header name"));
        let name = HeaderName::new_from_ascii(name.clone()).map_err(refused)?;
        mail = mail.raw_header(HeaderValue::new(name, value.to_owned()));
    }
    let made = match (mail_texts(draft), files.is_empty()) {
        (MailTexts::One(part), true) => mail.singlepart(part),
        (MailTexts::Both(parts), true) => mail.multipart(parts),
        (content, false) => {
            let mixed = MultiPart::mixed().boundary(format!("=_files_{}", draft.id));
            let mut whole = match content {
                MailTexts::One(part) => mixed.singlepart(part),
                MailTexts::Both(parts) => mixed.multipart(parts),
            };
            for file in files {
                let kind = ContentType::parse(&file.mime_type);
                let usual = || ContentType::parse("application/octet-stream");
                let kind = kind.or_else(|_| usual()).map_err(|cause| ApiError::internal(&cause))?;
                let bytes = Body::new_with_encoding(file.bytes, ContentTransferEncoding::Base64);
                let bytes = bytes.map_err(|_| ApiError::internal(&"a file cannot be written as base64"))?;
                whole = whole.singlepart(Attachment::new(file.name).body(bytes, kind));
            }
            mail.multipart(whole)
        }
    };
    Ok(made.map_err(|why| ApiError::validation(format!("the mail cannot be written: {why}")))?.formatted())
}

enum MailTexts {
    One(SinglePart),
    Both(MultiPart),
}

/// Returns the text parts; HTML always comes with plain text, and an answer to an invitation with its
/// calendar as the last alternative, which programs prefer.
fn mail_texts(draft: &MailDraft) -> MailTexts {
    let texts = plain_and_html(draft);
    let Some(reply) = &draft.invitation else { return texts };
    let both = match texts {
        MailTexts::One(part) => {
            MultiPart::alternative().boundary(format!("=_texts_{}", draft.id)).singlepart(part)
        }
        MailTexts::Both(parts) => parts,
    };
    MailTexts::Both(both.singlepart(calendar_part(&reply.calendar)))
}

/// The method in the header is the one in the calendar (RFC 6047); Outlook ignores an answer without it.
fn calendar_part(calendar: &str) -> SinglePart {
    let part = SinglePart::builder();
    let part = match ContentType::parse("text/calendar; charset=utf-8; method=REPLY") {
        Ok(kind) => part.header(kind),
        Err(_) => part,
    };
    // Base64 keeps the line ends, which other encodings leave to the servers on the way.
    let bytes = Body::new_with_encoding(calendar.as_bytes().to_vec(), ContentTransferEncoding::Base64);
    match bytes {
        Ok(body) => part.body(body),
        Err(bytes) => part.body(bytes),
    }
}

fn plain_and_html(draft: &MailDraft) -> MailTexts {
    match (&draft.text, &draft.html) {
        (text, Some(html)) => {
            let text = text.clone().unwrap_or_else(|| plain::html_to_text(html));
            let both = MultiPart::alternative().boundary(format!("=_texts_{}", draft.id));
            MailTexts::Both(
                both.singlepart(SinglePart::plain(text)).singlepart(SinglePart::html(html.clone())),
            )
        }
        (text, None) => MailTexts::One(SinglePart::plain(text.clone().unwrap_or_default())),
    }
}

/// Encodes a subject that contains the mark of encoded words, so that readers show it as written.
fn encode_subject(subject: &str) -> HeaderValue {
    let (mut words, mut word) = (Vec::new(), String::new());
    for letter in subject.chars() {
        if word.len() + letter.len_utf8() > ENCODED_WORD_BYTES {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    words.push(word);
    let encoded: Vec<String> =
        words.iter().map(|word| format!("=?utf-8?b?{}?=", STANDARD.encode(word))).collect();
    let name = HeaderName::new_from_ascii_str("Subject");
    HeaderValue::dangerous_new_pre_encoded(name, subject.to_owned(), encoded.join("\r\n "))
}

fn mailbox(name: Option<&str>, address: &str) -> Result<Mailbox, ApiError> {
    let refused =
        |why| ApiError::new(ErrorCode::ValidationError, format!("{address} is not a mail address: {why}"));
    Ok(Mailbox::new(name.map(str::to_owned), address.parse().map_err(refused)?))
}

#[cfg(test)]
mod tests {
    use api::carriers::InvitationReply;
    use model::email::invitations::InvitationAnswer;
    use serde_json::json;

    use super::*;

    fn draft() -> MailDraft {
        MailDraft {
            id: "mail_1".to_owned(),
            header_id: "<mail_1@shop.example>".to_owned(),
            at: 1_763_900_000_000_000,
            sender: "desk@shop.example".to_owned(),
            sender_name: Some("Fahrräder, Hafen".to_owned()),
            to: vec!["maria@mail.example".to_owned()],
            cc: vec!["joao@mail.example".to_owned()],
            bcc: vec!["secret@mail.example".to_owned()],
            subject: "Re: Größe".to_owned(),
            text: Some("Hallo,\nbis morgen.\n.\nEnde".to_owned()),
            headers: json!({"Reply-To": "help@shop.example", "X-Order": "1042"})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            in_reply_to: Some("<b@mail.example>".to_owned()),
            references: vec!["<a@mail.example>".to_owned(), "<b@mail.example>".to_owned()],
            ..MailDraft::default()
        }
    }

    #[test]
    fn the_same_mail_has_the_same_bytes_and_no_blind_copies() {
        let file = || OutboundFile {
            name: "Rückgabe.pdf".to_owned(),
            mime_type: "application/pdf".to_owned(),
            bytes: vec![0, 255, 13, 10, 46, 10],
        };
        let whole = MailDraft { html: Some("<p>Hallo</p>".to_owned()), ..draft() };
        let bytes = |mail_draft: &MailDraft| super::build_mail(mail_draft, vec![file()]).expect("written");
        assert_eq!(bytes(&whole), bytes(&whole));
        let text = String::from_utf8(bytes(&whole)).expect("text");
        assert!(!text.contains("secret@") && !text.to_lowercase().contains("bcc:"), "{text}");
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "each line ends as mail does");
        let read = mail_parser::MessageParser::default().parse(text.as_bytes()).expect("a mail");
        assert_eq!(read.message_id(), Some("mail_1@shop.example"));
        assert_eq!(read.subject(), Some("Re: Größe"));
        assert_eq!(
            read.from().and_then(|address| address.first()?.name().map(str::to_owned)),
            whole.sender_name
        );
        assert_eq!(read.references().as_text_list().map(<[_]>::len), Some(2));
        assert_eq!(read.header_raw("X-Order").map(str::trim), Some("1042"));
        assert_eq!(
            read.body_text(0).expect("text").replace("\r\n", "\n").trim_end(),
            "Hallo,\nbis morgen.\n.\nEnde"
        );
        assert!(read.body_html(0).expect("html").contains("<p>Hallo</p>"));
        let attached = read.attachment(0).expect("a file");
        assert_eq!(attached.contents(), file().bytes);
        assert_eq!(mail_parser::MimeHeaders::attachment_name(attached), Some("Rückgabe.pdf"));
    }

    #[test]
    fn answer_to_an_invitation_has_its_calendar_as_the_last_alternative() {
        let calendar = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nSUMMARY:Größe\r\nEND:VCALENDAR\r\n".to_owned();
        let reply = InvitationReply {
            answer: InvitationAnswer::Accepted,
            event: "1 ".to_owned(),
            calendar: calendar.clone(),
        };
        for html in [None, Some("<p>Ja</p>".to_owned())] {
            let count = if html.is_some() { 3 } else { 2 };
            let mail = MailDraft { invitation: Some(reply.clone()), html, ..draft() };
            let bytes = build_mail(&mail, Vec::new()).expect("written");
            let read = mail_parser::MessageParser::default().parse(&bytes).expect("a mail");
            let kind = |part: &mail_parser::MessagePart<'_>| {
                let kind = mail_parser::MimeHeaders::content_type(part).expect("a type").clone();
                format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default())
            };
            assert_eq!(kind(&read.parts[0]), "multipart/alternative");
            assert_eq!(read.parts.len(), count + 1);
            let last = read.parts.last().expect("a part");
            assert_eq!((kind(last).as_str(), last.contents()), ("text/calendar", calendar.as_bytes()));
            let text = String::from_utf8(bytes.clone()).expect("text");
            assert!(text.contains("Content-Type: text/calendar; charset=utf-8; method=REPLY\r\n"), "{text}");
        }
    }

    #[test]
    fn an_address_no_mail_can_carry_is_refused() {
        let wrong = MailDraft { to: vec!["x\r\nBcc: y@mail.example".to_owned()], ..draft() };
        assert!(build_mail(&wrong, Vec::new()).is_err());
    }
}
