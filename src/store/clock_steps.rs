//! Holds and waits of the outbox under a wall clock that was set while they ran.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Store, StoreError};
use model::ids::ChannelId;
use model::time::{ClockStep, MIN_CLOCK_STEP, MINUTE};

impl Store {
    /// Moves the holds and waits of a channel's rows, and the holds of its
    /// campaigns, along with a wall clock that was set; returns how many.
    ///
    /// Rows written since the clock was set go by it already. They are told
    /// apart by when they were written or tried last: after a step forwards
    /// that lies beyond the clock as it was, after a step back the others lie
    /// ahead of the clock as it is. A planned row keeps its time, which a person
    /// chose by the wall clock, but does not wait longer than it for another try.
    ///
    /// # Errors
    /// When the database fails; then nothing has moved.
    pub async fn move_waits(&self, channel: &ChannelId, step: ClockStep) -> Result<usize, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let moved = move_waits(&change, &channel, step)?;
                change.commit()?;
                Ok(moved)
            })
            .await
    }
}

fn move_waits(change: &Connection, channel: &ChannelId, step: ClockStep) -> Result<usize, StoreError> {
    let ClockStep { before: unset, by, .. } = step;
    // After a step back: older than any row written since the step was made.
    let old = unset.plus(by).plus(-MINUTE);
    let is_older = |written: &str, until: &str| {
        format!("iif(?3 > 0, {written} <= ?2 + ?5, {written} > ?2 + ?3 OR ({written} < ?4 AND {until} > ?2))")
    };
    let numbers = params![channel, unset, by, old, MIN_CLOCK_STEP];
    let rows = format!(
        "UPDATE outbox SET not_before = iif(planned_at IS NULL OR attempts > 0, not_before + ?3,
                 iif(not_before > planned_at, max(planned_at, not_before + ?3), not_before)),
             due_at = iif(planned_at IS NULL AND attempts = 0, due_at + ?3, due_at),
             created_at = iif(planned_at IS NULL AND attempts = 0, created_at + ?3, created_at),
             lease_until = iif(state = 'sending', lease_until + ?3, lease_until)
         WHERE channel = ?1 AND state IN ('queued', 'uncertain', 'sending') AND {}",
        is_older("max(created_at, coalesce(last_attempt_at, created_at))", "not_before")
    );
    let campaigns = format!(
        "UPDATE campaign SET made_at = made_at + ?3, starts_at = starts_at + ?3
         WHERE channel = ?1 AND phase IN ('running', 'paused') AND starts_at > ?2 AND {}
             AND NOT EXISTS (
                 SELECT 1 FROM campaign_wave w WHERE w.campaign = campaign.number AND w.row IS NOT NULL)",
        is_older("made_at", "starts_at")
    );
    Ok(change.execute(&rows, numbers)? + change.execute(&campaigns, numbers)?)
}
