//! Builds messages for the platform and interprets its answers.

use serde_json::{Value, json};

use crate::contract::{
    OutboundFile, OutboundMessage, REACTION_KIND, SendOutcome, SimulatedDelivery, check_sticker,
    contact_card, is_sticker, is_voice_note, link_preview,
};
use crate::web;
use crate::whatsapp::{NumberPlatform, address};
use api::errors::ErrorCode;
use model::account::Platform;
use model::bounds;
use model::contact_cards::ContactToSend;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

/// Minimum interval of messages from one sender to one customer.
const PAIR_INTERVAL: i64 = 6 * SECOND;
/// Formats of voice notes; the codec has to be Opus.
const VOICE_FORMATS: [&str; 1] = ["audio/ogg"];

impl NumberPlatform {
    /// Makes one attempt to send a message and marks the answered message as read.
    pub(super) async fn send(&self, parcel: &OutboundMessage, file: Option<&OutboundFile>) -> SendOutcome {
        if let Err(outcome) = check_sticker(parcel, file, &Platform::Whatsapp) {
            return outcome;
        }
        let media = match (file, &parcel.media_url) {
            (Some(file), Some(link)) => match self.upload(link, file).await {
                Ok(id) => Some(id),
                Err(outcome) => return outcome,
            },
            _ => None,
        };
        let is_voice = is_voice_note(parcel, file, &VOICE_FORMATS);
        let body = build_message(parcel, media.as_deref(), is_voice);
        let outcome = tokio::join!(self.post_message(parcel, &body), self.mark_read(parcel)).0;
        if let (SendOutcome::Refused { .. }, Some(link)) = (&outcome, &parcel.media_url) {
            self.uploads.forget(link);
        }
        outcome
    }

    async fn post_message(&self, parcel: &OutboundMessage, body: &Value) -> SendOutcome {
        if parcel.kind == REACTION_KIND && parcel.quoted.as_ref().is_none_or(String::is_empty) {
            let why = "the platform has given no id to the message to react to";
            return SendOutcome::refused(ErrorCode::ValidationError, why);
        }
        let request = match web::json_request(body) {
            Ok(request) => request,
            Err(why) => return SendOutcome::refused(ErrorCode::ValidationError, why.to_string()),
        };
        // A repeated reaction has no second effect.
        let again = parcel.kind == REACTION_KIND;
        match self.call(&format!("{}/messages", self.settings.number), request).await {
            Ok(answer) => {
                let told = web::json_body(&answer);
                let outcome =
                    judge_answer(answer.status, &told, again).with_retry_after(answer.retry_after.as_deref());
                if bounds::group_id(&parcel.to).is_some() { for_group(outcome) } else { outcome }
            }
            Err(why) => SendOutcome::from_fetch_error(&why, again),
        }
    }

    async fn mark_read(&self, parcel: &OutboundMessage) {
        let Some(seen) = &parcel.seen else { return };
        self.post_read(&json!({"messaging_product": "whatsapp", "status": "read", "message_id": seen})).await;
    }

    /// Shows a typing indicator, which also marks the message as read.
    pub(super) async fn show_typing_to(&self, seen: &str) {
        let sign = json!({ "type": "text" });
        self.post_read(&json!({"messaging_product": "whatsapp", "status": "read", "message_id": seen, "typing_indicator": sign}))
            .await;
    }

    async fn post_read(&self, body: &Value) {
        let Ok(request) = web::json_request(body) else { return };
        if let Err(why) = self.call(&format!("{}/messages", self.settings.number), request).await {
            tracing::info!(%why, "a message could not be marked as read");
        }
    }

