//! What platforms call: the call is kept as it came and answered at once; what
//! is made of it comes later. Without a key and outside the limits: a call
//! proves where it comes from by itself.

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::post;

use crate::carriers::ingress;
use crate::channels::Channel;
use crate::database::DatabaseError;
use crate::errors::ApiError;
use crate::gate;
use crate::request::{JSON_BYTES, bounded_within};
use crate::state::Service;
use wire::errors::ErrorCode;

/// Where platforms call: no part of the interface.
pub fn routes() -> Router<Service> {
    Router::new().route("/hooks/{channel}", post(hear).fallback(gate::wrong_method))
}

/// `POST /hooks/{channel}`
pub async fn hear(
    State(service): State<Service>,
    Path(word): Path<String>,
    request: Request<Body>,
) -> Result<StatusCode, ApiError> {
    let connected = Channel::from_word(&word).and_then(|it| service.platforms.connected(it));
    let connected = connected.filter(|it| !it.platform.is_read());
    let connected = connected.ok_or_else(|| ApiError::not_found("the path"))?;
    let (parts, body) = request.into_parts();
    let body = bounded_within(&parts.headers, body, JSON_BYTES, service.options.patience).await?;
    if !connected.platform.is_genuine(&parts.headers, &body) {
        return Err(ApiError::new(ErrorCode::InvalidAuth, "this call does not come from the platform"));
    }
    let pieces = connected.platform.split(&body);
    if pieces.is_empty() {
        tracing::warn!(channel = word, "a platform's call could not be read");
        return Ok(StatusCode::OK);
    }
    let state = service.clone();
    let kept: Result<(), DatabaseError> =
        service.database.write(move |db| ingress::keep(db, &state, &connected.channel, &pieces)).await;
    kept?;
    Ok(StatusCode::OK)
}
