//! What people wrote to a bot: updates as the platform tells them.

use serde_json::Value;

use crate::carriers::{ArrivedMessage, HookPiece, PlatformEvent};
use crate::chat::receive::Inbound;

/// The update as a piece: named by its number, in line with its chat.
pub(super) fn piece(update: &Value) -> Option<HookPiece> {
    let name = update["update_id"].as_i64()?.to_string();
    let kinds = ["message", "edited_message", "message_reaction"];
    let chat = kinds.iter().find_map(|it| update[*it]["chat"]["id"].as_i64()).unwrap_or(0);
    Some(HookPiece { name, lane: chat.to_string(), body: update.to_string().into_bytes() })
}

/// What an update says; nothing where it says nothing that is kept.
pub(super) fn understand(update: &Value) -> Vec<PlatformEvent> {
    let message = &update["message"];
    if message.is_object() {
        return match moved(message) {
            Some(event) => vec![event],
            None => arrived(message).into_iter().collect(),
        };
    }
    let edited = &update["edited_message"];
    if edited.is_object() {
        return changed(edited).into_iter().collect();
    }
    reaction(&update["message_reaction"], update["update_id"].as_i64()).into_iter().collect()
}

/// A group that has become a larger one has another id, which is told in both.
fn moved(message: &Value) -> Option<PlatformEvent> {
    let id = message["chat"]["id"].as_i64()?;
    let (from, to) = match message["migrate_to_chat_id"].as_i64() {
        Some(to) => (id, to),
        None => (message["migrate_from_chat_id"].as_i64()?, id),
    };
    Some(PlatformEvent::Moved { from: from.to_string(), to: to.to_string(), for_good: true })
}

/// Text without what no database keeps.
fn text(value: &Value) -> Option<String> {
    value.as_str().map(|it| it.replace('\0', "")).filter(|it| !it.is_empty())
}

fn name_of(person: &Value) -> Option<String> {
    let parts: Vec<String> = ["first_name", "last_name"].iter().filter_map(|it| text(&person[*it])).collect();
    let name = parts.join(" ");
    Some(name).filter(|it| !it.is_empty()).or_else(|| text(&person["title"]))
}

fn is_private(chat: &Value) -> bool {
    chat["type"] == "private"
}

/// What was said, with who said it where there are several.
fn said(message: &Value, words: String) -> String {
    let who = name_of(&message["from"]).filter(|_| !is_private(&message["chat"]));
    match who {
        Some(who) if !words.is_empty() => format!("{who}: {words}"),
        _ => words,
    }
}

fn arrived(message: &Value) -> Option<PlatformEvent> {
    let chat = &message["chat"];
    let (kind, words, media) = content(message)?;
    let inbound = Inbound {
        from: chat["id"].as_i64()?.to_string(),
        name: name_of(chat).or_else(|| name_of(&message["from"])),
        username: text(&chat["username"]),
        text: said(message, words),
        kind: kind.to_owned(),
        platform_id: Some(message["message_id"].as_i64()?.to_string()),
        // Two machines would answer each other without end.
        needs_no_answer: message["from"]["is_bot"] == true,
        ..Inbound::default()
    };
    let quoted = message["reply_to_message"]["message_id"].as_i64().map(|it| it.to_string());
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, media, quoted })))
}

fn changed(message: &Value) -> Option<PlatformEvent> {
    let (_, words, _) = content(message)?;
    Some(PlatformEvent::Edited {
        peer: message["chat"]["id"].as_i64()?.to_string(),
        platform_id: message["message_id"].as_i64()?.to_string(),
        text: said(message, words),
    })
}

