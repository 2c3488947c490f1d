//! Reads trigger events and webhook subscriptions when their page is open (`pollNewMessages` and the
//! other triggers, `listWebhooks`, `listEmailWebhooks`).

use std::cmp::Reverse;

use crate::ChannelSync;
use crate::report::PullError;
use client::ReadError;
use model::account::Platform;
use model::fetches::FetchResult;
use model::ids::WebhookId;
use model::text::SafeText;
use model::time::Timestamp;
use model::trigger_events::{TriggerEvents, TriggerKind};
use model::unreadable::UnreadableList;
use model::webhooks::{EndReason, Webhook};

impl ChannelSync {
    /// Polls all triggers; a failing one does not hide the others.
    pub(crate) async fn read_events(&self) -> Result<FetchResult, PullError> {
        let client = self.client.for_person();
        let mut events = TriggerEvents::default();
        let mut failed = None;
        for (index, trigger) in TriggerKind::ALL.into_iter().enumerate() {
            match client.trigger_events(trigger).await {
                Ok(listed) => {
                    self.record_unreadable(UnreadableList::Events, &listed, index == 0);
                    events.items.extend(listed.items);
                }
                Err(ReadError::Forbidden(why)) => events.errors.push((trigger, why)),
                Err(ReadError::NotFound(_) | ReadError::NoSuchPath(_)) => {
                    events.errors.push((trigger, SafeText::line("this server does not offer these events")));
                }
                Err(ReadError::Trouble(why)) => {
                    events.errors.push((trigger, why.clone()));
                    failed = Some(ReadError::Trouble(why));
                }
                Err(error) => return Err(error.into()),
            }
        }
        // Earlier events are shown rather than a list of failures.
        if let Some(error) = failed.filter(|_| events.errors.len() == TriggerKind::ALL.len()) {
            return Err(error.into());
        }
        events.items.sort_by_key(|item| Reverse(item.at));
        Ok(FetchResult::Events(Box::new(events)))
    }

    pub(crate) async fn read_webhooks(&self) -> Result<FetchResult, PullError> {
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        let listed = self.client.for_person().webhooks(&platform).await?;
        self.record_unreadable(UnreadableList::Webhooks, &listed, true);
        let mut webhooks = Vec::with_capacity(listed.items.len());
        for webhook in listed.items {
            webhooks.push(Webhook {
                id: WebhookId::new(webhook.id),
                url: webhook.url,
                events: webhook.events.iter().map(|name| SafeText::line(name)).collect(),
                is_active: webhook.is_active,
                created_at: webhook.created_at.as_deref().and_then(Timestamp::parse_any),
                failing_since: webhook.failing_since.as_deref().and_then(Timestamp::parse_any),
                ended_why: webhook.ended_why.as_deref().map(EndReason::read),
                waiting: webhook.waiting.unwrap_or(0),
                dead_letters: webhook.dead_letters.unwrap_or(0),
            });
        }
        Ok(FetchResult::Webhooks(webhooks))
    }
}
