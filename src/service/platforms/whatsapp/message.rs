//! A message as the platform tells it: who wrote it, where an answer goes, and
//! what it says.

use serde_json::Value;

use crate::carriers::{ArrivedMedia, ArrivedMessage, PlatformEvent, REACTION, SentElsewhere};
use crate::chat::receive::Inbound;
use crate::platforms::whatsapp::address::{self, ChatPerson};
use crate::platforms::words::{self, in_brackets, of_unknown, text};
use model::bounds;

/// Kind, words and file of a message.
struct NumberContent {
    kind: &'static str,
    words: String,
    media: Option<ArrivedMedia>,
}

impl NumberContent {
    fn text(words: String) -> Self {
        Self { kind: "text", words, media: None }
    }
}

/// Reads a message; `contact` tells more of who sent it.
pub(super) fn arrived(message: &Value, contact: &Value) -> Option<PlatformEvent> {
    let NumberContent { kind, words, media } = content(message)?;
    let person = ChatPerson::read(message, contact);
    let group = text(&message["group_id"]).map(|id| address::group(&id));
    let referral = &message["referral"];
    let inbound = Inbound {
        from: group.clone().or_else(|| person.address().map(str::to_owned))?,
        // The ids of one of many are not those of the group.
        also: if group.is_some() { Vec::new() } else { person.other_ids() },
        speaker: group.as_ref().and_then(|_| person.called().or_else(|| person.number.clone())),
        name: person.called().filter(|_| group.is_none()),
        username: person.username.clone().filter(|_| group.is_none()),
        sent_at: words::time(&message["timestamp"]),
        text: words,
        kind: kind.to_owned(),
        referral: Some(referral.clone()).filter(Value::is_object),
        platform_id: Some(message["id"].as_str()?.to_owned()),
        needs_no_answer: kind == REACTION,
        ..Inbound::default()
    };
    let context = &message["context"]["id"];
    let quoted = context.as_str().or(message["reaction"]["message_id"].as_str()).map(str::to_owned);
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, media, quoted, missing: None })))
}

/// Reads a message that was sent with the platform's own app on a phone that has the same number.
pub(super) fn sent_elsewhere(message: &Value) -> Option<PlatformEvent> {
    let NumberContent { kind, words, .. } = content(message)?;
    let to = text(&message["to"])?;
    // A reaction answers nobody.
    if kind == REACTION {
        return None;
    }
    Some(PlatformEvent::SentElsewhere(SentElsewhere {
        platform_id: text(&message["id"])?,
        to: if bounds::is_user_id(&to) { to } else { address::phone(&to) },
        text: words,
        kind,
        sent_at: words::time(&message["timestamp"]),
    }))
}

/// Returns what a message says; `None` for the platform's own words on a chat
/// and for a reaction that is taken back.
fn content(message: &Value) -> Option<NumberContent> {
    let kind = message["type"].as_str().unwrap_or("unknown");
    let object = &message[kind];
    let with_file = |kind, name: &str| {
        let caption = text(&object["caption"]).unwrap_or_default();
        NumberContent { kind, words: caption, media: file(object, name) }
    };
    Some(match kind {
        "text" => NumberContent::text(text(&object["body"]).unwrap_or_else(|| "[empty message]".to_owned())),
        "image" => with_file("image", "image.jpg"),
        "sticker" => with_file("image", "sticker.webp"),
        "video" => with_file("video", "video.mp4"),
        "audio" | "voice" => with_file("audio", "audio.ogg"),
        "document" => with_file("document", "document"),
        "button" => NumberContent::text(
            text(&object["text"]).unwrap_or_else(|| in_brackets("button", &of_unknown(object))),
        ),
        "interactive" => NumberContent::text(interactive(object)),
        "location" => NumberContent { kind: "location", words: location(object), media: None },
        "contacts" => NumberContent::text(contacts(object)),
        // An empty one takes an earlier one away.
        REACTION => NumberContent { kind: REACTION, words: text(&object["emoji"])?, media: None },
        "unsupported" | "unknown" => NumberContent::text(unsupported(message, object)),
        "system" => return None,
        other => unknown(other, message, object),
    })
}

fn file(object: &Value, name: &str) -> Option<ArrivedMedia> {
    Some(ArrivedMedia {
        reference: object["id"].as_str()?.to_owned(),
        name: text(&object["filename"]).unwrap_or_else(|| name.to_owned()),
        mime_type: text(&object["mime_type"]),
        size: object["file_size"].as_i64(),
    })
}

fn interactive(object: &Value) -> String {
    let chosen = ["button_reply", "list_reply"].iter().find_map(|name| text(&object[*name]["title"]));
    let form = &object["nfm_reply"];
    chosen.unwrap_or_else(|| match (form.is_object(), object["type"].as_str()) {
        (false, Some(kind)) if !matches!(kind, "button_reply" | "list_reply") => {
            in_brackets(kind, &of_unknown(&object[kind]))
        }
        _ => in_brackets("form", &of_unknown(form)),
    })
}

fn location(object: &Value) -> String {
    let place = format!("{}, {}", object["latitude"], object["longitude"]);
    let parts = [text(&object["name"]), text(&object["address"]), Some(place)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn contacts(list: &Value) -> String {
    let one = |contact: &Value| {
        let name = text(&contact["name"]["formatted_name"]);
        let parts = [name, text(&contact["phones"][0]["phone"])];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    let all: Vec<String> = list.as_array().into_iter().flatten().map(one).collect();
    let words = all.join("; ");
    if words.is_empty() { "[contact]".to_owned() } else { words }
}

fn unsupported(message: &Value, object: &Value) -> String {
    let what = match text(&object["type"]).filter(|kind| kind != "unknown") {
        Some(kind) => format!("{}, which the platform does not pass on", kind.replace('_', " ")),
        None => "a kind of message the platform does not pass on".to_owned(),
    };
    let own = of_unknown(object);
    in_brackets(&what, &if own.is_empty() { of_unknown(message) } else { own })
}

/// A kind that came after this program: its words and its file are kept.
fn unknown(kind: &str, message: &Value, object: &Value) -> NumberContent {
    let own = of_unknown(object);
    let words = if own.is_empty() { of_unknown(message) } else { own };
    let is_file = object["mime_type"].is_string();
    let media = if is_file { file(object, "document") } else { None };
    let shown = if media.is_some() { "document" } else { "text" };
    NumberContent { kind: shown, words: in_brackets(kind, &words), media }
}
