//! Handlers of uploaded media.

use std::fs::File;
use std::io::Read;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use hyper::body::Bytes;
use rand::RngExt;

use crate::carriers::files as missing;
use crate::client_info::ClientInfo;
use crate::database::DatabaseError;
use crate::database::media::{self, MediaRow};
use crate::errors::ApiError;
use crate::media::files::MediaStore;
use crate::media::names;
use crate::media::upload::Upload;
use crate::reply::Reply;
use crate::state::Service;
use crate::write::WriteContext;
use api::media::MediaBody;
use model::files;

/// Size of a chunk when a file is served, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// Handles `uploadMedia`. The bytes are stored before the row that names them.
pub async fn upload(
    State(service): State<Service>,
    Extension(client): Extension<ClientInfo>,
    upload: Upload,
) -> Result<Reply, ApiError> {
    let Upload { mut request, name, bytes, reservation: room } = upload;
    let shown = names::display_name(&name);
    let row = MediaRow {
        id: random_id(),
        workspace: request.caller.workspace.clone(),
        mime_type: files::mime_type(&bytes, &shown).to_owned(),
        size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
        filename: shown,
    };
    let stored = !(service.claim(&mut request).await? || request.caller.is_test());
    let id = row.id.clone();
    if stored {
        service.store_media(&id, bytes).await?;
    }
    drop(room);
    let base = service.hosts.base_url(client.scheme, &client.host);
    let outcome = service.write(request, move |work, _| store_media(work, row, &base)).await;
    let kept = matches!(&outcome, Ok(reply) if reply.status == 200 && !reply.replayed);
    if stored && !kept {
        service.remove_media(&id).await;
    }
    outcome
}

/// Returns an unguessable id, since anyone who knows it may read the file.
fn random_id() -> String {
    let random: [u8; 16] = rand::rng().random();
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("med_{hex}")
}

fn store_media(work: &WriteContext<'_>, mut row: MediaRow, base: &str) -> Result<Reply, ApiError> {
    if work.test {
        row.id = work.id("med", work.stamp());
    }
    media::insert(work.db, &row, work.now)?;
    Reply::ok(&MediaBody {
        url: format!("{base}/media/{}/{}", row.id, names::safe_name(&row.filename)),
        mime_type: row.mime_type,
        size: u64::try_from(row.size).unwrap_or(0),
        filename: row.filename,
    })
}

/// Handles `getFile`: without a key and rate limit, because platforms fetch it.
pub async fn serve(
    State(service): State<Service>,
    Path((id, filename)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let absent = || ApiError::not_found("this file");
    let wanted = id.clone();
    let found: Result<_, DatabaseError> = service.database.read(move |db| media::read(db, &wanted)).await;
    let row = match found? {
        Some(row) => row,
        None => missing::fetch_now(&service, &id).await?.ok_or_else(absent)?,
    };
    let safe = names::safe_name(&row.filename);
    if filename != safe {
        return Err(absent());
    }
    let name = row.id.clone();
    let body = match service.media.clone() {
        MediaStore::Folder(files) => {
            let opened = tokio::task::spawn_blocking(move || files.open(&name)).await;
            let file = opened.map_err(|cause| ApiError::internal(&cause))?.map_err(|_| absent())?;
            Body::from_stream(stream::unfold(Some(file), next_chunk))
        }
        MediaStore::Database => {
            let begun = Some((service.clone(), name, 0));
            Body::from_stream(stream::unfold(begun, next_part))
        }
    };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    let value = |text: &str| HeaderValue::from_str(text).map_err(|cause| ApiError::internal(&cause));
    headers.insert(header::CONTENT_TYPE, value(&row.mime_type)?);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(row.size));
    headers.insert(header::CONTENT_DISPOSITION, value(&format!("attachment; filename=\"{safe}\""))?);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400, immutable"));
    Ok(response)
}

/// Reads the next part of a file in the database.
async fn next_part(
    at: Option<(Service, String, i64)>,
) -> Option<(Result<Bytes, DatabaseError>, Option<(Service, String, i64)>)> {
    let (service, id, number) = at?;
    let name = id.clone();
    match service.database.read(move |db| media::read_part(db, &name, number)).await {
        Ok(part) => Some((Ok(Bytes::from(part?)), Some((service, id, number + 1)))),
        Err(cause) => Some((Err(cause), None)),
    }
}

async fn next_chunk(file: Option<File>) -> Option<(std::io::Result<Bytes>, Option<File>)> {
    let mut file = file?;
    let read = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; CHUNK_BYTES];
        let count = file.read(&mut piece)?;
        piece.truncate(count);
        Ok::<_, std::io::Error>((piece, file))
    });
    match read.await {
        Ok(Ok((piece, _))) if piece.is_empty() => None,
        Ok(Ok((piece, file))) => Some((Ok(Bytes::from(piece)), Some(file))),
        Ok(Err(cause)) => Some((Err(cause), None)),
        Err(cause) => Some((Err(std::io::Error::other(cause)), None)),
    }
}
