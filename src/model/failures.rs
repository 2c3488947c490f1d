//! Reasons of failed messages. The interface documents no field for them, so common field names are
//! tried.

use crate::text::SafeText;

/// JSON pointers of an error code, in order of preference.
const CODE_POINTERS: [&str; 6] =
    ["/error/code", "/errorCode", "/error_code", "/failureCode", "/code", "/errors/0/code"];
/// JSON pointers of an error text, in order of preference.
const TEXT_POINTERS: [&str; 12] = [
    "/error/message",
    "/error/title",
    "/error",
    "/errorMessage",
    "/error_message",
    "/failureReason",
    "/failedReason",
    "/statusReason",
    "/reason",
    "/message",
    "/errors/0/message",
    "/errors/0/title",
];

/// Code and text reported by the service; empty if none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureReason {
    pub code: SafeText,
    pub text: SafeText,
}

impl FailureReason {
    /// Extracts the reason from an item; `told` returns the value at a JSON pointer.
    pub fn from_item(told: impl Fn(&str) -> Option<String>) -> Self {
        let first = |places: &[&str]| places.iter().find_map(|place| told(place)).unwrap_or_default();
        let (code, words) = (SafeText::line(&first(&CODE_POINTERS)), SafeText::line(&first(&TEXT_POINTERS)));
        let text = if words == code { SafeText::default() } else { words };
        Self { code, text }
    }

    pub fn is_stated(&self) -> bool {
        !(self.code.is_empty() && self.text.is_empty())
    }

    /// Returns the service's text, else the meaning of its code; empty if unknown.
    pub fn text(&self) -> &str {
        if self.text.is_empty() { describe_code(self.code.as_str()) } else { self.text.as_str() }
    }

    pub fn describe(&self) -> String {
        match (self.code.is_empty(), self.text()) {
            (true, "") => "no reason given".to_owned(),
            (false, "") => self.code.to_string(),
            (true, words) => words.to_owned(),
            (false, words) => format!("{words} ({})", self.code),
        }
    }
}

fn describe_code(code: &str) -> &'static str {
    match code {
        "SESSION_EXPIRED" => "reply window closed: only templates are delivered",
        "INVALID_RECIPIENT" => "the number is not on this channel",
        "TEMPLATE_ERROR" => "the template was rejected",
        "UNSUPPORTED_TYPE" => "this kind of message cannot be sent there",
        "MEDIA_FETCH_FAILED" => "the file could not be fetched from its link",
        "MEDIA_UPLOAD_FAILED" => "the file was rejected",
        "INSUFFICIENT_CREDITS" => "not enough credits",
        "NOT_FOUND" => "the contact no longer exists",
        "RATE_LIMIT_EXCEEDED" => "rate limit reached",
        "VALIDATION_ERROR" => "the message was not accepted",
        "NOT_CONFIGURED" => "the channel is not set up",
        "FORBIDDEN" => "the key is not allowed to send there",
        "WHATSAPP_ERROR" => "the platform refused it",
        "INTERNAL_ERROR" => "the server failed",
        _ => "",
    }
}

/// Recipient a broadcast did not reach, as reported by the service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedRecipient {
    pub contact: Option<String>,
    pub phone: Option<String>,
    pub reason: FailureReason,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_what_the_service_said_and_nothing_else() {
        let cases: [(&[(&str, &str)], &str); 6] = [
            (&[], "no reason given"),
            (
                &[("/code", "SESSION_EXPIRED")],
                "reply window closed: only templates are delivered (SESSION_EXPIRED)",
            ),
            (&[("/error", "number is gone")], "number is gone"),
            (&[("/errorCode", "131026"), ("/errorMessage", "undeliverable")], "undeliverable (131026)"),
            (&[("/error/code", "7"), ("/error/title", "no\u{1b}[2J"), ("/reason", "later")], "no"),
            (&[("/errorCode", "GONE"), ("/reason", "GONE")], "GONE"),
        ];
        for (fields, said) in cases {
            let told =
                |place: &str| fields.iter().find(|field| field.0 == place).map(|field| field.1.to_owned());
            let reason = FailureReason::from_item(told);
            assert!(reason.describe().starts_with(said), "{fields:?}: {}", reason.describe());
            assert_eq!(reason.is_stated(), !fields.is_empty());
        }
    }
}
