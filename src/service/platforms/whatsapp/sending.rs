//! What a parcel becomes on the platform, and what its answer means.

use serde_json::{Value, json};

use connections::guard::{FetchError, HeaderRefused, Request};
use model::text::SafeText;
use model::time::SECOND;
use crate::carriers::{CarryOutcome, Fate, Parcel, ParcelFile, REACTION};
use crate::platforms::whatsapp::{NumberPlatform, asking};
use wire::errors::ErrorCode;

/// Between the parts of a body; a file in which it stands is none.
const BOUNDARY: &str = "frontdesk-2b7c08e41d6a4f0d8e55b1aa";
/// What the platform takes of one sender for one customer: a message in so long.
const PAIR: i64 = 6 * SECOND;

impl NumberPlatform {
    /// Sends a parcel once.
    pub(super) async fn send(&self, parcel: &Parcel, file: Option<&ParcelFile>) -> CarryOutcome {
        let media = match file {
            None => None,
            Some(file) => match self.upload(file).await {
                Ok(id) => Some(id),
                Err(outcome) => return outcome,
            },
        };
        let request = match asking::json(&content(parcel, media.as_deref())) {
            Ok(request) => request,
            Err(why) => return refuse(ErrorCode::ValidationError, &why.to_string()),
        };
        let outcome = match self.call(&format!("{}/messages", self.number), request).await {
            Ok(answer) => {
                let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                judge(answer.status, &told)
            }
            Err(why) => failed(&why),
        };
        if let (CarryOutcome::Taken { .. }, Some(seen)) = (&outcome, &parcel.seen) {
            self.mark_read(seen).await;
        }
        outcome
    }

    /// Shows a customer that their message was read, which answers it anyway.
    async fn mark_read(&self, message: &str) {
        let body = json!({"messaging_product": "whatsapp", "status": "read", "message_id": message});
        let Ok(request) = asking::json(&body) else { return };
        if let Err(why) = self.call(&format!("{}/messages", self.number), request).await {
            tracing::info!(%why, "a message could not be shown as read");
        }
    }

    /// Brings a file to the platform; its id there. Nothing reaches anybody by
    /// it, so that it may be brought again.
    async fn upload(&self, file: &ParcelFile) -> Result<String, CarryOutcome> {
        let request =
            multipart(file).map_err(|why| refuse(ErrorCode::MediaUploadFailed, &why.to_string()))?;
        let later = |why: String| CarryOutcome::Later { after: 5 * SECOND, why };
        let answer = self.call(&format!("{}/media", self.number), request).await;
        let answer = answer.map_err(|why| later(format!("the file could not be brought: {why}")))?;
        let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match (answer.status, told["id"].as_str()) {
            (200, Some(id)) => Ok(id.to_owned()),
            (400..=499, _) => match judge(answer.status, &told) {
                CarryOutcome::Refused { code: ErrorCode::WhatsappError | ErrorCode::ValidationError, why, .. } => {
                    Err(refuse(ErrorCode::MediaUploadFailed, &why))
                }
                other => Err(other),
            },
            (status, _) => Err(later(format!("the platform answered {status} to the file"))),
        }
    }
}

