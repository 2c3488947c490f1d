//! Parses the updates of a bot.

use serde_json::{Value, json};

use crate::contract::{
    ArrivedMessage, CHANNEL_LANE, ChangedMessage, InboundMessage, InboundUpdate, PlatformEvent,
    REACTION_KIND, SentElsewhere,
};
use crate::telegram::chat::{self, display_name};
use crate::telegram::message::{BotContent, read_content};
use crate::words::{self, read_text};
use api::extras::{MessageExtras, ReactionOrigin};
use model::keywords::Keyword;

const NEW_MESSAGE_UPDATES: [&str; 3] = ["message", "channel_post", "business_message"];
const EDIT_UPDATES: [&str; 3] = ["edited_message", "edited_channel_post", "edited_business_message"];
const DELETE_UPDATE: &str = "deleted_business_messages";
/// Maximum number of deleted messages read from one update.
const MAX_DELETED: usize = 1_000;
/// Maximum length of an album's id, in bytes.
const MAX_ALBUM_BYTES: usize = 128;
/// Kind of update with a button that was pressed.
const PRESS_UPDATE: &str = "callback_query";
/// Kind of update with what a chat did to the bot: blocked, removed or unblocked it.
const MEMBERSHIP_UPDATE: &str = "my_chat_member";
/// Kind of update with a connection of the bot to a business.
const CONNECTION_UPDATE: &str = "business_connection";
/// Fields of a message that name the conversation of a press on one of its buttons.
const PRESS_CONTEXT_FIELDS: [&str; 6] = [
    "chat",
    "business_connection_id",
    "message_thread_id",
    "is_topic_message",
    "direct_messages_topic",
    "reply_to_message",
];
const MAX_REACTIONS: usize = 12;
pub(super) const REQUESTED_UPDATES: [&str; 11] = [
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "business_message",
    "edited_business_message",
    DELETE_UPDATE,
    PRESS_UPDATE,
    MEMBERSHIP_UPDATE,
    CONNECTION_UPDATE,
    "message_reaction",
];

/// Builds the stored update: named by its number, in the lane of its chat.
pub(super) fn to_inbound_update(update: &Value) -> Option<InboundUpdate> {
    let name = update["update_id"].as_i64()?.to_string();
    let chat = REQUESTED_UPDATES.iter().find_map(|kind| {
        let object = &update[*kind];
        object["chat"]["id"].as_i64().or_else(|| object["message"]["chat"]["id"].as_i64())
    });
    let lane = chat.map_or_else(|| CHANNEL_LANE.to_owned(), |chat| chat.to_string());
    Some(InboundUpdate { name, lane, body: update.to_string().into_bytes() })
}

/// Returns the id by which the platform awaits an answer to a pressed button.
pub(super) fn press_id(update: &Value) -> Option<&str> {
    update[PRESS_UPDATE]["id"].as_str()
}

/// Parses an update; empty if nothing in it is stored.
pub(super) fn parse_update(update: &Value) -> Vec<PlatformEvent> {
    if let Some(message) =
        NEW_MESSAGE_UPDATES.iter().map(|kind| &update[*kind]).find(|message| message.is_object())
    {
        let about_chat = read_move(message).or_else(|| read_rename(message));
        return about_chat.or_else(|| read_arrival(message)).into_iter().collect();
    }
    if let Some(message) = EDIT_UPDATES.iter().map(|kind| &update[*kind]).find(|message| message.is_object())
    {
        return read_edit(message).into_iter().collect();
    }
    if update[DELETE_UPDATE].is_object() {
        return read_deletions(&update[DELETE_UPDATE]);
    }
    if update[PRESS_UPDATE].is_object() {
        return read_press(&update[PRESS_UPDATE]).into_iter().collect();
    }
    if update[MEMBERSHIP_UPDATE].is_object() {
        return read_membership(&update[MEMBERSHIP_UPDATE], update["update_id"].as_i64())
            .into_iter()
            .collect();
    }
    if update[CONNECTION_UPDATE].is_object() {
        return read_connection(&update[CONNECTION_UPDATE]).into_iter().collect();
    }
    read_reaction(&update["message_reaction"], update["update_id"].as_i64()).into_iter().collect()
}

/// Reads a connection to a business. Earlier versions of the platform had no list of rights.
pub(super) fn read_connection(connection: &Value) -> Option<PlatformEvent> {
    let rights = if connection["rights"].is_object() { &connection["rights"] } else { connection };
    let is_enabled = connection["is_enabled"] == true;
    let may_answer = is_enabled && rights["can_reply"] == true;
    let id = chat::connection_part(connection["id"].as_str()?)?;
    let owner = connection["user"]["id"].as_i64().filter(|_| is_enabled).map(|owner| owner.to_string());
    Some(PlatformEvent::BusinessConnection { id, owner, may_answer })
}

