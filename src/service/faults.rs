//! Faults that `/dev/fault` asks for: the next calls are delayed, answered
//! so, or cut off before, during or after their work.
//!
//! Without `--dev` nothing gets in here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use wire::errors::{ErrorBody, ErrorCode};

/// Where a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Nothing is done, nothing is answered.
    Before,
    /// All is done, nothing is answered.
    After,
    /// All is done, half the answer leaves.
    Middle,
}

/// One fault, for the next so many matching calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What a matching path begins with, with or without `/v1`.
    pub path_prefix: String,
    /// Only this method, if given.
    pub method: Option<Method>,
    pub count: u32,
    /// Answered with this status, its work not done.
    pub status: Option<u16>,
    pub code: Option<String>,
    /// Answered this much later; a write claims its idempotency key first.
    pub delay: Duration,
    /// The connection is cut.
    pub cut: Option<Cut>,
    /// The `Retry-After` of that answer.
    pub retry_after: Option<i64>,
}

/// On an answer that must not leave: the connection is closed instead.
#[derive(Debug, Clone, Copy)]
pub struct CutOff;

/// A delay that passes once, wherever it is first waited for.
#[derive(Debug, Clone)]
pub struct Delay {
    span: Duration,
    passed: Arc<AtomicBool>,
}

impl Delay {
    /// Waits, unless it was waited for already.
    pub async fn pass(&self) {
        if !self.passed.swap(true, Ordering::SeqCst) {
            tokio::time::sleep(self.span).await;
        }
    }
}

/// The faults that wait for their calls, oldest first.
#[derive(Default)]
pub struct Faults {
    waiting: Mutex<Vec<Fault>>,
}

impl Faults {
    /// Adds a fault behind the others.
    pub fn add(&self, fault: Fault) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    /// Takes off the faults for exactly this prefix.
    pub fn clear(&self, path_prefix: &str) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|fault| fault.path_prefix != path_prefix);
    }

    /// The first fault that matches a call, counted down. The path is the one
    /// below the base URL.
    pub fn take(&self, method: &Method, path: &str) -> Option<Fault> {
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
        self.count > 0 && path.starts_with(prefix) && self.method.as_ref().is_none_or(|it| it == method)
    }

    /// Lets a call meet its fault.
    pub async fn meet(self, mut request: Request, next: Next) -> Response {
        let delay = Delay { span: self.delay, passed: Arc::default() };
        let works = self.status.is_none() && self.cut != Some(Cut::Before);
        if !works || request.method() == Method::GET {
            delay.pass().await;
        }
        if self.cut == Some(Cut::Before) {
            return cut_off();
        }
        let response = match self.status {
            Some(status) => self.answer(status),
            None => {
                request.extensions_mut().insert(delay.clone());
                let response = next.run(request).await;
                delay.pass().await;
                response
            }
        };
        match self.cut {
            Some(Cut::After) => cut_off(),
            Some(Cut::Middle) => torn(response).await,
            Some(Cut::Before) | None => response,
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

fn cut_off() -> Response {
    let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
    response.extensions_mut().insert(CutOff);
    response
}

/// The same answer, announced whole, of which only half arrives.
async fn torn(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let whole = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let half = whole.slice(..whole.len() / 2);
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(whole.len()));
    let broken = std::io::Error::other("cut off, as was asked for");
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
            let taken = faults.take(&method, path);
            assert_eq!(taken.as_ref().map(|it| it.path_prefix.as_str()), prefix, "{method} {path}");
        }
    }
}
