//! Chats, their topics, and the authors in them.
//!
//! A topic of a forum is a conversation of its own. Its address is the chat's id, a slash and the
//! topic's number, `-1001234567890/45`; the General topic has the chat's id alone, as the platform
//! accepts no number for it. Direct messages to a channel have a topic for each person:
//! `-1001234567890/direct45`. A chat of a person with a business that the bot is connected to has
//! the connection's id: `77/business:AbC`.

use serde_json::{Value, json};

use crate::words::read_text;

/// Number of the General topic, which the platform sometimes sends and never accepts.
const GENERAL_TOPIC: i64 = 1;
/// Prefix of the number of a topic of direct messages.
const DIRECT_PREFIX: &str = "direct";
/// Prefix of the id of a connection to a business.
const BUSINESS_PREFIX: &str = "business:";

pub(super) fn answer_address(message: &Value) -> Option<String> {
    let chat = message["chat"]["id"].as_i64()?;
    if let Some(connection) = read_text(&message["business_connection_id"]) {
        return Some(format!("{chat}/{BUSINESS_PREFIX}{connection}"));
    }
    if let Some(topic) = message["direct_messages_topic"]["topic_id"].as_i64() {
        return Some(format!("{chat}/{DIRECT_PREFIX}{topic}"));
    }
    // A reply thread has a number, too, but is not a topic.
    let topic = message["message_thread_id"].as_i64().filter(|_| message["is_topic_message"] == true);
    Some(match topic.filter(|topic| *topic != GENERAL_TOPIC) {
        Some(topic) => format!("{chat}/{topic}"),
        None => chat.to_string(),
    })
}

