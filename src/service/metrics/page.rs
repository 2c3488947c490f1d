//! `GET /metrics`, for callers on this machine or with the token.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use subtle::ConstantTimeEq;

use crate::client_info::peer;
use crate::errors::ApiError;
use crate::metrics::exposition::{Exposition, MEDIA_TYPE};
use crate::metrics::measured;
use crate::state::Service;
use crate::{forwarded, gate, hosts};
use api::errors::ErrorCode;
use model::secret::Secret;

const MIN_TOKEN_CHARS: usize = 16;

/// Token that opens the page to other machines.
#[derive(Clone)]
pub struct MetricsToken(Secret);

impl MetricsToken {
    /// Reads a token, ignoring surrounding white space.
    pub fn read(text: &str) -> Result<Self, String> {
        let token = text.trim();
        if token.len() < MIN_TOKEN_CHARS || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("a token has at least {MIN_TOKEN_CHARS} letters and digits, and no space"));
        }
        Ok(Self(Secret::new(token)))
    }

    fn matches(&self, headers: &HeaderMap) -> bool {
        let given =
            headers.get(header::AUTHORIZATION).and_then(|header| header.as_bytes().strip_prefix(b"Bearer "));
        given.is_some_and(|entry| self.0.expose().as_bytes().ct_eq(entry).into())
    }
}

/// Route outside `gate::outer_layer`, like the probes.
pub fn routes() -> Router<Service> {
    Router::new().route("/metrics", get(page)).method_not_allowed_fallback(gate::wrong_method)
}

async fn page(State(service): State<Service>, request: Request) -> Response {
    let opened = service
        .options
        .metrics_token
        .as_ref()
        .is_some_and(|metrics_token| metrics_token.matches(request.headers()));
    if !opened && !is_local(&request) {
        let words = "metrics are served to this machine only; others must send the token of \
                     --metrics-token-file as Authorization: Bearer TOKEN";
        return ApiError::new(ErrorCode::Forbidden, words).into_response();
    }
    let mut page = Exposition::default();
    service.metrics.write(&mut page);
    service.team.write_metrics(&mut page);
    measured::write(&service, &mut page).await;
    let mut response = page.into_text().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns true for a program on this machine: no web page, and no forwarded request.
fn is_local(request: &Request) -> bool {
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|header| header.to_str().ok());
    peer(request.extensions()).is_loopback()
        && host.is_some_and(hosts::is_this_machine)
        && !headers.contains_key(header::ORIGIN)
        && !forwarded::is_forwarded(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_compared_whole() {
        for text in ["", "short", "with a space in it it is", "é234567890123456"] {
            assert!(MetricsToken::read(text).is_err(), "{text}");
        }
        let token = MetricsToken::read(" 0123456789abcdef\n").expect("a token");
        for (given, opens) in [
            ("Bearer 0123456789abcdef", true),
            ("Bearer 0123456789abcde", false),
            ("Bearer 0123456789abcdef0", false),
            ("0123456789abcdef", false),
            ("Bearer ", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(given));
            assert_eq!(token.matches(&headers), opens, "{given}");
        }
        assert!(!token.matches(&HeaderMap::new()));
    }
}
