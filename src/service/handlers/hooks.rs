//! Webhooks of the platforms. A request is stored as received and answered at once; it is processed later
//! (see `carriers`). It needs no key and is not rate limited, since its signature proves its origin.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

use crate::carriers::{HookCall, ingress};
use crate::channels::Channel;
use crate::database::DatabaseError;
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::gate;
use crate::platforms::Connected;
use crate::request::stranger_body;
use crate::state::Service;
use wire::errors::ErrorCode;

/// Maximum size of a webhook body, in bytes; platforms may batch many updates.
const BODY: usize = 4 * 1024 * 1024;

pub fn routes() -> Router<Service> {
    Router::new().route("/hooks/{channel}", post(hear).get(challenge).fallback(gate::wrong_method))
}

/// Returns the connected platform of a channel that sends webhooks.
fn caller(service: &Service, word: &str) -> Result<Arc<Connected>, ApiError> {
    let connected = Channel::from_word(word).and_then(|channel| service.platforms.connected(channel));
    let connected = connected.filter(|entry| !entry.platform.is_read());
    connected.ok_or_else(|| ApiError::not_found("the path"))
}

/// `GET /hooks/{channel}`: verification handshake of a platform.
pub async fn challenge(
    State(service): State<Service>,
    Path(word): Path<String>,
    uri: Uri,
) -> Result<String, ApiError> {
    let connected = caller(&service, &word)?;
    let asked: HashMap<String, String> =
        url::form_urlencoded::parse(uri.query().unwrap_or("").as_bytes()).into_owned().collect();
    let refused = || ApiError::new(ErrorCode::InvalidAuth, "this is not the verify token of the channel");
    connected.platform.challenge(&asked).ok_or_else(refused)
}

/// `POST /hooks/{channel}`: updates of a platform.
pub async fn hear(
    State(service): State<Service>,
    Path(word): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let connected = caller(&service, &word)?;
    let (parts, body) = request.into_parts();
    let (body, _room) = stranger_body(&parts, body, BODY, &service).await?;
    let query = parts.uri.query().unwrap_or("");
    let call = HookCall { query, headers: &parts.headers, body: &body };
    if !connected.platform.is_genuine(&call) {
        return Err(ApiError::new(ErrorCode::InvalidAuth, "this call does not come from the platform"));
    }
    let pieces = connected.platform.split(&call);
    let receipt = match connected.platform.receipt() {
        Some((kind, body)) => ([(header::CONTENT_TYPE, kind)], body).into_response(),
        None => StatusCode::OK.into_response(),
    };
    if pieces.is_empty() {
        tracing::warn!(channel = word, "a platform's call could not be read");
        return Ok(receipt);
    }
    let state = service.clone();
    let scope = service.database.scope_of_channel(&connected.channel).await?;
    let keep = move |db: &dyn DbSession| ingress::keep(db, &state, &connected.channel, &pieces);
    let kept: Result<(), DatabaseError> = service.database.write_in(scope, keep).await;
    kept?;
    Ok(receipt)
}
