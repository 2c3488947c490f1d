//! Changes made at this desk: on their way into the outbox, held, and their outcomes.

use crate::features::undo::Journal;
use crate::features::undo_send::{HeldRow, PendingGroups};
use crate::screens::composer::returned_texts::RestoreTracker;
use crate::screens::conversations::bulk_actions::BulkActions;
use crate::screens::conversations::bulk_plan::Batch;
use crate::writes::FileWrites;

#[derive(Debug, Default)]
pub struct Changes {
    /// Rows that can still be withdrawn, newest last.
    pub held: Vec<HeldRow>,
    /// Results of the last bulk action.
    pub batch: Option<Batch>,
    pub(crate) pending_groups: PendingGroups,
    pub(crate) restore_tracker: RestoreTracker,
    pub(crate) journal: Journal,
    pub(crate) bulk: BulkActions,
    pub(crate) writes: FileWrites,
}
