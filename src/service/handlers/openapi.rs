//! The description of the interface as this service answers it, for client
//! generators and tests.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;

/// OpenAPI 3.1.
const DOCUMENT: &str = include_str!("../../../assets/openapi.json");

/// `GET /openapi.json`: without a key, since it tells nothing of anyone.
pub async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], DOCUMENT)
}
