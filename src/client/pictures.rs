//! Fetches a picture that a customer sent, when a person asks to see it: over https from the public
//! internet, or from the channel's own server. Size and time are limited, no key is sent, and
//! redirects are not followed.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use thiserror::Error;

use crate::{transport, words};
use model::addresses::is_public;

const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;
const FETCH_TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum PictureError {
    /// Not a URL that may be fetched.
    #[error("it has no public https address")]
    Address,
    /// The name does not resolve, or resolves to a private address.
    #[error("its host is private or does not answer")]
    Host,
    #[error("its file is larger than 8 MB")]
    TooLarge,
    #[error("its host answers with {0}")]
    Status(u16),
    #[error("{0}")]
    Broken(String),
}

/// Fetches a picture; `own` is the base URL of the channel that it came in.
pub async fn fetch_picture(url: &str, own: Option<&str>) -> Result<Vec<u8>, PictureError> {
    let url = Url::parse(url).map_err(|_| PictureError::Address)?;
    let at_home =
        own.and_then(|text| Url::parse(text).ok()).is_some_and(|entry| entry.origin() == url.origin());
    let fetching = fetch(&url, at_home);
    tokio::time::timeout(FETCH_TIMEOUT, fetching)
        .await
        .unwrap_or_else(|_| Err(PictureError::Broken("its host is too slow".to_owned())))
}

/// Requests a file; follows no redirect and sends no key.
pub(crate) async fn open(url: &Url, at_home: bool) -> Result<reqwest::Response, PictureError> {
    let mut builder = transport::builder().no_proxy().connect_timeout(CONNECT_TIMEOUT);
    if !at_home {
        let host = vet(url)?;
        // Connects to the vetted addresses, because the name may resolve differently a moment
        // later.
        builder = builder.https_only(true).resolve_to_addrs(host, &resolve_public(url, host).await?);
    }
    let broken = |error: reqwest::Error| PictureError::Broken(words::describe_transport_error(&error));
    builder.build().map_err(broken)?.get(url.clone()).send().await.map_err(broken)
}

async fn fetch(url: &Url, at_home: bool) -> Result<Vec<u8>, PictureError> {
    let broken = |error: reqwest::Error| PictureError::Broken(words::describe_transport_error(&error));
    let mut answer = open(url, at_home).await?;
    if !answer.status().is_success() {
        return Err(PictureError::Status(answer.status().as_u16()));
    }
    if answer.content_length().is_some_and(|content_length| content_length > MAX_FILE_BYTES as u64) {
        return Err(PictureError::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(broken)? {
        if body.len() + part.len() > MAX_FILE_BYTES {
            return Err(PictureError::TooLarge);
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// Returns the host of a URL that may be fetched, judged by its text.
fn vet(url: &Url) -> Result<&str, PictureError> {
    let plain = url.scheme() == "https"
        && url.username().is_empty()
        && url.password().is_none()
        && matches!(url.port(), None | Some(8443));
    let host = url.host_str().filter(|_| plain).ok_or(PictureError::Address)?;
    let literal: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
    match literal {
        Some(address) if !is_public(address) => Err(PictureError::Address),
        _ => Ok(host),
    }
}

/// Resolves a host; fails unless all addresses are public.
async fn resolve_public(url: &Url, host: &str) -> Result<Vec<SocketAddr>, PictureError> {
    let port = url.port_or_known_default().unwrap_or(443);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let found = tokio::net::lookup_host((host, port)).await.map_err(|_| PictureError::Host)?;
    let addresses: Vec<SocketAddr> = found.collect();
    if addresses.is_empty() || !addresses.iter().all(|address| is_public(address.ip())) {
        return Err(PictureError::Host);
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_https_addresses_pass() {
        let cases = [
            ("https://files.example/a.jpg", true),
            ("https://files.example:8443/a.jpg", true),
            ("https://93.184.216.34/a.jpg", true),
            ("http://files.example/a.jpg", false),
            ("https://files.example:22/a.jpg", false),
            ("https://me@files.example/a.jpg", false),
            ("https://127.0.0.1/a.jpg", false),
            ("https://0x7f.1/a.jpg", false),
            ("https://[::1]/a.jpg", false),
            ("https://[::ffff:10.0.0.1]/a.jpg", false),
            ("https://169.254.169.254/latest", false),
            ("file:///etc/passwd", false),
        ];
        for (text, passes) in cases {
            let url = Url::parse(text).expect(text);
            assert_eq!(vet(&url).is_ok(), passes, "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_stands_for_this_machine_is_not_fetched_from() {
        let fetched = fetch_picture("https://localhost/a.jpg", Some("https://api.example/v1")).await;
        assert_eq!(fetched, Err(PictureError::Host));
        let fetched = fetch_picture("http://127.0.0.1:1/a.jpg", Some("http://127.0.0.1:2/v1")).await;
        assert_eq!(fetched, Err(PictureError::Address), "another port is another server");
    }
}
