//! The bot-chat channel: its list and its sends. Interface: Endpoints,
//! Bot-chat channel.
//!
//! Knows nothing of histories; they are read as on business chat.

use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, read_page};
use crate::model::conversations::Conversation;
use crate::model::ids::MessageId;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::paths;
use crate::wire::telegram::{SendTextBody, read_conversation};

/// A page of bot-chat conversations.
pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<Listed<Conversation>, ReadError> {
    let answer = client.get(paths::TELEGRAM_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
}

/// `POST /telegram/send` with a text that is already escaped
pub(crate) fn prepare_text(
    chat: &str,
    escaped: &str,
    reply_to: Option<&MessageId>,
) -> Option<PreparedRequest> {
    let body = SendTextBody {
        chat_id: chat.to_owned(),
        kind: "text".to_owned(),
        text: escaped.to_owned(),
        reply_to: reply_to.map(|it| it.as_str().to_owned()),
    };
    let body = serde_json::to_vec(&body).ok()?;
    Some(PreparedRequest::json(Method::Post, paths::TELEGRAM_SEND, body))
}
