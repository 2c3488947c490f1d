//! Content of `sendEmail`, checked.

use serde_json::{Map, Value};

use crate::mail::addresses::{self, SenderField};
use crate::mail::attachments::{self, Attachment};
use crate::mail::headers;
use api::email::SendEmail;
use api::fields::{MailAddress, Text};
use api::request::FieldError;
use model::bounds::MAX_RECIPIENTS;
use model::email::invitations::InvitationAnswer;

pub use api::email::{MAX_BODY_CHARS, MAX_REFERENCE_CHARS};

/// Checked [`SendEmail`].
#[derive(Debug, Clone, PartialEq)]
pub struct MailSendRequest {
    /// At least one address.
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    /// Sender's name, if it differs from the account's.
    pub from_name: Option<String>,
    /// Requested address of the sender; counts if it is one of the mailbox's own.
    pub from_address: Option<String>,
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
    pub invitation_response: Option<InvitationAnswer>,
}

impl MailSendRequest {
    /// Checks what the types of the fields do not.
    ///
    /// # Errors
    /// Names the field.
    pub fn of(body: SendEmail) -> Result<Self, FieldError> {
        let to = addresses::check_list("to", body.to)?;
        if to.is_empty() {
            return Err(FieldError::new("to", "must name at least one mail address"));
        }
        let cc = addresses::check_list("cc", body.cc)?;
        let bcc = addresses::check_list("bcc", body.bcc)?;
        if to.len() + cc.len() + bcc.len() > MAX_RECIPIENTS {
            let problem = format!("cc and bcc must have at most {} addresses together", MAX_RECIPIENTS);
            return Err(FieldError::new("to,", problem));
        }
        let subject = body.subject.as_str();
        if subject.chars().any(char::is_control) {
            return Err(FieldError::new("subject", "must not contain control characters"));
        }
        let html = merge_aliases(("html", body.html), ("bodyHtml", body.body_html))?;
        let text = merge_aliases(("text", body.text), ("bodyText", body.body_text))?;
        if html.is_none() && text.is_none() {
            return Err(FieldError::new("text", "or html is required"));
        }
        let thread = check_reference("threadId", body.thread_id)?;
        if body.invitation_response.is_some() && thread.is_none() {
            return Err(FieldError::new("invitationResponse", "requires threadId"));
        }
        let from = match body.from {
            Some(from) => addresses::read_sender(from.as_str())?,
            None => SenderField::default(),
        };
        Ok(Self {
            to,
            cc,
            bcc,
            from_name: from.name,
            from_address: from.address,
            reply_to: body.reply_to.map(MailAddress::into_string),
            subject: subject.trim().to_owned(),
            text,
            html,
            headers: match body.headers {
                Some(headers) => headers::check(headers.to_map())?,
                None => Map::new(),
            },
            in_reply_to: check_reference("inReplyTo", body.in_reply_to)?,
            thread,
            attachments: attachments::check(body.attachments)?,
            invitation_response: body.invitation_response,
        })
    }
}

/// Merges a field that has two names; both may be present if they agree.
fn merge_aliases<const MAX: usize>(
    (name, one): (&str, Option<Text<MAX>>),
    (alias, other): (&str, Option<Text<MAX>>),
) -> Result<Option<String>, FieldError> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => {
            Err(FieldError::new(name, format!("and {alias} are the same field; they must not differ")))
        }
        (one, other) => Ok(one.or(other).map(Text::into_string).filter(|text| !text.trim().is_empty())),
    }
}

/// Checks an id or `Message-ID`; empty counts as absent.
///
/// # Errors
/// For control characters.
pub fn check_reference<const MAX: usize>(
    name: &str,
    told: Option<Text<MAX>>,
) -> Result<Option<String>, FieldError> {
    let text = told.map(|text| text.as_str().trim().to_owned()).filter(|text| !text.is_empty());
    if text.as_ref().is_some_and(|text| text.chars().any(char::is_control)) {
        return Err(FieldError::new(name, "must not contain control characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use api::request::RequestBody;
    use serde_json::json;

    use super::*;

    fn with(more: &Value) -> Result<MailSendRequest, FieldError> {
        let mut body = json!({"to": "a@mail.example", "subject": "Hi", "text": "Hello"});
        if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
            body.extend(more.clone());
        }
        MailSendRequest::of(SendEmail::read(body)?)
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
            (json!({"invitationResponse": "accepted"}), "invitationResponse requires threadId"),
            (
                json!({"invitationResponse": "yes", "threadId": "t"}),
                "invitationResponse must be one of accepted, declined, tentative",
            ),
        ];
        for (more, words) in cases {
            let message = with(&more).expect_err(words).to_string();
            assert!(message.starts_with(words), "{message}");
        }
        assert!(with(&json!({"subject": "é".repeat(998)})).is_ok());
    }
}
