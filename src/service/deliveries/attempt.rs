//! One attempt to deliver an event, and its consequences.
//!
//! The URL is checked before each attempt, since DNS records and rules change.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::audit;
use crate::database::DatabaseError;
use crate::database::delivery_log::{self, AttemptRow};
use crate::database::events::{self, DueDelivery};
use crate::database::session::DbSession;
use crate::database::webhooks::{self, EndReason, WebhookRow};
use crate::deliveries::schedule::{self, AttemptOutcome};
use crate::deliveries::signature;
use crate::errors::ApiError;
use crate::metrics::DeliveryOutcome;
use crate::state::{Service, ServiceState};
use model::time::{Clock, Timestamp};
use net::guard::{FetchError, FetchLimits, HeaderError, Request};

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
    let attempt = if webhook.active {
        send_event(service, &webhook, &delivery, at).await
    } else {
        Attempt {
            verdict: AttemptOutcome::Gone,
            answer: Err("the webhook is switched off".to_owned()),
            millis: 0,
        }
    };
    // Retried until the outcome is stored: another attempt without it would deliver the event twice.
    loop {
        let (state, due, attempt) = (service.clone(), delivery.clone(), attempt.clone());
        let record = move |db: &dyn DbSession| record_outcome(db, &state, &due, at, &attempt);
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

/// An attempt that has ended.
#[derive(Debug, Clone)]
struct Attempt {
    verdict: AttemptOutcome,
    /// HTTP status, or the reason for a missing answer.
    answer: Result<u16, String>,
    millis: i64,
}

/// Sends the event and judges the answer.
async fn send_event(
    service: &Service,
    webhook: &WebhookRow,
    delivery: &DueDelivery,
    at: Timestamp,
) -> Attempt {
    let failed = |why: String| Attempt {
        verdict: AttemptOutcome::Failed { asked: None },
        answer: Err(why),
        millis: 0,
    };
    let url = match service.guard.vet(&webhook.url) {
        Ok(url) => url,
        Err(why) => return failed(why.to_string()),
    };
    let secret = match webhook
        .secret
        .as_deref()
        .map(|secret| service.vault.open(&webhook.id, secret))
        .transpose()
    {
        Ok(secret) => secret,
        Err(cause) => {
            tracing::error!(webhook = webhook.id, %cause, "an event cannot be signed and is not delivered");
            return failed("the secret cannot be read with the key of this service".to_owned());
        }
    };
    let Ok(request) = build_request(secret.as_deref(), delivery, at) else {
        return failed("the request has a header that is not valid".to_owned());
    };
    let begun = Instant::now();
    let outcome = service.guard.fetch(&url, request, FetchLimits::DELIVERY).await;
    let millis = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let answer = outcome.as_ref().map(|fetched| fetched.status).map_err(FetchError::describe_for_operator);
    let status = answer.as_ref().ok();
    tracing::debug!(delivery = delivery.id, attempt = delivery.attempts + 1, status, "a delivery was tried");
    Attempt { verdict: schedule::judge_response(&outcome), answer, millis }
}

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
    attempt: &Attempt,
) -> Result<(), DatabaseError> {
    let Some(webhook) = webhooks::read(db, &delivery.webhook)? else { return Ok(()) };
    match attempt.verdict {
        AttemptOutcome::Delivered => {
            log_attempt(db, service, delivery, (at, None), attempt, DeliveryOutcome::Arrived)?;
            events::mark_delivered(db, delivery, at)?;
            webhooks::set_failing(db, &webhook.id, None)
        }
        AttemptOutcome::Gone => {
            log_attempt(db, service, delivery, (at, None), attempt, DeliveryOutcome::Refused)?;
            events::mark_failed(db, delivery, None)?;
            end_subscription(db, &webhook, EndReason::Gone, at)
        }
        AttemptOutcome::Failed { asked } => {
            // Counted in elapsed time, so that setting the clock forward deactivates no subscription. After
            // `/dev/clock` the attempt counts as made at its due time.
            let late = service.clock.now().since(at);
            let elapsed = service.clock.elapsed().plus(-late);
            let since = webhook.failing_since.unwrap_or(elapsed);
            webhooks::set_failing(db, &webhook.id, Some(since))?;
            let chance =
                service.ids.random_between(-schedule::JITTER_THOUSANDTHS, schedule::JITTER_THOUSANDTHS);
            let span = schedule::next_delay(delivery.attempts + 1, asked, chance);
            let next = span.map(|span| at.plus(span));
            events::mark_failed(db, delivery, next)?;
            log_attempt(db, service, delivery, (at, next), attempt, DeliveryOutcome::Failed)?;
            if span.is_none() {
                tracing::warn!(
                    webhook = webhook.id,
                    event = delivery.event,
                    "an event was given up after its last attempt; `admin webhook replay` sends it again"
                );
                service.metrics.record_delivery(&webhook.id, DeliveryOutcome::GivenUp);
            }
            if elapsed.since(since) >= schedule::MAX_FAILING_TIME {
                end_subscription(db, &webhook, EndReason::Failing, at)
            } else {
                Ok(())
            }
        }
    }
}

/// Logs an attempt and counts it in the metrics. `next` is the time of the next one.
fn log_attempt(
    db: &dyn DbSession,
    service: &ServiceState,
    delivery: &DueDelivery,
    (at, next): (Timestamp, Option<Timestamp>),
    attempt: &Attempt,
    outcome: DeliveryOutcome,
) -> Result<(), DatabaseError> {
    service.metrics.record_delivery(&delivery.webhook, outcome);
    let is_last = next.is_none() && outcome == DeliveryOutcome::Failed;
    let row = AttemptRow {
        webhook: delivery.webhook.clone(),
        delivery: delivery.id.clone(),
        event: delivery.event.clone(),
        name: delivery.name.clone(),
        attempt: i64::try_from(delivery.attempts).unwrap_or(i64::MAX - 1) + 1,
        outcome: if is_last { DeliveryOutcome::GivenUp } else { outcome }.word().to_owned(),
        status: attempt.answer.as_ref().ok().copied(),
        failure: attempt.answer.as_ref().err().cloned(),
        millis: attempt.millis,
        at,
        next_at: next,
    };
    delivery_log::insert(db, &row)
}

/// Deactivates a subscription, which stays listed. Its waiting deliveries become dead letters.
fn end_subscription(
    db: &dyn DbSession,
    webhook: &WebhookRow,
    why: EndReason,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    if webhook.active {
        tracing::warn!(
            webhook = webhook.id,
            why = why.word(),
            "a webhook was switched off: nothing more is delivered to it until `admin webhook enable`"
        );
        audit::record_in_channel(db, &webhook.channel, audit::SERVICE, ("webhook end", &webhook.id), at)?;
    }
    webhooks::deactivate(db, &webhook.id, why)?;
    events::cancel_deliveries(db, &webhook.id)
}
