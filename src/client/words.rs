//! Error texts for missing and unexpected responses. They never contain bytes of a body that does
//! not follow the API, nor a whole URL.

use std::error::Error;

use crate::causes::ConnectionCause;
use crate::headers::ResponseFacts;
use crate::local_listener::ForeignListener;
use model::text::SafeText;

/// No response, or an incomplete one, before the timeout.
pub const TIMEOUT_TEXT: &str = "the server did not answer in time";
/// The request may have been sent, but no complete response arrived.
pub const BROKEN_TEXT: &str = "the connection broke before the answer was complete";
pub const REDIRECT_PREFIX: &str = "the server redirects to ";

pub fn describe_transport_error(error: &reqwest::Error) -> String {
    if let Some(stranger) = foreign_listener(error) {
        return stranger.to_string();
    }
    if let Some(cause) = ConnectionCause::of(error) {
        return cause.describe(|name| std::env::var(name).ok());
    }
    let words = if error.is_timeout() && error.is_connect() {
        "the server could not be reached in time"
    } else if error.is_timeout() {
        TIMEOUT_TEXT
    } else if error.is_connect() {
        "the server could not be reached"
    } else if error.is_decode() {
        "the answer was incomplete or could not be decompressed"
    } else {
        BROKEN_TEXT
    };
    words.to_owned()
}

pub fn describe_client_error(error: &reqwest::Error) -> String {
    match ConnectionCause::of(error) {
        Some(cause) => cause.describe(|name| std::env::var(name).ok()),
        None => error.to_string(),
    }
}

/// Returns the foreign owner of the local port, if that caused the error.
fn foreign_listener(error: &reqwest::Error) -> Option<&ForeignListener> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(stranger) = error.downcast_ref() {
            return Some(stranger);
        }
        cause = error.source();
    }
    None
}

/// True if the certificate was rejected, so that a retry is useless.
pub fn is_certificate(error: &reqwest::Error) -> bool {
    error.is_connect() && matches!(ConnectionCause::of(error), Some(ConnectionCause::Certificate(_)))
}

/// Text for an account that is not at this address: most often `/v1` is missing.
pub fn describe_missing_account(base_url: &str) -> SafeText {
    let advice = if base_url.ends_with("/v1") { "check base_url" } else { "the address should end in /v1" };
    SafeText::line(&format!("nothing at {base_url}/account; {advice}"))
}

pub fn describe_not_json(facts: &ResponseFacts, body: &[u8], status: u16) -> String {
    let body = body.trim_ascii();
    let what = if body.is_empty() {
        "nothing".to_owned()
    } else if facts.content_type.contains("html") || body.starts_with(b"<") {
        "a web page instead of JSON".to_owned()
    } else if body.starts_with(b"{") || body.starts_with(b"[") {
        "incomplete or unexpected JSON".to_owned()
    } else if facts.content_type.is_empty() {
        "something that is not JSON".to_owned()
    } else {
        format!("{} instead of JSON", SafeText::line(&facts.content_type))
    };
    format!("the server answered with {what} ({status})")
}

pub fn redirect(facts: &ResponseFacts, status: u16) -> String {
    let place = facts.location.as_deref().map(SafeText::line);
    let place = place.map_or("another address".to_owned(), |place| place.to_string());
    format!(
        "{REDIRECT_PREFIX}{place} ({status}); redirects are not followed because the key would be sent \
         along; correct base_url"
    )
}