    /// Uploads a file unless the platform has it, and returns its id there. An upload reaches
    /// nobody, so it may be repeated.
    async fn upload(&self, link: &str, file: &OutboundFile) -> Result<String, SendOutcome> {
        if let Some(id) = self.uploads.find(link) {
            return Ok(id);
        }
        let texts = [("messaging_product", "whatsapp".to_owned()), ("type", file.mime_type.clone())];
        let request = web::multipart_request(texts, "file", file)
            .map_err(|why| SendOutcome::refused(ErrorCode::MediaUploadFailed, why.to_string()))?;
        let later = |why: String| SendOutcome::Later { after: 5 * SECOND, why };
        let answer = self.upload_call(&format!("{}/media", self.settings.number), request).await;
        let answer = answer.map_err(|why| later(format!("the file could not be fetched: {why}")))?;
        let told = web::json_body(&answer);
        match (answer.status, told["id"].as_str()) {
            (200, Some(id)) => {
                self.uploads.record(link, id);
                Ok(id.to_owned())
            }
            (400..=499, _) => Err(match judge_answer(answer.status, &told, true) {
                SendOutcome::Refused { why, broken: false, .. } => {
                    SendOutcome::refused(ErrorCode::MediaUploadFailed, why)
                }
                other => other,
            }),
            (status, _) => Err(later(format!("the platform answered {status} to the upload of the file"))),
        }
    }
}

fn build_message(parcel: &OutboundMessage, media: Option<&str>, is_voice: bool) -> Value {
    let (kind, object) = match parcel.kind.as_str() {
        REACTION_KIND => (REACTION_KIND, json!({"message_id": parcel.quoted, "emoji": parcel.text})),
        "image" if is_sticker(parcel) => ("sticker", media_object(parcel, media)),
        "image" => ("image", media_object(parcel, media)),
        "video" => ("video", media_object(parcel, media)),
        "audio" => ("audio", media_object(parcel, media)),
        "document" => ("document", media_object(parcel, media)),
        kind @ ("template" | "interactive" | "location") => {
            (kind, parcel.content.clone().unwrap_or_default())
        }
        _ => match contact_card(parcel) {
            Some(card) => ("contacts", json!([contact_object(&card)])),
            None => ("text", json!({"body": parcel.text, "preview_url": link_preview(parcel) == Some(true)})),
        },
    };
    let mut body = json!({
        "messaging_product": "whatsapp", "type": kind,
        // Returned with each status.
        "biz_opaque_callback_data": parcel.id,
    });
    address::set_recipient(&mut body, &parcel.to);
    body[kind] = object;
    if is_voice {
        body[kind]["voice"] = true.into();
    }
    if let Some(quoted) = parcel.quoted.as_ref().filter(|_| !matches!(kind, REACTION_KIND | "template")) {
        body["context"] = json!({ "message_id": quoted });
    }
    body
}

/// Adapts the outcome of a message to a group, which reaches no single number.
fn for_group(outcome: SendOutcome) -> SendOutcome {
    match outcome {
        SendOutcome::Taken { platform_id, fate, .. } => {
            SendOutcome::Taken { platform_id, fate, reached: None }
        }
        SendOutcome::Refused { code, why, broken } => {
            SendOutcome::Refused { code, why: format!("the group cannot be answered: {why}"), broken }
        }
        other => other,
    }
}

/// Contact object. The customer can write to the number only if it has an id of the platform, which are its
/// digits.
fn contact_object(card: &ContactToSend) -> Value {
    let digits = card.phone.trim_start_matches('+');
    let mut object = json!({
        "name": {"formatted_name": card.name, "first_name": card.name},
        "phones": [{"phone": card.phone, "wa_id": digits}],
    });
    if let Some(company) = &card.company {
        object["org"] = json!({ "company": company });
    }
    object
}

/// Media object, by id or by link.
fn media_object(parcel: &OutboundMessage, media: Option<&str>) -> Value {
    let mut object = match media {
        Some(id) => json!({ "id": id }),
        None => json!({ "link": parcel.media_url }),
    };
    let kind = parcel.kind.as_str();
    // The text of media without a caption is the file name.
    if kind != "audio" && !parcel.text.is_empty() && parcel.filename.as_ref() != Some(&parcel.text) {
        object["caption"] = parcel.text.as_str().into();
    }
    if let Some(name) = parcel.filename.as_ref().filter(|_| kind == "document") {
        object["filename"] = name.as_str().into();
    }
    object
}

