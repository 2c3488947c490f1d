//! An upload as its handler sees it: one file out of a multipart body, and
//! the write it is part of. Interface: Media.
//!
//! Parts are compared with an earlier request's one by one: the boundary
//! between them differs with each try.

use std::time::Duration;

use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use hyper::body::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::body_memory::Room;
use crate::errors::ApiError;
use crate::request::{Writing, bounded, expected};
use crate::state::Service;
use model::bounds;
use wire::errors::ErrorCode;

/// The field the file is in.
const FIELD: &str = "file";
/// Parts of a body at most.
const PARTS: usize = 4;
/// Bytes of a part's headers at most.
const PART_HEADERS: usize = 8 * 1024;
/// Bytes of a body beside the file at most.
const ENVELOPE: usize = 64 * 1024;
/// For a whole upload.
const TIME: Duration = Duration::from_secs(120);

/// A file that was uploaded, and by whom.
pub struct Upload {
    /// The write it is part of; its body is null.
    pub request: Writing,
    /// What the uploader called it.
    pub name: String,
    pub bytes: Bytes,
    /// Held until the file is on the disk: bounds the memory uploads take
    /// together.
    pub room: Room,
}

impl FromRequest<Service> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        // The file is held twice for a moment: as it came, and taken out.
        let bytes = expected(request.headers(), body_bound()).saturating_mul(2);
        let room = service.body_memory.reserve(bytes, TIME).await?;
        let read = timeout(TIME, read(request, service, room)).await;
        read.map_err(|_| ApiError::validation("the upload took too long"))?
    }
}

/// Bytes of a body at most.
fn body_bound() -> usize {
    usize::try_from(bounds::UPLOAD_BYTES).unwrap_or(usize::MAX).saturating_add(ENVELOPE)
}

async fn read(request: Request, service: &Service, room: Room) -> Result<Upload, ApiError> {
    let (mut parts, body) = request.into_parts();
    let body = bounded(&parts.headers, body, body_bound()).await?;
    let mut whole = Request::new(Body::from(body));
    *whole.headers_mut() = parts.headers.clone();
    // The body is bounded already.
    DefaultBodyLimit::disable().apply(&mut whole);
    let multipart = Multipart::from_request(whole, service).await;
    let mut multipart = multipart.map_err(|_| {
        ApiError::validation("the body must be multipart/form-data with a boundary, and a field named file")
    })?;
    let mut file = None;
    let mut seen = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(broken)? {
        if seen.len() >= PARTS {
            return Err(ApiError::validation(format!("the body must have at most {PARTS} parts")));
        }
        check_headers(&field)?;
        let name = field.name().unwrap_or("").to_owned();
        let called = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(broken)?;
        seen.push(mark(&name, called.as_deref(), &bytes));
        if name == FIELD {
            if file.is_some() {
                return Err(ApiError::validation("the field file must be there once"));
            }
            file = Some((called.unwrap_or_default(), bytes));
        }
    }
    let (name, bytes) = file.ok_or_else(|| ApiError::validation("the field file is required"))?;
    check_size(bytes.len(), body_bound() - ENVELOPE)?;
    let request = Writing::of_parts(&mut parts, Value::Null, Some(&Value::Array(seen))).await?;
    Ok(Upload { request, name, bytes, room })
}

/// What a part is compared by.
fn mark(name: &str, called: Option<&str>, bytes: &[u8]) -> Value {
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"name": name, "filename": called, "sha256": digest})
}

fn check_headers(field: &Field<'_>) -> Result<(), ApiError> {
    let bytes: usize =
        field.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if bytes > PART_HEADERS {
        return Err(ApiError::validation(format!("a part's headers must have at most {PART_HEADERS} bytes")));
    }
    Ok(())
}

fn check_size(bytes: usize, bound: usize) -> Result<(), ApiError> {
    match bytes {
        0 => Err(ApiError::validation("the field file must not be empty")),
        bytes if bytes > bound => {
            let message = format!("the file has {bytes} bytes; it must have at most {bound}");
            Err(ApiError::new(ErrorCode::PayloadTooLarge, message))
        }
        _ => Ok(()),
    }
}

fn broken(cause: MultipartError) -> ApiError {
    ApiError::validation(format!("the body is not valid multipart/form-data: {}", cause.body_text()))
}
