//! Answer of a request, which can be stored and replayed under its idempotency key.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::errors::ApiError;
use api::body::Body;

const REPLAYED_HEADER: HeaderName = HeaderName::from_static("idempotent-replayed");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
    pub replayed: bool,
    /// Id of the outbound message that the platform has to accept first; this answer is then the one for
    /// success.
    pub awaited_id: Option<String>,
}

impl Reply {
    pub fn ok(body: &impl Body) -> Result<Self, ApiError> {
        Self::with_status(200, body)
    }

    pub fn from_json(body: Vec<u8>) -> Self {
        Self { status: 200, body, replayed: false, awaited_id: None }
    }

    pub fn with_status(status: u16, body: &impl Body) -> Result<Self, ApiError> {
        let body = body.to_json().map_err(|cause| ApiError::internal(&cause))?;
        Ok(Self { status, body, replayed: false, awaited_id: None })
    }

    /// Converts a refusal to an answer, so that it is stored like any other.
    pub fn from_error(error: &ApiError) -> Self {
        let body = error.body().to_json().unwrap_or_default();
        Self { status: error.status(), body, replayed: false, awaited_id: None }
    }

    /// Makes the answer wait for the outbound message with this id.
    #[must_use]
    pub fn awaiting(self, carried: Option<String>) -> Self {
        Self { awaited_id: carried, ..self }
    }

    /// Adds `test: true`, as in every answer to a write with a test key.
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
            response.headers_mut().insert(REPLAYED_HEADER, HeaderValue::from_static("true"));
        }
        response
    }
}