/// Interprets an answer. `again` marks requests without a second effect.
fn judge_answer(status: u16, told: &Value, again: bool) -> SendOutcome {
    if status == 200 {
        return match told["messages"][0]["id"].as_str() {
            Some(id) => {
                let known = told["contacts"][0]["wa_id"].as_str();
                let reached = known.map(address::phone_address).filter(|number| bounds::is_e164(number));
                SendOutcome::Taken { platform_id: id.to_owned(), fate: SimulatedDelivery::Sent, reached }
            }
            None => SendOutcome::unknown("the platform accepted it but returned no id", again),
        };
    }
    let error = &told["error"];
    let said = error_text(error);
    let later = |after| SendOutcome::Later { after, why: format!("the platform asks to wait: {said}") };
    let meaning = error["code"].as_i64().map(|code| match (code, error["error_subcode"].as_i64()) {
        // The number itself does not exist.
        (100, Some(33)) => ErrorMeaning::Account,
        (code, _) => error_meaning(code),
    });
    match meaning {
        Some(ErrorMeaning::Pause(after)) => later(after),
        None if status == 429 => later(10 * SECOND),
        Some(ErrorMeaning::Account) => SendOutcome::Refused {
            code: ErrorCode::NotConfigured,
            why: format!("the platform does not allow this number to send: {said}"),
            broken: true,
        },
        Some(ErrorMeaning::Refused(code)) if (400..500).contains(&status) => {
            SendOutcome::refused(code, format!("the platform refused it: {said}"))
        }
        None if (400..500).contains(&status) => {
            SendOutcome::refused(ErrorCode::WhatsappError, format!("the platform answered {status}: {said}"))
        }
        _ => SendOutcome::unknown(format!("the platform answered {status}: {said}"), again),
    }
}

pub(super) fn error_text(error: &Value) -> SafeText {
    let told = [&error["error_data"]["details"], &error["message"], &error["title"]];
    SafeText::line(told.into_iter().find_map(Value::as_str).unwrap_or("it gave no reason"))
}

enum ErrorMeaning {
    /// Nothing was accepted; retry after this pause, in microseconds.
    Pause(i64),
    Account,
    Refused(ErrorCode),
}

fn error_meaning(code: i64) -> ErrorMeaning {
    match code {
        131_056 => ErrorMeaning::Pause(PAIR_INTERVAL),
        4 | 80_007 | 130_429 => ErrorMeaning::Pause(10 * SECOND),
        131_016 | 131_048 | 131_057 | 133_004 => ErrorMeaning::Pause(MINUTE),
        0
        | 3
        | 10
        | 190
        | 200..=299
        | 368
        | 131_005
        | 131_031
        | 131_037
        | 131_042
        | 131_045
        | 133_010
        | 134_011 => ErrorMeaning::Account,
        131_047 => ErrorMeaning::Refused(ErrorCode::SessionExpired),
        130_497 | 131_021 | 131_026 | 131_030 | 131_050 => ErrorMeaning::Refused(ErrorCode::InvalidRecipient),
        131_051 => ErrorMeaning::Refused(ErrorCode::UnsupportedType),
        132_000..=132_999 => ErrorMeaning::Refused(ErrorCode::TemplateError),
        131_052 => ErrorMeaning::Refused(ErrorCode::MediaFetchFailed),
        131_053 => ErrorMeaning::Refused(ErrorCode::MediaUploadFailed),
        33 | 100 | 131_008 | 131_009 => ErrorMeaning::Refused(ErrorCode::ValidationError),
        _ => ErrorMeaning::Refused(ErrorCode::WhatsappError),
    }
}

