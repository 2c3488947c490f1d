//! Builds API calls for messages and interprets the answers.

use serde_json::{Value, json};

use crate::contract::{
    OutboundFile, OutboundMessage, REACTION_KIND, SendOutcome, SimulatedDelivery, check_sticker,
    contact_card, is_sticker, is_voice_note, link_preview,
};
use crate::telegram::{BotPlatform, chat, retry_pause};
use crate::web;
use api::errors::ErrorCode;
use model::account::Platform;
use model::contact_cards::ContactToSend;
use model::text::SafeText;

/// Formats of voice notes; OGG has to be Opus.
const VOICE_FORMATS: [&str; 3] = ["audio/ogg", "audio/mpeg", "audio/mp4"];
const STICKER_KIND: &str = "sticker";
const CONTACT_KIND: &str = "contact";

impl BotPlatform {
    /// Makes one attempt to send a message.
    pub(super) async fn send(&self, parcel: &OutboundMessage, file: Option<&OutboundFile>) -> SendOutcome {
        if parcel.kind == REACTION_KIND && parse_number(parcel.quoted.as_deref()).is_none() {
            let why = "the platform has given no id to the message to react to";
            return SendOutcome::refused(ErrorCode::ValidationError, why);
        }
        if let Err(outcome) = check_sticker(parcel, file, &Platform::Telegram) {
            return outcome;
        }
        let is_voice = is_voice_note(parcel, file, &VOICE_FORMATS);
        let (method, body) = build_call(parcel, is_voice);
        let request = match file {
            Some(file) => {
                let field = media_field(sent_kind(parcel), is_voice);
                // Values other than texts are sent as JSON.
                let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let texts = body.as_object().into_iter().flatten().filter(|(name, _)| *name != field);
                web::multipart_request(texts.map(|(name, value)| (name.as_str(), text(value))), field, file)
            }
            None => web::json_request(&body),
        };
        let request = match request {
            Ok(request) => request,
            Err(why) => return SendOutcome::refused(ErrorCode::ValidationError, why.to_string()),
        };
        let again = parcel.kind == REACTION_KIND;
        match self.call(method, request).await {
            Ok(answer) => {
                let told = web::json_body(&answer);
                judge_answer(answer.status, &told, again)
            }
            Err(why) => SendOutcome::from_fetch_error(&why, again),
        }
    }
}

/// Returns the API method and its parameters.
fn build_call(parcel: &OutboundMessage, is_voice: bool) -> (&'static str, Value) {
    let mut body = json!({});
    chat::set_address(&mut body, &parcel.to);
    let card = contact_card(parcel);
    let kind = if card.is_some() { CONTACT_KIND } else { sent_kind(parcel) };
    let method = match kind {
        REACTION_KIND => {
            let reaction = match parcel.text.as_str() {
                "" => json!([]),
                emoji => json!([{"type": "emoji", "emoji": emoji}]),
            };
            if let Some(id) = parse_number(parcel.quoted.as_deref()) {
                body["message_id"] = id.into();
            }
            body["reaction"] = reaction;
            // The message id determines the topic.
            if let Some(fields) = body.as_object_mut() {
                fields.retain(|name, _| {
                    !matches!(name.as_str(), "message_thread_id" | "direct_messages_topic_id")
                });
            }
            return ("setMessageReaction", body);
        }
        "photo" => "sendPhoto",
        STICKER_KIND => "sendSticker",
        "video" => "sendVideo",
        "audio" if is_voice => "sendVoice",
        "audio" => "sendAudio",
        "document" => "sendDocument",
        CONTACT_KIND => "sendContact",
        _ => "sendMessage",
    };
    if let Some(card) = card {
        set_contact(&mut body, &card);
    } else if method == "sendMessage" {
        body["text"] = parcel.text.as_str().into();
        if let Some(is_shown) = link_preview(parcel) {
            body["link_preview_options"] = json!({ "is_disabled": !is_shown });
        }
    } else {
        body[media_field(kind, is_voice)] = parcel.media_url.as_deref().into();
        if !parcel.text.is_empty() && kind != STICKER_KIND {
            body["caption"] = parcel.text.as_str().into();
        }
    }
    if let Some(mode) = parcel.mode.as_ref().filter(|_| !matches!(kind, STICKER_KIND | CONTACT_KIND)) {
        body["parse_mode"] = mode.as_str().into();
    }
    if let Some(id) = parse_number(parcel.quoted.as_deref()) {
        body["reply_parameters"] = json!({"message_id": id, "allow_sending_without_reply": true});
    }
    if let Some(rows) =
        parcel.content.as_ref().map(|content| &content["buttons"]).filter(|rows| rows.is_array())
    {
        body["reply_markup"] = json!({ "inline_keyboard": rows });
    }
    (method, body)
}

