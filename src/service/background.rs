//! Background work: due tasks, delivery to and from platforms, the assistant and webhooks.
//!
//! If several processes share a database, only the leading one (`Database::leads`) does this work. Another
//! process takes over when that one ends.

use std::pin::Pin;
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::database::{DatabaseError, WriteScope, connected};
use crate::errors::ApiError;
use crate::state::Service;
use crate::{assistant, carriers, deliveries, mail, retention, sending, waits, world};
use model::time::{Clock, MINUTE, SECOND, Timestamp};

const LEADER_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Aborts its tasks when dropped.
pub struct Tasks(pub Vec<JoinHandle<()>>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Runs the background work whenever this process leads, until the service stops.
pub async fn run(service: Service, by_hand: bool, mut stop: watch::Receiver<bool>) {
    let shared = service.database.is_shared();
    loop {
        while !service.database.is_leader() {
            tokio::select! {
                () = sleep(LEADER_POLL_INTERVAL) => {}
                _ = stop.changed() => return,
            }
        }
        tracing::debug!("this process is now the leader and runs the scheduled work");
        take_over(&service).await;
        let mut tasks = spawn_tasks(&service, by_hand, &stop);
        while service.database.is_leader() {
            tokio::select! {
                () = sleep(LEADER_POLL_INTERVAL), if shared => {}
                _ = stop.changed() => {
                    // Each task finishes its current step.
                    while let Some(ended) = tasks.join_next().await {
                        if let Err(cause) = ended {
                            tracing::error!(%cause, "a part of the service failed");
                        }
                    }
                    return;
                }
            }
        }
        tracing::warn!(
            "this process is no longer the leader; another process runs the scheduled work, or none can"
        );
        // Aborts tasks: from now on only the new leader may write their results.
        tasks.shutdown().await;
    }
}

/// Ends the reading leases of the previous leader, which reads no platform any more.
async fn take_over(service: &Service) {
    if !service.database.is_shared() || service.platforms.are_simulated() {
        return;
    }
    let taken: Result<(), DatabaseError> =
        service.database.write_as_leader(WriteScope::Everything, connected::end_all_leases).await;
    if let Err(cause) = taken {
        tracing::warn!(
            %cause,
            "the leases of an earlier process could not be released; they expire by themselves"
        );
    }
}

fn spawn_tasks(service: &Service, by_hand: bool, stop: &watch::Receiver<bool>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let given = || (service.clone(), stop.clone());
    let (following, stopped) = given();
    tasks.spawn(waits::run(following, stopped));
    if !service.platforms.are_simulated() {
        let (service, stop) = given();
        tasks.spawn(sending::run(service, stop));
        let (service, stop) = given();
        tasks.spawn(carriers::ingress::run(service, stop));
        let (service, stop) = given();
        tasks.spawn(mail::answering::run(service, stop));
    }
    if !by_hand {
        let (service, stop) = given();
        tasks.spawn(world::run(service, stop));
        let (service, stop) = given();
        tasks.spawn(assistant::run(service, stop));
        let (service, stop) = given();
        tasks.spawn(deliveries::run(service, stop));
        let (service, stop) = given();
        tasks.spawn(retention::run(service, stop));
    }
    tasks
}

/// Wakes waiting requests of this process when another process commits, and follows its clock shift, until
/// the service stops.
pub async fn follow_other_processes(service: Service, mut stop: watch::Receiver<bool>) {
    let Some(mut elsewhere) = service.database.subscribe_commits() else { return };
    loop {
        tokio::select! {
            changed = elsewhere.changed() => if changed.is_err() { return },
            _ = stop.changed() => return,
        }
        let shift = elsewhere.borrow_and_update().clock_shift;
        service.clock.follow(shift);
        service.settled.notify_waiters();
        service.committed.notify_waiters();
    }
}

/// Waits after a round, which returned its next due time; one minute at most, one second after an error.
/// Returns false if the service stops. `committed` must listen since before the round, so that no commit
/// during it is missed.
pub async fn wait_for_next_round(
    service: &Service,
    round: Result<Option<Timestamp>, ApiError>,
    what: &str,
    committed: Pin<&mut Notified<'_>>,
    stop: &mut watch::Receiver<bool>,
) -> bool {
    let wait = match round {
        Ok(next) => next.map_or(MINUTE, |at| at.since(service.clock.now()).clamp(0, MINUTE)),
        Err(error) => {
            tracing::error!(%error.message, "{what}; next try in a second");
            SECOND
        }
    };
    let pause = Duration::from_micros(u64::try_from(wait).unwrap_or(0));
    tokio::select! {
        () = sleep(pause) => true,
        () = committed => true,
        _ = stop.changed() => false,
    }
}
