//! Recognition of mail that was received before.
//!
//! A `Message-ID` alone is not enough: programs reuse them, and a mail dropped by mistake is lost. A mail is
//! a repeat if one with its id and content is known. The content is author, topic, text and attachments,
//! without transport headers and the footer of a mailing list. In doubt both are kept.

use sha2::{Digest, Sha256};

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::{DatabaseError, ingress};
use crate::write::WriteContext;
use platforms::mail::{InboundMail, readable_text, topics};

/// Name under which contents are recorded, each after its id.
const CONTENT_NAME: &str = "content";
/// Headers that only mailing lists set.
const LIST_MARKS: [&str; 3] = ["\"List-Id\"", "\"List-Unsubscribe\"", "\"Precedence\":\"list\""];

/// Records a mail under `place`. Returns false if it is a repeat.
pub fn record_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    place: &str,
    mail: &InboundMail,
) -> Result<bool, DatabaseError> {
    let id = mail.header_id.as_deref().unwrap_or_default();
    let is_first = ingress::record_arrival(work.db, &channel.id, place, id)?;
    // Checked first: mails of earlier versions were recorded without content.
    let has_contents =
        ingress::has_arrival_with_prefix(work.db, &channel.id, CONTENT_NAME, &format!("{id} "))?;
    if !ingress::record_arrival(work.db, &channel.id, CONTENT_NAME, &format!("{id} {}", digest(mail)))? {
        return Ok(false);
    }
    let known = emails::find_all(work.db, &channel.id, id)?;
    if known.is_empty() {
        // A recorded mail without a row was deleted and is not stored again.
        return Ok(is_first || has_contents);
    }
    Ok(!known.iter().any(|row| has_same_content(row, mail)))
}

/// Returns the digest of a mail's content.
fn digest(mail: &InboundMail) -> String {
    let files: Vec<String> =
        mail.attachments.iter().map(|file| format!("{}:{:?}", file.filename, file.size)).collect();
    let parts = [
        mail.from.to_lowercase(),
        topics::topic(&mail.subject),
        fold_spaces(&mail.readable_text()),
        files.join("|"),
    ];
    let digest = Sha256::digest(parts.join("\0"));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn has_same_content(row: &EmailRow, mail: &InboundMail) -> bool {
    let marks = serde_json::Value::Object(mail.headers.clone()).to_string();
    let is_listed = |headers: &str| LIST_MARKS.iter().any(|mark| headers.contains(mark));
    let by_list = is_listed(&row.headers) || is_listed(&marks);
    let same_author = by_list || row.sender.eq_ignore_ascii_case(&mail.from);
    let same_topic = strip_list_tag(&row.subject) == strip_list_tag(&mail.subject);
    let (one, other) = (
        fold_spaces(&readable_text(row.text.as_deref(), row.html.as_deref())),
        fold_spaces(&mail.readable_text()),
    );
    let same_words = one == other || (by_list && (is_continued(&one, &other) || is_continued(&other, &one)));
    let same_files = by_list || row.attachments.len() == mail.attachments.len();
    same_author && same_topic && same_words && same_files
}

/// Returns true if `whole` is `beginning` with more text after it.
fn is_continued(whole: &str, beginning: &str) -> bool {
    !beginning.is_empty() && whole.strip_prefix(beginning).is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the topic without a mailing list's tag.
fn strip_list_tag(subject: &str) -> String {
    let topic = topics::topic(subject);
    match topic.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => topics::topic(rest),
        None => topic,
    }
}

/// Folds white space, which transports change.
fn fold_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(subject: &str, text: &str) -> InboundMail {
        InboundMail {
            from: "ann@x.example".to_owned(),
            subject: subject.to_owned(),
            text: Some(text.to_owned()),
            ..InboundMail::default()
        }
    }

    fn stored(subject: &str, text: &str, headers: &str) -> EmailRow {
        EmailRow {
            sender: "Ann@X.example".to_owned(),
            subject: subject.to_owned(),
            text: Some(text.to_owned()),
            headers: headers.to_owned(),
            ..EmailRow::default()
        }
    }

    #[test]
    fn content_tells_a_repeat_from_another_mail() {
        let list = r#"{"List-Id":"<desk.lists.example>"}"#;
        let cases = [
            (stored("Order", "Hello\r\nthere", "{}"), mail("Re: Order", "Hello  there\n"), true),
            (stored("Order", "Hello", "{}"), mail("Order", "Hello again"), false),
            (stored("Order", "Hello", "{}"), mail("Invoice", "Hello"), false),
            (stored("[desk] Order", "Hello\n--\nleave the list", list), mail("Order", "Hello"), true),
            (stored("Order", "", list), mail("Order", "Hello"), false),
            (stored("Order", "Hello", "{}"), mail("Order", "Hello\n--\nmy signature"), false),
        ];
        for (row, mail, same) in cases {
            assert_eq!(has_same_content(&row, &mail), same, "{row:?} {mail:?}");
        }
        assert_ne!(digest(&mail("a", "b")), digest(&mail("ab", "")));
    }
}