/// Sets the parameters of a contact. Only its vCard has a field for the company.
fn set_contact(body: &mut Value, card: &ContactToSend) {
    let (first, last) = card.name.split_once(' ').unwrap_or((&card.name, ""));
    body["phone_number"] = card.phone.as_str().into();
    body["first_name"] = first.into();
    if !last.is_empty() {
        body["last_name"] = last.into();
    }
    if let Some(company) = &card.company {
        let escape = |text: &str| {
            text.replace('\\', "\\\\").replace(',', "\\,").replace(';', "\\;").replace(['\r', '\n'], " ")
        };
        let (name, company) = (escape(&card.name), escape(company));
        body["vcard"] = format!(
            "BEGIN:VCARD\nVERSION:3.0\nN:;{name};;;\nFN:{name}\nORG:{company}\nTEL:{}\nEND:VCARD",
            card.phone
        )
        .into();
    }
}

/// Kind of the message on the platform, where a sticker is no photo.
fn sent_kind(parcel: &OutboundMessage) -> &str {
    if is_sticker(parcel) { STICKER_KIND } else { &parcel.kind }
}

fn media_field(kind: &str, is_voice: bool) -> &str {
    match kind {
        "audio" if is_voice => "voice",
        "photo" | "video" | "audio" | STICKER_KIND => kind,
        _ => "document",
    }
}

fn parse_number(text: Option<&str>) -> Option<i64> {
    text.and_then(|id| id.parse::<i64>().ok())
}

/// Interprets an answer. `again` marks requests without a second effect.
fn judge_answer(status: u16, told: &Value, again: bool) -> SendOutcome {
    let said = SafeText::line(told["description"].as_str().unwrap_or("it gave no reason"));
    let parameters = &told["parameters"];
    match status {
        200 if told["ok"] == true && again => {
            SendOutcome::Taken { platform_id: String::new(), fate: SimulatedDelivery::Sent, reached: None }
        }
        200 if told["ok"] == true => match told["result"]["message_id"].as_i64() {
            Some(id) => SendOutcome::Taken {
                platform_id: id.to_string(),
                fate: SimulatedDelivery::Sent,
                reached: None,
            },
            None => SendOutcome::unknown("the platform accepted it but returned no id", again),
        },
        429 => SendOutcome::Later {
            after: retry_pause(parameters["retry_after"].as_i64()),
            why: "the platform asks to wait".to_owned(),
        },
        400 | 403 if parameters["migrate_to_chat_id"].is_i64() => {
            SendOutcome::Moved { to: parameters["migrate_to_chat_id"].to_string() }
        }
        401 | 404 => SendOutcome::Refused {
            code: ErrorCode::NotConfigured,
            why: "the platform no longer knows the bot's token; connect the channel again".to_owned(),
            broken: true,
        },
        403 => SendOutcome::refused(
            ErrorCode::InvalidRecipient,
            format!("the bot may not write to this chat: {said}"),
        ),
        400 if said.as_str().to_ascii_lowercase().contains("message thread not found") => {
            SendOutcome::refused(
                ErrorCode::InvalidRecipient,
                "the topic no longer exists; answer in another topic of the group",
            )
        }
        400 | 413 => SendOutcome::refused(
            error_code(status, said.as_str()),
            format!("the platform refused it: {said}"),
        ),
        status => SendOutcome::unknown(format!("the platform answered {status}: {said}"), again),
    }
}

