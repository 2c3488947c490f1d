//! Paths below the base URL, for the client. A test compares them with the patterns of the
//! service's router.

use model::ids::{BroadcastId, ContactId, ConversationId, MessageId, ThreadId, WebhookId};

/// Extensions of the service for desks, beside the base URL; also the prefix of their paths.
pub const DESK: &str = "/desk/v1";
pub const DESK_SIGN_IN: &str = "/desk/v1/sign-in";
pub const DESK_CONVERSATIONS: &str = "/desk/v1/conversations";
pub const DESK_EVENTS: &str = "/desk/v1/events";
pub const DESK_PRESENCE: &str = "/desk/v1/presence";
pub const DESK_CHANNELS: &str = "/desk/v1/channels";
pub const DESK_PEOPLE: &str = "/desk/v1/people";
pub const DESK_STATS: &str = "/desk/v1/stats";
pub const DESK_REPLIES: &str = "/desk/v1/replies";
pub const DESK_TEMPLATES: &str = "/desk/v1/templates";
pub const ACCOUNT: &str = "/account";
pub const MESSAGES_SEND: &str = "/messages/send";
pub const MESSAGES: &str = "/messages";
pub const CONVERSATIONS: &str = "/conversations";
pub const TEMPLATES: &str = "/templates";
pub const TELEGRAM_SEND: &str = "/telegram/send";
pub const TELEGRAM_CONVERSATIONS: &str = "/telegram/conversations";
pub const CONTACTS: &str = "/contacts";
pub const BROADCAST: &str = "/broadcast";
pub const MEDIA: &str = "/media";
pub const EMAIL_ACCOUNT: &str = "/email/account";
pub const EMAIL_SEND: &str = "/email/send";
pub const EMAIL_THREADS: &str = "/email/threads";
pub const EMAIL_CONTACTS: &str = "/email/contacts";
pub const EMAIL_WEBHOOKS: &str = "/email/webhooks";
pub const VOIP_CALLS: &str = "/voip/calls";
pub const VOIP_SMS: &str = "/voip/sms";
pub const VOIP_CONVERSATIONS: &str = "/voip/conversations";
pub const WEBHOOKS: &str = "/webhooks";
pub const TRIGGER_NEW_CONTACT: &str = "/triggers/new-contact";
pub const TRIGGER_NEW_ORDER: &str = "/triggers/new-order";
pub const TRIGGER_NEW_APPOINTMENT: &str = "/triggers/new-appointment";
pub const TRIGGER_CAMPAIGN_COMPLETED: &str = "/triggers/campaign-completed";
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

/// `PUT /desk/v1/conversations/{id}/automation`
pub fn desk_automation(id: &ConversationId) -> String {
    format!("{DESK}/conversations/{}/automation", segment(id.as_str()))
}

/// `/desk/v1/conversations/{id}/` and `claim`, `notes`, `tags` or `snooze`
pub fn desk_shared(id: &str, part: &str) -> String {
    format!("{DESK_CONVERSATIONS}/{}/{part}", segment(id))
}

/// `PATCH` and `DELETE /desk/v1/conversations/{id}/notes/{note}`
pub fn desk_note(id: &str, note: &str) -> String {
    format!("{}/{}", desk_shared(id, "notes"), segment(note))
}

/// `PUT` and `DELETE /desk/v1/replies/{name}`
pub fn desk_reply(name: &str) -> String {
    format!("{DESK_REPLIES}/{}", segment(name))
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

/// `GET` and `DELETE /contacts/{id}`
pub fn contact(id: &ContactId) -> String {
    format!("{CONTACTS}/{}", segment(id.as_str()))
}

/// `GET /broadcast/{id}`
pub fn broadcast(id: &BroadcastId) -> String {
    format!("{BROADCAST}/{}", segment(id.as_str()))
}

/// `GET` and `PATCH /email/threads/{id}`
pub fn email_thread(id: &ThreadId) -> String {
    format!("{EMAIL_THREADS}/{}", segment(id.as_str()))
}

/// `DELETE /webhooks/{id}`
pub fn webhook(id: &WebhookId) -> String {
    format!("{WEBHOOKS}/{}", segment(id.as_str()))
}

/// `DELETE /email/webhooks/{id}`
pub fn email_webhook(id: &WebhookId) -> String {
    format!("{EMAIL_WEBHOOKS}/{}", segment(id.as_str()))
}

/// Percent-encodes an id as one path segment, so that an id from outside cannot name another path.
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
