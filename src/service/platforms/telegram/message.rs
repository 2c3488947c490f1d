//! The kind, words and file of a message.

use serde_json::Value;

use crate::carriers::ArrivedMedia;
use crate::platforms::telegram::chat::name_of;
use crate::platforms::words::{in_brackets, of_unknown, text};

/// Kind, words and file of a message.
pub(super) struct BotContent {
    pub kind: &'static str,
    pub words: String,
    pub media: Option<ArrivedMedia>,
}

/// Fields of files: the field, the kind it is shown as, and a name for one
/// without.
const FILES: [(&str, &str, &str); 8] = [
    ("live_photo", "photo", "photo.jpg"),
    ("video", "video", "video.mp4"),
    ("animation", "video", "animation.mp4"),
    ("video_note", "video", "video.mp4"),
    ("audio", "audio", "audio.mp3"),
    ("voice", "audio", "voice.ogg"),
    ("document", "document", "document"),
    ("sticker", "photo", "sticker.webp"),
];

/// Objects of a message that say where it belongs, and nothing to be shown.
const BESIDE: [&str; 15] = [
    "chat",
    "from",
    "sender_chat",
    "sender_business_bot",
    "forward_origin",
    "forward_from",
    "forward_from_chat",
    "reply_to_message",
    "reply_to_story",
    "reply_markup",
    "external_reply",
    "quote",
    "via_bot",
    "link_preview_options",
    "direct_messages_topic",
];

/// Beginnings of the names of objects in which the platform itself speaks of a
/// chat: who came, what it is called, which calls there were.
const SERVICE: [&str; 16] = [
    "new_chat",
    "left_chat",
    "pinned_",
    "forum_topic",
    "general_forum_topic",
    "video_chat",
    "voice_chat",
    "message_auto_delete",
    "proximity_alert",
    "boost_added",
    "chat_background",
    "write_access",
    "giveaway_created",
    "giveaway_completed",
    "direct_message_price",
    "suggested_post_",
];

/// Reads what a message says; `None` for what the platform itself says of a chat.
pub(super) fn content(message: &Value) -> Option<BotContent> {
    if let Some(words) = text(&message["text"]) {
        return Some(BotContent { kind: "text", words, media: None });
    }
    let caption = text(&message["caption"]).unwrap_or_default();
    // The largest of several sizes is the last.
    if let Some(photo) = message["photo"].as_array().and_then(|sizes| sizes.last()) {
        return Some(BotContent { kind: "photo", words: caption, media: file(photo, "photo.jpg") });
    }
    for (field, kind, name) in FILES {
        let object = &message[field];
        if object.is_object() {
            let words = if field == "sticker" { text(&object["emoji"]).unwrap_or_default() } else { caption };
            return Some(BotContent { kind, words, media: file(object, name) });
        }
    }
    let words = place_or_person(message).or_else(|| unknown(message, &caption))?;
    Some(BotContent { kind: "text", words, media: None })
}

fn file(object: &Value, name: &str) -> Option<ArrivedMedia> {
    Some(ArrivedMedia {
        reference: object["file_id"].as_str()?.to_owned(),
        name: text(&object["file_name"]).unwrap_or_else(|| name.to_owned()),
        mime_type: text(&object["mime_type"]),
        size: object["file_size"].as_i64(),
    })
}

fn place_or_person(message: &Value) -> Option<String> {
    let place = |location: &Value| format!("{}, {}", location["latitude"], location["longitude"]);
    let parts = |all: [Option<String>; 3]| all.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let (venue, location, contact) = (&message["venue"], &message["location"], &message["contact"]);
    if venue.is_object() {
        let at = Some(place(&venue["location"]));
        return Some(parts([text(&venue["title"]), text(&venue["address"]), at]));
    }
    if location.is_object() {
        return Some(place(location));
    }
    if contact.is_object() {
        return Some(parts([name_of(contact), text(&contact["phone_number"]), None]));
    }
    if message["poll"].is_object() {
        return Some(parts([Some("[poll]".to_owned()), text(&message["poll"]["question"]), None]));
    }
    if message["dice"].is_object() {
        let emoji = text(&message["dice"]["emoji"]).unwrap_or_default();
        return Some(format!("{emoji} {}", message["dice"]["value"]));
    }
    None
}

/// A kind that is only named, also one that came after this program, with all its
/// words.
fn unknown(message: &Value, caption: &str) -> Option<String> {
    let is_service = |name: &str| SERVICE.iter().any(|start| name.starts_with(start));
    let fields = message.as_object()?;
    let found = fields
        .iter()
        .find(|(name, value)| value.is_object() && !BESIDE.contains(&name.as_str()) && !is_service(name));
    match found {
        Some((kind, object)) => {
            let own = of_unknown(object);
            let both: Vec<&str> = [caption, &own].into_iter().filter(|words| !words.is_empty()).collect();
            Some(in_brackets(kind, &both.join(" · ")))
        }
        None => Some(caption.to_owned()).filter(|words| !words.is_empty()),
    }
}
