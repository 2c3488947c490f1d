//! Reads one message again for its page (`getMessage`).

use crate::ChannelSync;
use crate::report::PullError;
use model::account::Platform;
use model::fetches::FetchResult;
use model::ids::MessageId;

impl ChannelSync {
    /// Reads one message and stores its changes.
    pub(crate) async fn read_message(&self, id: &MessageId) -> Result<FetchResult, PullError> {
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        let message = self.client.for_person().message(id).await?;
        let applied =
            self.store.apply_messages(self.id(), vec![message.clone()], platform, Vec::new()).await?;
        self.publish_messages(&applied, None);
        Ok(FetchResult::Message(Box::new(message)))
    }
}
