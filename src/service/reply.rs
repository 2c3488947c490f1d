//! An answer that can be sent now and kept for a replay.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::errors::ApiError;
use wire::body::Body;

/// Set on an answer that was kept. Interface: Idempotency 3.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Status and exact bytes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// The body, JSON.
    pub body: Vec<u8>,
    /// Whether it is an earlier answer given again.
    pub replayed: bool,
    /// What has to reach a platform before it is the answer, by its id.
    pub carried: Option<String>,
}

impl Reply {
    /// 200 with a body.
    pub fn ok(body: &impl Body) -> Result<Self, ApiError> {
        Self::with_status(200, body)
    }

    /// 200 with a body that is JSON already.
    pub fn of_json(body: Vec<u8>) -> Self {
        Self { status: 200, body, replayed: false, carried: None }
    }

    pub fn with_status(status: u16, body: &impl Body) -> Result<Self, ApiError> {
        let body = body.to_json().map_err(|cause| ApiError::internal(&cause))?;
        Ok(Self { status, body, replayed: false, carried: None })
    }

    /// A refusal as an answer, to be kept like any other.
    pub fn of_error(error: &ApiError) -> Self {
        let body = error.body().to_json().unwrap_or_default();
        Self { status: error.status(), body, replayed: false, carried: None }
    }

    /// The same answer, once something has reached its platform.
    #[must_use]
    pub fn after(self, carried: Option<String>) -> Self {
        Self { carried, ..self }
    }

    /// The same answer with `test: true`, as every write with a test key is
    /// answered. Interface: Authentication 6.
    pub fn marked_test(self) -> Result<Self, ApiError> {
        let mut value: Value =
            serde_json::from_slice(&self.body).map_err(|cause| ApiError::internal(&cause))?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("test".to_owned(), Value::Bool(true));
        }
        Self::with_status(self.status, &value)
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (status, json, self.body).into_response();
        if self.replayed {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
