//! Rows of the outbox follow a wall clock that was set while they waited.

use crate::ChannelSync;
use crate::guard::Jump;
use crate::push::PushState;
use crate::state::SyncState;
use model::news::News;
use model::time::Times;
use store::StoreError;

impl PushState {
    /// A step begins or ends. A wall clock that was set takes all times along.
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
    /// Moves the holds and waits of rows along with a wall clock that was set:
    /// nothing leaves before its hold has passed, and nothing waits longer.
    ///
    /// # Errors
    /// When the database fails; then nothing may leave.
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
