//! One attempt to deliver an event, and its consequences.
//!
//! The URL is checked before each attempt, since DNS records and rules change.

use std::time::Duration;

use tokio::time::sleep;

use crate::database::DatabaseError;
use crate::database::events::{self, DueDelivery};
use crate::database::session::DbSession;
use crate::database::webhooks::{self, WebhookRow};
use crate::deliveries::schedule::{self, AttemptOutcome};
use crate::deliveries::signature;
use crate::errors::ApiError;
use crate::state::{Service, ServiceState};
use model::time::{Clock, Timestamp};
use net::guard::{FetchLimits, HeaderError, Request};

/// Pause between two attempts to store an outcome.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Makes one attempt. Returns the delivery's id, and an error if the outcome could not be stored.
pub async fn attempt_delivery(service: &Service, delivery: DueDelivery) -> (String, Result<(), ApiError>) {
    let id = delivery.id.clone();
    (id, try_delivery(service, delivery).await)
}

async fn try_delivery(service: &Service, delivery: DueDelivery) -> Result<(), ApiError> {
    let webhook = delivery.webhook.clone();
    let found: Result<_, DatabaseError> = service.database.read(move |db| webhooks::read(db, &webhook)).await;
    // Deleting a subscription deletes its deliveries.
    let Some(webhook) = found? else { return Ok(()) };
    let scope = service.database.scope_of_channel(&webhook.channel).await?;
    let at = service.clock.when_due(delivery.due_at);
    let verdict = if webhook.active {
        send_event(service, &webhook, &delivery, at).await
    } else {
        AttemptOutcome::Gone
    };
    // Retried until the outcome is stored: another attempt without it would deliver the event twice.
    loop {
        let (state, due) = (service.clone(), delivery.clone());
        let record = move |db: &dyn DbSession| record_outcome(db, &state, &due, at, verdict);
        match service.database.write_as_leader(scope.clone(), record).await {
            Err(cause) if cause.is_transient() => {
                tracing::warn!(
                    delivery = delivery.id,
                    %cause,
                    "the outcome of a delivery could not be stored; next try soon"
                );
                sleep(RETRY_DELAY).await;
            }
            kept => return Ok(kept?),
        }
    }
}

/// Sends the event and judges the answer.
async fn send_event(
    service: &Service,
    webhook: &WebhookRow,
    delivery: &DueDelivery,
    at: Timestamp,
) -> AttemptOutcome {
    let failed = AttemptOutcome::Failed { asked: None };
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
    let Ok(request) = build_request(secret.as_deref(), delivery, at) else { return failed };
    let outcome = service.guard.fetch(&url, request, FetchLimits::DELIVERY).await;
    let status = outcome.as_ref().ok().map(|outcome| outcome.status);
    tracing::debug!(delivery = delivery.id, attempt = delivery.attempts + 1, status, "a delivery was tried");
    schedule::judge_response(&outcome)
}

/// Builds the signed request of an attempt.
fn build_request(
    secret: Option<&str>,
    delivery: &DueDelivery,
    at: Timestamp,
) -> Result<Request, HeaderError> {
    let body = &delivery.body;
    let mut request = Request::post(body.clone())
        .header("content-type", "application/json")?
        .header("webhook-id", &delivery.event)?
        .header("webhook-timestamp", &at.seconds().to_string())?;
    if let Some(secret) = secret {
        request = request.header("x-service-signature", &signature::sign_body(secret, body))?.header(
            "webhook-signature",
            &signature::sign_standard(secret, &delivery.event, at.seconds(), body),
        )?;
    }
    Ok(request)
}

/// Stores the outcome: the time of the next attempt, or the end of the delivery or subscription.
fn record_outcome(
    db: &dyn DbSession,
    service: &ServiceState,
    delivery: &DueDelivery,
    at: Timestamp,
    verdict: AttemptOutcome,
) -> Result<(), DatabaseError> {
    let Some(webhook) = webhooks::read(db, &delivery.webhook)? else { return Ok(()) };
    match verdict {
        AttemptOutcome::Delivered => {
            service.metrics.record_delivery("arrived");
            events::mark_delivered(db, delivery, at)?;
            webhooks::set_failing(db, &webhook.id, None)
        }
        AttemptOutcome::Gone => {
            events::mark_failed(db, delivery, None)?;
            end_subscription(db, &webhook)
        }
        AttemptOutcome::Failed { asked } => {
            service.metrics.record_delivery("failed");
            // Counted in elapsed time, so that setting the clock forward deactivates no subscription. After
            // `/dev/clock` the attempt counts as made at its due time.
            let late = service.clock.now().since(at);
            let elapsed = service.clock.elapsed().plus(-late);
            let since = webhook.failing_since.unwrap_or(elapsed);
            webhooks::set_failing(db, &webhook.id, Some(since))?;
            let chance =
                service.ids.random_between(-schedule::JITTER_THOUSANDTHS, schedule::JITTER_THOUSANDTHS);
            let span = schedule::next_delay(delivery.attempts + 1, asked, chance);
            events::mark_failed(db, delivery, span.map(|span| at.plus(span)))?;
            if span.is_none() {
                tracing::warn!(
                    webhook = webhook.id,
                    url = webhook.url,
                    event = delivery.event,
                    "an event was given up after its last attempt"
                );
                service.metrics.record_delivery("given up");
            }
            if elapsed.since(since) >= schedule::MAX_FAILING_TIME {
                end_subscription(db, &webhook)
            } else {
                Ok(())
            }
        }
    }
}

/// Deactivates a subscription, which stays listed.
fn end_subscription(db: &dyn DbSession, webhook: &WebhookRow) -> Result<(), DatabaseError> {
    if webhook.active {
        let (webhook, url) = (&webhook.id, &webhook.url);
        tracing::warn!(webhook, url, "a webhook was given up: nothing more is delivered to it");
    }
    webhooks::deactivate(db, &webhook.id)?;
    events::cancel_deliveries(db, &webhook.id)
}
