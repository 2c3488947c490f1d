//! Adjusts holds and delays of the outbox after the wall clock was set.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Store, StoreError};
use model::ids::ChannelId;
use model::time::{ClockStep, MIN_CLOCK_STEP, MINUTE};

impl Store {
    /// Shifts the holds and delays of a channel's rows, and the holds of its campaigns, by a clock
    /// step; returns the number shifted.
    ///
    /// Rows written after the step already use the new clock. They are recognized by the time they
    /// were written or last tried: after a step forwards it is later than the old clock, after a
    /// step back it is not ahead of the new one. A planned row keeps its time, which a person chose
    /// by the wall clock, but its retry delay does not exceed it.
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
    // After a step back: earlier than any row written since the step.
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
