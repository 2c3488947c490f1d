//! Shifts the times of outbox rows when the wall clock is set.

use crate::ChannelSync;
use crate::guard::Jump;
use crate::push::PushState;
use crate::state::SyncState;
use model::news::News;
use model::time::Times;
use store::StoreError;

impl PushState {
    /// Records the start or end of a step and shifts stored times if the wall clock was set.
    pub(super) fn step(&mut self, times: Times) {
        let by = self.times.replace(times).map_or(0, |before| before.step(times));
        if by != 0 {
            self.move_times(by);
        }
        if let Some(jump) = self.outage.step(times.now) {
            self.doubtful_waits = Some(jump == Jump::Back);
        }
    }

    fn move_times(&mut self, by: i64) {
        self.held.values_mut().chain(self.read_at.values_mut()).for_each(|at| *at = at.plus(by));
        self.tries.move_times(by);
        self.outage.move_times(by);
        self.look_after = self.look_after.plus(by);
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
        let steps = self.state(SyncState::take_clock_steps);
        let mut moved = false;
        for (index, step) in steps.iter().enumerate() {
            match self.store.move_waits(self.id(), *step).await {
                Ok(count) => moved |= count > 0,
                Err(error) => {
                    self.state(|state| state.put_back_clock_steps(steps[index..].to_vec()));
                    return Err(error);
                }
            }
        }
        if moved {
            self.tell(News::Conversations(self.id().clone()));
        }
        Ok(())
    }
}
