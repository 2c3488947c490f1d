//! Webhook deliveries: each makes a tab poll soon and proves that webhooks arrive, so that polling may be
//! slow.
//!
//! Data is never taken from a delivery.

use crate::Engine;
use crate::hooks::{DesiredWebhook, WebhookState};
use crate::plan::trust::TrustLevel;
use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use model::ids::ChannelId;
use model::time::Timestamp;
use model::webhook_status::{DeliverySubject, ReceivedDelivery};
use store::leases::OwnerRequest;

impl TabSync {
    pub fn record_delivery(&self, delivery: &ReceivedDelivery, now: Timestamp) {
        let is_open = |open: Option<&_>| match &delivery.conversation {
            Some(conversation) => open == Some(conversation),
            None => open.is_some(),
        };
        let (polls, opens) = self.channel.with_state(|SyncState { trust, commands, .. }| {
            trust.record_delivery(delivery.at, now);
            let subject = delivery.subject;
            commands.delivered |= subject == DeliverySubject::Received;
            commands.delivered_open |=
                matches!(subject, DeliverySubject::Received | DeliverySubject::Changed)
                    && is_open(commands.open.as_ref());
            (commands.delivered, commands.delivered_open)
        });
        if polls {
            self.request_of_leader(OwnerRequest::Refresh);
            self.wake(Loop::Poll);
        }
        if opens {
            self.wake(Loop::Open);
        }
    }
}

impl Engine {
    pub fn record_delivery(&self, channel: &ChannelId, delivery: &ReceivedDelivery) {
        if let Some(tab) = self.tab(channel) {
            tab.record_delivery(delivery, self.now());
        }
    }

    /// Returns to polling: the receiver ended or nothing is registered.
    pub fn reset_webhook_trust(&self, channel: &ChannelId) {
        if let Some(tab) = self.tab(channel) {
            tab.channel().with_state(|channel| channel.trust.reset());
            tab.wake(Loop::Poll);
            tab.wake(Loop::Open);
        }
    }

    pub fn webhook_trust(&self, channel: &ChannelId) -> TrustLevel {
        let now = self.now();
        let tab = self.tab(channel);
        tab.map_or(TrustLevel::Unknown, |tab| tab.channel().with_state(|channel| channel.trust.level(now)))
    }

    /// Checks the webhook of a channel and queues the next change; `None` if there is no such tab.
    pub async fn ensure_webhook(
        &self,
        channel: &ChannelId,
        hook: Option<&DesiredWebhook>,
    ) -> Option<WebhookState> {
        let tab = self.tab(channel)?;
        let kept = tab.channel().ensure_webhook(hook).await;
        tab.wake(Loop::Push);
        Some(kept)
    }
}
