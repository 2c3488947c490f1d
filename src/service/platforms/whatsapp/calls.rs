//! What the platform calls to tell: messages, what became of ours, and what
//! changed about the account.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::carriers::{ArrivedMessage, HookPiece, MessageStep, PlatformEvent, SentElsewhere, StatusReport};
use crate::chat::receive::Inbound;
use crate::database::templates::Template;
use crate::platforms::whatsapp::sending;

/// The field under which the platform tells what was sent with its own app.
const ECHOES: &str = "smb_message_echoes";

/// The pieces of a call that are about a number; one for each thing told.
pub(super) fn split(number: &str, body: &[u8]) -> Vec<HookPiece> {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let entries = told["entry"].as_array().into_iter().flatten();
    let changes = entries.flat_map(|entry| {
        let changes = entry["changes"].as_array().into_iter().flatten();
        changes.map(|it| (it, &entry["time"]))
    });
    changes.flat_map(|(change, time)| of_change(number, change, time)).collect()
}

fn of_change(number: &str, change: &Value, time: &Value) -> Vec<HookPiece> {
    let (field, value) = (change["field"].as_str().unwrap_or(""), &change["value"]);
    if field == ECHOES {
        return echoes(number, value);
    }
    if field != "messages" {
        let about = ["template", "account", "phone_number", "business_capability"];
        let wanted = about.iter().any(|it| field.contains(it));
        // The same may happen twice: it is told apart by its time.
        let body = json!({ "changed": field, "value": value, "time": time }).to_string();
        return if wanted { vec![piece(digest(&body), "account".to_owned(), body)] } else { Vec::new() };
    }
    if value["metadata"]["phone_number_id"].as_str().is_some_and(|it| it != number) {
        return Vec::new();
    }
    let list = |name: &str| value[name].as_array().map_or(&[][..], Vec::as_slice);
    let mut pieces = Vec::new();
    for message in list("messages") {
        let (Some(id), Some(from)) = (message["id"].as_str(), message["from"].as_str()) else { continue };
        let contact = list("contacts").iter().find(|it| it["wa_id"] == from).cloned().unwrap_or_default();
        let body = json!({ "message": message, "contact": contact }).to_string();
        pieces.push(piece(format!("message {id}"), from.to_owned(), body));
    }
    for status in list("statuses") {
        let (Some(id), Some(word)) = (status["id"].as_str(), status["status"].as_str()) else { continue };
        // One that does not say which of ours it is about may have to wait, and
        // must not hold the customer up.
        let lane = match status["biz_opaque_callback_data"].as_str() {
            Some(_) => status["recipient_id"].as_str().unwrap_or("").to_owned(),
            None => format!("status of {id}"),
        };
        let body = json!({ "status": status }).to_string();
        pieces.push(piece(format!("{word} {id}"), lane, body));
    }
    pieces
}

/// What was sent with the platform's own app on a phone that has the same number.
fn echoes(number: &str, value: &Value) -> Vec<HookPiece> {
    if value["metadata"]["phone_number_id"].as_str().is_some_and(|id| id != number) {
        return Vec::new();
    }
    let all = value["message_echoes"].as_array().into_iter().flatten();
    let one = |message: &Value| {
        let (id, to) = (message["id"].as_str()?, message["to"].as_str()?);
        Some(piece(format!("message {id}"), to.to_owned(), json!({ "echo": message }).to_string()))
    };
    all.filter_map(one).collect()
}

fn echo(message: &Value) -> Option<PlatformEvent> {
    let (kind, text, _) = content(message)?;
    // A reaction answers nobody.
    (kind != "reaction").then_some(())?;
    Some(PlatformEvent::SentElsewhere(SentElsewhere {
        platform_id: message["id"].as_str()?.to_owned(),
        to: phone(message["to"].as_str()?),
        text,
        kind,
    }))
}

fn piece(name: String, lane: String, body: String) -> HookPiece {
    HookPiece { name, lane, body: body.into_bytes() }
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|it| format!("{it:02x}")).collect()
}

/// What a piece says; nothing where it says nothing that is kept.
pub(super) fn understand(piece: &Value) -> Option<PlatformEvent> {
    if piece["changed"].is_string() {
        return Some(PlatformEvent::AccountChanged);
    }
    if piece["status"].is_object() {
        return status(&piece["status"]);
    }
    if piece["echo"].is_object() {
        return echo(&piece["echo"]);
    }
    let message = &piece["message"];
    let from = message["from"].as_str()?;
    if message["type"] == "system" {
        return moved(from, &message["system"]);
    }
    arrived(message, &piece["contact"])
}

