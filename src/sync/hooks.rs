//! Keeps this installation's webhook registered (`listWebhooks`, `createWebhook`, `deleteWebhook` and
//! their mail variants): checked against the list, added and removed through the outbox.

use crate::ChannelSync;
use crate::report::PullError;
use client::{Attachments, ReadError, prepare_with};
use model::account::Platform;
use model::fetches::FetchResult;
use model::ids::WebhookId;
use model::outbox::{Lane, Operation, OutboxRow, RowState};
use model::secret::Secret;
use model::text::SafeText;
use model::webhooks::{self, Webhook};
use store::outbox::NewRow;

/// Mark: URL of the last requested registration.
const RECEIVER_URL_MARK: &str = "receiver_url";

/// Webhook a tab should have.
#[derive(Debug, Clone)]
pub struct DesiredWebhook {
    pub url: String,
    /// Secret that signs deliveries.
    pub secret: Secret,
    /// True if an existing registration may use this secret: it was kept from before or has been sent to
    /// the server since.
    pub is_known: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookState {
    Registered,
    /// Requested with the secret, not yet confirmed.
    Requested,
    /// Being looked up, or a change is in progress.
    Waiting,
    /// Refused; the outbox row needs a decision.
    Refused(SafeText),
    /// This key cannot have webhooks.
    NotHere(SafeText),
    /// None is wanted and none of this installation is left.
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WebhookStep {
    Done(WebhookState),
    Register,
    Remove(WebhookId, String),
}

/// Change in the outbox, in progress or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PendingChange {
    url: String,
    adds: bool,
    refused: Option<SafeText>,
}

/// Decides the next action from the wanted URL (with true if an existing registration may use a known
/// secret), the URL requested before, the registered webhooks and the changes in progress.
fn next_step(
    wanted: Option<(&str, bool)>,
    before: Option<&str>,
    there: &[Webhook],
    pending: &[PendingChange],
    events: &[&str],
) -> WebhookStep {
    let url = wanted.map(|pair| pair.0);
    let ours = |text: &str| url == Some(text) || before == Some(text);
    if pending.iter().any(|pending| pending.refused.is_none() && ours(&pending.url)) {
        return WebhookStep::Done(WebhookState::Waiting);
    }
    let refused = pending.iter().find(|pending| pending.adds && url == Some(pending.url.as_str()));
    if let Some(why) = refused.and_then(|pending| pending.refused.clone()) {
        return WebhookStep::Done(WebhookState::Refused(why));
    }
    let remove = |webhook: &Webhook| WebhookStep::Remove(webhook.id.clone(), webhook.url.clone());
    // A registration at an address no longer in use.
    let old = there.iter().find(|webhook| before == Some(webhook.url.as_str()) && url != before);
    if let Some(old) = old {
        return remove(old);
    }
    let Some((url, is_known)) = wanted else { return WebhookStep::Done(WebhookState::Removed) };
    let mut here = there.iter().filter(|webhook| webhook.url == url);
    match (here.next(), here.next()) {
        (None, _) => WebhookStep::Register,
        (Some(first), Some(_)) => remove(first),
        (Some(one), None) => {
            let tells = |event: &&str| one.events.iter().any(|text| text.as_str() == *event);
            if one.is_active && is_known && events.iter().all(tells) {
                WebhookStep::Done(WebhookState::Registered)
            } else {
                remove(one)
            }
        }
    }
}

impl ChannelSync {
    /// Compares the wanted webhook with the registered ones and queues the next change if needed. `None`
    /// removes this installation's webhook.
    pub async fn ensure_webhook(&self, hook: Option<&DesiredWebhook>) -> WebhookState {
        match self.try_ensure_webhook(hook).await {
            Ok(kept) => kept,
            Err(PullError::Read(ReadError::Forbidden(why))) => WebhookState::NotHere(why),
            Err(error) => {
                tracing::warn!(
                    channel = %self.id(),
                    %error,
                    "the webhook of this desk could not be looked up"
                );
                WebhookState::Waiting
            }
        }
    }

    async fn try_ensure_webhook(&self, hook: Option<&DesiredWebhook>) -> Result<WebhookState, PullError> {
        let before = self.store.meta(self.id(), RECEIVER_URL_MARK).await?;
        if hook.is_none() && before.is_none() {
            return Ok(WebhookState::Removed);
        }
        if self.spec().read_only {
            return Ok(WebhookState::NotHere(SafeText::line("this tab is read-only")));
        }
        let Some(platform) = self.platform().await?.filter(|_| !self.is_stopped()) else {
            return Ok(WebhookState::Waiting);
        };
        if !matches!(platform, Platform::Whatsapp | Platform::Telegram | Platform::Email) {
            let words = format!("there are no webhook events for {}", platform.label());
            return Ok(WebhookState::NotHere(SafeText::line(&words)));
        }
        let FetchResult::Webhooks(there) = self.read_webhooks().await? else {
            return Ok(WebhookState::Waiting);
        };
        let rows = self.store.lane_rows(self.id()).await?;
        let pending: Vec<PendingChange> = rows.iter().filter_map(|row| pending_change(&row.row)).collect();
        let events: Vec<&str> = webhooks::events_of(&platform).iter().map(|event| event.0).collect();
        let wanted = hook.map(|hook| (hook.url.as_str(), hook.is_known));
        match next_step(wanted, before.as_deref(), &there, &pending, &events) {
            WebhookStep::Done(kept) => {
                if kept == WebhookState::Removed {
                    self.store.set_meta(self.id(), vec![(RECEIVER_URL_MARK, None)]).await?;
                }
                Ok(kept)
            }
            WebhookStep::Remove(webhook, url) => {
                self.queue_webhook_change(&platform, Operation::RemoveWebhook { webhook, url }, None).await?;
                Ok(WebhookState::Waiting)
            }
            WebhookStep::Register => {
                let Some(hook) = hook else { return Ok(WebhookState::Removed) };
                // Stored before the request, so that the registration is recognised later.
                self.store.set_meta(self.id(), vec![(RECEIVER_URL_MARK, Some(hook.url.clone()))]).await?;
                let events = events.into_iter().map(str::to_owned).collect();
                let operation = Operation::AddWebhook { url: hook.url.clone(), events };
                self.queue_webhook_change(&platform, operation, Some(&hook.secret)).await?;
                Ok(WebhookState::Requested)
            }
        }
    }

