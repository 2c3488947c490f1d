//! Verifies a webhook endpoint: it must echo a value.

use crate::guard::Guard;
use crate::guard::request::{FetchError, FetchLimits, Request};
use crate::guard::urls::VettedUrl;

pub const CHALLENGE_PARAMETER: &str = "challenge";

/// Reason why the verification failed. The texts may be shown to the developer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChallengeError {
    #[error(transparent)]
    NoAnswer(#[from] FetchError),
    /// A response without success; redirects are not followed.
    #[error("the endpoint answered the challenge with status {0}")]
    Status(u16),
    /// A success without the value as body.
    #[error("the endpoint did not return the challenge value as its whole body")]
    Other,
}

impl Guard {
    /// Sends a GET with `value` as an additional query parameter `challenge`. The body must be the
    /// value; one line break after it is tolerated. At most 1 KiB and 5 s.
    pub async fn challenge(&self, url: &VettedUrl, value: &str) -> Result<(), ChallengeError> {
        let url = url.with_query(CHALLENGE_PARAMETER, value).map_err(FetchError::Url)?;
        let answer = self.fetch(&url, Request::get(), FetchLimits::CHALLENGE).await?;
        if !(200..300).contains(&answer.status) {
            return Err(ChallengeError::Status(answer.status));
        }
        if is_echo(&answer.body, value) { Ok(()) } else { Err(ChallengeError::Other) }
    }
}

fn is_echo(body: &[u8], value: &str) -> bool {
    let body = match body.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => body,
    };
    body == value.as_bytes()
}

#[cfg(test)]
mod tests {
    use crate::guard::challenge::is_echo;

    #[test]
    fn only_the_value_itself_is_an_echo() {
        for (body, good) in [
            ("token", true),
            ("token\n", true),
            ("token\r\n", true),
            ("token\r", false),
            ("token\n\n", false),
            (" token", false),
            ("token ", false),
            ("Token", false),
            ("\"token\"", false),
            ("challenge=token", false),
            ("", false),
            ("\n", false),
            ("\u{feff}token", false),
        ] {
            assert_eq!(is_echo(body.as_bytes(), "token"), good, "{body:?}");
        }
    }
}
