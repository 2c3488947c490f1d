//! Lease that decides which process does the scheduled work: a row that its holder renews, by the
//! server's clock. A killed process stops renewing and its lease expires; a suspended process finds
//! a higher fencing token. Each process also has a heartbeat row of its own.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::time::Instant;

use crate::database::DatabaseError;
use crate::database::postgres::link::Link;
use crate::database::postgres::schema::FORMAT_VERSION;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use model::time::HOUR;

const RENEW_INTERVAL: Duration = Duration::from_secs(1);
const LEASE_DURATION: Duration = Duration::from_secs(5);
/// The server's clock in microseconds.
const SERVER_CLOCK: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";

fn build_heartbeat_sql() -> String {
    format!(
        "INSERT INTO processes (id, process, version, started_at, seen_at) VALUES (?1, ?2, ?3, {SERVER_CLOCK}, {SERVER_CLOCK})
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at"
    )
}

pub struct BackgroundLease {
    state: Arc<LeaseState>,
    stop: Mutex<Option<Sender<()>>>,
    renewing: Mutex<Option<JoinHandle<()>>>,
}

struct LeaseState {
    owner: String,
    /// Fencing token; 0 if another process holds the lease.
    fence: AtomicI64,
    /// Time until which the lease is certainly valid.
    until: Mutex<Instant>,
}

impl BackgroundLease {
    /// Takes the lease if it is free, and keeps requesting it otherwise.
    pub fn acquire(link: Link) -> Result<Self, DatabaseError> {
        let held = Arc::new(LeaseState {
            owner: uuid::Uuid::now_v7().simple().to_string(),
            fence: AtomicI64::new(0),
            until: Mutex::new(Instant::now()),
        });
        link.connect()?;
        let gone = format!("DELETE FROM processes WHERE seen_at < {SERVER_CLOCK} - ?1");
        link.send(&[link.prepare_change(&gone, bound![HOUR])?], None)?;
        held.renew(&link)?;
        let (stop, stopped) = channel();
        let mine = held.clone();
        let renewing = std::thread::Builder::new().name("service-lease".to_owned()).spawn(move || {
            while stopped.recv_timeout(RENEW_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Err(cause) = link.connect().and_then(|()| mine.renew(&link)) {
                    tracing::warn!(%cause, "the database lease could not be renewed");
                    link.disconnect();
                }
            }
            mine.release(&link);
        })?;
        Ok(Self { state: held, stop: Mutex::new(Some(stop)), renewing: Mutex::new(Some(renewing)) })
    }

    pub fn is_held(&self) -> bool {
        self.state.is_valid()
    }

    /// Fencing token, which [`check`] compares in a transaction.
    pub fn fence(&self) -> i64 {
        self.state.fence.load(Ordering::SeqCst)
    }

    /// Releases the lease, so that the next process can take it at once.
    pub fn release(&self) {
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        let renewing = self.renewing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if renewing.is_some_and(|task| task.join().is_err()) {
            tracing::error!("the task that renews the database lease failed");
        }
    }
}

impl Drop for BackgroundLease {
    fn drop(&mut self) {
        self.release();
    }
}

impl LeaseState {
    fn is_valid(&self) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        self.fence.load(Ordering::SeqCst) > 0 && Instant::now() < until
    }

    /// Renews the lease, or takes an expired one. A process whose format differs from the
    /// database's could store nothing, so it leaves the lease to the right version. A lease valid
    /// for too long was taken before the server's clock was set back.
    fn renew(&self, link: &Link) -> Result<(), DatabaseError> {
        let begun = Instant::now();
        let sql = format!(
            "UPDATE leases SET holder = ?1, process = ?2, until = {SERVER_CLOCK} + ?3,
             fence = CASE WHEN holder = ?1 THEN fence ELSE fence + 1 END
             WHERE name = 'background' AND (holder = ?1 OR until <= {SERVER_CLOCK} OR until > {SERVER_CLOCK} + 2 * ?3)
             AND (SELECT format FROM commit_order WHERE id = 1) = {FORMAT_VERSION} RETURNING fence"
        );
        let span = i64::try_from(LEASE_DURATION.as_micros()).unwrap_or(i64::MAX);
        let heard = link.prepare_change(
            &build_heartbeat_sql(),
            bound![self.owner, std::process::id(), env!("CARGO_PKG_VERSION")],
        )?;
        let rows = link.send(&[heard], Some((&sql, bound![self.owner, std::process::id(), span])))?;
        let fence: i64 = rows.first().map_or(Ok(0), |row| DbRow::of(row).get("fence"))?;
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = begun + LEASE_DURATION;
        self.fence.store(fence, Ordering::SeqCst);
        Ok(())
    }

    fn release(&self, link: &Link) {
        let sql = "UPDATE leases SET until = 0 WHERE name = 'background' AND holder = ?1";
        let leave = "DELETE FROM processes WHERE id = ?1";
        let give = || {
            link.connect()?;
            let left = link.prepare_change(leave, bound![self.owner])?;
            link.send(&[left], Some((sql, bound![self.owner])))
        };
        let given = give().or_else(|_| {
            link.disconnect();
            give()
        });
        if given.is_err() {
            tracing::warn!("the database lease could not be released; it expires by itself");
        }
        self.fence.store(0, Ordering::SeqCst);
    }
}

/// Refuses a transaction of a process that lost the lease, and keeps the lease from being taken
/// until the transaction ends: the token is part of a key, so the lock prevents its change but not
/// a renewal.
pub fn check(db: &dyn DbSession, fence: i64) -> Result<(), DatabaseError> {
    let sql = "SELECT fence FROM leases WHERE name = 'background' AND fence = ?1 FOR KEY SHARE";
    let found: Option<i64> = db.fetch_optional(sql, bound![fence], |row| row.get("fence"))?;
    if found.is_some() && fence > 0 { Ok(()) } else { Err(DatabaseError::Superseded) }
}
