//! Payload tests: one file per input below `tests/payloads`, read by the platform it belongs to.
//!
//! A file has `about`, a sentence; `given`, the content of the webhook call; and `says`, one object
//! per expected event. A message has its `words` and `kind`, the author `who`, the time `at`, the
//! recipient fields of an `answer`, and optionally the person's other ids, the file, the album, the
//! quoted message, the ad that led to it, its form, that it needs no answer or was forwarded, and why it `asks` for a person.

mod fuzzing;

use std::fs;
use std::path::{Path, PathBuf};

use hyper::HeaderMap;
use serde_json::{Map, Value, json};
use url::form_urlencoded::Serializer;

use crate::contract::{
    ArrivedMedia, ArrivedMessage, ChangedMessage, DeliveryStep, EarlierMessage, PlatformEvent,
    PlatformSource, StatusReport, WebhookCall, with_speaker,
};
use crate::telegram::{self, BotPlatform, chat};
use crate::voip::PhonePlatform;
use crate::whatsapp::{self, NumberPlatform};
use api::carriers::{BotSecrets, BotSettings, NumberSecrets, NumberSettings, PhoneSecrets, PhoneSettings};

const MIN_INPUTS: usize = 150;

/// A platform, and the function that writes an address into an answer.
struct PayloadReader {
    folder: &'static str,
    platform: Box<dyn PlatformSource>,
    answer: fn(&str) -> Value,
}

fn readers() -> [PayloadReader; 3] {
    let number = NumberSettings { number: "106540352242922".to_owned(), ..NumberSettings::default() };
    let secrets = NumberSecrets { token: String::new(), app_secret: String::new(), verify: String::new() };
    let bot = BotSettings {
        api: telegram::DEFAULT_API.to_owned(),
        bot: 1,
        name: "@harbour_bot".to_owned(),
        webhook: true,
    };
    let bot_secrets = BotSecrets { token: String::new(), hook: String::new() };
    let phone = PhoneSettings {
        account: "AC1".to_owned(),
        number: "+15550100200".to_owned(),
        ..PhoneSettings::default()
    };
    let phone_secrets = PhoneSecrets { token: String::new() };
    [
        PayloadReader {
            folder: "whatsapp",
            platform: Box::new(NumberPlatform::new(number, &secrets)),
            answer: |to| written(to, whatsapp::address::set_recipient),
        },
        PayloadReader {
            folder: "telegram",
            platform: Box::new(BotPlatform::new(&bot, &bot_secrets)),
            answer: |to| written(to, chat::set_address),
        },
        PayloadReader {
            folder: "voip",
            platform: Box::new(PhonePlatform::new(phone, &phone_secrets, None)),
            answer: |to| json!({ "To": to }),
        },
    ]
}

fn written(to: &str, set: fn(&mut Value, &str)) -> Value {
    let mut body = json!({});
    set(&mut body, to);
    body
}

/// Body of a webhook call: JSON, or a form where the platform sends forms.
fn body(folder: &str, given: &Value) -> Vec<u8> {
    if folder != "voip" {
        return given.to_string().into_bytes();
    }
    let fields = given.as_object().expect("fields of a form");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = fields.iter().map(|(name, value)| (name.as_str(), text(value)));
    Serializer::new(String::new()).extend_pairs(pairs).finish().into_bytes()
}

fn events(reader: &PayloadReader, given: &Value) -> Vec<PlatformEvent> {
    let headers = HeaderMap::new();
    let body = body(reader.folder, given);
    let pieces = reader.platform.split_updates(&WebhookCall { query: "", headers: &headers, body: &body });
    pieces.iter().flat_map(|piece| reader.platform.parse_updates(&piece.body)).collect()
}

fn event_json(reader: &PayloadReader, event: PlatformEvent) -> Value {
    match event {
        PlatformEvent::Message(message) => message_json(reader, &message),
        PlatformEvent::Edited { changed, message } => {
            let ArrivedMessage { inbound, .. } = message.as_ref();
            let words = with_speaker(inbound.speaker.as_deref(), &inbound.text, &inbound.kind);
            let edited = change_json(reader, "edited", &changed);
            merged(edited, &json!({"words": words, "holds": inbound.extras.structure}))
        }
        PlatformEvent::Withdrawn(changed) => change_json(reader, "withdrawn", &changed),
        PlatformEvent::SentElsewhere(sent) => {
            let answer = (reader.answer)(&sent.to);
            strip_nulls(json!({
                "sent elsewhere": sent.platform_id,
                "words": sent.text,
                "who": sent.name,
                "answer": answer,
                "file": sent.media.as_ref().map(media_json),
                "voice": sent.extras.voice,
                "sticker": sent.extras.sticker,
                "forwarded": sent.extras.forwarded,
                "holds": sent.extras.structure,
            }))
        }
        PlatformEvent::Earlier(thread) => {
            let messages: Vec<Value> = thread.messages.iter().map(earlier_json).collect();
            json!({"earlier": messages, "answer": thread.peer.as_deref().map(reader.answer)})
        }
        PlatformEvent::EarlierPart { is_last } => json!({ "last part": is_last }),
        PlatformEvent::Moved { from, to, .. } => json!({"moved": from, "to": to}),
        PlatformEvent::Renamed { peer, name } => json!({"renamed": peer, "to": name}),
        PlatformEvent::IdChanged { from, to } => json!({"id": from, "to": to}),
        PlatformEvent::BusinessConnection { id, owner, may_answer } => {
            strip_nulls(json!({"connection": id, "owner": owner, "answers": may_answer}))
        }
        PlatformEvent::Status(report) => status_json(report),
        other => json!({ "other": format!("{other:?}") }),
    }
}

