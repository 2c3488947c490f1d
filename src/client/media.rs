//! Media uploads. The multipart boundary is derived from the file, so that the same file gives the
//! same request bytes.

use sha2::{Digest, Sha256};

use crate::checks;
use crate::prepare::PrepareError;
use api::paths;
use model::bounds;
use model::outbox::{PreparedRequest, WriteMethod};

pub(crate) fn prepare(
    filename: &str,
    mime_type: &str,
    size: u64,
    files: &[&[u8]],
) -> Result<PreparedRequest, PrepareError> {
    let &[file] = files else { return Err(PrepareError::NoFiles) };
    if u64::try_from(file.len()).ok() != Some(size) {
        return Err(PrepareError::NoFiles);
    }
    checks::check_required("the file name", filename, bounds::MAX_FILENAME_CHARS)?;
    let most = usize::try_from(bounds::MAX_UPLOAD_BYTES).unwrap_or(usize::MAX);
    match file.len() {
        0 => return Err(PrepareError::Empty("the file")),
        count => checks::check_count("bytes in the file", count, most)?,
    }
    let boundary = boundary(file);
    let mut body = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         Content-Type: {}\r\n\r\n",
        quoted(filename),
        media_type(mime_type)
    )
    .into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    Ok(PreparedRequest {
        method: WriteMethod::Post,
        path: paths::MEDIA.to_owned(),
        content_type: Some(format!("multipart/form-data; boundary={boundary}")),
        body,
    })
}

/// Returns a multipart boundary that does not occur in the file.
fn boundary(file: &[u8]) -> String {
    let digest: String = Sha256::digest(file).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let mut boundary = format!("frontdesk-{digest}");
    // A file that contains its own digest is unlikely but possible.
    while file.windows(boundary.len()).any(|window| window == boundary.as_bytes()) {
        boundary.push('x');
    }
    boundary
}

/// Escapes a file name inside quotes as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// Returns the media type if it is valid in a header, else a generic one.
fn media_type(given: &str) -> &str {
    let plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    match given.split_once('/') {
        Some((kind, subtype)) if plain(kind) && plain(subtype) => given,
        _ => "application/octet-stream",
    }
}
