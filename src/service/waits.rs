//! Correction of waits after a change of the wall clock.
//!
//! If the clock is set back, messages, answers, deliveries and leases would be held up by the size of the
//! step. The leading process therefore
//!
//! - moves every wait by a step of the clock that it observes;
//! - ends waits that are longer than any wait of their kind can be: they began while the clock was wrong,
//!   perhaps before this start.
//!
//! If the clock is set forward, waits end early, which their retries make good. The module also stores the
//! elapsed time for the next run.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::database::{self, DatabaseError, WriteScope, meta, redating};
use crate::id_generator::MAX_STAMP_LEAD;
use crate::state::Service;
use model::time::{Clock, HOUR, MINUTE, Timestamp};

/// Metadata name of the elapsed time, without the shift of `/dev/clock`, in microseconds.
const ELAPSED_META_NAME: &str = "elapsed";
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const OVERLONG_CHECK_INTERVAL: Duration = Duration::from_secs(5);
const ELAPSED_SAVE_INTERVAL: Duration = Duration::from_secs(60);

struct DeadlineColumn {
    table: &'static str,
    /// Column with the end of the wait.
    column: &'static str,
    /// SQL condition of the rows that wait.
    condition: &'static str,
    /// Upper bound of a new wait, in microseconds, with some margin.
    max_micros: i64,
}

const DEADLINE_COLUMNS: [DeadlineColumn; 5] = [
    DeadlineColumn {
        table: "due",
        column: "at",
        condition: "kind IN ('answer', 'mail_answer')",
        max_micros: 5 * MINUTE,
    },
    DeadlineColumn {
        table: "egress",
        column: "due_at",
        condition: "state = 'waiting'",
        max_micros: 2 * HOUR,
    },
    DeadlineColumn {
        table: "egress",
        column: "claimed_until",
        condition: "state IN ('claimed', 'departed', 'recalled')",
        max_micros: 10 * MINUTE,
    },
    DeadlineColumn { table: "ingress", column: "due_at", condition: "done_at IS NULL", max_micros: HOUR },
    DeadlineColumn {
        table: "deliveries",
        column: "due_at",
        condition: "due_at IS NOT NULL",
        max_micros: 30 * HOUR,
    },
];

impl DeadlineColumn {
    /// Returns true if any wait is longer than it can be.
    fn is_too_long(&self, db: &dyn DbSession, now: Timestamp) -> Result<bool, DatabaseError> {
        let Self { table, column, condition, max_micros: longest } = self;
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE {condition} AND {column} > ?1)");
        db.fetch_scalar(&sql, bound![now.plus(*longest)])
    }

    /// Ends waits that are longer than they can be.
    fn shorten(&self, db: &dyn DbSession, now: Timestamp) -> Result<(), DatabaseError> {
        let Self { table, column, condition, max_micros: longest } = self;
        let sql = format!("UPDATE {table} SET {column} = ?2 WHERE {condition} AND {column} > ?1");
        db.change_later(&sql, bound![now.plus(*longest), now])
    }

    /// Moves waits by `back` microseconds after the clock was set back to `now`. A wait that began since the
    /// step ends early.
    fn move_back(&self, db: &dyn DbSession, back: i64, now: Timestamp) -> Result<(), DatabaseError> {
        let Self { table, column, condition, .. } = self;
        let sql = format!(
            "UPDATE {table} SET {column} = CASE WHEN {column} - ?1 > ?2 THEN {column} - ?1 ELSE ?2 END
             WHERE {condition} AND {column} > ?2"
        );
        db.change_later(&sql, bound![back, now])
    }
}

/// Redates rows of an earlier run by this run's clock, if no other process writes rows. Returns the elapsed
/// time at which that run ended.
pub fn adjust_deadlines(
    db: &dyn DbSession,
    clock: &dyn Clock,
    shift: i64,
    is_alone: bool,
) -> Result<Option<i64>, DatabaseError> {
    if is_alone {
        redating::redate(db, clock.now().plus(shift), None)?;
    }
    let elapsed = meta::get_number(db, ELAPSED_META_NAME)?;
    if elapsed.is_none() && clock.since_boot().is_some() {
        meta::set(db, ELAPSED_META_NAME, &clock.now().micros())?;
    }
    Ok(elapsed)
}

/// Follows changes of the wall clock until the service stops; returns at once if the machine does not report
/// its uptime.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    if !service.clock.has_monotonic_clock() {
        return;
    }
    let mut kept = Instant::now();
    let mut searched: Option<Instant> = None;
    // Ignores steps from before this process led: current waits do not follow its clock.
    service.clock.consume_step();
    loop {
        let mut done = Ok(());
        let step = service.clock.consume_step();
        let lead = service.clock.consume_lead().max(-step);
        if step != 0 {
            tracing::warn!(seconds = step / 1_000_000, "the clock of this machine was changed");
        }
        if lead > MAX_STAMP_LEAD || step < 0 || kept.elapsed() >= ELAPSED_SAVE_INTERVAL {
            kept = Instant::now();
            done = move_back(&service, lead).await;
        }
        if searched.is_none_or(|at| at.elapsed() >= OVERLONG_CHECK_INTERVAL) {
            searched = Some(Instant::now());
            done = done.and(shorten_deadlines(&service).await);
        }
        if let Err(cause) = done {
            tracing::warn!(%cause, "due times could not be adjusted to the clock yet; next try soon");
        }
        tokio::select! {
            () = sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => return,
        }
    }
}

/// Moves waits after the clock was set back, and stores the elapsed time.
async fn move_back(service: &Service, back: i64) -> Result<(), DatabaseError> {
    let elapsed = service.clock.elapsed_less_shift();
    let (is_shared, now) = (service.database.is_shared(), service.clock.now());
    service
        .database
        .write_as_leader(WriteScope::Everything, move |db| {
            if is_shared {
                database::lower_stamps(db, now.plus(MAX_STAMP_LEAD))?;
            }
            if back > 0 {
                redating::redate(db, now, Some(back))?;
                DEADLINE_COLUMNS.iter().try_for_each(|wait| wait.move_back(db, back, now))?;
            }
            meta::set(
                db,
                ELAPSED_META_NAME,
                &elapsed.max(meta::get_number(db, ELAPSED_META_NAME)?.unwrap_or(elapsed)),
            )
        })
        .await
}

/// Ends waits that began while the clock was wrong, and redates rows of that time if no other process writes
/// rows.
async fn shorten_deadlines(service: &Service) -> Result<(), DatabaseError> {
    let (now, is_alone) = (service.clock.now(), !service.database.is_shared());
    let is_any: Result<bool, DatabaseError> = service
        .database
        .read(move |db| {
            for wait in &DEADLINE_COLUMNS {
                if wait.is_too_long(db, now)? {
                    return Ok(true);
                }
            }
            Ok(is_alone && redating::is_needed(db, now)?)
        })
        .await;
    if !is_any? {
        return Ok(());
    }
    let shorten = move |db: &dyn DbSession| {
        if is_alone {
            redating::redate(db, now, None)?;
        }
        DEADLINE_COLUMNS.iter().try_for_each(|wait| wait.shorten(db, now))
    };
    service.database.write_as_leader(WriteScope::Everything, shorten).await
}
