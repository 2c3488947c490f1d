//! Log of requests to the server, without bodies and keys, and their export as shell commands.

use crate::ids::ChannelId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub channel: ChannelId,
    pub at: Timestamp,
    pub method: String,
    /// URL of the server without path.
    pub base: String,
    /// Path with query.
    pub path: String,
    /// Microseconds until the answer was complete, or until the request failed.
    pub duration: i64,
    /// HTTP status, or the error.
    pub answer: Result<u16, SafeText>,
    /// Error code of a refusal.
    pub code: Option<SafeText>,
    /// True if the server repeated the stored answer of an idempotency key.
    pub replayed: bool,
    pub key: Option<String>,
    pub request_id: Option<SafeText>,
    pub has_body: bool,
    /// Process that made the request; empty for this one.
    pub process: SafeText,
}

impl Call {
    /// True for a status of 200 to 299.
    pub fn is_success(&self) -> bool {
        matches!(self.answer, Ok(200..=299))
    }

    /// Returns the path with user input removed: most query values are replaced.
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

    /// Formats as a curl command. Key and body are placeholders, because neither is stored.
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