/// A message's kind, its words, and the platform's id of its file with a name
/// for it; nothing for what the platform itself says of a chat.
#[expect(clippy::type_complexity, reason = "three things of one message")]
fn content(message: &Value) -> Option<(&'static str, String, Option<(String, String)>)> {
    if let Some(words) = text(&message["text"]) {
        return Some(("text", words, None));
    }
    let caption = text(&message["caption"]).unwrap_or_default();
    // The largest of several sizes is the last.
    if let Some(photo) = message["photo"].as_array().and_then(|it| it.last()) {
        return Some(("photo", caption, file(photo, "photo.jpg")));
    }
    let files = [
        ("video", "video", "video.mp4"),
        ("animation", "video", "animation.mp4"),
        ("video_note", "video", "video.mp4"),
        ("audio", "audio", "audio.mp3"),
        ("voice", "audio", "voice.ogg"),
        ("document", "document", "document"),
        ("sticker", "photo", "sticker.webp"),
    ];
    for (field, kind, name) in files {
        if message[field].is_object() {
            let words =
                if field == "sticker" { text(&message[field]["emoji"]).unwrap_or_default() } else { caption };
            return Some((kind, words, file(&message[field], name)));
        }
    }
    Some(("text", other(message)?, None))
}

/// A file's id and name.
fn file(value: &Value, name: &str) -> Option<(String, String)> {
    let name = text(&value["file_name"]).unwrap_or_else(|| name.to_owned());
    Some((value["file_id"].as_str()?.to_owned(), name))
}

/// What has neither words nor a file, in words.
fn other(message: &Value) -> Option<String> {
    let place = |it: &Value| format!("{}, {}", it["latitude"], it["longitude"]);
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
    let unread = [
        "story",
        "paid_media",
        "game",
        "invoice",
        "successful_payment",
        "giveaway",
        "checklist",
        "gift",
        "unique_gift",
        "web_app_data",
        "users_shared",
        "chat_shared",
        "passport_data",
    ];
    let kind = unread.iter().find(|it| message[**it].is_object())?;
    Some(format!("[{}]", kind.replace('_', " ")))
}

