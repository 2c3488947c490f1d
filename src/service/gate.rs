//! Middleware of every call: host check, authentication, scope, rate limits and their headers, and an answer
//! for a panic.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use crate::auth::{Caller, authenticate};
use crate::client_info::ClientInfo;
use crate::clock::http_date;
use crate::errors::ApiError;
use crate::forwarded;
use crate::hosts;
use crate::limits::{QuotaExceeded, QuotaStatus};
use crate::log_line::LogLine;
use crate::options::FailureLimit;
use crate::scope;
use crate::state::Service;
use model::time::Clock;
use wire::errors::ErrorCode;

const LIMIT_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Maximum length of a request's path and query, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 * 1024;
/// Maximum size of a request's headers together, in bytes.
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Answer to a request whose Host header names another host.
const UNKNOWN_HOST_MESSAGE: &str =
    "the Host header does not name this service; who runs it names its hosts with --host or --public-url";

/// Outermost layer: refuses foreign hosts and overlong requests, sets the `Date` header to the service's
/// clock, and turns a panic into an answer.
pub async fn outer_layer(State(service): State<Service>, mut request: Request, next: Next) -> Response {
    let client = ClientInfo::of(&request, &service.hosts, &service.options.proxies);
    let line = LogLine::begin(&request, client.as_ref());
    let _in_flight = service.metrics.begin();
    let meant = client.is_some();
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let mut response = if !meant {
        ApiError::validation(UNKNOWN_HOST_MESSAGE).into_response()
    } else if is_too_long(request.uri()) {
        ApiError::validation(format!("the address is longer than {MAX_ADDRESS_BYTES} bytes")).into_response()
    } else if are_too_long(request.headers()) {
        ApiError::validation(format!("the headers are longer than {MAX_HEADER_BYTES} bytes")).into_response()
    } else {
        match AssertUnwindSafe(next.run(request)).catch_unwind().await {
            Ok(response) => response,
            Err(_) => ApiError::internal(&"a handler panicked").into_response(),
        }
    };
    let now = service.clock.now();
    if let Ok(date) = HeaderValue::from_str(&http_date(now)) {
        response.headers_mut().insert(header::DATE, date);
    }
    line.end(response.status(), &service.metrics);
    // Paths outside the interface never reach `gate`, which sets the headers otherwise.
    if !response.headers().contains_key(LIMIT_HEADER) {
        let peer = IpAddr::from([0, 0, 0, 0]);
        if let Ok(standing) = service.limits.admit_failure(peer, false, now) {
            write_quota_headers(&standing, response.headers_mut());
        }
    }
    response
}

/// Layer around the interface: authentication, scope, rate limit, injected fault.
pub async fn interface_layer(State(service): State<Service>, mut request: Request, next: Next) -> Response {
    let caller = match authenticate(request.headers(), &service.database).await {
        Ok(caller) => caller,
        Err(error) => {
            let client = request.extensions().get::<ClientInfo>();
            let peer = client.map_or(IpAddr::from([0, 0, 0, 0]), |client| client.address);
            return refuse_unauthenticated(&service, peer, error).await;
        }
    };
    let path = request.uri().path().to_owned();
    let method = request.method().clone();
    let category = scope::category(&method, &path);
    if let Err(error) = scope::check(&caller, &path) {
        return match service.quota(&caller.key, category).await {
            Ok(standing) => with_quota_headers(error.into_response(), &standing),
            Err(cause) => ApiError::from(cause).into_response(),
        };
    }
    let standing = match service.admit(&caller.key, category).await {
        Ok(Ok(standing)) => standing,
        Ok(Err(refused)) => return too_many(&refused, &format!("{category:?}")),
        Err(cause) => return ApiError::from(cause).into_response(),
    };
    request.extensions_mut().insert::<Caller>(caller);
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
        return refuse("the switches are not for web pages");
    }
    // A request forwarded by a local proxy may come from another machine.
    let client = request.extensions().get::<ClientInfo>();
    // Without a socket (`in_process`) the address is unspecified.
    let is_local = |ip_addr: IpAddr| ip_addr.is_loopback() || ip_addr.is_unspecified();
    let is_here =
        |client_info: &ClientInfo| is_local(client_info.address) && hosts::is_this_machine(&client_info.host);
    if !client.is_some_and(is_here) || forwarded::is_forwarded(request.headers()) {
        return refuse("the switches are for this machine only");
    }
    next.run(request).await
}

/// Answers a call that failed to authenticate, and counts it against its address.
async fn refuse_unauthenticated(service: &Service, peer: IpAddr, error: ApiError) -> Response {
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
        "the limit of {} calls was exceeded ({}); try again in {} s",
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
    ApiError::new(ErrorCode::NotFound, "there is nothing at this path")
}

pub async fn wrong_method(method: Method) -> ApiError {
    ApiError::new(ErrorCode::MethodNotAllowed, format!("{method} is not a method of this path"))
}
