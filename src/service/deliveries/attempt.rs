//! One attempt to deliver an event, and its consequences.
//!
//! The URL is checked before each attempt, since DNS records and rules change.

use std::time::Duration;

use tokio::time::sleep;

use crate::database::DatabaseError;
use crate::database::events::{self, DueDelivery};
use crate::database::session::DbSession;
use crate::database::webhooks::{self, WebhookRow};
use crate::deliveries::schedule::{self, Verdict};
use crate::deliveries::signature;
use crate::errors::ApiError;
use crate::state::{Service, ServiceState};
use connections::guard::{FetchLimits, HeaderRefused, Request};
use model::time::{Clock, Timestamp};

/// Pause between two attempts to store an outcome.
const AGAIN: Duration = Duration::from_secs(1);

/// Makes one attempt. Returns the delivery's id, and an error if the outcome could not be stored.
pub async fn attempt(service: &Service, delivery: DueDelivery) -> (String, Result<(), ApiError>) {
    let id = delivery.id.clone();
    (id, attempted(service, delivery).await)
}

async fn attempted(service: &Service, delivery: DueDelivery) -> Result<(), ApiError> {
    let webhook = delivery.webhook.clone();
    let found: Result<_, DatabaseError> = service.database.read(move |db| webhooks::read(db, &webhook)).await;
    // Deleting a subscription deletes its deliveries.
    let Some(webhook) = found? else { return Ok(()) };
    let scope = service.database.scope_of_channel(&webhook.channel).await?;
    let at = service.clock.when_due(delivery.due_at);
    let verdict = if webhook.active { ask(service, &webhook, &delivery, at).await } else { Verdict::Gone };
    // Retried until the outcome is stored: another attempt without it would deliver the event twice.
    loop {
        let (state, due) = (service.clone(), delivery.clone());
        let record = move |db: &dyn DbSession| record(db, &state, &due, at, verdict);
        match service.database.write_leading(scope.clone(), record).await {
            Err(cause) if cause.passes() => {
                tracing::warn!(delivery = delivery.id, %cause, "what came of a delivery is not kept yet");
                sleep(AGAIN).await;
            }
            kept => return Ok(kept?),
        }
    }
}

/// Sends the event and judges the answer.
async fn ask(service: &Service, webhook: &WebhookRow, delivery: &DueDelivery, at: Timestamp) -> Verdict {
    let failed = Verdict::Failed { asked: None };
    let Ok(url) = service.guard.vet(&webhook.url) else { return failed };
    let secret = match webhook
        .secret
        .as_deref()
        .map(|secret| service.vault.open(&webhook.id, secret))
        .transpose()
    {
        Ok(secret) => secret,
        Err(cause) => {
            tracing::error!(webhook = webhook.id, %cause, "an event cannot be signed and is not delivered");
            return failed;
        }
    };
    let Ok(request) = request(secret.as_deref(), delivery, at) else { return failed };
    let outcome = service.guard.fetch(&url, request, FetchLimits::DELIVERY).await;
    let status = outcome.as_ref().ok().map(|outcome| outcome.status);
    tracing::debug!(delivery = delivery.id, attempt = delivery.attempts + 1, status, "a delivery was tried");
    schedule::judge(&outcome)
}

/// Builds the signed request of an attempt.
fn request(secret: Option<&str>, delivery: &DueDelivery, at: Timestamp) -> Result<Request, HeaderRefused> {
    let body = &delivery.body;
    let mut request = Request::post(body.clone())
        .header("content-type", "application/json")?
        .header("webhook-id", &delivery.event)?
        .header("webhook-timestamp", &at.seconds().to_string())?;
    if let Some(secret) = secret {
        request = request
            .header("x-service-signature", &signature::of_body(secret, body))?
            .header("webhook-signature", &signature::standard(secret, &delivery.event, at.seconds(), body))?;
    }
    Ok(request)
}

/// Stores the outcome: the time of the next attempt, or the end of the delivery or subscription.
fn record(
    db: &dyn DbSession,
    service: &ServiceState,
    delivery: &DueDelivery,
    at: Timestamp,
    verdict: Verdict,
) -> Result<(), DatabaseError> {
    let Some(webhook) = webhooks::read(db, &delivery.webhook)? else { return Ok(()) };
    match verdict {
        Verdict::Delivered => {
            service.metrics.delivered("arrived");
            events::delivered(db, delivery, at)?;
            webhooks::set_failing(db, &webhook.id, None)
        }
        Verdict::Gone => {
            events::failed(db, delivery, None)?;
            end(db, &webhook)
        }
        Verdict::Failed { asked } => {
            service.metrics.delivered("failed");
            // Counted in elapsed time, so that setting the clock forward deactivates no subscription. After
            // `/dev/clock` the attempt counts as made at its due time.
            let late = service.clock.now().since(at);
            let elapsed = service.clock.elapsed().plus(-late);
            let since = webhook.failing_since.unwrap_or(elapsed);
            webhooks::set_failing(db, &webhook.id, Some(since))?;
            let chance = service.stamps.between(-schedule::JITTER, schedule::JITTER);
            let span = schedule::next(delivery.attempts + 1, asked, chance);
            events::failed(db, delivery, span.map(|span| at.plus(span)))?;
            if span.is_none() {
                tracing::warn!(
                    webhook = webhook.id,
                    url = webhook.url,
                    event = delivery.event,
                    "an event was given up after its last attempt"
                );
                service.metrics.delivered("given up");
            }
            if elapsed.since(since) >= schedule::GIVEN_UP { end(db, &webhook) } else { Ok(()) }
        }
    }
}

/// Deactivates a subscription, which stays listed.
fn end(db: &dyn DbSession, webhook: &WebhookRow) -> Result<(), DatabaseError> {
    if webhook.active {
        let (webhook, url) = (&webhook.id, &webhook.url);
        tracing::warn!(webhook, url, "a webhook was given up: nothing more is delivered to it");
    }
    webhooks::deactivate(db, &webhook.id)?;
    events::give_up(db, &webhook.id)
}
