//! Media behind URLs: fetched before they are sent, and priced by whether this service hosts them
//! (docs/choices.md, "Credits").

pub mod bytes;
pub mod files;
pub mod names;
pub mod upload;

use crate::auth::Caller;
use crate::carriers::files as files_of_messages;
use crate::database::{DatabaseError, media as stored};
use crate::errors::ApiError;
use crate::request::WriteRequest;
use crate::state::Service;
use api::content::Content;
use api::errors::ErrorCode;
use api::request::FieldError;
use model::account::Platform;
use model::{prices, stickers};
use net::guard::{FetchLimits, OversizePolicy, Request};

/// Number of bytes fetched to see that there are some.
const PROBE_BYTES: usize = 64 * 1024;
/// Audio the platforms accept, by media type and by file extension.
const AUDIO_TYPES: [&str; 8] = [
    "audio/mpeg",
    "audio/mp3",
    "audio/ogg",
    "audio/aac",
    "audio/amr",
    "audio/mp4",
    "audio/x-m4a",
    "audio/m4a",
];
const AUDIO_EXTENSIONS: [&str; 6] = [".mp3", ".ogg", ".opus", ".aac", ".amr", ".m4a"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaInfo {
    /// True if it was uploaded to this service.
    pub hosted: bool,
    pub mime_type: Option<String>,
    /// Size in bytes, if fetched to the end.
    pub size: Option<usize>,
}

/// Fetches the media of a content before a send, if it has some. Only checks the URL for test keys, and for a
/// request whose answer is stored.
///
/// # Errors
/// `MEDIA_FETCH_FAILED` if the URL has no bytes.
pub async fn inspect_content(
    service: &Service,
    request: &mut WriteRequest,
    content: &Content,
) -> Result<Option<MediaInfo>, ApiError> {
    match content.media() {
        None => Ok(None),
        Some((kind, media)) => {
            inspect_for_request(service, request, kind, media.link.as_str()).await.map(Some)
        }
    }
}

/// Like [`inspect_content`], for media of this kind behind a URL.
pub async fn inspect_for_request(
    service: &Service,
    request: &mut WriteRequest,
    kind: &str,
    link: &str,
) -> Result<MediaInfo, ApiError> {
    let elsewhere = hosted_id(service, link).is_none();
    let only_vet = request.caller.is_test() || (elsewhere && service.claim(request).await?);
    inspect_media(service, &request.caller, (kind, link), only_vet).await
}

/// Fetches one of a request's media, or only checks its URL. The caller has claimed the idempotency key.
pub async fn inspect_media(
    service: &Service,
    caller: &Caller,
    (kind, link): (&str, &str),
    only_vet: bool,
) -> Result<MediaInfo, ApiError> {
    if let Some(id) = hosted_id(service, link) {
        return inspect_hosted(service, caller, id).await;
    }
    let failed = |why: String| ApiError::new(ErrorCode::MediaFetchFailed, format!("the media link: {why}"));
    let url = service.guard.vet(link).map_err(|why| failed(why.to_string()))?;
    if only_vet {
        return Ok(MediaInfo::default());
    }
    let limits = FetchLimits {
        max_body: PROBE_BYTES,
        oversize: OversizePolicy::Cut,
        ..FetchLimits::media(PROBE_BYTES)
    };
    let fetched =
        service.guard.fetch(&url, Request::get(), limits).await.map_err(|why| failed(why.to_string()))?;
    if !(200..300).contains(&fetched.status) {
        return Err(failed(format!("its server answered {}", fetched.status)));
    }
    if fetched.body.is_empty() {
        return Err(failed("its file is empty".to_owned()));
    }
    let mime_type = fetched
        .content_type
        .map(|content_type| content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase());
    check_audio(kind, link, mime_type.as_deref())?;
    let size = (fetched.body.len() < PROBE_BYTES).then_some(fetched.body.len());
    Ok(MediaInfo { hosted: false, mime_type, size })
}

/// Returns the price of a type of media in credits.
pub fn price(kind: &str, hosted: bool) -> i64 {
    match (hosted, kind) {
        (false, _) => prices::LINKED_MEDIA_CREDITS,
        (true, "video") => prices::UPLOADED_VIDEO_CREDITS,
        (true, _) => prices::UPLOADED_MEDIA_CREDITS,
    }
}

/// Returns the file id in a URL of this service.
pub fn hosted_id<'a>(service: &Service, link: &'a str) -> Option<&'a str> {
    let rest = service.hosts.link_path(link)?.strip_prefix("/media/")?;
    rest.split('/').next().filter(|part| !part.is_empty())
}

async fn inspect_hosted(service: &Service, caller: &Caller, id: &str) -> Result<MediaInfo, ApiError> {
    let (wanted, workspace) = (id.to_owned(), caller.workspace.clone());
    let found: Result<_, DatabaseError> = service.database.read(move |db| stored::read(db, &wanted)).await;
    let found = match found? {
        Some(row) => Some(row),
        // Files left in a mailbox are fetched when asked for.
        None => files_of_messages::fetch_now(service, id).await?,
    };
    match found.filter(|media_row| media_row.workspace == workspace) {
        Some(row) => Ok(MediaInfo {
            hosted: true,
            mime_type: Some(row.mime_type),
            size: usize::try_from(row.size).ok(),
        }),
        None => Err(ApiError::new(
            ErrorCode::MediaFetchFailed,
            "the media link: no file was uploaded with this address",
        )),
    }
}

/// Checks the type and size of a sticker, as far as they are known. Width and height are checked when it is
/// sent.
///
/// # Errors
/// `VALIDATION_ERROR` that names the field.
pub fn check_sticker(platform: &Platform, field: &str, media: Option<&MediaInfo>) -> Result<(), FieldError> {
    let Some((mime_type, size)) = media.and_then(|media| Some((media.mime_type.as_ref()?, media.size)))
    else {
        return Ok(());
    };
    let size = size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default();
    match stickers::rejection_reason(Some(platform), mime_type, size, None) {
        None => Ok(()),
        Some(why) => Err(FieldError::new(field, format!("is not a sticker: {why}"))),
    }
}

fn check_audio(kind: &str, link: &str, mime_type: Option<&str>) -> Result<(), ApiError> {
    if kind != "audio" {
        return Ok(());
    }
    let path = link.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
    let by_name = AUDIO_EXTENSIONS.iter().any(|ending| path.ends_with(ending));
    let by_type = mime_type.is_some_and(|mime_type| AUDIO_TYPES.contains(&mime_type));
    if by_name || by_type {
        return Ok(());
    }
    Err(ApiError::validation("the audio must be MP3, OGG (Opus), AAC, AMR or M4A"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_follow_origin_and_type() {
        let cases = [
            ("image", false, 1),
            ("video", false, 1),
            ("image", true, 2),
            ("photo", true, 2),
            ("document", true, 2),
            ("audio", true, 2),
            ("video", true, 5),
        ];
        for (kind, hosted, credits) in cases {
            assert_eq!(price(kind, hosted), credits, "{kind} {hosted}");
        }
    }

    #[test]
    fn audio_has_few_forms() {
        let cases = [
            ("https://a.example/x.mp3", None, true),
            ("https://a.example/x", Some("audio/ogg"), true),
            ("https://a.example/x.wav?y=.mp3", Some("audio/wav"), false),
            ("https://a.example/x", Some("text/html"), false),
        ];
        for (link, mime_type, fits) in cases {
            assert_eq!(check_audio("audio", link, mime_type).is_ok(), fits, "{link}");
        }
    }
}