fn change_json(reader: &PayloadReader, name: &str, changed: &ChangedMessage) -> Value {
    strip_nulls(json!({
        name: changed.platform_id,
        "answer": (reader.answer)(&changed.peer),
        "at": changed.at.map(|at| at.to_string()),
        "own": changed.is_own.then_some(true),
    }))
}

fn merged(mut one: Value, other: &Value) -> Value {
    for (name, value) in other.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        one[name] = value.clone();
    }
    one
}

fn message_json(reader: &PayloadReader, message: &ArrivedMessage) -> Value {
    let ArrivedMessage { inbound, media, quoted, .. } = message;
    let words = with_speaker(inbound.speaker.as_deref(), &inbound.text, &inbound.kind);
    let file = media.as_ref().map(media_json);
    strip_nulls(json!({
        "words": words,
        "kind": inbound.kind,
        "who": inbound.speaker.as_ref().or(inbound.name.as_ref()),
        "conversation": inbound.name.as_ref().filter(|_| inbound.speaker.is_some()),
        "at": inbound.sent_at.map(|at| at.to_string()),
        "answer": (reader.answer)(&inbound.from),
        "also": if inbound.other_ids.is_empty() { Value::Null } else { json!(inbound.other_ids) },
        "file": file,
        "quotes": quoted,
        "reacts": inbound.extras.reaction,
        "album": inbound.extras.album,
        "voice": inbound.extras.voice,
        "sticker": inbound.extras.sticker,
        "forwarded": inbound.extras.forwarded,
        "referral": inbound.referral,
        "holds": inbound.extras.structure,
        "keyword": inbound.keyword.map(|keyword| format!("{keyword:?}")),
        "unanswered": inbound.needs_no_answer.then_some(true),
        "asks": inbound.asks_for_person,
    }))
}

fn earlier_json(message: &EarlierMessage) -> Value {
    strip_nulls(json!({
        "of": message.platform_id,
        "own": message.is_own.then_some(true),
        "words": message.text,
        "kind": message.kind,
        "at": message.sent_at.to_string(),
        "quotes": message.quoted,
        "lacks file": message.lacks_file.then_some(true),
        "file": message.media.as_ref().map(media_json),
        "voice": message.extras.voice,
        "sticker": message.extras.sticker,
        "forwarded": message.extras.forwarded,
        "holds": message.extras.structure,
    }))
}

fn media_json(media: &ArrivedMedia) -> Value {
    strip_nulls(json!({"name": media.name, "type": media.mime_type, "size": media.size}))
}

fn status_json(report: StatusReport) -> Value {
    let StatusReport { platform_id, step, reached, recipient_id, .. } = report;
    let step = match step {
        DeliveryStep::Sent => "sent",
        DeliveryStep::Delivered => "delivered",
        DeliveryStep::Read => "read",
        DeliveryStep::Failed { .. } => "failed",
    };
    strip_nulls(json!({"status": step, "of": platform_id, "number": reached, "id": recipient_id}))
}

fn strip_nulls(value: Value) -> Value {
    let fields: Map<String, Value> = match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    Value::Object(fields)
}

fn inputs(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/payloads").join(folder);
    let files = fs::read_dir(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort_unstable();
    files
}

#[test]
fn each_input_says_what_it_must() {
    let (mut count, mut wrong) = (0, Vec::new());
    for reader in readers() {
        for path in inputs(reader.folder) {
            count += 1;
            let text = fs::read_to_string(&path).expect("a text");
            let input: Value =
                serde_json::from_str(&text).unwrap_or_else(|cause| panic!("{path:?}: {cause}"));
            assert!(input["about"].is_string(), "{path:?} says what it is about");
            let told: Vec<Value> = events(&reader, &input["given"])
                .into_iter()
                .map(|event| event_json(&reader, event))
                .collect();
            if Value::from(told.clone()) != input["says"] {
                wrong.push(format!("{}\n  says  {}\n  wants {}", path.display(), json!(told), input["says"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= MIN_INPUTS, "{count} inputs");
}
