//! What became of rows that were put into the outbox from here: what was
//! refused has not left, and the list of what was done says so.

use crate::changes::Changes;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::features::undo::UndoTarget;
use model::ids::RowId;
use model::outbox::OutboxRow;
use model::queries::OutboxOutcome;

impl Changes {
    /// Asks what became of all that was done: what was refused has not left.
    pub(crate) fn ask_fates_of_done(&mut self, context: &mut Context) {
        let done = self.journal.done.iter().filter(|done| !done.undone);
        let rows =
            done.filter_map(|done| if let UndoTarget::Rows(rows) = &done.what { Some(rows) } else { None });
        let rows: Vec<RowId> = rows.flatten().map(|row| row.id.clone()).collect();
        self.journal.fates.clear();
        if !rows.is_empty() {
            context.push(Effect::Load(Load::Fates(rows)));
        }
    }

    /// What became of rows has come.
    pub(crate) fn fates_of_done(&mut self, fates: &[(RowId, OutboxOutcome)]) {
        let known = |row: &RowId| {
            let rows = self.journal.done.iter().filter_map(|done| match &done.what {
                UndoTarget::Rows(rows) => Some(rows),
                _ => None,
            });
            rows.flatten().any(|outbox_row| outbox_row.id == *row)
        };
        let mine: Vec<(RowId, OutboxOutcome)> = fates.iter().filter(|fate| known(&fate.0)).cloned().collect();
        self.journal.fates.extend(mine);
    }

    /// Why rows never left, where none of them did.
    pub(crate) fn never_left(&self, rows: &[OutboxRow]) -> Option<&'static str> {
        let fates: Option<Vec<&OutboxOutcome>> =
            rows.iter().map(|row| self.journal.fates.get(&row.id)).collect();
        let fates = fates?;
        if fates.iter().all(|fate| matches!(fate, OutboxOutcome::NeedsDecision(_))) {
            return Some("not done; it asks in the outbox");
        }
        fates
            .iter()
            .all(|fate| **fate == OutboxOutcome::Dropped)
            .then_some("never left; it was dropped or replaced")
    }
}