/// The message of a parcel; `media` is the platform's id of its file.
fn content(parcel: &Parcel, media: Option<&str>) -> Value {
    let kind = parcel.kind.as_str();
    let mut body = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual", "type": kind,
        "to": parcel.to.trim_start_matches('+'),
        // Comes back with each status.
        "biz_opaque_callback_data": parcel.id,
    });
    body[kind] = match kind {
        REACTION => json!({"message_id": parcel.quoted, "emoji": parcel.text}),
        "image" | "video" | "audio" | "document" => {
            let mut it = match media {
                Some(id) => json!({ "id": id }),
                None => json!({ "link": parcel.media_url }),
            };
            if kind != "audio" && !parcel.text.is_empty() && parcel.filename.as_ref() != Some(&parcel.text) {
                it["caption"] = parcel.text.as_str().into();
            }
            if let Some(name) = parcel.filename.as_ref().filter(|_| kind == "document") {
                it["filename"] = name.as_str().into();
            }
            it
        }
        "template" | "interactive" | "location" => parcel.content.clone().unwrap_or_default(),
        _ => json!({"body": parcel.text, "preview_url": false}),
    };
    if !matches!(kind, "template" | "interactive" | "location" | "image" | "video" | "audio" | "document" | REACTION) {
        body["type"] = "text".into();
        let text = body[kind].take();
        body.as_object_mut().map(|it| it.remove(kind));
        body["text"] = text;
    }
    if let Some(quoted) = parcel.quoted.as_ref().filter(|_| !matches!(kind, REACTION | "template")) {
        body["context"] = json!({ "message_id": quoted });
    }
    body
}

