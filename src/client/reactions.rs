//! Reacting on both chat channels. Interface: the react operations.

use crate::prepare::{PrepareError, json};
use model::account::Platform;
use model::ids::MessageId;
use model::outbox::{PreparedRequest, WriteMethod};
use wire::paths;
use wire::reactions::ReactBody;

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
    json(WriteMethod::Post, path, &ReactBody { emoji: emoji.to_owned() })
}
