//! Marking and bulk actions: a plan first, then a hold or a confirmation by number, then the
//! outcome of each.

pub(crate) mod update;

use crate::changes::Changes;
use crate::components::marks::Marks;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use model::ids::RowId;
use model::outbox::OutboxRow;
use model::queries::OutboxOutcome;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PendingBulkAction {
    Action(BulkAction),
    Snooze,
    Tags,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct BulkActions {
    pending: Option<PendingBulkAction>,
    previous_marks: Marks,
}

impl Changes {
    pub(crate) fn previous_marks(&self) -> &Marks {
        &self.bulk.previous_marks
    }

    /// Drops the pending action because the rows could not be loaded.
    pub(crate) fn drop_pending_action(&mut self) {
        self.bulk.pending = None;
    }

    fn describe_hold(&self, plan: &BulkPlan) -> String {
        match plan.apply.as_slice() {
            [one] if plan.skipped.is_empty() => format!("{} closes", one.conversation.title()),
            _ => format!("{}: {},", plan.action.verb(), plan.describe()),
        }
    }

    /// Links outbox rows to the items of the last bulk action.
    pub(crate) fn link_queued_rows(&mut self, group: u64, rows: &[OutboxRow]) {
        let Some(batch) = self.batch.as_mut().filter(|batch| batch.group == group) else { return };
        // The last change of a conversation is the one that ends the action in it.
        for row in rows.iter().rev() {
            let item = batch.items.iter_mut().find(|item| {
                let key = (&item.key.channel, Some(&item.key.conversation));
                item.row.is_none() && item.outcome.is_ok() && (&row.channel, row.lane.conversation()) == key
            });
            if let Some(item) = item {
                item.row = Some(row.id.clone());
            }
        }
        batch.stale = true;
    }

    pub(crate) fn record_outcomes(&mut self, outcomes: Vec<(RowId, OutboxOutcome)>) {
        let Some(batch) = &mut self.batch else { return };
        for (row, outcome) in outcomes {
            if let Some(item) = batch.items.iter_mut().find(|item| item.row.as_ref() == Some(&row)) {
                item.outcome = Ok(outcome);
            }
        }
    }
}
