//! What a delivery does: it makes a tab look soon, and shows that deliveries
//! come through, so that polling may be slow.
//!
//! A delivery is never the truth.

use std::sync::PoisonError;

use crate::Engine;
use crate::hooks::{DesiredWebhook, WebhookState};
use crate::plan::trust::{HookTrust, Trust};
use crate::tab::{Loop, TabSync};
use crate::wishes::Lead;
use model::ids::ChannelId;
use model::reception::{DeliverySubject, ReceivedDelivery};
use model::time::Timestamp;
use store::leases::OwnerRequest;

impl TabSync {
    /// A delivery has come.
    pub fn delivered(&self, delivery: &ReceivedDelivery, now: Timestamp) {
        self.trust(|it| it.delivered(delivery.at, now));
        let is_open = |open: Option<&_>| match &delivery.conversation {
            Some(told) => open == Some(told),
            None => open.is_some(),
        };
        let (polls, opens) = self.wish(|it| {
            let told = delivery.told;
            it.told |= told == DeliverySubject::Received;
            it.told_open |= matches!(told, DeliverySubject::Received | DeliverySubject::Changed)
                && is_open(it.open.as_ref());
            (it.told, it.told_open)
        });
        if polls && self.is_led_elsewhere() {
            self.ask_leader(OwnerRequest::Refresh);
        }
        if polls {
            self.wake(Loop::Poll);
        }
        if opens {
            self.wake(Loop::Open);
        }
    }

    /// Looks at how far deliveries may be relied on.
    pub(crate) fn trust<R>(&self, look: impl FnOnce(&mut Trust) -> R) -> R {
        look(&mut self.trust.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_led_elsewhere(&self) -> bool {
        *self.lead.lock().unwrap_or_else(PoisonError::into_inner) == Lead::Other
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
            tab.trust(Trust::lost);
            tab.wake(Loop::Poll);
            tab.wake(Loop::Open);
        }
    }

    /// How far the deliveries of a channel may be relied on.
    pub fn standing(&self, channel: &ChannelId) -> HookTrust {
        self.tab(channel).map_or(HookTrust::Unknown, |tab| tab.trust(|it| it.standing(self.now())))
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
