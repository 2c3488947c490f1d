//! What waits, where the wall clock is set: a wait is a span, so it moves with the
//! clock. Otherwise a step back would hold up texts, answers, deliveries and leases for
//! as long as it was, and a step ahead would end attempts that are under way.
//!
//! The process that does what falls due looks every second, and keeps the elapsed time
//! for the next run.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::database::{self, DatabaseError, WriteScope, meta};
use crate::stamps::LEAD;
use crate::state::Service;
use model::time::Clock;

/// The name under which the elapsed time is kept, without what `/dev/clock` has moved.
pub const ELAPSED: &str = "elapsed";
const LOOK: Duration = Duration::from_secs(1);
/// How often the elapsed time is kept.
const KEPT: Duration = Duration::from_secs(60);
/// Every time at which a wait ends.
const MOVES: [&str; 5] = [
    "UPDATE due SET at = at + ?1",
    "UPDATE egress SET place = place + ?1, due_at = due_at + ?1, claimed_until = claimed_until + ?1
     WHERE settled_at IS NULL",
    "UPDATE ingress SET due_at = due_at + ?1 WHERE done_at IS NULL",
    "UPDATE deliveries SET due_at = due_at + ?1 WHERE due_at IS NOT NULL",
    "UPDATE connected_channels SET read_until = read_until + ?1 WHERE reader IS NOT NULL",
];

/// Follows the wall clock until the service stops; nothing where the machine does
/// not tell how long it has run.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    if !service.clock.is_told_apart() {
        return;
    }
    let mut kept = Instant::now();
    // Set before this process did what falls due: others' waits are not by its clock.
    service.clock.take_step();
    loop {
        let step = service.clock.take_step();
        if step != 0 {
            tracing::warn!(
                seconds = step / 1_000_000,
                "the clock of this machine was set; what waits moves along"
            );
        }
        if step != 0 || kept.elapsed() >= KEPT {
            match keep(&service, step).await {
                Ok(()) => kept = Instant::now(),
                Err(cause) => tracing::warn!(%cause, "what waits could not follow the clock"),
            }
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stop.changed() => return,
        }
    }
}

/// Moves what waits by a step of the wall clock, and keeps the elapsed time.
async fn keep(service: &Service, step: i64) -> Result<(), DatabaseError> {
    let elapsed = service.clock.elapsed_less_shift();
    let (is_shared, newest) = (service.database.is_shared(), service.clock.now().plus(LEAD));
    service
        .database
        .write_leading(WriteScope::Everything, move |db| {
            if is_shared {
                database::lower_stamps(db, newest)?;
            }
            if step != 0 {
                move_waits(db, step)?;
            }
            meta::set(db, ELAPSED, &elapsed.max(meta::number(db, ELAPSED)?.unwrap_or(elapsed)))
        })
        .await
}

fn move_waits(db: &dyn DbSession, step: i64) -> Result<(), DatabaseError> {
    MOVES.iter().try_for_each(|sql| db.note(sql, bound![step]))
}