/// A group that became a supergroup has a new id, which is reported in both chats.
fn read_move(message: &Value) -> Option<PlatformEvent> {
    let id = message["chat"]["id"].as_i64()?;
    let (from, to) = match message["migrate_to_chat_id"].as_i64() {
        Some(to) => (id, to),
        None => (message["migrate_from_chat_id"].as_i64()?, id),
    };
    Some(PlatformEvent::Moved { from: from.to_string(), to: to.to_string(), for_good: true })
}

/// Reads a new name of a group or topic.
fn read_rename(message: &Value) -> Option<PlatformEvent> {
    let name = read_text(&message["new_chat_title"]).or_else(|| chat::renamed_topic(message))?;
    Some(PlatformEvent::Renamed { peer: chat::answer_address(message)?, name })
}

fn read_arrival(message: &Value) -> Option<PlatformEvent> {
    if chat::is_own(message) {
        return read_sent_elsewhere(message);
    }
    Some(PlatformEvent::Message(Box::new(read_message(message)?)))
}

/// Reads the form of a message, its album, and that it was forwarded. Earlier versions of the platform had no `forward_origin`.
fn read_extras(message: &Value, structure: Value) -> MessageExtras {
    let is_forwarded = message["forward_origin"].is_object() || message["forward_date"].is_number();
    MessageExtras {
        voice: message["voice"].is_object().then_some(true),
        sticker: message["sticker"].is_object().then_some(true),
        forwarded: is_forwarded.then_some(true),
        album: read_text(&message["media_group_id"]).filter(|album| album.len() <= MAX_ALBUM_BYTES),
        ..MessageExtras::from_structure(structure)
    }
}

fn read_message(message: &Value) -> Option<ArrivedMessage> {
    let BotContent { kind, words, media, structure } = read_content(message)?;
    let inbound = InboundMessage {
        from: chat::answer_address(message)?,
        name: chat::conversation_title(message),
        username: read_text(&message["chat"]["username"]),
        speaker: chat::author_name(message),
        sent_at: words::read_time(&message["date"]),
        text: words,
        kind: kind.to_owned(),
        platform_id: Some(message["message_id"].as_i64()?.to_string()),
        // Two bots would answer each other endlessly.
        needs_no_answer: chat::needs_no_answer(message),
        extras: MessageExtras { written_by: chat::author(message), ..read_extras(message, structure) },
        ..InboundMessage::default()
    };
    let quoted = message["reply_to_message"]["message_id"].as_i64().map(|id| id.to_string());
    Some(ArrivedMessage { inbound, media, quoted })
}

/// Reads a pressed button as a message with its label. `None` if the owner of a business pressed it,
/// or if it belongs to a message in a chat that the bot is not in.
fn read_press(press: &Value) -> Option<PlatformEvent> {
    let message = &press["message"];
    // The author of the message is the bot, that of the press is the customer.
    let mut pressed = json!({ "from": press["from"] });
    for field in PRESS_CONTEXT_FIELDS {
        pressed[field] = message[field].clone();
    }
    if chat::is_own(&pressed) {
        return None;
    }
    let inbound = InboundMessage {
        from: chat::answer_address(&pressed)?,
        name: chat::conversation_title(&pressed),
        username: read_text(&pressed["chat"]["username"]),
        speaker: chat::author_name(&pressed),
        text: press_label(press)?,
        kind: "text".to_owned(),
        // A press has no message id; the number of its message is the same for every press.
        platform_id: Some(format!("press-{}", press["id"].as_str()?)),
        needs_no_answer: chat::needs_no_answer(&pressed),
        extras: MessageExtras {
            written_by: chat::author(&pressed),
            ..MessageExtras::from_structure(json!({ PRESS_UPDATE: {"data": press["data"]} }))
        },
        ..InboundMessage::default()
    };
    let quoted = message["message_id"].as_i64().map(|id| id.to_string());
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, quoted, ..ArrivedMessage::default() })))
}

