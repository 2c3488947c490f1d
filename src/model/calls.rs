//! What was asked of a server and how it answered, without bodies and without
//! keys; and the same as a command for a shell.

use crate::ids::ChannelId;
use crate::text::SafeText;
use crate::time::Timestamp;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub channel: ChannelId,
    pub at: Timestamp,
    pub method: String,
    /// The server, up to the path.
    pub base: String,
    /// The path below it, with the query.
    pub path: String,
    /// Microseconds until the answer was whole, or until there was none.
    pub duration: i64,
    /// The HTTP status, or why there is none.
    pub answer: Result<u16, SafeText>,
    /// The error's code, where it was refused.
    pub code: Option<SafeText>,
    /// Whether it was an answer given before under the same key.
    pub replayed: bool,
    /// The key under which it may be repeated.
    pub key: Option<String>,
    /// What the server calls the request.
    pub request_id: Option<SafeText>,
    pub has_body: bool,
    /// Which process asked; empty for this one.
    pub process: SafeText,
}

impl Call {
    /// Whether it was answered as wished.
    pub fn is_success(&self) -> bool {
        matches!(self.answer, Ok(200..=299))
    }

    /// The path without what people typed: of the query only places and bounds
    /// keep their values.
    pub fn redacted_path(&self) -> String {
        const UNREDACTED_PARAMETERS: [&str; 9] =
            ["limit", "status", "cursor", "since", "before", "after", "page", "offset", "platform"];
        let Some((path, query)) = self.path.split_once('?') else { return self.path.clone() };
        let part = |text: &str| match text.split_once('=') {
            Some((name, _)) if !UNREDACTED_PARAMETERS.contains(&name) => format!("{name}=…"),
            _ => text.to_owned(),
        };
        format!("{path}?{}", query.split('&').map(part).collect::<Vec<_>>().join("&"))
    }

    /// As a command for a shell. The channel key stands for itself as a
    /// variable, and the body as a file: neither was kept.
    pub fn to_curl_command(&self) -> String {
        let mut words = vec!["curl".to_owned()];
        if self.method != "GET" {
            words.push(format!("-X {}", self.method));
        }
        words.push(shell_quote(&format!("{}{}", self.base, self.path)));
        words.push("-H \"Authorization: Bearer $CHANNEL_KEY\"".to_owned());
        if let Some(key) = &self.key {
            words.push(format!("-H {}", shell_quote(&format!("Idempotency-Key: {key}"))));
        }
        if self.has_body {
            words.push("-H 'Content-Type: application/json' --data @body.json".to_owned());
        }
        words.join(" ")
    }
}

/// A word no shell reads anything into.
fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_holds_no_key_and_nothing_a_shell_reads() {
        let call = |method: &str, path: &str, key: Option<&str>, has_body| Call {
            channel: ChannelId::from("c"),
            at: Timestamp::default(),
            method: method.into(),
            base: "https://api.example.com/v1".into(),
            path: path.into(),
            duration: 0,
            answer: Ok(200),
            code: None,
            replayed: false,
            key: key.map(str::to_owned),
            request_id: None,
            has_body,
            process: SafeText::default(),
        };
        let bearer = "-H \"Authorization: Bearer $CHANNEL_KEY\"";
        let cases = [
            (
                call("GET", "/conversations?limit=30", None, false),
                format!("curl 'https://api.example.com/v1/conversations?limit=30' {bearer}"),
            ),
            (
                call("POST", "/messages/send", Some("k1"), true),
                format!(
                    "curl -X POST 'https://api.example.com/v1/messages/send' {bearer} -H 'Idempotency-Key: k1' \
                     -H 'Content-Type: application/json' --data @body.json"
                ),
            ),
            (
                call("GET", "/x?q=$(rm)'`", None, false),
                format!("curl 'https://api.example.com/v1/x?q=$(rm)'\\''`' {bearer}"),
            ),
        ];
        for (call, expected) in cases {
            assert_eq!(call.to_curl_command(), expected);
        }
        let kept = |path| call("GET", path, None, false).redacted_path();
        assert_eq!(kept("/contacts?search=Maria%20Lopez&limit=30"), "/contacts?search=…&limit=30");
        assert_eq!(kept("/conversations/c1"), "/conversations/c1");
    }
}
