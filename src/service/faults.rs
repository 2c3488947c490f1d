//! Faults injected by `/dev/fault`: the next matching calls are delayed, answered with a status, or cut off
//! before, during or after their work. Only reachable with `--dev`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use api::errors::{ErrorBody, ErrorCode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutPoint {
    /// Before the work.
    Before,
    /// After the work, before the answer.
    After,
    /// After the work, in the middle of the answer.
    Middle,
}

/// Fault for the next `count` matching calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Prefix of a matching path, with or without `/v1`.
    pub path_prefix: String,
    /// `None` matches every method.
    pub method: Option<Method>,
    pub count: u32,
    /// Status to answer with; the call's work is then not done.
    pub status: Option<u16>,
    pub code: Option<String>,
    /// Delay of the answer; a write claims its idempotency key before it waits.
    pub delay: Duration,
    pub cut: Option<CutPoint>,
    /// `Retry-After` of the answer, in seconds.
    pub retry_after: Option<i64>,
}

/// Marks a response that must not be sent: the connection is closed instead.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionCut;

/// Delay that is waited for once, in whichever place comes first.
#[derive(Debug, Clone)]
pub struct Delay {
    span: Duration,
    passed: Arc<AtomicBool>,
}

impl Delay {
    /// Waits, unless the delay has passed already.
    pub async fn wait(&self) {
        if !self.passed.swap(true, Ordering::SeqCst) {
            tokio::time::sleep(self.span).await;
        }
    }
}

/// Pending faults, oldest first.
#[derive(Default)]
pub struct Faults {
    waiting: Mutex<Vec<Fault>>,
}

impl Faults {
    pub fn add(&self, fault: Fault) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    /// Removes the faults with exactly this prefix.
    pub fn clear(&self, path_prefix: &str) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|fault| fault.path_prefix != path_prefix);
    }

    /// Returns the first fault that matches a call, and counts it down. `path` is below the base URL.
    pub fn take_matching(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let index = waiting.iter().position(|fault| fault.matches(method, path))?;
        waiting[index].count -= 1;
        let fault = waiting[index].clone();
        waiting.retain(|fault| fault.count > 0);
        Some(fault)
    }
}

impl Fault {
    fn matches(&self, method: &Method, path: &str) -> bool {
        let prefix = self.path_prefix.strip_prefix("/v1").unwrap_or(&self.path_prefix);
        self.count > 0 && path.starts_with(prefix) && self.method.as_ref().is_none_or(|entry| entry == method)
    }

    pub async fn apply(self, mut request: Request, next: Next) -> Response {
        let delay = Delay { span: self.delay, passed: Arc::default() };
        let works = self.status.is_none() && self.cut != Some(CutPoint::Before);
        if !works || request.method() == Method::GET {
            delay.wait().await;
        }
        if self.cut == Some(CutPoint::Before) {
            return cut_response();
        }
        let response = match self.status {
            Some(status) => self.answer(status),
            None => {
                request.extensions_mut().insert(delay.clone());
                let response = next.run(request).await;
                delay.wait().await;
                response
            }
        };
        match self.cut {
            Some(CutPoint::After) => cut_response(),
            Some(CutPoint::Middle) => truncate_response(response).await,
            Some(CutPoint::Before) | None => response,
        }
    }

    fn answer(&self, status: u16) -> Response {
        let known = ErrorCode::ALL.iter().find(|code| code.status() == status);
        let word = known.unwrap_or(&ErrorCode::InternalError).word();
        let body = ErrorBody {
            code: self.code.clone().unwrap_or_else(|| word.to_owned()),
            message: "a fault that was asked for".to_owned(),
            docs: None,
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

fn cut_response() -> Response {
    let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
    response.extensions_mut().insert(ConnectionCut);
    response
}

/// Announces the full length and sends half of the body.
async fn truncate_response(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let whole = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let half = whole.slice(..whole.len() / 2);
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(whole.len()));
    let broken = std::io::Error::other("cut off by a requested fault");
    Response::from_parts(parts, Body::from_stream(futures_util::stream::iter([Ok(half), Err(broken)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_meet_the_calls_they_name_and_run_out() {
        let faults = Faults::default();
        let fault = |prefix: &str, method: Option<Method>, count| Fault {
            path_prefix: prefix.to_owned(),
            method,
            count,
            status: None,
            code: None,
            delay: Duration::ZERO,
            cut: None,
            retry_after: None,
        };
        faults.add(fault("/v1/messages/send", Some(Method::POST), 2));
        faults.add(fault("/messages", None, 1));
        let takes = [
            (Method::POST, "/conversations", None),
            (Method::POST, "/messages/send", Some("/v1/messages/send")),
            (Method::GET, "/messages/send", Some("/messages")),
            (Method::POST, "/messages/send", Some("/v1/messages/send")),
            (Method::POST, "/messages/send", None),
        ];
        for (method, path, prefix) in takes {
            let taken = faults.take_matching(&method, path);
            assert_eq!(taken.as_ref().map(|fault| fault.path_prefix.as_str()), prefix, "{method} {path}");
        }
    }
}