/// Reads that a person blocked or unblocked the bot, or that a group removed or added it, as a message
/// that needs no answer. `None` for other changes, such as new rights.
fn read_membership(change: &Value, update: Option<i64>) -> Option<PlatformEvent> {
    let (old, new) = (&change["old_chat_member"], &change["new_chat_member"]);
    let is_private = change["chat"]["type"] == "private";
    let (text, keyword) = match (is_private, takes_part(old)?, takes_part(new)?) {
        (true, false, true) if old["status"] == "kicked" => ("[unblocked this bot]", Keyword::Start),
        (true, _, false) if new["status"] == "kicked" && old["status"] != "kicked" => {
            ("[blocked this bot]", Keyword::Stop)
        }
        (false, true, false) => ("[removed this bot]", Keyword::Stop),
        (false, false, true) => ("[added this bot]", Keyword::Start),
        _ => return None,
    };
    let inbound = InboundMessage {
        from: chat::answer_address(change)?,
        name: chat::conversation_title(change),
        username: read_text(&change["chat"]["username"]),
        speaker: chat::author_name(change),
        sent_at: words::read_time(&change["date"]),
        text: text.to_owned(),
        kind: "text".to_owned(),
        platform_id: Some(format!("membership-{}", update?)),
        needs_no_answer: true,
        keyword: Some(keyword),
        ..InboundMessage::default()
    };
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() })))
}

/// Returns true if a member of a chat is in it; `None` for an unknown status.
fn takes_part(member: &Value) -> Option<bool> {
    match member["status"].as_str()? {
        "creator" | "administrator" | "member" => Some(true),
        "restricted" => Some(member["is_member"] != false),
        "left" | "kicked" => Some(false),
        _ => None,
    }
}

/// Returns the label of the pressed button, or else what the bot attached to it.
fn press_label(press: &Value) -> Option<String> {
    let data = &press["data"];
    let rows = press["message"]["reply_markup"]["inline_keyboard"].as_array();
    let mut buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    let label = buttons.find(|button| data.is_string() && button["callback_data"] == *data);
    let label = label.and_then(|button| read_text(&button["text"]));
    let attached = || read_text(data).or_else(|| read_text(&press["game_short_name"]));
    label.or_else(|| attached().map(|text| words::in_brackets("button", &text)))
}

/// Reads a message that the owner of a business sent outside this service.
fn read_sent_elsewhere(message: &Value) -> Option<PlatformEvent> {
    // The bot's own messages are known.
    if message["sender_business_bot"].is_object() {
        return None;
    }
    let BotContent { kind, words, media, structure } = read_content(message)?;
    Some(PlatformEvent::SentElsewhere(Box::new(SentElsewhere {
        platform_id: message["message_id"].as_i64()?.to_string(),
        to: chat::answer_address(message)?,
        name: chat::conversation_title(message),
        username: read_text(&message["chat"]["username"]),
        text: words,
        kind,
        sent_at: words::read_time(&message["date"]),
        media,
        begins_conversation: true,
        extras: read_extras(message, structure),
        ..SentElsewhere::default()
    })))
}

fn read_edit(message: &Value) -> Option<PlatformEvent> {
    let changed = ChangedMessage {
        peer: chat::answer_address(message)?,
        platform_id: message["message_id"].as_i64()?.to_string(),
        at: words::read_time(&message["edit_date"]),
        is_own: chat::is_own(message),
    };
    Some(PlatformEvent::Edited { changed, message: Box::new(read_message(message)?) })
}

