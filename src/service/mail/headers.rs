//! Additional headers of `sendEmail`.

use serde_json::{Map, Value};

use api::request::FieldError;
use model::bounds::{self, MAX_MAIL_HEADERS};

/// Maximum length of a header's name, in characters.
const MAX_NAME_CHARS: usize = 76;
/// Headers that other fields set, or that only mail servers may write.
const RESERVED_NAMES: [&str; 18] = [
    "from",
    "sender",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "reply-to",
    "return-path",
    "received",
    "mime-version",
    "dkim-signature",
    "authentication-results",
    "delivered-to",
    "resent-from",
];

/// Checks additional headers: their names, and that they are strings.
///
/// # Errors
/// Names the header.
pub fn check(headers: Map<String, Value>) -> Result<Map<String, Value>, FieldError> {
    if headers.len() > MAX_MAIL_HEADERS {
        return Err(FieldError::new("headers", format!("must have at most {MAX_MAIL_HEADERS} entries")));
    }
    for (name, value) in &headers {
        let refuse =
            |what: &str| Err(FieldError::new("headers:", format!("`{}` {what}", shorten_name(name))));
        let lower = name.to_ascii_lowercase();
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.bytes().all(is_name_byte) {
            return refuse("is not a valid header name");
        }
        if RESERVED_NAMES.contains(&lower.as_str()) || lower.starts_with("content-") {
            return refuse("is set by the service; use its own field instead");
        }
        match value.as_str() {
            None => return refuse("must be a string"),
            Some(text) if text.chars().any(char::is_control) => {
                return refuse("must not contain control characters");
            }
            Some(text) if bounds::count_chars(text) > bounds::MAX_SUBJECT_CHARS => {
                return refuse(&format!("must have at most {} characters", bounds::MAX_SUBJECT_CHARS));
            }
            Some(_) => {}
        }
    }
    Ok(headers)
}

/// Returns true for printable ASCII except the colon.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b':'
}

fn shorten_name(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_header_cannot_smuggle_another() {
        let cases = [
            (json!({"X-Order": "1042"}), true),
            (json!({"List-Unsubscribe": "<https://shop.example/u>"}), true),
            (json!({}), true),
            (json!({"X-Order": "1042\r\nBcc: x@mail.example"}), false),
            (json!({"X-Order\r\nBcc": "x"}), false),
            (json!({"X:Order": "x"}), false),
            (json!({"X Order": "x"}), false),
            (json!({"": "x"}), false),
            (json!({"Bcc": "x@mail.example"}), false),
            (json!({"CONTENT-TYPE": "text/html"}), false),
            (json!({"X-Order": 1042}), false),
            (json!({"X-Order": "x".repeat(999)}), false),
        ];
        for (headers, fine) in cases {
            let told = headers.as_object().cloned().expect("an object");
            assert_eq!(check(told).is_ok(), fine, "{headers}");
        }
    }
}
