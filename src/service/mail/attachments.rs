//! Attachments of `sendEmail`: bytes in the body, or a URL that is fetched. Bytes are stored if a mail server
//! sends them; in a simulated world only their size counts.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use futures_util::future::try_join_all;

use crate::auth::Caller;
use crate::carriers::ingress;
use crate::database::media::MediaRow;
use crate::errors::ApiError;
use crate::media;
use crate::request::WriteRequest;
use crate::state::Service;
use api::email::{AttachmentBody, SendAttachment};
use api::errors::ErrorCode;
use api::fields::Text;
use api::request::FieldError;
use model::bounds;
use net::guard::{FetchLimits, Request};

/// Maximum size of a mail's attachments together, in bytes.
const MAX_TOTAL_BYTES: usize = 25 * 1024 * 1024;

/// Standard alphabet, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Metadata known so far.
    pub body: AttachmentBody,
    pub source: AttachmentSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachmentSource {
    Content(Vec<u8>),
    Url(String),
}

impl Attachment {
    fn url(&self) -> Option<&str> {
        match &self.source {
            AttachmentSource::Content(_) => None,
            AttachmentSource::Url(url) => Some(url),
        }
    }
}

/// Checks the attachments of a body.
///
/// # Errors
/// Names the item.
pub fn check(told: Vec<SendAttachment>) -> Result<Vec<Attachment>, FieldError> {
    if told.len() > bounds::MAX_ATTACHMENTS {
        let problem = format!("must have at most {} items; it has {}", bounds::MAX_ATTACHMENTS, told.len());
        return Err(FieldError::new("attachments", problem));
    }
    told.into_iter().enumerate().map(|(index, item)| check_attachment(index, item)).collect()
}

fn check_attachment(index: usize, item: SendAttachment) -> Result<Attachment, FieldError> {
    let refuse = |name: &str, problem: &str| FieldError::new(format!("attachments[{index}].{name}"), problem);
    let filename = item.filename.into_string();
    if filename.chars().any(char::is_control) {
        return Err(refuse("filename", "must not contain control characters"));
    }
    let content_type = item.content_type.and_then(Text::non_empty);
    if content_type.as_ref().is_some_and(|content_type| !is_media_type(content_type)) {
        return Err(refuse("contentType", "must be a media type, such as application/pdf"));
    }
    let url = item.url.and_then(Text::non_empty);
    let content = item.content.filter(|text| !text.is_empty());
    let (size, source) = match (content, url) {
        (Some(content), None) => {
            let bytes = BASE64.decode(content).map_err(|_| refuse("content", "must be base64"))?;
            (u64::try_from(bytes.len()).ok(), AttachmentSource::Content(bytes))
        }
        (None, Some(url)) => (None, AttachmentSource::Url(url)),
        (Some(_), Some(_)) => return Err(refuse("content", "and url must not both be present")),
        (None, None) => return Err(refuse("content", "or url is required")),
    };
    Ok(Attachment { body: AttachmentBody { filename, content_type, size, url: None }, source })
}

/// Fetches the URLs among the attachments, concurrently, and returns their metadata.
///
/// # Errors
/// `MEDIA_FETCH_FAILED` if a URL has no bytes.
pub async fn inspect_attachments(
    service: &Service,
    request: &mut WriteRequest,
    attachments: Vec<Attachment>,
) -> Result<Vec<AttachmentBody>, ApiError> {
    let elsewhere = attachments.iter().any(|attachment| attachment.url().is_some());
    let only_vet = request.caller.is_test() || (elsewhere && service.claim(request).await?);
    let caller = &request.caller;
    let looks = try_join_all(
        attachments.into_iter().map(|attachment| inspect_attachment(service, caller, attachment, only_vet)),
    )
    .await?;
    Ok(looks.into_iter().map(|(told, _)| told).collect())
}

/// Stores the attachments' bytes. Returns their metadata and the new files.
///
/// # Errors
/// `MEDIA_FETCH_FAILED` if a URL has no bytes, `PAYLOAD_TOO_LARGE` above [`MAX_TOTAL_BYTES`].
pub async fn fetch_attachments(
    service: &Service,
    request: &mut WriteRequest,
    attachments: Vec<Attachment>,
) -> Result<(Vec<AttachmentBody>, Vec<MediaRow>), ApiError> {
    let mut all = (Vec::new(), Vec::new());
    if attachments.is_empty() || service.claim(request).await? {
        // The stored answer is replayed; no bytes are needed.
        all.0.extend(attachments.into_iter().map(|attachment| attachment.body));
        return Ok(all);
    }
    let mut bytes = 0;
    for asked in attachments {
        let kept = fetch_attachment(service, request, asked, &mut bytes).await;
        match kept {
            Ok((told, row)) => {
                all.0.push(told);
                all.1.extend(row);
            }
            Err(error) => {
                remove_files(service, all.1.into_iter().map(|media_row| media_row.id).collect()).await;
                return Err(error);
            }
        }
    }
    Ok(all)
}

/// Removes the bytes of files that belong to no mail.
pub async fn remove_files(service: &Service, ids: Vec<String>) {
    for id in ids {
        service.remove_media(&id).await;
    }
}

