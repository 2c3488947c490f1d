//! Middleware of every call: host check, authentication, scope, rate limits and their headers, and an answer
//! for a panic.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;

use crate::auth::{DeskCaller, Requester, authenticate, authenticate_desk};
use crate::client_info::{ClientInfo, peer};
use crate::clock::http_date;
use crate::errors::ApiError;
use crate::forwarded;
use crate::hosts;
use crate::limits::{Category, QuotaExceeded, QuotaStatus};
use crate::metrics::Metrics;
use crate::options::FailureLimit;
use crate::request_id;
use crate::scope;
use crate::state::Service;
use crate::team;
use api::errors::ErrorCode;
use model::time::Clock;

const LIMIT_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-reset");

pub const SIGN_IN_PATH: &str = "/desk/v1/sign-in";
/// Path of the workspace's channels.
const CHANNELS_PATH: &str = "/desk/v1/channels";
/// Maximum length of a request's path and query, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 * 1024;
/// Maximum size of a request's headers together, in bytes.
const MAX_HEADER_BYTES: usize = 32 * 1024;

const UNKNOWN_HOST_MESSAGE: &str = "the Host header does not name this service; its operator sets the \
                                    accepted hosts with --host or --public-url";

/// Outermost layer: refuses foreign hosts and overlong requests, sets the `Date` header to the service's
/// clock, and turns a panic into an answer.
pub async fn outer_layer(State(service): State<Service>, mut request: Request, next: Next) -> Response {
    let client = ClientInfo::of(&request, &service.hosts, &service.options.proxies);
    let line = LogLine::begin(&request, client.as_ref());
    let id = request_id::of(request.headers());
    // At the highest level, so that every record of a request names it.
    let span = tracing::error_span!("request", %id);
    let _in_flight = service.metrics.begin();
    let meant = client.is_some();
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let mut response = if !meant {
        ApiError::validation(UNKNOWN_HOST_MESSAGE).into_response()
    } else if is_too_long(request.uri()) {
        ApiError::validation(format!("the URL is longer than {MAX_ADDRESS_BYTES} bytes")).into_response()
    } else if are_too_long(request.headers()) {
        ApiError::validation(format!("the headers are longer than {MAX_HEADER_BYTES} bytes")).into_response()
    } else {
        match AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await {
            Ok(response) => response,
            Err(_) => ApiError::internal(&"a handler panicked").into_response(),
        }
    };
    let now = service.clock.now();
    if let Ok(date) = HeaderValue::from_str(&http_date(now)) {
        response.headers_mut().insert(header::DATE, date);
    }
    request_id::write(&id, response.headers_mut());
    span.in_scope(|| line.end(response.status(), &service.metrics));
    // Paths outside the interface never reach `gate`, which sets the headers otherwise.
    if !response.headers().contains_key(LIMIT_HEADER) {
        let peer = IpAddr::from([0, 0, 0, 0]);
        if let Ok(standing) = service.limits.admit_failure(peer, false, now) {
            write_quota_headers(&standing, response.headers_mut());
        }
    }
    response
}

/// Log line of a running request: client, route, status, duration. Contains no ids, file names or search
/// terms.
struct LogLine {
    client: IpAddr,
    method: Method,
    path: Option<MatchedPath>,
    started_at: Instant,
}

impl LogLine {
    /// Records the request. `client` is `None` for a foreign host; the line then names the peer of the
    /// connection.
    fn begin(request: &Request, client: Option<&ClientInfo>) -> Self {
        Self {
            client: client.map_or_else(|| peer(request.extensions()), |client| client.address),
            method: request.method().clone(),
            path: request.extensions().get::<MatchedPath>().cloned(),
            started_at: Instant::now(),
        }
    }

    /// Writes the line and counts the request in the metrics.
    fn end(self, status: StatusCode, metrics: &Metrics) {
        let Self { client, method, path, started_at: begun } = self;
        let took = begun.elapsed();
        metrics.record_answered(&method, path.as_ref().map(MatchedPath::as_str), status, took);
        let path = path.as_ref().map_or("-", MatchedPath::as_str);
        let took = took.as_millis();
        tracing::info!(target: "frontdesk::requests", %client, %method, path, status = status.as_u16(), ms = took);
    }
}

/// Layer around the interface: authentication, scope, rate limit, injected fault.
pub async fn interface_layer(State(service): State<Service>, request: Request, next: Next) -> Response {
    let caller = match authenticate(request.headers(), &service.database).await {
        Ok(caller) => caller,
        Err(error) => return refuse_unauthenticated(&service, client_address(&request), error).await,
    };
    service.metrics.record_workspace(caller.workspace());
    let (method, path) = (request.method(), request.uri().path());
    let category = scope::category(method, path);
    let allowed = scope::check(&caller, path).and_then(|()| caller.check_role(method));
    run_limited(&service, (caller, category), allowed, request, next).await
}

