//! The service's error type and its answer, the `Error` schema of assets/openapi.json.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::database::DatabaseError;
use api::errors::{ErrorBody, ErrorCode};
use api::request::FieldError;

/// `Retry-After` of an answer refused because of the database, in seconds.
const DATABASE_RETRY_SECONDS: i64 = 1;

/// Refusal of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// Decides the status.
    pub code: ErrorCode,
    /// For a developer: the problem and, where it helps, the remedy. Contains neither secrets nor internal
    /// causes.
    pub message: String,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<i64>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None }
    }

    /// `VALIDATION_ERROR`; the message names the field.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationError, message)
    }

    /// `NOT_FOUND`, also for a resource that another key owns.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("{what} does not exist"))
    }

    /// `INTERNAL_ERROR`; logs the cause and hides it from the caller.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed inside the service");
        Self::new(ErrorCode::InternalError, "the service failed; nothing was changed")
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: i64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// HTTP status; 503 for a fault of the service that is worth a retry.
    pub fn status(&self) -> u16 {
        let passes = self.code == ErrorCode::InternalError && self.retry_after.is_some();
        if passes { 503 } else { self.code.status() }
    }

    pub fn body(&self) -> ErrorBody {
        ErrorBody { code: self.code.word().to_owned(), message: self.message.clone(), docs: None }
    }

    /// Returns true if the service and not the caller is at fault.
    pub fn is_server_fault(&self) -> bool {
        self.code.status() >= 500
    }
}

impl From<FieldError> for ApiError {
    fn from(refused: FieldError) -> Self {
        Self::validation(refused.to_string())
    }
}

impl From<DatabaseError> for ApiError {
    fn from(cause: DatabaseError) -> Self {
        use DatabaseError::{Absent, Busy, Full, Locked, Lost, Moved, Newer, Slow, Unknown, Unreachable};
        let words = match &cause {
            Unknown => {
                tracing::error!(%cause, "a request failed inside the service");
                let words = "the database did not report whether the change was stored; repeat the request \
                             with the same Idempotency-Key";
                return Self::new(ErrorCode::InternalError, words);
            }
            Busy => "the database is overloaded; nothing was changed: try again in a moment",
            Locked => {
                "the database is locked; nothing was changed: try again. If this persists, the operator of \
                 the service has to find the session that holds the lock"
            }
            Slow => "the query took too long and was cancelled: ask for less, or try again in a moment",
            Full(_) => {
                "the disk of the database is full; nothing was changed: the operator of the service has to \
                 free disk space"
            }
            Lost | Unreachable(_) | Absent(_) => {
                "the database cannot be reached right now; nothing was changed: try again"
            }
            Newer(_) | Moved(_) => {
                "another version of the service has taken over the database; nothing was changed: try again"
            }
            _ => return Self::internal(&cause),
        };
        tracing::error!(%cause, "a request was refused because of the database");
        Self::new(ErrorCode::InternalError, words).retry_after(DATABASE_RETRY_SECONDS)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
