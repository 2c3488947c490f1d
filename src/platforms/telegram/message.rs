use serde_json::{Value, json};

use crate::contract::{ArrivedMedia, default_file_name};
use crate::telegram::structured::{BotStructure, read_structure, unknown_text, with_links};
use crate::words::read_text;

#[derive(Default)]
pub(super) struct BotContent {
    pub kind: &'static str,
    pub words: String,
    pub media: Option<ArrivedMedia>,
    /// The object of a structured message under its name.
    pub structure: Value,
}

/// Fields of files: the field, the kind it is shown as, and a default file name.
const FILE_FIELDS: [(&str, &str, &str); 7] = [
    ("live_photo", "photo", "photo.jpg"),
    ("video", "video", "video.mp4"),
    ("animation", "video", "animation.mp4"),
    ("video_note", "video", "video.mp4"),
    ("audio", "audio", "audio.mp3"),
    ("voice", "audio", "voice.ogg"),
    ("document", "document", "document"),
];

/// Objects of a message that describe its context and have no content.
const CONTEXT_FIELDS: [&str; 15] = [
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

/// Prefixes of service messages: members, names, calls.
const SERVICE_PREFIXES: [&str; 16] = [
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

/// Reads the content of a message; `None` for a service message.
pub(super) fn read_content(message: &Value) -> Option<BotContent> {
    if let Some(words) = with_links(&message["text"], &message["entities"]) {
        return Some(BotContent { kind: "text", words, ..BotContent::default() });
    }
    let caption = with_links(&message["caption"], &message["caption_entities"]).unwrap_or_default();
    // The sizes are in ascending order.
    if let Some(photo) = message["photo"].as_array().and_then(|sizes| sizes.last()) {
        let media = read_file(photo, "photo.jpg");
        return Some(BotContent { kind: "photo", words: caption, media, ..BotContent::default() });
    }
    for (field, kind, name) in FILE_FIELDS {
        let object = &message[field];
        if object.is_object() {
            let media = read_file(object, name);
            return Some(BotContent { kind, words: caption, media, ..BotContent::default() });
        }
    }
    if message["sticker"].is_object() {
        return Some(read_sticker(&message["sticker"]));
    }
    let (field, object, words) = match read_structure(message) {
        Some(BotStructure { field, object, words }) => (field, object, words),
        None => read_unknown(message, &caption)?,
    };
    let structure = if object.is_object() { json!({ field: object }) } else { Value::Null };
    Some(BotContent { kind: "text", words, media: None, structure })
}

/// Reads a sticker: a picture, a video, or an animation in a format of the platform's own.
fn read_sticker(object: &Value) -> BotContent {
    let (kind, name) = match (&object["is_video"], &object["is_animated"]) {
        (Value::Bool(true), _) => ("video", "sticker.webm"),
        (_, Value::Bool(true)) => ("document", "sticker.tgs"),
        _ => ("photo", "sticker.webp"),
    };
    let words = read_text(&object["emoji"]).unwrap_or_default();
    BotContent { kind, words, media: read_file(object, name), ..BotContent::default() }
}

fn read_file(object: &Value, name: &str) -> Option<ArrivedMedia> {
    let mime_type = read_text(&object["mime_type"]);
    let usual = || default_file_name(name, mime_type.as_deref());
    Some(ArrivedMedia {
        reference: object["file_id"].as_str()?.to_owned(),
        name: read_text(&object["file_name"]).unwrap_or_else(usual),
        mime_type,
        size: object["file_size"].as_i64(),
    })
}

/// Reads a message of an unknown kind, shown by the name of the kind with all its text.
fn read_unknown<'a>(message: &'a Value, caption: &str) -> Option<(&'a str, &'a Value, String)> {
    let is_service = |name: &str| SERVICE_PREFIXES.iter().any(|start| name.starts_with(start));
    let fields = message.as_object()?;
    let found = fields.iter().find(|(name, value)| {
        value.is_object() && !CONTEXT_FIELDS.contains(&name.as_str()) && !is_service(name)
    });
    match found {
        Some((kind, object)) => Some((kind, object, unknown_text(kind, object, caption))),
        None => Some(("", &Value::Null, caption.to_owned())).filter(|_| !caption.is_empty()),
    }
}
