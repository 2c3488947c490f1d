//! Reading messages on both chat channels, and sending on business chat.
//! Interface: Endpoints, Business chat messages.
//!
//! Knows nothing of walks. An item that cannot be read becomes a stand-in.

use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, query, read_page};
use crate::model::account::Platform;
use crate::model::ids::{ConversationId, MessageId};
use crate::model::messages::Message;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::messages::{SendTextBody, TextContent, read_message, unreadable_message};
use crate::wire::paths;

/// Rows of a page of a history: the default of the interface.
const PAGE: &str = "50";
/// Rows of a page of the backfill: the most the interface gives.
const BACKFILL_PAGE: &str = "100";

impl Client {
    /// A page of one history, newest first.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn history(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
        cursor: Option<&str>,
    ) -> Result<Listed<Message>, ReadError> {
        let path = match platform {
            Platform::Telegram => paths::telegram_conversation_messages(conversation),
            _ => paths::conversation_messages(conversation),
        };
        let answer = self.get(&path, &query(PAGE, cursor)).await?;
        read_page(&answer, |raw| {
            let read = read_message(raw, Some(conversation));
            Some(read.unwrap_or_else(|_| unreadable_message(raw, conversation)))
        })
    }

    /// `GET /messages?direction=inbound`: a page of all that customers wrote,
    /// newest first.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn inbound(&self, cursor: Option<&str>) -> Result<Listed<Message>, ReadError> {
        let mut query = query(BACKFILL_PAGE, cursor);
        query.push(("direction", "inbound"));
        let answer = self.get(paths::MESSAGES, &query).await?;
        read_page(&answer, |raw| read_message(raw, None).ok())
    }
}

/// `POST /messages/send` with a text
pub(crate) fn prepare_text(to: &str, text: &str, reply_to: Option<&MessageId>) -> Option<PreparedRequest> {
    let body = SendTextBody {
        to: to.to_owned(),
        kind: "text".to_owned(),
        text: TextContent { body: text.to_owned() },
        reply_to: reply_to.map(|it| it.as_str().to_owned()),
    };
    let body = serde_json::to_vec(&body).ok()?;
    Some(PreparedRequest::json(Method::Post, paths::MESSAGES_SEND, body))
}
