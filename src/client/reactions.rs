//! Reactions to WhatsApp and Telegram messages.

use crate::prepare::{PrepareError, json};
use model::account::Platform;
use model::ids::MessageId;
use model::outbox::{PreparedRequest, WriteMethod};
use wire::paths;
use wire::reactions::ReactBody;

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
