//! Handler of `getDocument`: the OpenAPI description of the interface.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;

/// OpenAPI 3.1.
const OPENAPI_JSON: &str = include_str!("../../../assets/openapi.json");

/// Handles `getDocument`; needs no key.
pub async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], OPENAPI_JSON)
}