/// Layer around what desks share: like [`interface_layer`], for a person's session or a channel key.
pub async fn desk_layer(State(service): State<Service>, request: Request, next: Next) -> Response {
    let caller = match authenticate_desk(request.headers(), &service.database).await {
        Ok(caller) => caller,
        Err(error) => return refuse_unauthenticated(&service, client_address(&request), error).await,
    };
    service.metrics.record_workspace(caller.workspace());
    let (method, path) = (request.method(), request.uri().path());
    let category = match &caller {
        DeskCaller::Key(_) => scope::category(method, path),
        DeskCaller::Member(_) => scope::desk_category(method),
    };
    // A viewer may sign out, and reads new channels with keys of their own.
    let allowed =
        if [SIGN_IN_PATH, CHANNELS_PATH].contains(&path) { Ok(()) } else { caller.check_role(method) };
    run_limited(&service, (caller, category), allowed, request, next).await
}

fn client_address(request: &Request) -> IpAddr {
    let client = request.extensions().get::<ClientInfo>();
    client.map_or(IpAddr::from([0, 0, 0, 0]), |client| client.address)
}

/// Counts an authenticated request and runs it, unless it is not allowed.
async fn run_limited<C: Requester>(
    service: &Service,
    (caller, category): (C, Category),
    allowed: Result<(), ApiError>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(error) = allowed {
        return match service.quota(caller.id(), category).await {
            Ok(standing) => with_quota_headers(error.into_response(), &standing),
            Err(cause) => ApiError::from(cause).into_response(),
        };
    }
    let standing = match service.admit(caller.id(), category).await {
        Ok(Ok(standing)) => standing,
        Ok(Err(refused)) => return too_many(&refused, &format!("{category:?}")),
        Err(cause) => return ApiError::from(cause).into_response(),
    };
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if let Err(cause) = team::record_activity(service, &caller, &method).await {
        return ApiError::from(cause).into_response();
    }
    request.extensions_mut().insert::<C>(caller);
    let response = match service.faults.take_matching(&method, &path) {
        Some(fault) => fault.apply(request, next).await,
        None => next.run(request).await,
    };
    with_quota_headers(response, &standing)
}

/// Protects the `/dev` switches, which need no key, from web pages and other machines.
pub async fn local_only_layer(request: Request, next: Next) -> Response {
    let refuse = |why: &str| ApiError::new(ErrorCode::Forbidden, why).into_response();
    if request.headers().contains_key(header::ORIGIN) {
        return refuse("the development operations cannot be used by web pages");
    }
    // A request forwarded by a local proxy may come from another machine.
    let client = request.extensions().get::<ClientInfo>();
    // Without a socket (`in_process`) the address is unspecified.
    let is_local = |ip_addr: IpAddr| ip_addr.is_loopback() || ip_addr.is_unspecified();
    let is_here =
        |client_info: &ClientInfo| is_local(client_info.address) && hosts::is_this_machine(&client_info.host);
    if !client.is_some_and(is_here) || forwarded::is_forwarded(request.headers()) {
        return refuse("the development operations can only be used from this machine");
    }
    next.run(request).await
}

/// Answers a call that failed to authenticate, and counts it against its address.
pub async fn refuse_unauthenticated(service: &Service, peer: IpAddr, error: ApiError) -> Response {
    let counted = error.code.status() == 401
        && match service.options.failure_limit {
            FailureLimit::Remote => !peer.is_loopback(),
            FailureLimit::Everyone => true,
            FailureLimit::Off => false,
        };
    match service.admit_failure(peer, counted).await {
        Ok(Ok(standing)) => with_quota_headers(error.into_response(), &standing),
        Ok(Err(refused)) => too_many(&refused, "failed authentication"),
        Err(cause) => ApiError::from(cause).into_response(),
    }
}

fn too_many(refused: &QuotaExceeded, what: &str) -> Response {
    let message = format!(
        "the limit of {} requests was exceeded ({}); try again in {} s",
        refused.quota.limit,
        what.to_lowercase(),
        refused.retry_after
    );
    let error = ApiError::new(ErrorCode::RateLimitExceeded, message).retry_after(refused.retry_after);
    with_quota_headers(error.into_response(), &refused.quota)
}

fn with_quota_headers(mut response: Response, standing: &QuotaStatus) -> Response {
    write_quota_headers(standing, response.headers_mut());
    response
}

fn write_quota_headers(standing: &QuotaStatus, headers: &mut HeaderMap) {
    headers.insert(LIMIT_HEADER, HeaderValue::from(standing.limit));
    headers.insert(REMAINING_HEADER, HeaderValue::from(standing.remaining));
    headers.insert(RESET_HEADER, HeaderValue::from(standing.reset));
}

fn is_too_long(uri: &Uri) -> bool {
    uri.path().len() + uri.query().map_or(0, str::len) > MAX_ADDRESS_BYTES
}

fn are_too_long(headers: &HeaderMap) -> bool {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>() > MAX_HEADER_BYTES
}

pub async fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this path; GET /v1/openapi.json lists all paths")
}

pub async fn wrong_method(method: Method) -> ApiError {
    ApiError::new(ErrorCode::MethodNotAllowed, format!("{method} is not allowed on this path"))
}
