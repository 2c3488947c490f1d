//! Short-lived values that processes change in turn, each under the lock of its
//! row. They are worth little after a crash, so that no commit waits for the
//! disk.

use std::sync::Arc;

use crate::database::DatabaseError;
use crate::database::load::LoadSnapshot;
use crate::database::pool::Pool;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::link::Link;
use crate::database::rows::{DbRow, bound};

/// Connections.
const CONNECTIONS: usize = 3;
/// One in so many changes removes what is over.
const CHANGES_PER_CLEANUP: u32 = 500;
/// Begins a change: the locks of others are waited for, not refused.
const BEGIN_CHANGE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// A process that stands still meanwhile must not hold up others.
const CHANGE_TIMEOUTS: &str = "SELECT set_config('synchronous_commit', 'off', true),
    set_config('lock_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '5s', true)";

/// By whose clock a value is decided on, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionClock {
    /// The server's, which is the same for all processes, moved by so much.
    Server {
        /// How far the service's clock was moved forward.
        shift: i64,
    },
    /// A time of one's own, for clocks that stand still.
    Given(i64),
}

/// What becomes of a value.
pub struct NewValue<T> {
    /// The value and until when it is worth anything; without it, it stays.
    pub value: Option<(Vec<u8>, i64)>,
    pub answer: T,
}

/// The values.
#[derive(Clone)]
pub struct SharedState(Arc<Pool<Link>>);

impl SharedState {
    /// Connects when the first is asked for.
    pub fn new(address: &ServerAddress) -> Result<Self, DatabaseError> {
        let connection = |_| Ok(Box::new(Link::new(address)?));
        let connections = (0..CONNECTIONS).map(connection).collect::<Result<_, DatabaseError>>()?;
        Ok(Self(Arc::new(Pool::start("service-shared", connections)?)))
    }

    /// How much is asked of it now.
    pub fn load(&self) -> LoadSnapshot {
        self.0.load()
    }

    /// Changes a value, which is empty where it is not there; `decide` is told it
    /// and the time. Where the connection is lost, it is asked once more.
    pub async fn change<T: Send + 'static>(
        &self,
        name: String,
        clock: DecisionClock,
        decide: impl Fn(&[u8], i64) -> NewValue<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.0.run(move |link| change_value(link, &name, clock, &decide)).await
    }

    /// The same where nobody waits for it.
    pub fn change_later(
        &self,
        name: String,
        clock: DecisionClock,
        decide: impl Fn(&[u8], i64) -> NewValue<()> + Send + 'static,
    ) {
        let change = move |link: &Link| {
            if let Err(cause) = change_value(link, &name, clock, &decide) {
                tracing::warn!(%cause, "something short-lived stays until its time is over");
            }
        };
        // A service that ends needs it no more.
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
            tracing::warn!(%cause, "what is over stays for a while");
        }
    }
    Ok(told)
}

/// Whoever waits for the row is told the time at which it has it.
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
