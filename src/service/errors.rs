//! The one error of the service's floor and its answer: every refusal leaves
//! in the interface's Error shape. Interface: Errors.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::database::DatabaseError;
use wire::errors::{ErrorBody, ErrorCode};

/// Seconds before a database that could not be asked is asked again.
const PAUSE: i64 = 1;

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

    /// The status: a fault of the service that passes by itself is no 500.
    pub fn status(&self) -> u16 {
        let passes = self.code == ErrorCode::InternalError && self.retry_after.is_some();
        if passes { 503 } else { self.code.status() }
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
        use DatabaseError::{Absent, Busy, Full, Locked, Lost, Moved, Newer, Slow, Unknown, Unreachable};
        let words = match &cause {
            Unknown => {
                tracing::error!(%cause, "a request failed inside the service");
                let words = "the database did not tell whether this was kept; ask again with the same Idempotency-Key";
                return Self::new(ErrorCode::InternalError, words);
            }
            Busy => "the database has more to do than it can; nothing was changed: try again in a moment",
            Locked => {
                "another session of the database server holds a lock that is needed; nothing was changed: try again, and \
                 who runs the service has to end that session"
            }
            Slow => {
                "the database takes too long for this question, which was ended: ask for less, or again in a moment"
            }
            Full(_) => {
                "the disk of the database is full; nothing was changed: who runs the service has to make room"
            }
            Lost | Unreachable(_) | Absent(_) => {
                "the database cannot be reached for a moment; nothing was changed: try again"
            }
            Newer(_) | Moved(_) => {
                "another version of the service has the database by now; nothing was changed: try again"
            }
            _ => return Self::internal(&cause),
        };
        tracing::error!(%cause, "a request waited for the database in vain");
        Self::new(ErrorCode::InternalError, words).retry_after(PAUSE)
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
