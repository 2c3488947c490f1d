//! Short-lived values shared by processes, each changed under the lock of its row. They need not
//! survive a crash, so no commit waits for the disk.

use std::sync::Arc;

use crate::database::DatabaseError;
use crate::database::load::LoadSnapshot;
use crate::database::pool::Pool;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::link::Link;
use crate::database::rows::{DbRow, bound};

const CONNECTIONS: usize = 3;
/// One in this many changes deletes expired values.
const CHANGES_PER_CLEANUP: u32 = 500;
/// READ COMMITTED waits for other transactions' locks instead of failing.
const BEGIN_CHANGE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// Limits how long a suspended process delays others.
const CHANGE_TIMEOUTS: &str = "SELECT set_config('synchronous_commit', 'off', true),
    set_config('lock_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '5s', true)";

/// Clock by which a change is decided, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionClock {
    /// The server's clock, shared by all processes, plus `shift`.
    Server {
        /// Offset of the service's clock, in microseconds.
        shift: i64,
    },
    /// A fixed time, for clocks that do not advance.
    Given(i64),
}

pub struct NewValue<T> {
    /// New value and its expiry; `None` keeps the value.
    pub value: Option<(Vec<u8>, i64)>,
    pub answer: T,
}

#[derive(Clone)]
pub struct SharedState(Arc<Pool<Link>>);

impl SharedState {
    pub fn new(address: &ServerAddress) -> Result<Self, DatabaseError> {
        let connection = |_| Ok(Box::new(Link::new(address)?));
        let connections = (0..CONNECTIONS).map(connection).collect::<Result<_, DatabaseError>>()?;
        Ok(Self(Arc::new(Pool::start("service-shared", connections)?)))
    }

    pub fn load(&self) -> LoadSnapshot {
        self.0.load()
    }

    /// Changes a value, empty if missing; `decide` receives it and the time. A lost connection is
    /// retried once.
    pub async fn change<T: Send + 'static>(
        &self,
        name: String,
        clock: DecisionClock,
        decide: impl Fn(&[u8], i64) -> NewValue<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.0.run(move |link| change_value(link, &name, clock, &decide)).await
    }

    /// [`change`](Self::change) without waiting for the result.
    pub fn change_later(
        &self,
        name: String,
        clock: DecisionClock,
        decide: impl Fn(&[u8], i64) -> NewValue<()> + Send + 'static,
    ) {
        let change = move |link: &Link| {
            if let Err(cause) = change_value(link, &name, clock, &decide) {
                tracing::warn!(%cause, "a short-lived row could not be removed; it stays until it expires");
            }
        };
        let _ = self.0.send(change);
    }
}

fn change_value<T>(
    link: &Link,
    name: &str,
    clock: DecisionClock,
    decide: &impl Fn(&[u8], i64) -> NewValue<T>,
) -> Result<T, DatabaseError> {
    let once = || {
        link.connect()?;
        let done = try_change(link, name, clock, decide);
        if done.is_err() && link.batch_execute("ROLLBACK").is_err() {
            link.disconnect();
        }
        done
    };
    let (told, now) = once().or_else(|cause| match cause {
        DatabaseError::Lost => {
            link.disconnect();
            once()
        }
        other => Err(other),
    })?;
    if rand::random_ratio(1, CHANGES_PER_CLEANUP) {
        let removed = link.send(&[], Some(("DELETE FROM shared_state WHERE until <= ?1", bound![now])));
        if let Err(cause) = removed {
            tracing::warn!(%cause, "expired rows could not be removed; next try later");
        }
    }
    Ok(told)
}

/// Reads the time after the row is locked, so that waiting does not make it stale.
fn try_change<T>(
    link: &Link,
    name: &str,
    clock: DecisionClock,
    decide: &impl Fn(&[u8], i64) -> NewValue<T>,
) -> Result<(T, i64), DatabaseError> {
    let sql = "SELECT value, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS at
               FROM shared_state WHERE name = ?1 FOR UPDATE";
    let mut begin = vec![link.prepare_change(BEGIN_CHANGE, &[])?, link.prepare_change(CHANGE_TIMEOUTS, &[])?];
    loop {
        let rows = link.send(&begin, Some((sql, bound![name])))?;
        let Some(row) = rows.first() else {
            let none: &[u8] = &[];
            let insert = "INSERT INTO shared_state (name, value, until) VALUES (?1, ?2, 0) ON CONFLICT (name) DO NOTHING";
            begin = vec![link.prepare_change(insert, bound![name, none])?];
            continue;
        };
        let row = DbRow::of(row);
        let (value, at): (Vec<u8>, i64) = (row.get("value")?, row.get("at")?);
        let now = match clock {
            DecisionClock::Server { shift } => at.saturating_add(shift),
            DecisionClock::Given(now) => now,
        };
        let NewValue { value, answer: told } = decide(&value, now);
        let mut end = Vec::new();
        if let Some((value, until)) = &value {
            let update = "UPDATE shared_state SET value = ?2, until = ?3 WHERE name = ?1";
            end.push(link.prepare_change(update, bound![name, value.as_slice(), until])?);
        }
        end.push(link.prepare_change("COMMIT", &[])?);
        link.send(&end, None)?;
        return Ok((told, now));
    }
}
