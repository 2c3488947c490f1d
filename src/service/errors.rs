//! The one error of the service's floor and its answer: every refusal leaves
//! in the interface's Error shape. Interface: Errors.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::database::DatabaseError;
use wire::errors::{ErrorBody, ErrorCode};

/// A refusal, with a message for the developer who reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The row of the interface's table; it decides the status.
    pub code: ErrorCode,
    /// What was wrong and, where it helps, what to do. Never a secret and
    /// never a stack of causes.
    pub message: String,
    /// Seconds after which another try makes sense.
    pub retry_after: Option<i64>,
}

impl ApiError {
    /// A refusal by code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None }
    }

    /// A request that is not valid; the message names the field.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationError, message)
    }

    /// A resource that is not there, or not this key's.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("{what} does not exist"))
    }

    /// Something the service itself failed at. The cause goes to the log.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed inside the service");
        Self::new(ErrorCode::InternalError, "something went wrong inside the service; nothing was changed")
    }

    /// The same refusal, to be tried again after so many seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: i64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The body on the wire.
    pub fn body(&self) -> ErrorBody {
        ErrorBody { code: self.code.word().to_owned(), message: self.message.clone(), docs: None }
    }

    /// Whether the service, not the caller, is at fault.
    pub fn is_server_fault(&self) -> bool {
        self.code.status() >= 500
    }
}

impl From<DatabaseError> for ApiError {
    fn from(cause: DatabaseError) -> Self {
        if !matches!(cause, DatabaseError::Unknown) {
            return Self::internal(&cause);
        }
        tracing::error!(%cause, "a request failed inside the service");
        let words =
            "the database did not tell whether this was kept; ask again with the same Idempotency-Key";
        Self::new(ErrorCode::InternalError, words)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
