//! What was done from here: what is on its way into the outbox, what is held
//! and can be taken back, and what became of it.

use crate::features::undo::Journal;
use crate::features::undo_send::{Held, Queueing};
use crate::screens::composer::returned_texts::TouchedDrafts;
use crate::screens::conversations::bulk_actions::BulkActions;
use crate::screens::conversations::bulk_plan::Batch;
use crate::writes::FileWrites;

/// See the module's text.
#[derive(Debug, Default)]
pub struct Changes {
    /// Rows that can still be taken back, newest last.
    pub held: Vec<Held>,
    /// What became of the last action on many.
    pub batch: Option<Batch>,
    /// What is on its way into the outbox.
    pub(crate) queueing: Queueing,
    pub(crate) touches: TouchedDrafts,
    /// What was done, newest last.
    pub(crate) journal: Journal,
    /// What the next action on many is about.
    pub(crate) bulk: BulkActions,
    pub(crate) writes: FileWrites,
}
