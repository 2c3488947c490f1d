//! Reacting on both chat channels. Interface: the react operations.
//!
//! Knows nothing of which emoji a platform takes; the server says.

use crate::model::account::Platform;
use crate::model::ids::MessageId;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::paths;
use crate::wire::reactions::ReactBody;

/// The react operation of a platform
pub(crate) fn prepare(platform: &Platform, message: &MessageId, emoji: &str) -> Option<PreparedRequest> {
    let path = match platform {
        Platform::Telegram => paths::telegram_message_react(message),
        _ => paths::message_react(message),
    };
    let body = serde_json::to_vec(&ReactBody { emoji: emoji.to_owned() }).ok()?;
    Some(PreparedRequest::json(Method::Post, path, body))
}
