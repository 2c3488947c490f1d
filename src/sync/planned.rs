//! Check of a planned message at its time: it is sent, or stopped because its writer should look first.

use crate::ChannelSync;
use crate::report::PullError;
use model::outbox::Stop;
use model::time::{MINUTE, Timestamp};
use store::lane::LaneRow;

/// Maximum delay, in microseconds, after which a planned message is sent without asking.
const LATE: i64 = 2 * MINUTE;

impl ChannelSync {
    /// Returns the reason a planned message must not be sent now; `None` if it may.
    pub(crate) async fn planned_objection(
        &self,
        row: &LaneRow,
        planned: Timestamp,
        now: Timestamp,
    ) -> Result<Option<(Stop, &'static str)>, PullError> {
        let stop = |why| Ok(Some((Stop::Late, why)));
        if now.since(planned) > LATE {
            return stop("its time passed while it could not leave; does it still fit?");
        }
        let (Some(conversation), Some(seen)) = (row.row.lane.conversation(), &row.row.seen) else {
            return Ok(None);
        };
        if self.store.window_is_closed(self.id(), conversation).await? {
            return stop("the window has closed meanwhile: only templates leave now");
        }
        if self.store.moved_since(self.id(), conversation, seen).await?.messages > 0 {
            return stop("the conversation has moved since it was planned; read it first");
        }
        Ok(None)
    }
}
