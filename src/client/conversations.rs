//! Reading conversations on both chat channels, and changing the AI switch
//! and the status. Interface: Endpoints, Conversations.
//!
//! Knows nothing of walks.

use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, query, read_one, read_page};
use crate::client::prepare::{PrepareError, json};
use crate::client::{telegram, voip};
use crate::model::account::Platform;
use crate::model::conversations::Conversation;
use crate::model::email::ThreadFilter;
use crate::model::ids::ConversationId;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::conversations::{AutomationPatch, read_conversation};
use crate::wire::paths;

/// Rows of a page of conversations: the default of the interface.
const PAGE: &str = "50";

impl Client {
    /// A page of conversations, newest activity first.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn conversations(
        &self,
        platform: &Platform,
        cursor: Option<&str>,
    ) -> Result<Listed<Conversation>, ReadError> {
        if *platform == Platform::Telegram {
            return telegram::conversations(self, &query(PAGE, cursor)).await;
        }
        if *platform == Platform::Voip {
            return voip::conversations(self, &query(PAGE, cursor)).await;
        }
        if *platform == Platform::Email {
            return self.email_threads(&ThreadFilter::default(), cursor).await;
        }
        let answer = self.get(paths::CONVERSATIONS, &query(PAGE, cursor)).await?;
        read_page(&answer, |raw| read_conversation(raw).ok())
    }

    /// `GET /conversations/{id}`: tells of the automation too. Business chat
    /// only.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn conversation(&self, id: &ConversationId) -> Result<Conversation, ReadError> {
        let answer = self.get(&paths::conversation(id), &[]).await?;
        read_one(&answer, |raw| read_conversation(raw).ok())
    }
}

/// `PATCH /conversations/{id}`
pub(crate) fn prepare_automation(
    id: &ConversationId,
    enabled: bool,
) -> Result<PreparedRequest, PrepareError> {
    json(Method::Patch, paths::conversation(id), &AutomationPatch { automation_enabled: enabled })
}

/// `POST /conversations/{id}/close`
pub(crate) fn prepare_close(id: &ConversationId) -> PreparedRequest {
    PreparedRequest::bare(Method::Post, paths::conversation_close(id))
}