/// A customer has another number now.
fn moved(from: &str, system: &Value) -> Option<PlatformEvent> {
    let to = system["wa_id"].as_str().or(system["new_wa_id"].as_str()).filter(|it| *it != from)?;
    Some(PlatformEvent::Moved { from: phone(from), to: phone(to), for_good: false })
}

/// A number of the platform's in E.164.
pub(super) fn phone(id: &str) -> String {
    format!("+{}", id.trim_start_matches('+'))
}

fn status(told: &Value) -> Option<PlatformEvent> {
    let step = match told["status"].as_str()? {
        "sent" => MessageStep::Sent,
        "delivered" => MessageStep::Delivered,
        "read" | "played" => MessageStep::Read,
        "failed" => {
            let error = &told["errors"][0];
            let (code, broken) = sending::lost(error["code"].as_i64().unwrap_or(0));
            MessageStep::Failed { code, why: sending::words(error).as_str().to_owned(), broken }
        }
        _ => return None,
    };
    Some(PlatformEvent::Status(StatusReport {
        platform_id: told["id"].as_str()?.to_owned(),
        own_id: told["biz_opaque_callback_data"].as_str().map(str::to_owned),
        step,
        reached: text(&told["recipient_id"]).map(|it| phone(&it)),
        trace: None,
    }))
}

/// Text without what no database keeps.
fn text(value: &Value) -> Option<String> {
    value.as_str().map(|it| it.replace('\0', "")).filter(|it| !it.is_empty())
}

fn arrived(message: &Value, contact: &Value) -> Option<PlatformEvent> {
    let (kind, words, media) = content(message)?;
    let referral = &message["referral"];
    let inbound = Inbound {
        from: phone(message["from"].as_str()?),
        name: text(&contact["profile"]["name"]),
        text: words,
        kind: kind.to_owned(),
        referral: Some(referral.clone()).filter(Value::is_object),
        platform_id: Some(message["id"].as_str()?.to_owned()),
        needs_no_answer: kind == "reaction",
        ..Inbound::default()
    };
    let context = &message["context"]["id"];
    let quoted = context.as_str().or(message["reaction"]["message_id"].as_str()).map(str::to_owned);
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, media, quoted })))
}

/// A message's kind, its words, and the platform's id of its file with a name
/// for it.
#[expect(clippy::type_complexity, reason = "three things of one message")]
fn content(message: &Value) -> Option<(&'static str, String, Option<(String, String)>)> {
    let kind = message["type"].as_str()?;
    let it = &message[kind];
    let file = |name: &str| {
        let name = text(&it["filename"]).unwrap_or_else(|| name.to_owned());
        it["id"].as_str().map(|id| (id.to_owned(), name))
    };
    let caption = text(&it["caption"]).unwrap_or_default();
    Some(match kind {
        "text" => ("text", text(&it["body"])?, None),
        "image" => ("image", caption, file("image.jpg")),
        "sticker" => ("image", caption, file("sticker.webp")),
        "video" => ("video", caption, file("video.mp4")),
        "audio" | "voice" => ("audio", caption, file("audio.ogg")),
        "document" => ("document", caption, file("document")),
        "button" => ("text", text(&it["text"])?, None),
        "interactive" => {
            let reply = ["button_reply", "list_reply"].iter().find_map(|name| text(&it[*name]["title"]));
            ("text", reply.unwrap_or_else(|| "[form]".to_owned()), None)
        }
        "location" => {
            let place = format!("{}, {}", it["latitude"], it["longitude"]);
            let parts = [text(&it["name"]), text(&it["address"]), Some(place)];
            ("location", parts.into_iter().flatten().collect::<Vec<_>>().join(" · "), None)
        }
        "contacts" => {
            let one = |it: &Value| {
                let name = text(&it["name"]["formatted_name"]);
                let parts = [name, text(&it["phones"][0]["phone"])];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
            };
            let all: Vec<String> = it.as_array()?.iter().map(one).collect();
            ("text", all.join("; "), None)
        }
        // An empty one takes an earlier one away.
        "reaction" => ("reaction", text(&it["emoji"])?, None),
        "order" => ("text", "[order]".to_owned(), None),
        "unsupported" | "unknown" => {
            ("text", "[a kind of message the platform does not pass on]".to_owned(), None)
        }
        // The platform's own words on a chat.
        "system" => return None,
        other => ("text", format!("[{other}]"), None),
    })
}

