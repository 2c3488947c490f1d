//! Files of received messages.
//!
//! If the platform does not deliver a file at once, its message is stored with the file's name and size, the
//! reason, and a URL for another attempt. The request for the file stays in the inbound queue, in a lane of
//! its own, as
//!
//! - waiting: retried automatically, at growing intervals;
//! - resting: refused for good, or tried [`MAX_FETCH_RETRIES`] times; retried only when somebody opens its URL;
//! - done: the file is stored, and the message has its original text.
//!
//! A large file of a mail stays in the mailbox: its request rests until somebody opens the URL among the mail's
//! attachments, after each attempt again, and the mail does not change.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use crate::carriers::ingress;
use crate::database::channels;
use crate::database::ingress::{self as stored, IngressRow};
use crate::database::media::{self, MediaRow};
use crate::database::messages::MessageRow;
use crate::database::{DatabaseError, conversations, messages};
use crate::errors::ApiError;
use crate::media::names;
use crate::operators::ConnectedChannel;
use crate::state::Service;
use crate::write::WriteContext;
use api::carriers::PendingFile;
use api::errors::ErrorCode;
use model::time::{Clock, SECOND, Timestamp};
use platforms::{ArrivedMedia, FileFetchError};

/// Prefix of the queue names of files.
const FILE_UPDATE_PREFIX: &str = "file ";
const MAX_FETCH_RETRIES: i64 = 5;
/// Timeout of the first fetch, after which the message is stored without its file.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a retry, which delays no message.
const BACKGROUND_FETCH_TIMEOUT: Duration = Duration::from_secs(120);
/// Time for which a request for the file's URL waits for the fetch.
const OPEN_TIMEOUT: Duration = Duration::from_secs(8);
/// [`BACKGROUND_FETCH_TIMEOUT`] of a file of a mail, which is large.
const MAIL_FETCH_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// [`OPEN_TIMEOUT`] of a file of a mail.
const MAIL_OPEN_TIMEOUT: Duration = Duration::from_secs(4 * 60);
/// Interval at which such a request checks for the file.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Limits concurrent fetches, and so their memory.
static FETCH_SLOTS: Semaphore = Semaphore::const_new(8);

/// Files of an event, after the attempt to fetch them.
#[derive(Debug, Default)]
pub struct FetchedFiles {
    /// Rows of the files whose bytes are stored; not in the database yet.
    pub stored: Vec<MediaRow>,
    /// Set if the file of a message could not be fetched.
    pub missing: Option<MissingFile>,
}

