//! Reads conversations of all channels, and changes the AI switch and the status.

use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use crate::{telegram, voip};
use api::conversations::{AutomationPatch, DeskAutomationBody, read_conversation, unreadable_conversation};
use api::paths;
use model::account::Platform;
use model::conversations::Conversation;
use model::email::ThreadFilter;
use model::ids::ConversationId;
use model::outbox::{PreparedRequest, WriteMethod};

/// Default page size of the API.
const PAGE_SIZE: &str = "50";

impl Client {
    /// Returns a page of conversations, most recent activity first, with placeholders for
    /// unreadable items.
    pub async fn conversations(
        &self,
        platform: &Platform,
        cursor: Option<&str>,
    ) -> Result<ListPage<Conversation>, ReadError> {
        let query = query(PAGE_SIZE, cursor);
        let page = match platform {
            Platform::Telegram => telegram::conversations(self, &query).await?,
            Platform::Voip => voip::conversations(self, &query).await?,
            Platform::Email => return self.email_threads(&ThreadFilter::default(), cursor).await,
            _ => {
                let answer = self.get(paths::CONVERSATIONS, &query).await?;
                read_page(&answer, |raw| read_conversation(raw).ok())?
            }
        };
        Ok(page.with_placeholders(unreadable_conversation))
    }

    /// `GET /conversations/{conversationId}`, including the automation switch. Business chat only.
    pub async fn conversation(&self, id: &ConversationId) -> Result<Conversation, ReadError> {
        let answer = self.get(&paths::conversation(id), &[]).await?;
        read_one(&answer, |raw| read_conversation(raw).ok())
    }
}

/// `PATCH /conversations/{conversationId}`, or the service's extension on channels without a pause
/// in the API.
pub(crate) fn prepare_automation(
    platform: &Platform,
    id: &ConversationId,
    enabled: bool,
) -> Result<PreparedRequest, PrepareError> {
    if !platform.can_take_over() {
        return json(WriteMethod::Put, paths::desk_automation(id), &DeskAutomationBody { enabled });
    }
    json(WriteMethod::Patch, paths::conversation(id), &AutomationPatch { automation_enabled: enabled })
}

pub(crate) fn prepare_close(id: &ConversationId) -> PreparedRequest {
    PreparedRequest::without_body(WriteMethod::Post, paths::conversation_close(id))
}