/// Returns the error code for a message that was accepted and not delivered, and true if no message
/// of this number would be.
pub(super) fn loss_code(code: i64) -> (ErrorCode, bool) {
    match error_meaning(code) {
        ErrorMeaning::Account => (ErrorCode::NotConfigured, true),
        ErrorMeaning::Refused(code) => (code, false),
        ErrorMeaning::Pause(_) => (ErrorCode::WhatsappError, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::guard::FetchError;

    fn parcel(kind: &str) -> OutboundMessage {
        let (id, to, text) = ("msg_1".to_owned(), "+34600111222".to_owned(), "hi".to_owned());
        OutboundMessage { id, to, kind: kind.to_owned(), text, ..OutboundMessage::default() }
    }

    #[test]
    fn each_kind_has_its_object() {
        let quoting = OutboundMessage { quoted: Some("wamid.5".to_owned()), ..parcel("text") };
        let body = build_message(&quoting, None, false);
        assert_eq!((&body["to"], &body["text"]["body"]), (&json!("34600111222"), &json!("hi")));
        assert_eq!(
            (&body["biz_opaque_callback_data"], &body["context"]["message_id"]),
            (&json!("msg_1"), &json!("wamid.5"))
        );
        for kind in ["image", "video", "document"] {
            let link = OutboundMessage { media_url: Some("https://a.example/x".to_owned()), ..parcel(kind) };
            assert_eq!(
                build_message(&link, None, false)[kind],
                json!({"link": "https://a.example/x", "caption": "hi"})
            );
            assert_eq!(build_message(&link, Some("9"), false)[kind], json!({"id": "9", "caption": "hi"}));
        }
        let template = json!({"name": "a", "language": {"code": "en"}, "components": []});
        let body = build_message(
            &OutboundMessage { content: Some(template.clone()), ..parcel("template") },
            None,
            false,
        );
        assert_eq!((&body["template"], &body["type"]), (&template, &json!("template")));
        let body = build_message(
            &OutboundMessage {
                quoted: Some("wamid.5".to_owned()),
                text: "👍".to_owned(),
                ..parcel(REACTION_KIND)
            },
            None,
            false,
        );
        assert_eq!(body["reaction"], json!({"message_id": "wamid.5", "emoji": "👍"}));
        assert_eq!(body["context"], Value::Null);
    }

    #[test]
    fn audio_is_a_voice_note_if_asked_for_in_its_format() {
        let voice = OutboundMessage { content: Some(json!({"voice": true})), ..parcel("audio") };
        let file = |mime_type: &str| OutboundFile {
            mime_type: mime_type.to_owned(),
            name: String::new(),
            bytes: Vec::new(),
        };
        let is_voice = |parcel: &OutboundMessage, file: Option<&OutboundFile>| {
            is_voice_note(parcel, file, &VOICE_FORMATS)
        };
        assert_eq!(build_message(&voice, Some("9"), true)["audio"], json!({"id": "9", "voice": true}));
        assert!(is_voice(&voice, Some(&file("audio/ogg; codecs=opus"))) && is_voice(&voice, None));
        assert!(!is_voice(&voice, Some(&file("audio/mpeg"))), "other audio is sent as such");
        assert!(!is_voice(&parcel("audio"), Some(&file("audio/ogg"))));
        assert!(!is_voice(&OutboundMessage { kind: "video".to_owned(), ..voice }, None));
    }

    #[test]
    fn stickers_contacts_and_previews_have_their_objects() {
        let with = |kind: &str, content: Value| OutboundMessage { content: Some(content), ..parcel(kind) };
        let sticker = OutboundMessage { text: String::new(), ..with("image", json!({"sticker": true})) };
        let body = build_message(&sticker, Some("9"), false);
        assert_eq!((&body["type"], &body["sticker"]), (&json!("sticker"), &json!({"id": "9"})));
        let linked = OutboundMessage { media_url: Some("https://a.example/x".to_owned()), ..sticker };
        assert_eq!(build_message(&linked, None, false)["sticker"], json!({"link": "https://a.example/x"}));
        let card = json!({"name": "Ana Ruiz", "phone": "+34600111222", "company": "Harbor"});
        let quoting = OutboundMessage {
            quoted: Some("wamid.5".to_owned()),
            ..with("text", json!({ "contact": card }))
        };
        let body = build_message(&quoting, None, false);
        let wanted = json!([{
            "name": {"formatted_name": "Ana Ruiz", "first_name": "Ana Ruiz"},
            "phones": [{"phone": "+34600111222", "wa_id": "34600111222"}],
            "org": {"company": "Harbor"},
        }]);
        assert_eq!((&body["type"], &body["contacts"]), (&json!("contacts"), &wanted));
        assert_eq!((&body["context"]["message_id"], &body["text"]), (&json!("wamid.5"), &Value::Null));
        for (content, is_shown) in [
            (None, false),
            (Some(json!({"linkPreview": false})), false),
            (Some(json!({"linkPreview": true})), true),
        ] {
            let text = OutboundMessage { content, ..parcel("text") };
            let body = build_message(&text, None, false);
            assert_eq!(body["text"], json!({"body": "hi", "preview_url": is_shown}));
        }
    }

    #[test]
    fn only_files_that_are_shown_as_stickers_are_sent() {
        let sticker = OutboundMessage { content: Some(json!({"sticker": true})), ..parcel("image") };
        let check = |parcel: &OutboundMessage, mime_type: &str, bytes: &[u8]| {
            let (mime_type, bytes) = (mime_type.to_owned(), bytes.to_vec());
            let file = OutboundFile { mime_type, name: String::new(), bytes };
            check_sticker(parcel, Some(&file), &Platform::Whatsapp).map_err(|outcome| outcome.code())
        };
        let webp =
            |side: u8| [b"RIFF....WEBPVP8 ....\0\0\0\x9D\x01\x2A\0".as_slice(), &[side, 0, side]].concat();
        assert_eq!(check(&sticker, "image/webp", &webp(2)), Ok(()));
        assert_eq!(check(&sticker, "image/webp", &webp(1)), Err("VALIDATION_ERROR"));
        assert_eq!(check(&sticker, "image/png", b"png"), Err("VALIDATION_ERROR"));
        let large = [webp(2), vec![0; 100 * 1024]].concat();
        assert_eq!(check(&sticker, "image/webp", &large), Err("VALIDATION_ERROR"));
        assert_eq!(check(&parcel("image"), "image/png", b"png"), Ok(()), "an image");
        assert!(check_sticker(&sticker, None, &Platform::Whatsapp).is_ok(), "a link");
    }

    #[test]
    fn an_answer_says_whether_it_has_left() {
        let word = |outcome: SendOutcome| outcome.code();
        assert_eq!(word(judge_answer(200, &json!({"messages": [{"id": "wamid.1"}]}), false)), "taken");
        assert_eq!(word(judge_answer(200, &json!({}), false)), "unknown");
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
            (503, 131_016, "later"),
            (400, 131_042, "NOT_CONFIGURED"),
            (500, 131_000, "unknown"),
            (400, 999_999, "WHATSAPP_ERROR"),
        ];
        for (status, code, wanted) in cases {
            let told = json!({"error": {"code": code, "message": "x"}});
            assert_eq!(word(judge_answer(status, &told, false)), wanted, "{code}");
        }
        assert_eq!(word(judge_answer(502, &json!(null), true)), "later", "a reaction is set again");
        let gone = json!({"error": {"code": 100, "error_subcode": 33}});
        assert_eq!(word(judge_answer(400, &gone, false)), "NOT_CONFIGURED");
        assert_eq!(loss_code(131_042), (ErrorCode::NotConfigured, true));
        assert_eq!(loss_code(130_429), (ErrorCode::WhatsappError, false));
        assert_eq!(word(judge_answer(502, &json!(null), false)), "unknown");
        assert_eq!(word(SendOutcome::from_fetch_error(&FetchError::Tls, false)), "later");
        assert_eq!(word(SendOutcome::from_fetch_error(&FetchError::TimedOut, false)), "unknown");
    }
}
