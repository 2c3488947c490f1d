//! Polls the triggers. The API defines only the fields of new messages.

use serde_json::{Map, Value};

use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use api::messages::read_message;
use api::paths;
use model::messages::Message;

/// A trigger whose item format the API does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainTrigger {
    NewContact,
    NewOrder,
    NewAppointment,
    CampaignCompleted,
}

impl PlainTrigger {
    pub const ALL: [Self; 4] =
        [Self::NewContact, Self::NewOrder, Self::NewAppointment, Self::CampaignCompleted];

    fn path(self) -> &'static str {
        match self {
            Self::NewContact => paths::TRIGGER_NEW_CONTACT,
            Self::NewOrder => paths::TRIGGER_NEW_ORDER,
            Self::NewAppointment => paths::TRIGGER_NEW_APPOINTMENT,
            Self::CampaignCompleted => paths::TRIGGER_CAMPAIGN_COMPLETED,
        }
    }
}

impl Client {
    /// `GET /triggers/new-message`: up to 50 of the newest inbound messages.
    pub async fn new_messages(&self) -> Result<ListPage<Message>, ReadError> {
        let answer = self.get(paths::TRIGGER_NEW_MESSAGE, &[]).await?;
        // An item without a conversation is unreadable, because it cannot be displayed.
        read_page(&answer, |raw| read_message(raw, None).ok())
    }

    /// Returns the newest items of another trigger, unparsed.
    pub async fn trigger(&self, trigger: PlainTrigger) -> Result<ListPage<Map<String, Value>>, ReadError> {
        let answer = self.get(trigger.path(), &[]).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}