/// What somebody put below a message, as a message nobody need answer.
fn reaction(told: &Value, update: Option<i64>) -> Option<PlatformEvent> {
    let chat = &told["chat"];
    let emoji = |all: &Value| -> Vec<String> {
        let one = |it: &Value| text(&it["emoji"]).or_else(|| Some("[custom emoji]".to_owned()));
        all.as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(one).collect()
    };
    let (before, now) = (emoji(&told["old_reaction"]), emoji(&told["new_reaction"]));
    let new: Vec<String> = now.into_iter().filter(|it| !before.contains(it)).collect();
    if new.is_empty() {
        return None;
    }
    let inbound = Inbound {
        from: chat["id"].as_i64()?.to_string(),
        name: name_of(chat),
        username: text(&chat["username"]),
        text: new.join(" "),
        kind: "reaction".to_owned(),
        // The platform gives it no number of its own.
        platform_id: Some(format!("reaction-{}", update?)),
        needs_no_answer: true,
        ..Inbound::default()
    };
    let quoted = told["message_id"].as_i64().map(|it| it.to_string());
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, media: None, quoted })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(fields: Value) -> Value {
        let mut message = json!({
            "message_id": 5, "chat": {"id": 77, "type": "private", "first_name": "Ana", "username": "ana"},
            "from": {"first_name": "Ana", "last_name": "Lopez"},
        });
        for (name, value) in fields.as_object().expect("fields") {
            message[name] = value.clone();
        }
        json!({"update_id": 1, "message": message})
    }

    fn one(update: &Value) -> ArrivedMessage {
        match understand(update).pop() {
            Some(PlatformEvent::Message(message)) => *message,
            other => panic!("a message, not {other:?}"),
        }
    }

    #[test]
    fn every_kind_of_message_is_kept() {
        let cases = [
            (json!({"text": "hi\u{0} there"}), "text", "hi there", None),
            (
                json!({"photo": [{"file_id": "s"}, {"file_id": "l"}], "caption": "look"}),
                "photo",
                "look",
                Some("l"),
            ),
            (json!({"video": {"file_id": "v"}}), "video", "", Some("v")),
            (json!({"animation": {"file_id": "g"}, "document": {"file_id": "g"}}), "video", "", Some("g")),
            (json!({"voice": {"file_id": "o"}}), "audio", "", Some("o")),
            (json!({"audio": {"file_id": "a"}}), "audio", "", Some("a")),
            (json!({"video_note": {"file_id": "n"}}), "video", "", Some("n")),
            (json!({"document": {"file_id": "d", "file_name": "a.pdf"}}), "document", "", Some("d")),
            (json!({"sticker": {"file_id": "k", "emoji": "😀"}}), "photo", "😀", Some("k")),
            (json!({"location": {"latitude": 1.5, "longitude": 2}}), "text", "1.5, 2", None),
            (json!({"contact": {"first_name": "Bo", "phone_number": "+34"}}), "text", "Bo · +34", None),
            (json!({"dice": {"emoji": "🎲", "value": 4}}), "text", "🎲 4", None),
            (json!({"poll": {"question": "When?"}}), "text", "[poll] · When?", None),
            (json!({"web_app_data": {"data": "x"}}), "text", "[web app data]", None),
        ];
        for (fields, kind, words, media) in cases {
            let message = one(&message(fields.clone()));
            assert_eq!(
                (message.inbound.kind.as_str(), message.inbound.text.as_str()),
                (kind, words),
                "{fields}"
            );
            assert_eq!(message.media.as_ref().map(|it| it.0.as_str()), media, "{fields}");
            assert_eq!(message.inbound.platform_id.as_deref(), Some("5"));
        }
        assert!(
            understand(&message(json!({"new_chat_members": []}))).is_empty(),
            "a word of the platform's own"
        );
    }

    #[test]
    fn groups_say_who_spoke_and_keep_their_place() {
        let chat = json!({"id": -5, "type": "group", "title": "Harbour"});
        let said = one(&message(json!({"chat": chat, "text": "hi", "reply_to_message": {"message_id": 3}})));
        assert_eq!(
            (said.inbound.text.as_str(), said.inbound.name.as_deref()),
            ("Ana Lopez: hi", Some("Harbour"))
        );
        assert_eq!((said.inbound.from.as_str(), said.quoted.as_deref()), ("-5", Some("3")));
        let moved = understand(&message(json!({"chat": chat, "migrate_to_chat_id": -1005})));
        let wanted = |it: &PlatformEvent| matches!(it, PlatformEvent::Moved { from, to, for_good: true } if from == "-5" && to == "-1005");
        assert!(moved.iter().all(wanted) && moved.len() == 1, "{moved:?}");
        let larger = json!({"id": -1005, "type": "supergroup", "title": "Harbour"});
        let moved = understand(&message(json!({"chat": larger, "migrate_from_chat_id": -5})));
        assert!(moved.iter().all(wanted) && moved.len() == 1, "{moved:?}");
        let machine = one(&message(json!({"chat": chat, "from": {"is_bot": true}, "text": "beep"})));
        assert!(machine.inbound.needs_no_answer);
    }

    #[test]
    fn what_changes_is_told_as_a_change() {
        let mut update = message(json!({"text": "better"}));
        update["edited_message"] = update["message"].take();
        let events = understand(&update);
        let wanted = |it: &PlatformEvent| matches!(it, PlatformEvent::Edited { platform_id, text, .. } if platform_id == "5" && text == "better");
        assert!(events.iter().all(wanted) && events.len() == 1, "{events:?}");
        let told = |old: Value, new: Value| {
            let chat = json!({"id": 77, "type": "private"});
            let reaction = json!({"chat": chat, "message_id": 5, "old_reaction": old, "new_reaction": new});
            json!({"update_id": 9, "message_reaction": reaction})
        };
        let thumb = json!([{"type": "emoji", "emoji": "👍"}]);
        let message = one(&told(json!([]), thumb.clone()));
        assert!(message.inbound.needs_no_answer && message.inbound.text == "👍");
        assert_eq!(message.quoted.as_deref(), Some("5"));
        assert!(understand(&told(thumb, json!([]))).is_empty(), "taken away");
    }

    #[test]
    fn an_update_is_named_and_in_line() {
        let update = message(json!({"text": "hi"}));
        let piece = piece(&update).expect("a piece");
        assert_eq!((piece.name.as_str(), piece.lane.as_str()), ("1", "77"));
        assert!(super::piece(&json!({"message": {}})).is_none());
        assert_eq!(super::piece(&json!({"update_id": 3, "poll": {}})).expect("a piece").lane, "0");
    }
}