/// Returns true for an address of a chat or topic: a number, optionally with a topic, or the @name
/// of a public chat.
pub fn is_address(text: &str) -> bool {
    let (chat, topic) = split_address(text);
    let numeric = chat.strip_prefix('-').unwrap_or(chat);
    let is_number =
        |digits: &str| (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_topic = topic.is_none_or(|topic| {
        if let Some(connection) = topic.strip_prefix(BUSINESS_PREFIX) {
            return is_connection(connection);
        }
        let number = topic.strip_prefix(DIRECT_PREFIX).unwrap_or(topic);
        is_number(number) && number.parse::<i64>().is_ok_and(|number| number > 0)
    });
    is_topic && (is_number(numeric) || chat.strip_prefix('@').is_some_and(is_name))
}

fn is_connection(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
    (1..=128).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Returns true for a chat of a business that the bot is connected to.
pub fn is_business(address: &str) -> bool {
    connection(address).is_some()
}

/// Returns the part of an address that all chats of a business have.
pub fn connection(address: &str) -> Option<&str> {
    split_address(address).1.filter(|topic| topic.starts_with(BUSINESS_PREFIX))
}

/// Returns the id of the connection in an address.
pub(super) fn connection_id(address: &str) -> Option<&str> {
    connection(address)?.strip_prefix(BUSINESS_PREFIX)
}

/// Returns the part of the addresses of a connection's chats; `None` if its id has an unknown form.
pub(super) fn connection_part(id: &str) -> Option<String> {
    is_connection(id).then(|| format!("{BUSINESS_PREFIX}{id}"))
}

pub fn split_address(address: &str) -> (&str, Option<&str>) {
    address.split_once('/').map_or((address, None), |(chat, topic)| (chat, Some(topic)))
}

pub(crate) fn set_address(body: &mut Value, address: &str) {
    let (chat, topic) = split_address(address);
    body["chat_id"] = chat.parse::<i64>().map_or_else(|_| Value::from(chat), Value::from);
    let Some(topic) = topic else { return };
    if let Some(connection) = topic.strip_prefix(BUSINESS_PREFIX) {
        body["business_connection_id"] = connection.into();
        return;
    }
    let (field, number) = match topic.strip_prefix(DIRECT_PREFIX) {
        Some(number) => ("direct_messages_topic_id", number.parse::<i64>().ok()),
        None => ("message_thread_id", topic.parse().ok().filter(|number| *number != GENERAL_TOPIC)),
    };
    if let Some(number) = number {
        body[field] = json!(number);
    }
}

pub(super) fn display_name(named: &Value) -> Option<String> {
    let parts: Vec<String> =
        ["first_name", "last_name"].iter().filter_map(|part| read_text(&named[*part])).collect();
    let name = parts.join(" ");
    Some(name).filter(|name| !name.is_empty()).or_else(|| read_text(&named["title"]))
}

/// Returns the name of a message's conversation: of the chat and its topic, or of the person.
pub(super) fn conversation_title(message: &Value) -> Option<String> {
    let person = display_name(&message["direct_messages_topic"]["user"]);
    let topic = person.or_else(|| topic_name(message).filter(|_| is_in_topic(message)));
    match (display_name(&message["chat"]), topic) {
        (Some(chat), Some(topic)) => Some(format!("{chat} · {topic}")),
        (chat, topic) => chat.or(topic).or_else(|| display_name(&message["from"])),
    }
}

fn is_in_topic(message: &Value) -> bool {
    answer_address(message).is_some_and(|address| address.contains('/'))
}

/// Returns the topic's name if a message has it: for messages in a topic the platform shows the one
/// that created it as the quoted message.
fn topic_name(message: &Value) -> Option<String> {
    let made = ["forum_topic_created", "forum_topic_edited"];
    let said = made.iter().find_map(|field| read_text(&message[*field]["name"]));
    said.or_else(|| read_text(&message["reply_to_message"]["forum_topic_created"]["name"]))
}

/// Returns the conversation's new name if a message renames its topic.
pub(super) fn renamed_topic(message: &Value) -> Option<String> {
    read_text(&message["forum_topic_edited"]["name"]).and_then(|_| conversation_title(message))
}

/// Returns the author's name in chats where several people may write: a person, or the channel or
/// group in whose name they write.
pub(super) fn author_name(message: &Value) -> Option<String> {
    let kind = message["chat"]["type"].as_str().unwrap_or("private");
    if kind == "private" || message["direct_messages_topic"].is_object() && message["sender_chat"].is_null() {
        return None;
    }
    let signature = read_text(&message["author_signature"]);
    let named = match display_name(&message["sender_chat"]) {
        Some(chat) => Some(signature.map_or(chat.clone(), |author| format!("{author} ({chat})"))),
        None => {
            display_name(&message["from"]).or_else(|| read_text(&message["from"]["username"])).or(signature)
        }
    };
    // In a channel without signatures the only author is the channel.
    named.filter(|_| kind != "channel" || message["author_signature"].is_string())
}

/// Returns the id of the person who wrote, in chats where several people may write.
pub(super) fn author(message: &Value) -> Vec<String> {
    let person = message["from"]["id"].as_i64().filter(|_| message["sender_chat"].is_null());
    person.filter(|_| author_name(message).is_some()).map(|id| id.to_string()).into_iter().collect()
}

/// Returns true if the owner of a business wrote in a chat that the bot is connected to.
pub(super) fn is_own(message: &Value) -> bool {
    message["business_connection_id"].is_string() && message["from"]["id"] != message["chat"]["id"]
}

/// Returns true if no answer is expected: a bot wrote, or a channel posts.
pub(super) fn needs_no_answer(message: &Value) -> bool {
    let is_post = message["chat"]["type"] == "channel" && message["direct_messages_topic"].is_null();
    let is_machine = message["from"]["is_bot"] == true && message["sender_chat"].is_null();
    is_post || is_machine || message["is_automatic_forward"] == true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_is_kept_where_several_people_write() {
        let (ana, group) =
            (json!({"id": 5, "first_name": "Ana"}), json!({"id": -100_123, "type": "supergroup"}));
        assert_eq!(author(&json!({"chat": group, "from": ana})), ["5"]);
        assert_eq!(author(&json!({"chat": group, "from": ana, "sender_chat": {"title": "Harbor"}})), [""; 0]);
        assert_eq!(author(&json!({"chat": {"id": 5, "type": "private"}, "from": ana})), [""; 0]);
    }

    #[test]
    fn address_names_the_topic_and_nothing_else() {
        let chat = json!({"id": -100_123, "type": "supergroup"});
        let cases = [
            (json!({"chat": chat, "message_thread_id": 45, "is_topic_message": true}), "-100123/45"),
            (json!({"chat": chat, "message_thread_id": 45}), "-100123"),
            (json!({"chat": chat, "message_thread_id": 1, "is_topic_message": true}), "-100123"),
            (json!({"chat": chat}), "-100123"),
            (json!({"chat": {"id": 77}, "message_thread_id": 9, "is_topic_message": true}), "77/9"),
            (json!({"chat": chat, "direct_messages_topic": {"topic_id": 8}}), "-100123/direct8"),
            (json!({"chat": {"id": 77}, "business_connection_id": "AbC-_1"}), "77/business:AbC-_1"),
        ];
        for (message, wanted) in cases {
            assert_eq!(answer_address(&message).as_deref(), Some(wanted), "{message}");
            assert!(is_address(wanted));
        }
    }

    #[test]
    fn address_is_written_as_the_platform_wants_it() {
        let cases = [
            ("-100123/45", json!({"chat_id": -100_123, "message_thread_id": 45})),
            ("-100123/1", json!({"chat_id": -100_123})),
            ("-100123/direct8", json!({"chat_id": -100_123, "direct_messages_topic_id": 8})),
            ("-100123/direct1", json!({"chat_id": -100_123, "direct_messages_topic_id": 1})),
            ("77", json!({"chat_id": 77})),
            ("77/business:AbC", json!({"chat_id": 77, "business_connection_id": "AbC"})),
            ("@news", json!({"chat_id": "@news"})),
            ("@news/4", json!({"chat_id": "@news", "message_thread_id": 4})),
        ];
        for (to, wanted) in cases {
            let mut body = json!({});
            set_address(&mut body, to);
            assert_eq!(body, wanted, "{to}");
            assert!(is_address(to), "{to}");
        }
        for wrong in [
            "",
            "-",
            "77/",
            "/4",
            "77/x",
            "77/4/5",
            "77/0",
            "77/-4",
            "@",
            "@a b",
            "news",
            "77/direct",
            "77/business:",
        ] {
            assert!(!is_address(wrong), "{wrong}");
        }
    }
}
