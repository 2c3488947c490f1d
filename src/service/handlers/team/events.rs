//! Handlers of `followEvents` and `announcePresence`.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::auth::DeskCaller;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::team::{presence, streams, typing};
use api::team::{AnnouncePresence, PresenceAnnounced};

const LAST_EVENT_HEADER: &str = "last-event-id";

/// Handles `followEvents`. An invalid number is treated like one that is older than the log.
pub async fn follow(
    State(service): State<Service>,
    headers: HeaderMap,
    request: ReadRequest<DeskCaller>,
) -> Result<Response, ApiError> {
    let member = request.caller.member()?.clone();
    let header = headers.get(LAST_EVENT_HEADER).and_then(|value| value.to_str().ok());
    let after = header.or_else(|| request.query.text("after")).and_then(|text| text.parse().ok());
    let mut response = streams::open(&service, member, after).await?.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would hold events back until its buffer is full.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

/// Handles `announcePresence`.
pub async fn announce(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let asked: AnnouncePresence = request.read_body()?;
    let member = request.caller.member()?;
    typing::follow(&service, member, &asked);
    presence::announce(&service, member, asked).await?;
    Reply::ok(&PresenceAnnounced { success: true })
}