fn multipart(file: &ParcelFile) -> Result<Request, HeaderRefused> {
    let mut bytes = Vec::with_capacity(file.bytes.len() + 1024);
    let mut part = |head: &str, content: &[u8]| {
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n");
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(b"\r\n");
    };
    part("name=\"messaging_product\"", b"whatsapp");
    part("name=\"type\"", file.mime_type.as_bytes());
    let plain = |it: char| if it.is_control() || matches!(it, '"' | '\\') { '_' } else { it };
    let name: String = file.name.chars().map(plain).collect();
    let head = format!("name=\"file\"; filename=\"{name}\"\r\ncontent-type: {}", file.mime_type);
    part(&head, &file.bytes);
    bytes.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Request::post(bytes).header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

fn refuse(code: ErrorCode, why: &str) -> CarryOutcome {
    CarryOutcome::Refused { code, why: why.to_owned(), broken: false }
}

/// What an answer means.
pub(super) fn judge(status: u16, told: &Value) -> CarryOutcome {
    if status == 200 {
        return match told["messages"][0]["id"].as_str() {
            Some(id) => CarryOutcome::Taken { platform_id: id.to_owned(), fate: Fate::Sent },
            None => unclear("the platform took it and did not say as what"),
        };
    }
    let error = &told["error"];
    let said = error["error_data"]["details"].as_str().or(error["message"].as_str());
    let said = SafeText::line(said.unwrap_or("it said nothing more"));
    let later = |after| CarryOutcome::Later { after, why: format!("the platform asks for a pause: {said}") };
    match error["code"].as_i64() {
        Some(131_056) => later(PAIR),
        Some(4 | 80_007 | 130_429 | 131_016 | 131_048) => later(10 * SECOND),
        None if status == 429 => later(10 * SECOND),
        Some(0 | 3 | 10 | 190 | 200..=299 | 368 | 131_005 | 131_031 | 133_010) => CarryOutcome::Refused {
            code: ErrorCode::NotConfigured,
            why: format!("the platform does not let this number send: {said}"),
            broken: true,
        },
        Some(code) if status < 500 => refuse(code_of(code), &format!("the platform refuses it: {said}")),
        None if (400..500).contains(&status) => refuse(
            ErrorCode::WhatsappError,
            &format!("the platform answered {status}: {said}"),
        ),
        _ => unclear(&format!("the platform answered {status}: {said}")),
    }
}

/// The interface's code for one of the platform's.
pub(super) fn code_of(code: i64) -> ErrorCode {
    match code {
        131_047 => ErrorCode::SessionExpired,
        131_021 | 131_026 | 131_030 | 131_050 => ErrorCode::InvalidRecipient,
        131_051 => ErrorCode::UnsupportedType,
        132_000..=132_999 => ErrorCode::TemplateError,
        131_052 => ErrorCode::MediaFetchFailed,
        131_053 => ErrorCode::MediaUploadFailed,
        33 | 100 | 131_008 | 131_009 => ErrorCode::ValidationError,
        _ => ErrorCode::WhatsappError,
    }
}

fn unclear(why: &str) -> CarryOutcome {
    CarryOutcome::Unknown { why: why.to_owned() }
}

/// What it means that there was no answer: without a connection nothing has
/// left.
fn failed(why: &FetchError) -> CarryOutcome {
    let words = format!("the platform gave no answer: {why}");
    match why {
        FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_) => {
            CarryOutcome::Later { after: 3 * SECOND, why: words }
        }
        FetchError::TimedOut | FetchError::TooLarge | FetchError::Broken => unclear(&words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parcel(kind: &str) -> Parcel {
        let (id, to, text) = ("msg_1".to_owned(), "+34600111222".to_owned(), "hi".to_owned());
        Parcel { id, to, kind: kind.to_owned(), text, ..Parcel::default() }
    }

    #[test]
    fn each_kind_has_its_object() {
        let quoting = Parcel { quoted: Some("wamid.5".to_owned()), ..parcel("text") };
        let body = content(&quoting, None);
        assert_eq!((&body["to"], &body["text"]["body"]), (&json!("34600111222"), &json!("hi")));
        assert_eq!((&body["biz_opaque_callback_data"], &body["context"]["message_id"]), (&json!("msg_1"), &json!("wamid.5")));
        for kind in ["image", "video", "document"] {
            let link = Parcel { media_url: Some("https://a.example/x".to_owned()), ..parcel(kind) };
            assert_eq!(content(&link, None)[kind], json!({"link": "https://a.example/x", "caption": "hi"}));
            assert_eq!(content(&link, Some("9"))[kind], json!({"id": "9", "caption": "hi"}));
        }
        let template = json!({"name": "a", "language": {"code": "en"}, "components": []});
        let body = content(&Parcel { content: Some(template.clone()), ..parcel("template") }, None);
        assert_eq!((&body["template"], &body["type"]), (&template, &json!("template")));
        let body = content(&Parcel { quoted: Some("wamid.5".to_owned()), text: "👍".to_owned(), ..parcel(REACTION) }, None);
        assert_eq!(body["reaction"], json!({"message_id": "wamid.5", "emoji": "👍"}));
        assert_eq!(body["context"], Value::Null);
    }

    #[test]
    fn an_answer_says_whether_it_has_left() {
        let word = |outcome| match outcome {
            CarryOutcome::Refused { code, .. } => code.word(),
            CarryOutcome::Taken { .. } => "taken",
            CarryOutcome::Later { .. } => "later",
            CarryOutcome::Moved { .. } => "moved",
            CarryOutcome::Unknown { .. } => "unknown",
        };
        assert_eq!(word(judge(200, &json!({"messages": [{"id": "wamid.1"}]}))), "taken");
        assert_eq!(word(judge(200, &json!({}))), "unknown");
        let cases = [
            (400, 131_047, "SESSION_EXPIRED"),
            (400, 131_026, "INVALID_RECIPIENT"),
            (400, 131_051, "UNSUPPORTED_TYPE"),
            (400, 132_001, "TEMPLATE_ERROR"),
            (400, 131_053, "MEDIA_UPLOAD_FAILED"),
            (400, 131_049, "WHATSAPP_ERROR"),
            (400, 100, "VALIDATION_ERROR"),
            (401, 190, "NOT_CONFIGURED"),
            (429, 130_429, "later"),
            (400, 131_056, "later"),
            (400, 80_007, "later"),
            (500, 131_000, "unknown"),
            (400, 999_999, "WHATSAPP_ERROR"),
        ];
        for (status, code, wanted) in cases {
            let told = json!({"error": {"code": code, "message": "x"}});
            assert_eq!(word(judge(status, &told)), wanted, "{code}");
        }
        assert_eq!(word(judge(502, &json!(null))), "unknown");
        assert_eq!(word(failed(&FetchError::Tls)), "later");
        assert_eq!(word(failed(&FetchError::TimedOut)), "unknown");
    }
}
