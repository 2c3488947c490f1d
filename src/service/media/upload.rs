//! Extractor for `uploadMedia`: one file in a multipart body.
//!
//! A retry is compared by its parts, because the boundary differs each time.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use futures_util::stream;
use hyper::body::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use crate::auth::Caller;
use crate::bodies::{
    BodyOwner, BodyReader, BodyReservation, BodyRules, LARGE_BODY_TIMEOUT, MAX_UNRESERVED_BYTES,
};
use crate::errors::ApiError;
use crate::request::{WriteRequest, caller};
use crate::state::Service;
use api::errors::ErrorCode;
use model::bounds;

const FILE_FIELD: &str = "file";
/// Maximum number of parts of a body.
const MAX_PARTS: usize = 4;
const MAX_PART_HEADER_BYTES: usize = 8 * 1024;
/// Maximum size of the body beside the file, in bytes.
const MAX_ENVELOPE_BYTES: usize = 64 * 1024;

pub struct Upload {
    /// The request; its body is null.
    pub request: WriteRequest,
    /// File name given by the client.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Memory reserved for the file, held until it is stored.
    pub reservation: Option<BodyReservation>,
}

impl FromRequest<Service> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let mut patience = service.options.timeouts;
        patience.body = patience.body.max(LARGE_BODY_TIMEOUT);
        let rules = BodyRules {
            owner: BodyOwner::Key(caller::<Caller>(&parts)?.key),
            max_bytes: max_body_bytes(),
            timeouts: patience,
        };
        let reader = Arc::new(Mutex::new(UploadReader {
            body: BodyReader::new(&parts.headers, body, &service.bodies, rules),
            refusal: None,
        }));
        let mut pieces = Request::new(Body::from_stream(stream::unfold(Arc::clone(&reader), next_chunk)));
        *pieces.headers_mut() = parts.headers.clone();
        let expected = reader.lock().await.body.expected_bytes();
        // The parser owns the reader until it has ended.
        let read = read(pieces, expected).await;
        let mut reader = reader.lock().await;
        // After a refusal the parser only reports that the body ended early.
        if let Some(refusal) = reader.refusal.take() {
            return Err(refusal);
        }
        let (name, bytes, seen) = match read {
            Ok(read) => read,
            Err(refusal) => {
                reader.body.drain().await;
                return Err(refusal);
            }
        };
        // Bytes after the last part belong to the body as well.
        while reader.body.next().await?.is_some() {}
        let request = WriteRequest::of_parts(&mut parts, Value::Null, Some(&Value::Array(seen))).await?;
        Ok(Self { request, name, bytes, reservation: reader.body.take_reservation() })
    }
}

/// Body on its way to the parser, with the error that ended it.
struct UploadReader {
    body: BodyReader,
    refusal: Option<ApiError>,
}

async fn next_chunk(
    reader: Arc<Mutex<UploadReader>>,
) -> Option<(io::Result<Bytes>, Arc<Mutex<UploadReader>>)> {
    let mut reading = reader.lock().await;
    let next = match reading.body.next().await {
        Ok(next) => Ok(next?),
        Err(refusal) => {
            reading.refusal = Some(refusal);
            Err(io::Error::other("the rest of the body could not be read"))
        }
    };
    drop(reading);
    Some((next, reader))
}

fn max_body_bytes() -> usize {
    usize::try_from(bounds::MAX_UPLOAD_BYTES).unwrap_or(usize::MAX).saturating_add(MAX_ENVELOPE_BYTES)
}

/// Reads the file's name and bytes, and the value by which each part is compared.
async fn read(mut request: Request, expected: usize) -> Result<(String, Vec<u8>, Vec<Value>), ApiError> {
    // [`BodyReader`] bounds the body already.
    DefaultBodyLimit::disable().apply(&mut request);
    let multipart = Multipart::from_request(request, &()).await;
    let mut multipart = multipart.map_err(|_| {
        ApiError::validation("the body must be multipart/form-data with a boundary, and a field named file")
    })?;
    let mut file = None;
    let mut seen = Vec::new();
    while let Some(mut field) = multipart.next_field().await.map_err(broken_upload)? {
        if seen.len() >= MAX_PARTS {
            return Err(ApiError::validation(format!("the body must have at most {MAX_PARTS} parts")));
        }
        check_headers(&field)?;
        let name = field.name().unwrap_or("").to_owned();
        let called = field.file_name().map(str::to_owned);
        let is_file = name == FILE_FIELD;
        let (mut bytes, mut digest) = (Vec::new(), Sha256::new());
        while let Some(chunk) = field.chunk().await.map_err(broken_upload)? {
            digest.update(&chunk);
            if is_file {
                if bytes.capacity() - bytes.len() < chunk.len() {
                    // The whole file is only allocated at once if memory is reserved for it.
                    let whole = if bytes.len() + chunk.len() > MAX_UNRESERVED_BYTES { expected } else { 0 };
                    bytes.reserve_exact(whole.saturating_sub(bytes.len()).max(bytes.len()).max(chunk.len()));
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        seen.push(part_fingerprint(&name, called.as_deref(), digest));
        if is_file {
            if file.is_some() {
                return Err(ApiError::validation("the field file must be present once"));
            }
            file = Some((called.unwrap_or_default(), bytes));
        }
    }
    let (name, bytes) = file.ok_or_else(|| ApiError::validation("the field file is required"))?;
    check_size(bytes.len(), max_body_bytes() - MAX_ENVELOPE_BYTES)?;
    Ok((name, bytes, seen))
}

/// Returns the value by which a part is compared.
fn part_fingerprint(name: &str, called: Option<&str>, digest: Sha256) -> Value {
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"name": name, "filename": called, "sha256": digest})
}

fn check_headers(field: &Field<'_>) -> Result<(), ApiError> {
    let bytes: usize =
        field.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if bytes > MAX_PART_HEADER_BYTES {
        return Err(ApiError::validation(format!(
            "a part's headers must have at most {MAX_PART_HEADER_BYTES} bytes"
        )));
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

fn broken_upload(cause: MultipartError) -> ApiError {
    ApiError::validation(format!("the body is not valid multipart/form-data: {}", cause.body_text()))
}
