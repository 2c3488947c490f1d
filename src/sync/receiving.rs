//! Webhook deliveries: each makes a tab poll soon and proves that webhooks arrive, so that polling may be
//! slow.
//!
//! Data is never taken from a delivery.

use crate::Engine;
use crate::hooks::{DesiredWebhook, WebhookState};
use crate::plan::trust::HookTrust;
use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use model::ids::ChannelId;
use model::reception::{DeliverySubject, ReceivedDelivery};
use model::time::Timestamp;
use store::leases::OwnerRequest;

impl TabSync {
    pub fn delivered(&self, delivery: &ReceivedDelivery, now: Timestamp) {
        let is_open = |open: Option<&_>| match &delivery.conversation {
            Some(told) => open == Some(told),
            None => open.is_some(),
        };
        let (polls, opens) = self.channel.state(|SyncState { trust, wishes, .. }| {
            trust.delivered(delivery.at, now);
            let told = delivery.told;
            wishes.told |= told == DeliverySubject::Received;
            wishes.told_open |= matches!(told, DeliverySubject::Received | DeliverySubject::Changed)
                && is_open(wishes.open.as_ref());
            (wishes.told, wishes.told_open)
        });
        if polls {
            self.ask_leader(OwnerRequest::Refresh);
            self.wake(Loop::Poll);
        }
        if opens {
            self.wake(Loop::Open);
        }
    }
}

impl Engine {
    pub fn delivered(&self, channel: &ChannelId, delivery: &ReceivedDelivery) {
        if let Some(tab) = self.tab(channel) {
            tab.delivered(delivery, self.now());
        }
    }

    /// Returns to polling: the receiver ended or nothing is registered.
    pub fn deliveries_lost(&self, channel: &ChannelId) {
        if let Some(tab) = self.tab(channel) {
            tab.channel().state(|channel| channel.trust.lost());
            tab.wake(Loop::Poll);
            tab.wake(Loop::Open);
        }
    }

    /// Reliability of a channel's deliveries.
    pub fn standing(&self, channel: &ChannelId) -> HookTrust {
        let now = self.now();
        let tab = self.tab(channel);
        tab.map_or(HookTrust::Unknown, |tab| tab.channel().state(|channel| channel.trust.standing(now)))
    }

    /// Checks the webhook of a channel and queues the next change; `None` if there is no such tab.
    pub async fn keep_hook(
        &self,
        channel: &ChannelId,
        hook: Option<&DesiredWebhook>,
    ) -> Option<WebhookState> {
        let tab = self.tab(channel)?;
        let kept = tab.channel().keep_hook(hook).await;
        tab.wake(Loop::Push);
        Some(kept)
    }
}
