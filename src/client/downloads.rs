//! Saves a file that a message or mail links to, when a person asks for it: under the rules of
//! [`crate::pictures`], but as large as mail gets, and with the time that a service needs to fetch it from a
//! mailbox first.

use std::io::{self, Write};
use std::time::Duration;

use reqwest::Url;
use thiserror::Error;

use crate::pictures::{self, PictureError};
use crate::{errors, words};
use model::text::SafeText;

/// Maximum size of a saved file, in bytes.
const MAX_FILE_BYTES: u64 = 400 * 1024 * 1024;
/// Time until the first byte: the service may fetch the file from a mailbox first.
const START_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Longest pause between two parts.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum size of a refusal that is read, in bytes.
const MAX_REFUSAL_BYTES: usize = 16 * 1024;

#[derive(Debug, Error)]
pub enum DownloadError {
    #[error(transparent)]
    Fetch(#[from] PictureError),
    /// In the words of the channel's own server.
    #[error("{0}")]
    Refused(String),
    #[error("it is larger than {} MB", MAX_FILE_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("its host is too slow")]
    Slow,
    #[error("it could not be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes the file at a URL to `file`; `own` is the base URL of the channel that it came in.
///
/// # Errors
/// The file may be incomplete then.
pub async fn download(url: &str, own: Option<&str>, file: &mut dyn Write) -> Result<(), DownloadError> {
    let url = Url::parse(url).map_err(|_| PictureError::Address)?;
    let own = own.and_then(|text| Url::parse(text).ok());
    let at_home = own.is_some_and(|own| own.origin() == url.origin());
    let opened = tokio::time::timeout(START_TIMEOUT, pictures::open(&url, at_home));
    let mut answer = opened.await.map_err(|_| DownloadError::Slow)??;
    if !answer.status().is_success() {
        let status = PictureError::Status(answer.status().as_u16());
        return Err(match at_home {
            true => read_refusal(&mut answer).await.map_or(status.into(), DownloadError::Refused),
            false => status.into(),
        });
    }
    if answer.content_length().is_some_and(|length| length > MAX_FILE_BYTES) {
        return Err(DownloadError::TooLarge);
    }
    let mut count = 0;
    while let Some(part) = read_part(&mut answer).await? {
        count += u64::try_from(part.len()).unwrap_or(u64::MAX);
        if count > MAX_FILE_BYTES {
            return Err(DownloadError::TooLarge);
        }
        file.write_all(&part)?;
    }
    Ok(file.flush()?)
}

async fn read_part(answer: &mut reqwest::Response) -> Result<Option<Vec<u8>>, DownloadError> {
    let part =
        tokio::time::timeout(SILENCE_TIMEOUT, answer.chunk()).await.map_err(|_| DownloadError::Slow)?;
    let part = part.map_err(|error| PictureError::Broken(words::describe_transport_error(&error)))?;
    Ok(part.map(|part| part.to_vec()))
}

/// Returns the reason that the service gives.
async fn read_refusal(answer: &mut reqwest::Response) -> Option<String> {
    let mut body = Vec::new();
    while let Ok(Some(part)) = read_part(answer).await {
        body.extend_from_slice(&part);
        if body.len() > MAX_REFUSAL_BYTES {
            return None;
        }
    }
    let told = errors::error_body(&body)?;
    Some(SafeText::line(&told.message).to_string()).filter(|words| !words.is_empty())
}
