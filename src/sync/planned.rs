//! Check of a planned message at its time: it is sent, or stopped because its writer should look first.

use crate::ChannelSync;
use crate::report::PullError;
use model::outbox::StopReason;
use model::time::{MINUTE, Timestamp};
use store::lane::LaneRow;

/// Maximum delay, in microseconds, after which a planned message is sent without asking.
const MAX_DELAY: i64 = 2 * MINUTE;

impl ChannelSync {
    /// Returns the reason a planned message must not be sent now; `None` if it may.
    pub(crate) async fn planned_stop_reason(
        &self,
        row: &LaneRow,
        planned: Timestamp,
        now: Timestamp,
    ) -> Result<Option<(StopReason, &'static str)>, PullError> {
        let stop = |why| Ok(Some((StopReason::Late, why)));
        if now.since(planned) > MAX_DELAY {
            return stop("its time passed while it could not leave; does it still fit?");
        }
        let (Some(conversation), Some(seen)) = (row.row.lane.conversation(), &row.row.seen) else {
            return Ok(None);
        };
        if self.store.window_is_closed(self.id(), conversation).await? {
            return stop("the window has closed meanwhile: only templates leave now");
        }
        if self.store.messages_since(self.id(), conversation, seen).await?.messages > 0 {
            return stop("the conversation has moved since it was planned; read it first");
        }
        Ok(None)
    }
}
