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

use crate::carriers::ingress;
use crate::database::DatabaseError;
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::gate;
use crate::operators::ConnectedChannel;
use crate::request::read_unauthenticated_body;
use crate::state::Service;
use api::errors::ErrorCode;
use model::text::SafeText;
use platforms::{Channel, WebhookCall};

/// Maximum size of a webhook body, in bytes; platforms may batch many updates.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/hooks/{channel}", post(receive_webhook).get(answer_challenge).fallback(gate::wrong_method))
}

/// Returns the connected channels whose platform may call a path; at least one.
fn callees(service: &Service, word: &str) -> Result<(Channel, Vec<Arc<ConnectedChannel>>), ApiError> {
    let kind = Channel::from_word(word).ok_or_else(|| ApiError::not_found("the path"))?;
    let all = service.platforms.called(kind);
    if all.is_empty() { Err(ApiError::not_found("the path")) } else { Ok((kind, all)) }
}

/// `GET /hooks/{channel}`: verification handshake of a platform, with the verify token of any
/// channel of the kind.
pub async fn answer_challenge(
    State(service): State<Service>,
    Path(word): Path<String>,
    uri: Uri,
) -> Result<String, ApiError> {
    let (_, all) = callees(&service, &word)?;
    let asked: HashMap<String, String> =
        url::form_urlencoded::parse(uri.query().unwrap_or("").as_bytes()).into_owned().collect();
    let refused = || ApiError::new(ErrorCode::InvalidAuth, "this is not the verify token of a channel");
    all.iter().find_map(|connected| connected.platform.answer_challenge(&asked)).ok_or_else(refused)
}

/// `POST /hooks/{channel}`: updates of a platform.
pub async fn receive_webhook(
    State(service): State<Service>,
    Path(word): Path<String>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let (kind, all) = callees(&service, &word)?;
    let (parts, body) = request.into_parts();
    let (body, _room) = read_unauthenticated_body(&parts, body, MAX_BODY_BYTES, &service).await?;
    let query = parts.uri.query().unwrap_or("");
    let call = WebhookCall { query, headers: &parts.headers, body: &body };
    let first = all.first().cloned();
    let genuine = recipients(kind, all, &call)?;
    let receipt = match first.and_then(|connected| connected.platform.webhook_response(&call)) {
        Some((kind, body)) => ([(header::CONTENT_TYPE, kind)], body).into_response(),
        None => StatusCode::OK.into_response(),
    };
    let pieces: Vec<_> = genuine
        .into_iter()
        .map(|connected| (connected.channel.clone(), connected.platform.split_updates(&call)))
        .filter(|(_, pieces)| !pieces.is_empty())
        .collect();
    if pieces.is_empty() {
        tracing::warn!(channel = word, "a platform's request could not be read");
    }
    for (channel, pieces) in pieces {
        let state = service.clone();
        let scope = service.database.scope_of_channel(&channel).await?;
        let keep = move |db: &dyn DbSession| ingress::store_updates(db, &state, &channel, &pieces);
        let kept: Result<(), DatabaseError> = service.database.write_in(scope, keep).await;
        kept?;
    }
    Ok(receipt)
}

/// Returns the channels that a call names and whose secret signs it. Only these process the call, because a
/// signature with one channel's secret does not authenticate it for another.
///
/// # Errors
/// `INVALID_AUTH` if none of the named channels has the secret; for a call that names no connected channel,
/// if no channel of the kind has it.
fn recipients(
    kind: Channel,
    all: Vec<Arc<ConnectedChannel>>,
    call: &WebhookCall<'_>,
) -> Result<Vec<Arc<ConnectedChannel>>, ApiError> {
    let names = platforms::names_in_call(kind, call);
    let is_named = |connected: &ConnectedChannel| {
        let Some(names) = &names else { return true };
        connected.platform.hook_names().iter().any(|name| names.contains(name))
    };
    let (named, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|connected| is_named(connected));
    let is_genuine = |connected: &Arc<ConnectedChannel>| connected.platform.is_genuine(call);
    let (genuine, forged): (Vec<_>, Vec<_>) = named.iter().cloned().partition(is_genuine);
    if genuine.is_empty() && !(named.is_empty() && others.iter().any(is_genuine)) {
        return Err(ApiError::new(ErrorCode::InvalidAuth, "this request does not come from the platform"));
    }
    if names.is_some() {
        for connected in forged {
            let channel = &connected.channel;
            tracing::warn!(
                channel,
                "an event of a platform's request was dropped because the request is signed with another \
                 channel's secret"
            );
        }
    }
    // A call for a phone number names one channel twice: by the number and by its messaging service.
    let is_known = kind == Channel::Voip && !named.is_empty();
    for name in names.into_iter().flatten().filter(|_| !is_known) {
        if !named.iter().any(|connected| connected.platform.hook_names().contains(&name)) {
            let name = SafeText::line(&name);
            tracing::warn!(
                kind = kind.word(),
                name = name.as_str(),
                "a platform's request is for no connected channel"
            );
        }
    }
    Ok(genuine)
}
