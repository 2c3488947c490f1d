//! What was planned for a time: whether it may leave when that has come, or
//! its writer should look first.

use crate::ChannelSync;
use crate::report::PullError;
use model::outbox::Stop;
use model::time::{MINUTE, Timestamp};
use store::lane::LaneRow;

/// How much later than planned a message may leave without asking.
const LATE: i64 = 2 * MINUTE;

impl ChannelSync {
    /// What speaks against a message whose time has come.
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
