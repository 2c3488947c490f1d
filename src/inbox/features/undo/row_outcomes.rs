//! Outcomes of rows added to the outbox here: the journal shows refused ones as never sent.

use crate::changes::Changes;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::features::undo::JournalEntry;
use model::ids::RowId;
use model::outbox::OutboxRow;
use model::queries::OutboxOutcome;

impl Changes {
    pub(crate) fn load_journal_outcomes(&mut self, context: &mut Context) {
        let done = self.journal.entries.iter().filter(|done| !done.undone);
        let rows: Vec<RowId> = done.flat_map(JournalEntry::rows).map(|row| row.id.clone()).collect();
        self.journal.row_outcomes.clear();
        if !rows.is_empty() {
            context.push(Effect::Load(Load::RowOutcomes(rows)));
        }
    }

    pub(crate) fn store_journal_outcomes(&mut self, outcomes: &[(RowId, OutboxOutcome)]) {
        let known = |row: &RowId| {
            self.journal.entries.iter().flat_map(JournalEntry::rows).any(|outbox_row| outbox_row.id == *row)
        };
        let mine: Vec<(RowId, OutboxOutcome)> =
            outcomes.iter().filter(|outcome| known(&outcome.0)).cloned().collect();
        self.journal.row_outcomes.extend(mine);
    }

    /// Reason why none of these rows was carried out; `None` if one was or its outcome is unknown.
    pub(crate) fn unsent_reason(&self, rows: &[OutboxRow]) -> Option<&'static str> {
        let outcomes: Option<Vec<&OutboxOutcome>> =
            rows.iter().map(|row| self.journal.row_outcomes.get(&row.id)).collect();
        let outcomes = outcomes?;
        if outcomes.iter().all(|outcome| matches!(outcome, OutboxOutcome::NeedsDecision(_))) {
            return Some("not done; needs a decision in the outbox");
        }
        outcomes
            .iter()
            .all(|outcome| **outcome == OutboxOutcome::Dropped)
            .then_some("not sent; dropped or replaced")
    }
}
