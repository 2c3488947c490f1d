//! Paths below the base URL, for the client. The service's router writes the
//! same paths as patterns; a test holds the two together.
//!
//! Knows nothing of methods or bodies.

use crate::model::ids::{ConversationId, MessageId};

/// `GET /account`
pub const ACCOUNT: &str = "/account";
/// `POST /messages/send`
pub const MESSAGES_SEND: &str = "/messages/send";
/// `GET /messages`
pub const MESSAGES: &str = "/messages";
/// `GET /conversations`
pub const CONVERSATIONS: &str = "/conversations";
/// `GET /templates`
pub const TEMPLATES: &str = "/templates";
/// `POST /telegram/send`
pub const TELEGRAM_SEND: &str = "/telegram/send";
/// `GET /telegram/conversations`
pub const TELEGRAM_CONVERSATIONS: &str = "/telegram/conversations";
/// `GET /contacts`
pub const CONTACTS: &str = "/contacts";
/// `GET /email/threads`
pub const EMAIL_THREADS: &str = "/email/threads";
/// `GET /voip/conversations`
pub const VOIP_CONVERSATIONS: &str = "/voip/conversations";
/// `GET /webhooks`
pub const WEBHOOKS: &str = "/webhooks";
/// `GET /triggers/new-message`
pub const TRIGGER_NEW_MESSAGE: &str = "/triggers/new-message";

/// `GET` and `PATCH /conversations/{id}`
pub fn conversation(id: &ConversationId) -> String {
    format!("{CONVERSATIONS}/{}", segment(id.as_str()))
}

/// `GET /conversations/{id}/messages`
pub fn conversation_messages(id: &ConversationId) -> String {
    format!("{}/messages", conversation(id))
}

/// `POST /conversations/{id}/close`
pub fn conversation_close(id: &ConversationId) -> String {
    format!("{}/close", conversation(id))
}

/// `GET /messages/{id}`
pub fn message(id: &MessageId) -> String {
    format!("{MESSAGES}/{}", segment(id.as_str()))
}

/// `POST /messages/{id}/react`
pub fn message_react(id: &MessageId) -> String {
    format!("{}/react", message(id))
}

/// `GET /telegram/conversations/{id}/messages`
pub fn telegram_conversation_messages(id: &ConversationId) -> String {
    format!("{TELEGRAM_CONVERSATIONS}/{}/messages", segment(id.as_str()))
}

/// `POST /telegram/messages/{id}/react`
pub fn telegram_message_react(id: &MessageId) -> String {
    format!("/telegram/messages/{}/react", segment(id.as_str()))
}

/// Percent-encodes an id into one path segment, so that an id from outside
/// can never name another path.
fn segment(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            b'.' if id != "." && id != ".." => out.push('.'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stays_one_segment() {
        let cases = [
            ("conv_1-a.b~c", "/conversations/conv_1-a.b~c"),
            ("../account", "/conversations/..%2Faccount"),
            ("..", "/conversations/%2E%2E"),
            ("a?b#c d", "/conversations/a%3Fb%23c%20d"),
            ("é", "/conversations/%C3%A9"),
        ];
        for (id, path) in cases {
            assert_eq!(conversation(&ConversationId::from(id)), path);
        }
    }
}
