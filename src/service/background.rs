//! What falls due and what goes on beside requests. Of several processes on a
//! database one does it, and another takes over when that ends.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::database::{DatabaseError, WriteScope, connected};
use crate::state::Service;
use crate::{assistant, carriers, deliveries, mail, waits, world};

/// Between two looks at who does it.
const LOOK: Duration = Duration::from_millis(200);

/// Ends what it runs when it is dropped.
pub struct Tasks(pub Vec<JoinHandle<()>>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Does it whenever it is this process's turn, until the service stops.
pub async fn run(service: Service, by_hand: bool, mut stop: watch::Receiver<bool>) {
    let shared = service.database.is_shared();
    loop {
        while !service.database.leads() {
            tokio::select! {
                () = sleep(LOOK) => {}
                _ = stop.changed() => return,
            }
        }
        tracing::debug!("this process does what falls due");
        take_over(&service).await;
        let mut tasks = begin(&service, by_hand, &stop);
        while service.database.leads() {
            tokio::select! {
                () = sleep(LOOK), if shared => {}
                _ = stop.changed() => {
                    // Each ends what is under way.
                    while let Some(ended) = tasks.join_next().await {
                        if let Err(cause) = ended {
                            tracing::error!(%cause, "a part of the service failed");
                        }
                    }
                    return;
                }
            }
        }
        tracing::warn!("another process does by now what falls due, or none can");
        // Dropped, and so cut off: what it would write is not this process's any more.
        tasks.shutdown().await;
    }
}

/// The process that did it before reads no platform any more: its lease is over.
async fn take_over(service: &Service) {
    if !service.database.is_shared() || service.platforms.are_simulated() {
        return;
    }
    let taken: Result<(), DatabaseError> =
        service.database.write_leading(WriteScope::Everything, connected::end_all_leases).await;
    if let Err(cause) = taken {
        tracing::warn!(%cause, "the leases of an earlier process end by themselves");
    }
}

fn begin(service: &Service, by_hand: bool, stop: &watch::Receiver<bool>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let given = || (service.clone(), stop.clone());
    let (following, stopped) = given();
    tasks.spawn(waits::run(following, stopped));
    if !service.platforms.are_simulated() {
        let (service, stop) = given();
        tasks.spawn(carriers::egress::run(service, stop));
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
    }
    tasks
}

/// Tells this process what others commit, until the service stops.
pub async fn follow_others(service: Service, mut stop: watch::Receiver<bool>) {
    let Some(mut elsewhere) = service.database.elsewhere() else { return };
    loop {
        tokio::select! {
            changed = elsewhere.changed() => if changed.is_err() { return },
            _ = stop.changed() => return,
        }
        let shift = elsewhere.borrow_and_update().clock_shift;
        service.clock.follow(shift);
        service.settled.0.notify_waiters();
        service.committed.notify_waiters();
    }
}
