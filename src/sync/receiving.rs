//! What a delivery does: it makes a tab look soon, and shows that deliveries
//! come through, so that polling may be slow.
//!
//! A delivery is never the truth.

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
    /// A delivery has come.
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
    /// A delivery has come for a channel.
    pub fn delivered(&self, channel: &ChannelId, delivery: &ReceivedDelivery) {
        if let Some(tab) = self.tab(channel) {
            tab.delivered(delivery, self.now());
        }
    }

    /// Nobody listens any more, or nothing is registered: polling takes over.
    pub fn deliveries_lost(&self, channel: &ChannelId) {
        if let Some(tab) = self.tab(channel) {
            tab.channel().state(|channel| channel.trust.lost());
            tab.wake(Loop::Poll);
            tab.wake(Loop::Open);
        }
    }

    /// How far the deliveries of a channel may be relied on.
    pub fn standing(&self, channel: &ChannelId) -> HookTrust {
        let now = self.now();
        let tab = self.tab(channel);
        tab.map_or(HookTrust::Unknown, |tab| tab.channel().state(|channel| channel.trust.standing(now)))
    }

    /// Looks how the webhook of a channel stands, and asks for what is not so;
    /// `None` when there is no such tab.
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
