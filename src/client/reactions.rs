//! Reacting on both chat channels. Interface: the react operations.

use crate::client::prepare::{PrepareError, json};
use crate::model::account::Platform;
use crate::model::ids::MessageId;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::paths;
use crate::wire::reactions::ReactBody;

/// The react operation of a platform
pub(crate) fn prepare(
    platform: &Platform,
    message: &MessageId,
    emoji: &str,
) -> Result<PreparedRequest, PrepareError> {
    let path = match platform {
        Platform::Telegram => paths::telegram_message_react(message),
        _ => paths::message_react(message),
    };
    json(Method::Post, path, &ReactBody { emoji: emoji.to_owned() })
}