async fn fetch_attachment(
    service: &Service,
    request: &WriteRequest,
    asked: Attachment,
    bytes: &mut usize,
) -> Result<(AttachmentBody, Option<MediaRow>), ApiError> {
    if asked.url().is_some_and(|link| media::hosted_id(service, link).is_some()) {
        let told = inspect_attachment(service, &request.caller, asked, false).await?;
        *bytes += told.0.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        check_total(*bytes)?;
        return Ok((AttachmentBody { url: told.1, ..told.0 }, None));
    }
    let Attachment { body: mut told, source } = asked;
    let body = match source {
        AttachmentSource::Url(link) => {
            let (body, kind) = fetch_link(service, &link).await?;
            told.content_type = told.content_type.or(kind);
            body
        }
        AttachmentSource::Content(bytes) => bytes,
    };
    *bytes += body.len();
    check_total(*bytes)?;
    let (row, url) = ingress::store_file(service, &told.filename, body).await?;
    told.size = u64::try_from(row.size).ok();
    told.content_type.get_or_insert_with(|| row.mime_type.clone());
    told.url = Some(url);
    Ok((told, Some(MediaRow { workspace: request.caller.workspace.clone(), ..row })))
}

fn check_total(bytes: usize) -> Result<(), ApiError> {
    if bytes <= MAX_TOTAL_BYTES {
        return Ok(());
    }
    let message = format!(
        "the attachments have more than {MAX_TOTAL_BYTES} bytes together, more than most mail servers \
         accept"
    );
    Err(ApiError::new(ErrorCode::PayloadTooLarge, message))
}

/// Fetches an external URL and returns its bytes and media type.
async fn fetch_link(service: &Service, link: &str) -> Result<(Vec<u8>, Option<String>), ApiError> {
    let failed =
        |why: String| ApiError::new(ErrorCode::MediaFetchFailed, format!("the attachment's link: {why}"));
    let url = service.guard.vet(link).map_err(|why| failed(why.to_string()))?;
    let fetched = service.guard.fetch(&url, Request::get(), FetchLimits::media(MAX_TOTAL_BYTES)).await;
    let fetched = fetched.map_err(|why| failed(why.to_string()))?;
    if !(200..300).contains(&fetched.status) {
        return Err(failed(format!("its server answered {}", fetched.status)));
    }
    let kind = fetched
        .content_type
        .map(|content_type| content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase());
    Ok((fetched.body, kind))
}

async fn inspect_attachment(
    service: &Service,
    caller: &Caller,
    asked: Attachment,
    only_vet: bool,
) -> Result<(AttachmentBody, Option<String>), ApiError> {
    let url = asked.url().map(str::to_owned);
    let Attachment { body: mut told, .. } = asked;
    if let Some(link) = &url {
        let seen = media::inspect_media(service, caller, ("document", link), only_vet).await?;
        told.size = seen.size.and_then(|size| u64::try_from(size).ok());
        told.content_type = told.content_type.or(seen.mime_type);
    }
    told.content_type.get_or_insert_with(|| "application/octet-stream".to_owned());
    Ok((told, url))
}

/// Returns true for `type/subtype`, with or without parameters.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or("").trim();
    let token = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let fine = essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype));
    fine && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use api::email::SendEmail;
    use api::request::RequestBody;
    use serde_json::{Value, json};

    use super::*;

    fn read(attachments: &Value) -> Result<Vec<Attachment>, FieldError> {
        let body =
            json!({"to": "a@mail.example", "subject": "Hi", "text": "Hello", "attachments": attachments});
        check(SendEmail::read(body)?.attachments)
    }

    #[test]
    fn bytes_or_an_address_and_a_name() {
        let url = "https://files.example/a.pdf";
        let cases = [
            (
                json!({"filename": "a.pdf", "contentType": "application/pdf", "content": "aGVsbG8="}),
                Ok(Some(5)),
            ),
            (
                json!({"filename": "a.txt", "contentType": "text/plain; charset=utf-8", "content": "aGVsbG8"}),
                Ok(Some(5)),
            ),
            (json!({"filename": "a.pdf", "url": url}), Ok(None)),
            (json!({"content": "aGVsbG8="}), Err("attachments[0].filename is required")),
            (json!({"filename": "a\n.pdf", "url": url}), Err("attachments[0].filename must not")),
            (json!({"filename": "f".repeat(257), "url": url}), Err("attachments[0].filename must have")),
            (json!({"filename": "a.pdf"}), Err("attachments[0].content or url is required")),
            (
                json!({"filename": "a.pdf", "content": "aGVsbG8=", "url": url}),
                Err("attachments[0].content and url"),
            ),
            (
                json!({"filename": "a.pdf", "content": "not base64!"}),
                Err("attachments[0].content must be base64"),
            ),
            (
                json!({"filename": "a.pdf", "contentType": "pdf", "url": url}),
                Err("attachments[0].contentType must"),
            ),
            (json!("a.pdf"), Err("attachments[0] must be an object")),
        ];
        for (item, expected) in cases {
            match (read(&json!([item])), expected) {
                (Ok(found), Ok(size)) => assert_eq!(found[0].body.size, size, "{item}"),
                (Err(error), Err(words)) => assert!(error.to_string().starts_with(words), "{error}"),
                (found, _) => panic!("{item}: {found:?}"),
            }
        }
        assert!(read(&json!(vec![json!({"filename": "a.pdf", "url": url}); 21])).is_err());
    }
}