    async fn queue_webhook_change(
        &self,
        platform: &Platform,
        operation: Operation,
        secret: Option<&Secret>,
    ) -> Result<(), PullError> {
        let enclosed = Attachments { files: &[], secret };
        let request = match prepare_with(platform, &Lane::Webhooks, &operation, enclosed) {
            Ok(request) => request,
            Err(error) => return Err(ReadError::Rejected(SafeText::line(&error.to_string())).into()),
        };
        let row = NewRow::without_delay(self.id().clone(), Lane::Webhooks, operation, request);
        let (store, now) = (self.store.clone(), self.clock.now());
        // Blocks until the row is on disk.
        let queued = tokio::task::spawn_blocking(move || store.enqueue_many(vec![row], false, now)).await;
        if let Ok(queued) = queued {
            queued?;
        }
        Ok(())
    }
}

/// Change made by an outbox row, `None` if it is not about webhooks.
fn pending_change(row: &OutboxRow) -> Option<PendingChange> {
    let (url, adds) = match &row.operation {
        Operation::AddWebhook { url, .. } => (url.clone(), true),
        Operation::RemoveWebhook { url, .. } => (url.clone(), false),
        _ => return None,
    };
    let refused = match &row.state {
        RowState::Stopped(_, why) => Some(why.clone()),
        _ => None,
    };
    Some(PendingChange { url, adds, refused })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [&str; 2] = ["message.received", "message.read"];

    fn there(id: &str, url: &str, active: bool, events: &[&str]) -> Webhook {
        Webhook {
            id: WebhookId::from(id),
            url: url.to_owned(),
            events: events.iter().map(|event| SafeText::line(event)).collect(),
            is_active: active,
            created_at: None,
            failing_since: None,
            ended_why: None,
            waiting: 0,
            dead_letters: 0,
        }
    }

    #[test]
    fn what_is_done_next() {
        let done = WebhookStep::Done;
        let good = || there("1", "u", true, &EVENTS);
        let remove = |id: &str, url: &str| WebhookStep::Remove(WebhookId::from(id), url.to_owned());
        let on_its_way = |url: &str| PendingChange { url: url.to_owned(), adds: true, refused: None };
        let refused = || PendingChange { refused: Some(SafeText::line("no")), ..on_its_way("u") };
        let known = Some(("u", true));
        let cases = [
            ("nothing is there", known, None, vec![], vec![], WebhookStep::Register),
            ("it is there", known, Some("u"), vec![good()], vec![], done(WebhookState::Registered)),
            (
                "others are left alone",
                known,
                None,
                vec![there("9", "x", true, &[])],
                vec![],
                WebhookStep::Register,
            ),
            ("its secret is lost", Some(("u", false)), Some("u"), vec![good()], vec![], remove("1", "u")),
            (
                "it was switched off",
                known,
                Some("u"),
                vec![there("1", "u", false, &EVENTS)],
                vec![],
                remove("1", "u"),
            ),
            (
                "it tells too little",
                known,
                None,
                vec![there("1", "u", true, &["x"])],
                vec![],
                remove("1", "u"),
            ),
            ("it is there twice", known, Some("u"), vec![good(), good()], vec![], remove("1", "u")),
            (
                "the address has changed",
                known,
                Some("old"),
                vec![there("2", "old", true, &EVENTS), good()],
                vec![],
                remove("2", "old"),
            ),
            ("the old one is gone", known, Some("old"), vec![], vec![], WebhookStep::Register),
            ("it is on its way", known, None, vec![], vec![on_its_way("u")], done(WebhookState::Waiting)),
            (
                "the old one still",
                known,
                Some("o"),
                vec![],
                vec![on_its_way("o")],
                done(WebhookState::Waiting),
            ),
            ("another is on its way", known, None, vec![], vec![on_its_way("x")], WebhookStep::Register),
            (
                "it was refused",
                known,
                None,
                vec![],
                vec![refused()],
                done(WebhookState::Refused(SafeText::line("no"))),
            ),
            ("none is wanted any more", None, Some("u"), vec![good()], vec![], remove("1", "u")),
            ("none is wanted, none is there", None, Some("u"), vec![], vec![], done(WebhookState::Removed)),
        ];
        for (name, wanted, before, there, pending, then) in cases {
            assert_eq!(next_step(wanted, before, &there, &pending, &EVENTS), then, "{name}");
        }
    }
}
