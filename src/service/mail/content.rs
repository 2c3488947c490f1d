//! Content of `sendEmail`.

use serde_json::{Map, Value};

use crate::errors::ApiError;
use crate::fields::Fields;
use crate::mail::addresses;
use crate::mail::attachments::{self, Attachment};
use crate::mail::headers;
use model::bounds;

/// Maximum length of a text or HTML body, in characters; the interface sets no bound.
pub const MAX_BODY_CHARS: usize = 1_000_000;
/// Maximum length of an id or reference, in characters.
pub const MAX_REFERENCE_CHARS: usize = 998;

/// Body of `sendEmail`.
#[derive(Debug, Clone, PartialEq)]
pub struct MailSendRequest {
    /// At least one address.
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    /// Sender's name, if it differs from the account's.
    pub from_name: Option<String>,
    /// Address for answers, if it differs from the account's.
    pub reply_to: Option<String>,
    pub subject: String,
    /// `text` or `html` is present.
    pub text: Option<String>,
    pub html: Option<String>,
    pub headers: Map<String, Value>,
    pub in_reply_to: Option<String>,
    pub thread: Option<String>,
    pub attachments: Vec<Attachment>,
}

impl MailSendRequest {
    /// Parses the body.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    pub fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let to = addresses::read_recipients(fields)?;
        let cc = addresses::read_addresses(fields, "cc")?;
        let bcc = addresses::read_addresses(fields, "bcc")?;
        if to.len() + cc.len() + bcc.len() > addresses::MAX_RECIPIENTS {
            let what =
                format!("cc and bcc must have at most {} addresses together", addresses::MAX_RECIPIENTS);
            return Err(fields.refuse("to,", &what));
        }
        let subject = fields.required_text("subject", bounds::MAX_SUBJECT_CHARS)?;
        if subject.chars().any(char::is_control) {
            return Err(fields.refuse("subject", "must not contain control characters"));
        }
        let html = read_aliased(fields, "html", "bodyHtml")?;
        let text = read_aliased(fields, "text", "bodyText")?;
        if html.is_none() && text.is_none() {
            return Err(fields.refuse("text", "or html is required"));
        }
        Ok(Self {
            to,
            cc,
            bcc,
            from_name: addresses::read_sender_name(fields)?,
            reply_to: addresses::optional_address(fields, "replyTo")?,
            subject: subject.trim().to_owned(),
            text,
            html,
            headers: headers::read(fields)?,
            in_reply_to: read_reference(fields, "inReplyTo")?,
            thread: read_reference(fields, "threadId")?,
            attachments: attachments::read(fields)?,
        })
    }
}

/// Reads a field that has two names; both may be present if they agree.
fn read_aliased(fields: &Fields<'_>, name: &str, alias: &str) -> Result<Option<String>, ApiError> {
    match (fields.text(name, MAX_BODY_CHARS)?, fields.text(alias, MAX_BODY_CHARS)?) {
        (Some(one), Some(other)) if one != other => {
            Err(fields.refuse(name, &format!("and {alias} are the same field; they must not differ")))
        }
        (one, other) => Ok(one.or(other).filter(|text| !text.trim().is_empty()).map(str::to_owned)),
    }
}

/// Reads an id or `Message-ID`; empty counts as absent.
///
/// # Errors
/// `VALIDATION_ERROR` for control characters or too long a text.
pub fn read_reference(fields: &Fields<'_>, name: &str) -> Result<Option<String>, ApiError> {
    let text = fields.text(name, MAX_REFERENCE_CHARS)?.map(str::trim).filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.chars().any(char::is_control)) {
        return Err(fields.refuse(name, "must not contain control characters"));
    }
    Ok(text.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(more: &Value) -> Result<MailSendRequest, ApiError> {
        let mut body = json!({"to": "a@mail.example", "subject": "Hi", "text": "Hello"});
        if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
            body.extend(more.clone());
        }
        MailSendRequest::read(&Fields::of_body(&body)?)
    }

    #[test]
    fn both_names_of_a_body() {
        let read = with(&json!({"html": "<p>x</p>", "bodyHtml": "<p>x</p>"})).expect("valid");
        assert_eq!(read.html.as_deref(), Some("<p>x</p>"));
        let read = with(&json!({"text": null, "bodyText": "Yes"})).expect("valid");
        assert_eq!(read.text.as_deref(), Some("Yes"));
        assert!(with(&json!({"text": "", "bodyHtml": "<p>x</p>"})).is_ok());
    }

    #[test]
    fn refusals_name_the_field() {
        let nine = |name: &str| -> Vec<String> {
            (0..26).map(|entry| format!("{name}{entry}@mail.example")).collect()
        };
        let cases = [
            (json!({"to": null}), "to is required"),
            (json!({"subject": null}), "subject is required"),
            (json!({"subject": " "}), "subject must not be empty"),
            (json!({"subject": "x".repeat(999)}), "subject must have at most 998"),
            (json!({"subject": "Hi\r\nBcc: x@mail.example"}), "subject must not contain control"),
            (json!({"text": null}), "text or html is required"),
            (json!({"text": "a", "bodyText": "b"}), "text and bodyText are the same"),
            (json!({"html": 5}), "html must be a string"),
            (json!({"cc": "b@mail.example"}), "cc must be an array"),
            (json!({"bcc": ["x"]}), "bcc[0] must be a mail address"),
            (json!({"cc": nine("c"), "bcc": nine("b")}), "to, cc and bcc must have at most 50"),
            (json!({"replyTo": "x"}), "replyTo must be a mail address"),
            (json!({"headers": {"Bcc": "x"}}), "headers: `Bcc`"),
            (json!({"inReplyTo": "<a>\r\nx"}), "inReplyTo must not contain"),
            (json!({"threadId": 5}), "threadId must be a string"),
            (json!({"attachments": {}}), "attachments must be an array"),
        ];
        for (more, words) in cases {
            let message = with(&more).expect_err(words).message;
            assert!(message.starts_with(words), "{message}");
        }
        assert!(with(&json!({"subject": "é".repeat(998)})).is_ok());
    }
}