/// Reads deletions in a chat with a business. The platform does not report the author, so each is
/// tried for both sides.
fn read_deletions(told: &Value) -> Vec<PlatformEvent> {
    let Some(peer) = chat::answer_address(told) else { return Vec::new() };
    let ids = told["message_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64);
    let both = ids.take(MAX_DELETED).flat_map(|id| [false, true].map(|is_own| (id, is_own)));
    let one = |(id, is_own): (i64, bool)| {
        let (peer, platform_id) = (peer.clone(), id.to_string());
        PlatformEvent::Withdrawn(ChangedMessage { peer, platform_id, at: None, is_own })
    };
    both.map(one).collect()
}

/// Reads a reaction as a message that needs no answer; its text is empty if the reaction was
/// removed.
fn read_reaction(told: &Value, update: Option<i64>) -> Option<PlatformEvent> {
    let chat = &told["chat"];
    let emoji = |reactions: &Value| -> Vec<String> {
        let one = |reaction: &Value| match reaction["type"].as_str() {
            Some("paid") => Some("⭐".to_owned()),
            _ => read_text(&reaction["emoji"]).or_else(|| Some("[custom emoji]".to_owned())),
        };
        reactions.as_array().into_iter().flatten().take(MAX_REACTIONS).filter_map(one).collect()
    };
    let now = emoji(&told["new_reaction"]);
    if now == emoji(&told["old_reaction"]) {
        return None;
    }
    let by = if told["user"].is_object() { &told["user"] } else { &told["actor_chat"] };
    let to = told["message_id"].as_i64()?.to_string();
    let origin = ReactionOrigin { to: to.clone(), by: by["id"].as_i64()?.to_string() };
    let inbound = InboundMessage {
        from: chat["id"].as_i64()?.to_string(),
        name: display_name(chat),
        username: read_text(&chat["username"]),
        speaker: display_name(by).filter(|_| chat["type"] != "private"),
        sent_at: words::read_time(&told["date"]),
        text: now.join(" "),
        kind: REACTION_KIND.to_owned(),
        // The platform gives a reaction no id.
        platform_id: Some(format!("reaction-{}-{}", update?, told["date"])),
        needs_no_answer: true,
        extras: MessageExtras { reaction: Some(origin), ..MessageExtras::default() },
        ..InboundMessage::default()
    };
    let message = ArrivedMessage { inbound, quoted: Some(to), ..ArrivedMessage::default() };
    Some(PlatformEvent::Message(Box::new(message)))
}

#[cfg(test)]
mod tests {
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
        match parse_update(update).pop() {
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
            (json!({"poll": {"question": "When?"}}), "text", "[poll] When?", None),
            (json!({"web_app_data": {"data": "x"}}), "text", "[form] x", None),
        ];
        for (fields, kind, words, media) in cases {
            let message = one(&message(fields.clone()));
            assert_eq!(
                (message.inbound.kind.as_str(), message.inbound.text.as_str()),
                (kind, words),
                "{fields}"
            );
            assert_eq!(message.media.as_ref().map(|media| media.reference.as_str()), media, "{fields}");
            assert_eq!(message.inbound.platform_id.as_deref(), Some("5"));
        }
        assert!(
            parse_update(&message(json!({"new_chat_members": []}))).is_empty(),
            "a word of the platform's own"
        );
    }

    #[test]
    fn groups_say_who_spoke_and_keep_their_place() {
        let chat = json!({"id": -5, "type": "group", "title": "Harbour"});
        let said = one(&message(json!({"chat": chat, "text": "hi", "reply_to_message": {"message_id": 3}})));
        assert_eq!(
            (said.inbound.text.as_str(), said.inbound.speaker.as_deref(), said.inbound.name.as_deref()),
            ("hi", Some("Ana Lopez"), Some("Harbour"))
        );
        assert_eq!((said.inbound.from.as_str(), said.quoted.as_deref()), ("-5", Some("3")));
        let moved = parse_update(&message(json!({"chat": chat, "migrate_to_chat_id": -1005})));
        let wanted = |platform_event: &PlatformEvent| matches!(platform_event, PlatformEvent::Moved { from, to, for_good: true } if from == "-5" && to == "-1005");
        assert!(moved.iter().all(wanted) && moved.len() == 1, "{moved:?}");
        let larger = json!({"id": -1005, "type": "supergroup", "title": "Harbour"});
        let moved = parse_update(&message(json!({"chat": larger, "migrate_from_chat_id": -5})));
        assert!(moved.iter().all(wanted) && moved.len() == 1, "{moved:?}");
        let machine = one(&message(json!({"chat": chat, "from": {"is_bot": true}, "text": "beep"})));
        assert!(machine.inbound.needs_no_answer);
    }

    #[test]
    fn what_changes_is_told_as_a_change() {
        let mut update = message(json!({"text": "better"}));
        update["edited_message"] = update["message"].take();
        let events = parse_update(&update);
        let wanted = |event: &PlatformEvent| matches!(event, PlatformEvent::Edited { changed, message } if changed.platform_id == "5" && message.inbound.text == "better");
        assert!(events.iter().all(wanted) && events.len() == 1, "{events:?}");
        let told = |old: Value, new: Value| {
            let chat = json!({"id": 77, "type": "private"});
            let user = json!({"id": 77, "first_name": "Ana"});
            let reaction = json!({"chat": chat, "user": user, "message_id": 5, "old_reaction": old, "new_reaction": new});
            json!({"update_id": 9, "message_reaction": reaction})
        };
        let thumb = json!([{"type": "emoji", "emoji": "👍"}]);
        let message = one(&told(json!([]), thumb.clone()));
        assert!(message.inbound.needs_no_answer && message.inbound.text == "👍");
        assert_eq!(message.quoted.as_deref(), Some("5"));
        assert_eq!(one(&told(thumb.clone(), json!([]))).inbound.text, "", "taken away");
        assert!(parse_update(&told(thumb.clone(), thumb)).is_empty(), "as it was");
    }

    #[test]
    fn an_update_is_named_and_in_line() {
        let update = message(json!({"text": "hi"}));
        let piece = to_inbound_update(&update).expect("a piece");
        assert_eq!((piece.name.as_str(), piece.lane.as_str()), ("1", "77"));
        assert!(super::to_inbound_update(&json!({"message": {}})).is_none());
        assert_eq!(
            super::to_inbound_update(&json!({"update_id": 3, "poll": {}})).expect("a piece").lane,
            "0"
        );
    }
}
