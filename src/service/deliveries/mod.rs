//! Delivery of webhook events, at least once, or given up after a schedule of attempts (docs/choices.md,
//! "Webhooks").
//!
//! A delivery stays due until its attempt has ended, so an attempt that a stopping service interrupts is
//! repeated.

mod attempt;
mod dashboard;
mod schedule;
mod signature;

use std::collections::HashMap;
use std::pin::pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use crate::background;
use crate::database::DatabaseError;
use crate::database::events::{self, DueDelivery};
use crate::errors::ApiError;
use crate::state::Service;
use model::time::{Clock, Timestamp};

/// Maximum number of concurrent attempts per subscription.
const MAX_ATTEMPTS_PER_WEBHOOK: usize = 4;
const MAX_CONCURRENT_ATTEMPTS: usize = 64;

/// Delivers events until the service stops. Interrupted attempts are repeated after the next start.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        let mut committed = pin!(service.committed.notified());
        // Listens from here on, so that no commit during the round is missed.
        committed.as_mut().enable();
        let round = tokio::select! {
            round = deliver_until_idle(&service) => round,
            _ = stop.changed() => return,
        };
        if !background::wait_for_next_round(
            &service,
            round,
            "webhook deliveries could not be started",
            committed,
            &mut stop,
        )
        .await
        {
            return;
        }
    }
}

/// Delivers until nothing is due or running. Returns the next due time.
pub async fn deliver_until_idle(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    let _one_at_a_time = service.delivery_lock.lock().await;
    let mut attempts = FuturesUnordered::new();
    let mut running = RunningAttempts::default();
    // Returned only when nothing runs, since dropping an attempt would repeat it.
    let mut trouble = None;
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let now = service.clock.now();
        let each = i64::try_from(MAX_ATTEMPTS_PER_WEBHOOK).unwrap_or(4);
        let due: Result<_, DatabaseError> =
            service.database.read(move |db| events::list_due(db, now, each)).await;
        match due {
            // Another process may deliver these by now.
            Ok(due) if trouble.is_none() && service.database.is_leader() => {
                let admitted: Vec<_> =
                    due.into_iter().filter(|due_delivery| running.admit(due_delivery)).collect();
                attempts.extend(
                    admitted.into_iter().map(|due_delivery| attempt::attempt_delivery(service, due_delivery)),
                );
            }
            Ok(_) => {}
            Err(cause) => trouble = trouble.or(Some(cause.into())),
        }
        if attempts.is_empty() {
            trouble.take().map_or(Ok(()), Err)?;
        }
        if attempts.is_empty() && !service.database.is_leader() {
            return Ok(None);
        }
        if attempts.is_empty() {
            let next: Result<_, DatabaseError> = service.database.read(events::next_due).await;
            return Ok(next?);
        }
        tokio::select! {
            Some((delivery, outcome)) = attempts.next() => {
                running.remove(&delivery);
                trouble = trouble.or(outcome.err());
            }
            // A commit may have added a delivery for an idle subscription.
            () = committed => {}
        }
    }
}

/// Running attempts: delivery id to subscription id.
#[derive(Default)]
struct RunningAttempts {
    webhooks: HashMap<String, String>,
}

impl RunningAttempts {
    /// Returns true if an attempt may start now, and counts it as running.
    fn admit(&mut self, delivery: &DueDelivery) -> bool {
        let same = self.webhooks.values().filter(|webhook| **webhook == delivery.webhook).count();
        if same >= MAX_ATTEMPTS_PER_WEBHOOK
            || self.webhooks.len() >= MAX_CONCURRENT_ATTEMPTS
            || self.webhooks.contains_key(&delivery.id)
        {
            return false;
        }
        self.webhooks.insert(delivery.id.clone(), delivery.webhook.clone());
        true
    }

    fn remove(&mut self, delivery: &str) {
        self.webhooks.remove(delivery);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_at_a_time() {
        let delivery = |id: usize, webhook: &str| DueDelivery {
            id: id.to_string(),
            webhook: webhook.to_owned(),
            event: String::new(),
            name: String::new(),
            body: Vec::new(),
            attempts: 0,
            due_at: Timestamp::from_micros(0),
        };
        let mut running = RunningAttempts::default();
        let admitted: Vec<bool> = (0..6).map(|id| running.admit(&delivery(id, "a"))).collect();
        assert_eq!(admitted, [true, true, true, true, false, false]);
        assert!(!running.admit(&delivery(0, "a")), "it runs already");
        assert!(running.admit(&delivery(9, "b")));
        running.remove("0");
        assert!(running.admit(&delivery(4, "a")));
        let crowd = (100..300).filter(|id| running.admit(&delivery(*id, &id.to_string()))).count();
        assert_eq!(crowd, MAX_CONCURRENT_ATTEMPTS - 5);
    }
}
