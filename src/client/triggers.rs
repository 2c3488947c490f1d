//! Polling the new-message trigger. Interface: Endpoints, Triggers.
//!
//! Knows nothing of what was polled before.

use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, read_page};
use crate::model::messages::Message;
use crate::wire::messages::read_message;
use crate::wire::paths;

impl Client {
    /// `GET /triggers/new-message`: up to 50 of the newest inbound messages.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn new_messages(&self) -> Result<Listed<Message>, ReadError> {
        let answer = self.get(paths::TRIGGER_NEW_MESSAGE, &[]).await?;
        // An item without a conversation has nowhere to be shown.
        read_page(&answer, |raw| read_message(raw, None).ok())
    }
}
