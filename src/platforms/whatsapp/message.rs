//! Parses a message: author, address for answers, and content.

use serde_json::Value;

use crate::contract::{
    ArrivedMedia, ArrivedMessage, ChangedMessage, EarlierMessage, InboundMessage, PlatformEvent,
    REACTION_KIND, SentElsewhere, default_file_name,
};
use crate::whatsapp::address::{self, ChatPerson};
use crate::whatsapp::structured;
use crate::words::{self, describe_unknown, in_brackets, read_text};
use api::extras::{MessageExtras, ReactionOrigin};
use model::time::SECOND;

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

/// Reads a message, an edit or a withdrawal; `contact` completes the sender.
pub(super) fn read_arrival(message: &Value, contact: &Value) -> Option<PlatformEvent> {
    match message["type"].as_str() {
        Some("edit") => read_edit(message, contact),
        Some("revoke") => read_withdrawal(message, contact),
        _ => Some(PlatformEvent::Message(Box::new(read_message(message, message, contact)?))),
    }
}

/// Reads a message with its content in `body` and its sender in `message`.
fn read_message(message: &Value, body: &Value, contact: &Value) -> Option<ArrivedMessage> {
    let NumberContent { kind, words, media } = read_content(body)?;
    let person = ChatPerson::read(message, contact);
    let group = read_text(&message["group_id"]).map(|id| address::group_address(&id));
    let referral = &message["referral"];
    let context = &body["context"]["id"];
    let quoted = context.as_str().or(body["reaction"]["message_id"].as_str()).map(str::to_owned);
    let mut extras = read_extras(body);
    if kind == REACTION_KIND {
        let by = person.address().map(str::to_owned);
        extras.reaction = quoted.clone().zip(by).map(|(to, by)| ReactionOrigin { to, by });
    }
    if group.is_some() {
        extras.written_by =
            person.address().map(str::to_owned).into_iter().chain(person.other_ids()).collect();
    }
    let inbound = InboundMessage {
        from: group.clone().or_else(|| person.address().map(str::to_owned))?,
        // A member's ids are not those of the group.
        other_ids: if group.is_some() { Vec::new() } else { person.other_ids() },
        speaker: group.as_ref().and_then(|_| person.display_name().or_else(|| person.number.clone())),
        name: person.display_name().filter(|_| group.is_none()),
        username: person.username.clone().filter(|_| group.is_none()),
        sent_at: words::read_time(&message["timestamp"]),
        text: structured::describe_product_question(body, &words).unwrap_or(words),
        kind: kind.to_owned(),
        referral: Some(referral.clone()).filter(Value::is_object),
        platform_id: Some(message["id"].as_str()?.to_owned()),
        needs_no_answer: kind == REACTION_KIND,
        extras,
        ..InboundMessage::default()
    };
    Some(ArrivedMessage { inbound, media, quoted })
}

/// Reads the form of a message, its structured content, and that it was forwarded.
fn read_extras(message: &Value) -> MessageExtras {
    let (kind, context) = (message["type"].as_str().unwrap_or(""), &message["context"]);
    let is_voice = kind == "voice" || (kind == "audio" && message["audio"]["voice"] == true);
    let is_forwarded = context["forwarded"] == true || context["frequently_forwarded"] == true;
    MessageExtras {
        voice: is_voice.then_some(true),
        sticker: (kind == "sticker").then_some(true),
        forwarded: is_forwarded.then_some(true),
        ..MessageExtras::from_structure(structured::structure(kind, message))
    }
}

fn read_edit(message: &Value, contact: &Value) -> Option<PlatformEvent> {
    let body = Some(&message["edit"]["message"]).filter(|body| body.is_object())?;
    let mut arrived = read_message(message, body, contact)?;
    let platform_id = read_text(&message["edit"]["original_message_id"])?;
    let changed = ChangedMessage {
        peer: arrived.inbound.from.clone(),
        platform_id: platform_id.clone(),
        at: arrived.inbound.sent_at,
        is_own: false,
    };
    arrived.inbound.platform_id = Some(platform_id);
    Some(PlatformEvent::Edited { changed, message: Box::new(arrived) })
}

fn read_withdrawal(message: &Value, contact: &Value) -> Option<PlatformEvent> {
    let group = read_text(&message["group_id"]).map(|id| address::group_address(&id));
    let person = ChatPerson::read(message, contact);
    Some(PlatformEvent::Withdrawn(ChangedMessage {
        peer: group.or_else(|| person.address().map(str::to_owned))?,
        platform_id: read_text(&message["revoke"]["original_message_id"])?,
        at: words::read_time(&message["timestamp"]),
        is_own: false,
    }))
}