fn error_code(status: u16, said: &str) -> ErrorCode {
    let said = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["topic_closed", "topic_deleted", "topic_not_found"]) {
        ErrorCode::InvalidRecipient
    } else if status == 413 || has(&["file is too big", "photo_invalid_dimensions", "image_process_failed"]) {
        ErrorCode::MediaUploadFailed
    } else if has(&["chat not found", "peer_id_invalid", "user not found", "chat_id is empty"]) {
        ErrorCode::InvalidRecipient
    } else if has(&["http url", "web page content", "wrong file identifier", "webpage_"]) {
        ErrorCode::MediaFetchFailed
    } else if has(&["can't parse", "too long", "is empty", "reaction", "message to react", "not found"]) {
        ErrorCode::ValidationError
    } else {
        ErrorCode::WhatsappError
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::guard::{FetchError, Unreachable};

    fn parcel(kind: &str) -> OutboundMessage {
        OutboundMessage {
            to: "77".to_owned(),
            kind: kind.to_owned(),
            text: "<b>hi</b>".to_owned(),
            ..OutboundMessage::default()
        }
    }

    #[test]
    fn each_kind_has_its_method() {
        let html =
            OutboundMessage { mode: Some("HTML".to_owned()), quoted: Some("5".to_owned()), ..parcel("text") };
        let (method, body) = build_call(&html, false);
        assert_eq!(method, "sendMessage");
        let quote = json!({"message_id": 5, "allow_sending_without_reply": true});
        let text = "<b>hi</b>";
        assert_eq!(
            body,
            json!({"chat_id": 77, "text": text, "parse_mode": "HTML", "reply_parameters": quote})
        );
        for (kind, wanted) in [
            ("photo", "sendPhoto"),
            ("video", "sendVideo"),
            ("audio", "sendAudio"),
            ("document", "sendDocument"),
        ] {
            let link = Some("https://a.example/x".to_owned());
            let (method, body) = build_call(
                &OutboundMessage { media_url: link, to: "@news".to_owned(), ..parcel(kind) },
                false,
            );
            assert_eq!(
                (method, &body[kind], &body["chat_id"]),
                (wanted, &json!("https://a.example/x"), &json!("@news"))
            );
            assert_eq!(body["caption"], "<b>hi</b>");
        }
        let link = Some("https://a.example/x".to_owned());
        let (method, body) = build_call(&OutboundMessage { media_url: link, ..parcel("audio") }, true);
        assert_eq!(
            (method, &body["voice"], &body["audio"]),
            ("sendVoice", &json!("https://a.example/x"), &Value::Null)
        );
        let rows = json!([[{"text": "Yes", "callback_data": "yes"}]]);
        let asking = OutboundMessage { content: Some(json!({ "buttons": rows })), ..parcel("text") };
        assert_eq!(build_call(&asking, false).1["reply_markup"], json!({ "inline_keyboard": rows }));
        let reaction =
            OutboundMessage {
                text: "👍".to_owned(), quoted: Some("5".to_owned()), ..parcel(REACTION_KIND)
            };
        let (method, body) = build_call(&reaction, false);
        assert_eq!((method, &body["message_id"]), ("setMessageReaction", &json!(5)));
        assert_eq!(body["reaction"], json!([{"type": "emoji", "emoji": "👍"}]));
        assert_eq!(
            build_call(&OutboundMessage { text: String::new(), ..reaction }, false).1["reaction"],
            json!([])
        );
    }

    #[test]
    fn stickers_contacts_and_previews_have_their_methods() {
        let with = |kind: &str, content: Value| OutboundMessage {
            content: Some(content),
            mode: Some("HTML".to_owned()),
            quoted: Some("5".to_owned()),
            ..parcel(kind)
        };
        let quote = json!({"message_id": 5, "allow_sending_without_reply": true});
        let link = Some("https://a.example/x".to_owned());
        let sticker = OutboundMessage {
            media_url: link,
            text: String::new(),
            ..with("photo", json!({"sticker": true}))
        };
        assert_eq!(
            build_call(&sticker, false),
            (
                "sendSticker",
                json!({"chat_id": 77, "sticker": "https://a.example/x", "reply_parameters": quote})
            )
        );
        let contact = with("text", json!({"contact": {"name": "Ana Ruiz Gil", "phone": "+34600111222"}}));
        assert_eq!(
            build_call(&contact, false),
            (
                "sendContact",
                json!({"chat_id": 77, "phone_number": "+34600111222", "first_name": "Ana",
                    "last_name": "Ruiz Gil", "reply_parameters": quote})
            )
        );
        let card = json!({"contact": {"name": "Ana", "phone": "+34600111222", "company": "Bells; & more"}});
        let (_, body) = build_call(&with("text", card), false);
        assert_eq!(body["last_name"], Value::Null);
        let lines: Vec<&str> = body["vcard"].as_str().expect("a card").lines().collect();
        assert_eq!(lines[2..6], ["N:;Ana;;;", "FN:Ana", r"ORG:Bells\; & more", "TEL:+34600111222"]);
        for (content, options) in [
            (json!({}), Value::Null),
            (json!({"linkPreview": true}), json!({"is_disabled": false})),
            (json!({"linkPreview": false}), json!({"is_disabled": true})),
        ] {
            let (method, body) = build_call(&with("text", content), false);
            assert_eq!((method, &body["link_preview_options"]), ("sendMessage", &options));
        }
    }

    #[test]
    fn an_answer_says_whether_it_has_left() {
        let told = |words: &str| json!({"ok": false, "description": words});
        let code = |outcome: SendOutcome| outcome.code();
        let moved = json!({"ok": false, "parameters": {"migrate_to_chat_id": -100_123}});
        let cases = [
            (200, json!({"ok": true, "result": {"message_id": 9}}), "taken"),
            (200, json!({"ok": true, "result": {}}), "unknown"),
            (200, json!(null), "unknown"),
            (429, json!({"parameters": {"retry_after": 3}}), "later"),
            (400, moved, "moved"),
            (400, told("Bad Request: chat not found"), "INVALID_RECIPIENT"),
            (400, told("Bad Request: message thread not found"), "INVALID_RECIPIENT"),
            (400, told("Bad Request: TOPIC_CLOSED"), "INVALID_RECIPIENT"),
            (400, told("Bad Request: can't parse entities: x"), "VALIDATION_ERROR"),
            (400, told("Bad Request: failed to get HTTP URL content"), "MEDIA_FETCH_FAILED"),
            (400, told("Bad Request: something new"), "WHATSAPP_ERROR"),
            (413, told("Request Entity Too Large"), "MEDIA_UPLOAD_FAILED"),
            (403, told("Forbidden: bot was blocked by the user"), "INVALID_RECIPIENT"),
            (401, told("Unauthorized"), "NOT_CONFIGURED"),
            (500, told("Internal Server Error"), "unknown"),
            (502, json!(null), "unknown"),
            (302, json!(null), "unknown"),
        ];
        for (status, told, wanted) in cases {
            assert_eq!(code(judge_answer(status, &told, false)), wanted, "{status} {told}");
        }
        assert_eq!(code(judge_answer(502, &json!(null), true)), "later", "a reaction is set again");
        let reasons = [
            (FetchError::Unreachable(Unreachable::NoAnswer), "later"),
            (FetchError::Tls, "later"),
            (FetchError::Broken, "unknown"),
            (FetchError::TimedOut, "unknown"),
        ];
        for (why, wanted) in reasons {
            assert_eq!(code(SendOutcome::from_fetch_error(&why, false)), wanted, "{why:?}");
        }
    }
}