impl FetchedFiles {
    /// Stores the rows of fetched files. Returns the file that is missing.
    ///
    /// # Errors
    /// If the database fails.
    pub fn store(
        self,
        work: &WriteContext<'_>,
        workspace: &str,
    ) -> Result<Option<MissingFile>, DatabaseError> {
        for file in self.stored {
            media::insert(work.db, &MediaRow { workspace: workspace.to_owned(), ..file }, work.now)?;
        }
        Ok(self.missing)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFile(PendingFile);

impl MissingFile {
    pub fn new(service: &Service, media: ArrivedMedia, trouble: FileFetchError) -> Self {
        let id = ingress::media_id();
        let name = names::display_name(&media.name);
        let address = ingress::media_address(service, &id, &name);
        let FileFetchError { why, is_final } = trouble;
        let ArrivedMedia { reference, mime_type, size, .. } = media;
        let (message, words) = (String::new(), String::new());
        let is_of_mail = false;
        Self(PendingFile {
            id,
            address,
            reference,
            name,
            mime_type,
            size,
            why,
            is_final,
            is_of_mail,
            message,
            words,
        })
    }

    pub fn placeholder(&self) -> String {
        let size = self.0.size.map(|size| format!(", {}", format_size(size))).unwrap_or_default();
        format!("[{}{size}: not fetched, {}; try again: {}]", self.0.name, self.0.why, self.0.address)
    }

    fn message_text(&self) -> String {
        if self.0.words.is_empty() {
            self.placeholder()
        } else {
            format!("{} {}", self.0.words, self.placeholder())
        }
    }

    fn details(&self) -> Value {
        json!({
            "filename": self.0.name, "mimeType": self.0.mime_type, "size": self.0.size,
            "missing": self.0.why, "retry": self.0.address,
        })
    }

    fn update_name(&self) -> String {
        format!("{FILE_UPDATE_PREFIX}{}", self.0.id)
    }
}

fn format_size(bytes: i64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Fetches the file of a message that is not stored yet.
pub async fn fetch_new(
    connected: &ConnectedChannel,
    media: &ArrivedMedia,
) -> Result<Vec<u8>, FileFetchError> {
    fetch(connected, &media.reference, FETCH_TIMEOUT).await
}

async fn fetch(
    connected: &ConnectedChannel,
    reference: &str,
    patience: Duration,
) -> Result<Vec<u8>, FileFetchError> {
    let closed = |_| FileFetchError::transient("the service is stopping");
    let _place = FETCH_SLOTS.acquire().await.map_err(closed)?;
    let late = |_| FileFetchError::transient("the platform did not answer in time");
    timeout(patience, connected.platform.fetch_media(reference)).await.map_err(late)?
}

/// Queues retries for the missing file of a stored message.
pub fn store_file_request(
    work: &WriteContext<'_>,
    (channel, conversation, message): (&str, &str, &str),
    missing: Option<MissingFile>,
) -> Result<(), ApiError> {
    let Some(missing) = missing else { return Ok(()) };
    let Some(row) = messages::find_by_id(work.db, message)? else { return Ok(()) };
    let missing = MissingFile(PendingFile { message: message.to_owned(), words: row.content, ..missing.0 });
    update_message(work, &missing, &missing.message_text(), &missing.details())?;
    let body = serde_json::to_vec(&missing.0).map_err(|cause| ApiError::internal(&cause))?;
    let (name, lane) = (missing.update_name(), format!("{conversation}/{}", missing.0.id));
    stored::insert(work.db, channel, (&name, &lane, &body), work.stamp())?;
    let piece = stored::find_by_file(work.db, &name)?;
    match piece {
        Some(piece) => {
            Ok(stored::postpone(work.db, &piece, next_attempt_at(work.now, 0, missing.0.is_final))?)
        }
        None => Ok(()),
    }
}

/// Queues the files of a stored mail that stay in the mailbox. They are fetched when somebody opens them.
pub fn store_left_files(
    work: &WriteContext<'_>,
    (channel, thread, mail): (&str, &str, &str),
    left: Vec<PendingFile>,
) -> Result<(), DatabaseError> {
    for file in left {
        let missing = MissingFile(PendingFile {
            message: mail.to_owned(),
            why: "the mailbox is not connected".to_owned(),
            ..file
        });
        let body = serde_json::to_vec(&missing.0).unwrap_or_default();
        let (name, lane) = (missing.update_name(), format!("{thread}/{}", missing.0.id));
        stored::insert(work.db, channel, (&name, &lane, &body), work.stamp())?;
        if let Some(piece) = stored::find_by_file(work.db, &name)? {
            stored::postpone(work.db, &piece, stored::ON_DEMAND_DUE)?;
        }
    }
    Ok(())
}

/// Returns the queued fetch of a message's missing file.
fn find_pending(
    work: &WriteContext<'_>,
    row: &MessageRow,
) -> Result<Option<(IngressRow, MissingFile)>, ApiError> {
    let details: Value =
        row.details.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    // The URL ends with the file's id and name.
    let id = details["retry"].as_str().and_then(|address| address.rsplit('/').nth(1));
    let Some(id) = id else { return Ok(None) };
    let Some(piece) = stored::find_by_file(work.db, &format!("{FILE_UPDATE_PREFIX}{id}"))? else {
        return Ok(None);
    };
    let kept: PendingFile =
        serde_json::from_slice(&piece.body).map_err(|cause| ApiError::internal(&cause))?;
    Ok((kept.message == row.id).then_some((piece, MissingFile(kept))))
}

/// Changes the text of a message whose file is missing. Returns false if none is.
pub fn change_text(work: &WriteContext<'_>, row: &MessageRow, words: &str) -> Result<bool, ApiError> {
    let Some((piece, mut missing)) = find_pending(work, row)? else { return Ok(false) };
    words.clone_into(&mut missing.0.words);
    update_message(work, &missing, &missing.message_text(), &missing.details())?;
    let body = serde_json::to_vec(&missing.0).map_err(|cause| ApiError::internal(&cause))?;
    let at = next_attempt_at(work.now, piece.attempts, missing.0.is_final);
    stored::rewrite(work.db, &piece, &body, at)?;
    Ok(true)
}

/// Gives up a message's missing file. Returns false if none is missing.
pub fn cancel_fetch(work: &WriteContext<'_>, row: &MessageRow) -> Result<bool, ApiError> {
    match find_pending(work, row)? {
        Some((piece, _)) => Ok(stored::finish(work.db, &piece, work.now)?),
        None => Ok(false),
    }
}

/// Returns the time of the next retry, after `attempts` retries.
fn next_attempt_at(now: Timestamp, attempts: i64, is_final: bool) -> Timestamp {
    if is_final || attempts >= MAX_FETCH_RETRIES {
        return stored::ON_DEMAND_DUE;
    }
    now.plus(2 * SECOND * 4_i64.pow(u32::try_from(attempts).unwrap_or(0)))
}

fn update_message(
    work: &WriteContext<'_>,
    missing: &MissingFile,
    content: &str,
    details: &Value,
) -> Result<(), ApiError> {
    let Some(row) = messages::find_by_id(work.db, &missing.0.message)? else { return Ok(()) };
    messages::set_file(work.db, &row.id, content, (None, &details.to_string()), work.now)?;
    let preview = row.preview_of(content);
    Ok(conversations::update_preview(work.db, &row.conversation, &preview, row.created_at)?)
}

/// Returns true if a queue row is the fetch of a file.
pub fn is_file(row: &IngressRow) -> bool {
    row.name.starts_with(FILE_UPDATE_PREFIX)
}

/// Retries the fetch of a file.
pub async fn attempt(
    service: &Service,
    connected: &ConnectedChannel,
    row: IngressRow,
) -> Result<(), ApiError> {
    let read: Result<PendingFile, _> = serde_json::from_slice(&row.body);
    let mut missing = MissingFile(read.map_err(|cause| ApiError::internal(&cause))?);
    let fetched = match missing.0.is_of_mail {
        // The mailbox has slots of its own.
        true => timeout(MAIL_FETCH_TIMEOUT, connected.platform.fetch_media(&missing.0.reference))
            .await
            .map_err(|_| FileFetchError::transient("the mailbox did not answer in time"))
            .flatten(),
        false => fetch(connected, &missing.0.reference, BACKGROUND_FETCH_TIMEOUT).await,
    };
    let brought = match fetched {
        Ok(bytes) => ingress::store_file_as(service, &missing.0.id, &missing.0.name, bytes)
            .await
            .map_err(|error| FileFetchError::transient(error.message)),
        Err(trouble) => Err(trouble),
    };
    let (state, scope) = (service.clone(), service.database.scope_of_channel(&row.channel).await?);
    service
        .database
        .write_in(scope, move |db| {
            let work = WriteContext::of_service(db, &state, state.clock.now());
            match brought {
                Ok(file) => store_arrived_file(&work, &row, &missing, file),
                Err(FileFetchError { why, is_final }) => {
                    (missing.0.why, missing.0.is_final) = (why, is_final);
                    if !missing.0.is_of_mail {
                        update_message(&work, &missing, &missing.message_text(), &missing.details())?;
                    }
                    let body = serde_json::to_vec(&missing.0).map_err(|cause| ApiError::internal(&cause))?;
                    let at = next_attempt_at(work.now, row.attempts, is_final || missing.0.is_of_mail);
                    Ok(stored::rewrite(db, &row, &body, at)?)
                }
            }
        })
        .await
}

fn store_arrived_file(
    work: &WriteContext<'_>,
    piece: &IngressRow,
    missing: &MissingFile,
    file: MediaRow,
) -> Result<(), ApiError> {
    if !stored::finish(work.db, piece, work.now)? {
        return Ok(());
    }
    let workspace = channels::read(work.db, &piece.channel)?.workspace;
    if missing.0.is_of_mail {
        return Ok(media::insert(work.db, &MediaRow { workspace, ..file }, work.now)?);
    }
    let Some(row) = messages::find_by_id(work.db, &missing.0.message)? else { return Ok(()) };
    let details = json!({"mimeType": file.mime_type, "size": file.size, "filename": file.filename});
    media::insert(work.db, &MediaRow { workspace, ..file }, work.now)?;
    let stored_file = (Some(missing.0.address.as_str()), &*details.to_string());
    messages::set_file(work.db, &row.id, &missing.0.words, stored_file, work.now)?;
    let preview = row.preview_of(&missing.0.words);
    Ok(conversations::update_preview(work.db, &row.conversation, &preview, row.created_at)?)
}

/// Retries the fetch of a missing file at once, because somebody opened its URL. Returns the file, `None` if
/// no file with this id is missing.
///
/// # Errors
/// `NOT_FOUND` with the reason if the platform does not deliver it, `MEDIA_FETCH_FAILED` if that takes long.
pub async fn fetch_now(service: &Service, id: &str) -> Result<Option<MediaRow>, ApiError> {
    let name = format!("{FILE_UPDATE_PREFIX}{id}");
    let wanted = name.clone();
    let found: Result<_, DatabaseError> =
        service.database.read(move |db| stored::find_by_file(db, &wanted)).await;
    let Some(piece) = found? else { return Ok(None) };
    let attempts = piece.attempts;
    let is_of_mail =
        serde_json::from_slice::<PendingFile>(&piece.body).is_ok_and(|missing| missing.is_of_mail);
    let (patience, place) = match is_of_mail {
        true => (MAIL_OPEN_TIMEOUT, "mailbox"),
        false => (OPEN_TIMEOUT, "platform"),
    };
    let (state, scope) = (service.clone(), service.database.scope_of_channel(&piece.channel).await?);
    let hasten: Result<(), DatabaseError> =
        service.database.write_in(scope, move |db| stored::make_due(db, &piece, state.clock.now())).await;
    hasten?;
    let last = Instant::now() + patience;
    loop {
        sleep(POLL_INTERVAL).await;
        let (name, id) = (name.clone(), id.to_owned());
        let look: Result<_, DatabaseError> = service
            .database
            .read(move |db| Ok((media::read(db, &id)?, stored::find_by_file(db, &name)?)))
            .await;
        let (file, piece) = look?;
        if file.is_some() {
            return Ok(file);
        }
        let was_tried = piece.as_ref().is_none_or(|piece| piece.attempts > attempts);
        if is_of_mail && !was_tried && Instant::now() >= last {
            let words = "this file is still being fetched from the mailbox; try again in a minute";
            return Err(ApiError::new(ErrorCode::MediaFetchFailed, words));
        }
        if was_tried || Instant::now() >= last {
            let why = piece.and_then(|piece| serde_json::from_slice::<PendingFile>(&piece.body).ok());
            let why = why.map_or_else(|| "it was removed".to_owned(), |missing| missing.why);
            let words = format!("this file could not be fetched from the {place}: {why}");
            return Err(ApiError::new(ErrorCode::NotFound, words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let now = Timestamp::from_micros(0);
        let spans: Vec<i64> = (0..MAX_FETCH_RETRIES)
            .map(|attempts| next_attempt_at(now, attempts, false).since(now) / SECOND)
            .collect();
        assert_eq!(spans, [2, 8, 32, 128, 512]);
        assert_eq!(next_attempt_at(now, MAX_FETCH_RETRIES, false), stored::ON_DEMAND_DUE);
        assert_eq!(
            next_attempt_at(now, 0, true),
            stored::ON_DEMAND_DUE,
            "what is refused for good is not asked for again"
        );
    }

    #[test]
    fn sizes_are_read_by_people() {
        assert_eq!([999, 1_500, 32_000_000].map(format_size), ["999 bytes", "1 kB", "32 MB"]);
    }
}