/// Reads a message sent with the platform's own app on a phone with the same number.
pub(super) fn read_sent_elsewhere(message: &Value) -> Option<PlatformEvent> {
    let mut recipients = address::echo_recipients(message).into_iter();
    let (to, other_ids) = (recipients.next()?, recipients.collect());
    let sent_at = words::read_time(&message["timestamp"]);
    let changed = |id: &Value| {
        Some(ChangedMessage { peer: to.clone(), platform_id: read_text(id)?, at: sent_at, is_own: true })
    };
    let body = match message["type"].as_str() {
        Some("revoke") => {
            return Some(PlatformEvent::Withdrawn(changed(&message["revoke"]["original_message_id"])?));
        }
        Some("edit") => Some(&message["edit"]["message"]).filter(|body| body.is_object())?,
        _ => message,
    };
    let NumberContent { kind, words, media } = read_content(body)?;
    // A reaction is not an answer.
    if kind == REACTION_KIND {
        return None;
    }
    if message["type"] == "edit" {
        let changed = changed(&message["edit"]["original_message_id"])?;
        let inbound =
            InboundMessage { from: to, text: words, kind: kind.to_owned(), ..InboundMessage::default() };
        let message = Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() });
        return Some(PlatformEvent::Edited { changed, message });
    }
    Some(PlatformEvent::SentElsewhere(Box::new(SentElsewhere {
        platform_id: read_text(&message["id"])?,
        to,
        other_ids,
        text: words,
        kind,
        sent_at,
        media,
        extras: read_extras(body),
        begins_conversation: true,
        ..SentElsewhere::default()
    })))
}

/// Reads a message from before the connection; `None` if it is not shown, as a reaction. Its time gets `order`
/// microseconds, which keep messages of one second in order.
pub(super) fn read_earlier(message: &Value, is_own: bool, order: i64) -> Option<EarlierMessage> {
    let second = words::read_time(&message["timestamp"])?;
    let lacks_file = message["type"] == "media_placeholder";
    let NumberContent { kind, words, media } = match message["type"].as_str() {
        Some("edit" | "revoke" | REACTION_KIND) => return None,
        Some("media_placeholder") => NumberContent::text("[file]".to_owned()),
        _ => read_content(message)?,
    };
    Some(EarlierMessage {
        platform_id: read_text(&message["id"])?,
        is_own,
        text: words,
        kind: kind.to_owned(),
        sent_at: second.plus(order % SECOND),
        quoted: read_text(&message["context"]["id"]),
        lacks_file,
        media,
        extras: read_extras(message),
        ..EarlierMessage::default()
    })
}

/// Reads the content of a message; `None` for a system message. A removed reaction has an empty
/// text.
fn read_content(message: &Value) -> Option<NumberContent> {
    let kind = message["type"].as_str().unwrap_or("unknown");
    let object = &message[kind];
    let with_file = |kind, name: &str| {
        let caption = read_text(&object["caption"]).unwrap_or_default();
        NumberContent { kind, words: caption, media: read_file(object, name) }
    };
    Some(match kind {
        "text" => {
            NumberContent::text(read_text(&object["body"]).unwrap_or_else(|| "[empty message]".to_owned()))
        }
        "image" => with_file("image", "image.jpg"),
        "sticker" => with_file("image", "sticker.webp"),
        "video" => with_file("video", "video.mp4"),
        "audio" | "voice" => with_file("audio", "audio.ogg"),
        "document" => with_file("document", "document"),
        "button" => NumberContent::text(structured::describe_button(object)),
        "interactive" => NumberContent::text(structured::describe_interactive(object)),
        "location" => {
            NumberContent { kind: "location", words: structured::describe_location(object), media: None }
        }
        "contacts" => NumberContent::text(structured::describe_contacts(object)),
        "order" => NumberContent::text(structured::describe_order(object)),
        REACTION_KIND => NumberContent {
            kind: REACTION_KIND,
            words: read_text(&object["emoji"]).unwrap_or_default(),
            media: None,
        },
        "unsupported" | "unknown" => NumberContent::text(unsupported_text(message, object)),
        "system" => return None,
        other => read_unknown(other, message, object),
    })
}

fn read_file(object: &Value, name: &str) -> Option<ArrivedMedia> {
    let mime_type = read_text(&object["mime_type"]);
    let usual = || default_file_name(name, mime_type.as_deref());
    Some(ArrivedMedia {
        reference: object["id"].as_str()?.to_owned(),
        name: read_text(&object["filename"]).unwrap_or_else(usual),
        mime_type,
        size: object["file_size"].as_i64(),
    })
}

fn unsupported_text(message: &Value, object: &Value) -> String {
    let what = match read_text(&object["type"]).filter(|kind| kind != "unknown") {
        Some(kind) => format!("{}, which the platform does not forward", kind.replace('_', " ")),
        None => "a kind of message that the platform does not forward".to_owned(),
    };
    let own = describe_unknown(object);
    in_brackets(&what, &if own.is_empty() { describe_unknown(message) } else { own })
}

/// Reads a message of an unknown kind, with its text and file.
fn read_unknown(kind: &str, message: &Value, object: &Value) -> NumberContent {
    let own = describe_unknown(object);
    let words = if own.is_empty() { describe_unknown(message) } else { own };
    let is_file = object["mime_type"].is_string();
    let media = if is_file { read_file(object, "document") } else { None };
    let shown = if media.is_some() { "document" } else { "text" };
    NumberContent { kind: shown, words: in_brackets(kind, &words), media }
}
