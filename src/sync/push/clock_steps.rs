//! Shifts the times of outbox rows when the wall clock is set.

use crate::ChannelSync;
use crate::guard::ClockJump;
use crate::push::PushState;
use crate::state::SyncState;
use model::news::News;
use model::time::ClockReading;
use store::StoreError;

impl PushState {
    /// Records the start or end of a step and shifts stored times if the wall clock was set.
    pub(super) fn follow_clock(&mut self, times: ClockReading) {
        let by = self.times.replace(times).map_or(0, |before| before.clock_step(times));
        if by != 0 {
            self.move_times(by);
        }
        if let Some(jump) = self.outage.step(times.now) {
            self.stale_waits = Some(jump == ClockJump::Backward);
        }
    }

    fn move_times(&mut self, by: i64) {
        self.held.values_mut().chain(self.read_at.values_mut()).for_each(|at| *at = at.plus(by));
        self.attempts.move_times(by);
        self.outage.move_times(by);
        self.search_after = self.search_after.plus(by);
        self.unconfirmed.1 = self.unconfirmed.1.plus(by);
    }
}

impl ChannelSync {
    /// Shifts the holds and waits of rows by the steps of the wall clock, so that none ends early or
    /// late.
    ///
    /// # Errors
    /// When the database fails; then no row may be sent.
    pub(crate) async fn follow_clock_steps(&self) -> Result<(), StoreError> {
        let steps = self.with_state(SyncState::take_clock_steps);
        let mut moved = false;
        for (index, step) in steps.iter().enumerate() {
            match self.store.move_waits(self.id(), *step).await {
                Ok(count) => moved |= count > 0,
                Err(error) => {
                    self.with_state(|state| state.put_back_clock_steps(steps[index..].to_vec()));
                    return Err(error);
                }
            }
        }
        if moved {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(())
    }
}
