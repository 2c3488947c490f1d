//! Last presence of a person at this desk, across all processes of the folder. Stored at most once
//! a minute, in the outbox.

use rusqlite::{TransactionBehavior, params};

use crate::{Store, StoreError};
use model::digest::Absence;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

impl Store {
    /// Records presence. Returns the absence that ends now if it lasted at least `absence`
    /// microseconds; only one of several processes gets it. Blocks.
    pub fn record_presence(&self, now: Timestamp, absence: i64) -> Result<Option<Absence>, StoreError> {
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let here_until: Option<Timestamp> =
                change.first("SELECT here_until FROM presence", [], only_cell)?;
            let from = here_until.filter(|here_until| now.since(*here_until) >= absence);
            if from.is_some() {
                let sql = "UPDATE presence SET left_at = here_until, left_audit = audit, back_at = ?1";
                change.execute(sql, params![now])?;
            }
            change.execute(
                "INSERT INTO presence (one, here_until, audit)
                     VALUES (1, ?1, (SELECT coalesce(max(number), 0) FROM audit))
                 ON CONFLICT (one) DO UPDATE SET here_until = excluded.here_until, audit = excluded.audit",
                params![now],
            )?;
            change.commit()?;
            Ok(from.map(|from| Absence { from, until: now }))
        })
    }
}