/// A template as the platform lists it.
pub(super) fn template(told: &Value) -> Option<Template> {
    let part = |name: &str| told[name].as_str().map(str::to_owned);
    Some(Template {
        name: part("name")?,
        language: part("language")?,
        category: part("category").unwrap_or_default(),
        status: part("status")?,
        components: told["components"].to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::errors::ErrorCode;

    fn call(value: &Value) -> Vec<HookPiece> {
        let body = json!({"entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}]});
        split("555", body.to_string().as_bytes())
    }

    fn one(message: Value) -> Option<PlatformEvent> {
        let value = json!({
            "metadata": {"phone_number_id": "555"}, "messages": [message],
            "contacts": [{"wa_id": "34600111222", "profile": {"name": "Ana"}}],
        });
        let piece = call(&value).pop()?;
        understand(&serde_json::from_slice(&piece.body).expect("JSON"))
    }

    fn message(kind: &str, content: Value) -> Value {
        json!({"id": "wamid.1", "from": "34600111222", "type": kind, kind: content})
    }

    #[test]
    fn every_kind_of_message_is_kept() {
        let cases = [
            ("text", json!({"body": "hi\u{0}"}), "text", "hi", None),
            ("image", json!({"id": "9", "caption": "look"}), "image", "look", Some("9")),
            ("audio", json!({"id": "9", "voice": true}), "audio", "", Some("9")),
            ("video", json!({"id": "9"}), "video", "", Some("9")),
            ("document", json!({"id": "9", "filename": "a.pdf"}), "document", "", Some("9")),
            ("sticker", json!({"id": "9"}), "image", "", Some("9")),
            ("button", json!({"text": "Yes"}), "text", "Yes", None),
            ("interactive", json!({"list_reply": {"title": "Blue"}}), "text", "Blue", None),
            (
                "location",
                json!({"latitude": 1.5, "longitude": 2, "name": "Pier"}),
                "location",
                "Pier · 1.5, 2",
                None,
            ),
            ("contacts", json!([{"name": {"formatted_name": "Bo"}}]), "text", "Bo", None),
            ("reaction", json!({"message_id": "wamid.0", "emoji": "👍"}), "reaction", "👍", None),
            ("order", json!({}), "text", "[order]", None),
            ("unknown", json!({}), "text", "[a kind of message the platform does not pass on]", None),
            ("request_welcome", json!({}), "text", "[request_welcome]", None),
        ];
        for (kind, fields, wanted, words, file) in cases {
            let Some(PlatformEvent::Message(told)) = one(message(kind, fields)) else { panic!("{kind}") };
            assert_eq!((told.inbound.kind.as_str(), told.inbound.text.as_str()), (wanted, words), "{kind}");
            assert_eq!(told.media.as_ref().map(|it| it.0.as_str()), file, "{kind}");
            assert_eq!(told.inbound.from, "+34600111222");
            assert_eq!(told.inbound.name.as_deref(), Some("Ana"));
            assert_eq!(told.inbound.needs_no_answer, kind == "reaction");
        }
        let changed = one(message("system", json!({"wa_id": "34600999888"})));
        assert!(matches!(changed, Some(PlatformEvent::Moved { to, .. }) if to == "+34600999888"));
    }

    #[test]
    fn each_thing_told_is_a_piece_of_its_own() {
        let value = json!({
            "metadata": {"phone_number_id": "555"}, "messages": [message("text", json!({"body": "hi"}))],
            "statuses": [
                {"id": "wamid.7", "status": "read", "recipient_id": "34", "biz_opaque_callback_data": "msg_7"},
                {"id": "wamid.8", "status": "failed", "recipient_id": "34", "errors": [{"code": 131_047, "title": "late"}]},
            ],
        });
        let pieces = call(&value);
        let names: Vec<_> = pieces.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["message wamid.1", "read wamid.7", "failed wamid.8"]);
        let status = |at: usize| understand(&serde_json::from_slice(&pieces[at].body).expect("JSON"));
        let Some(PlatformEvent::Status(told)) = status(1) else { panic!("a status") };
        assert_eq!((told.own_id.as_deref(), told.step), (Some("msg_7"), MessageStep::Read));
        let Some(PlatformEvent::Status(told)) = status(2) else { panic!("a status") };
        let why = "late".to_owned();
        assert_eq!(told.step, MessageStep::Failed { code: ErrorCode::SessionExpired, why, broken: false });
        let other = json!({"metadata": {"phone_number_id": "556"}, "messages": [message("text", json!({"body": "x"}))]});
        assert!(call(&other).is_empty(), "another number of the account");
        let change = |time: i64| {
            let change = json!({"field": "message_template_status_update", "value": {}});
            let told = json!({"entry": [{"time": time, "changes": [change]}]});
            split("555", told.to_string().as_bytes()).pop().expect("a piece")
        };
        assert_eq!(change(1), change(1));
        assert_ne!(change(1).name, change(2).name, "it happened twice");
        assert!(split("555", b"no JSON").is_empty());
    }
}
