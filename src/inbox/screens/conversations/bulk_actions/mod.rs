//! Marking, and acting on all that is marked: the plan first, then a hold or
//! a question by how many there are, then what became of each.

pub(crate) mod update;

use crate::changes::Changes;
use crate::components::marks::Marks;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::ids::RowId;
use model::outbox::OutboxRow;
use model::queries::OutboxOutcome;

/// Actions that wait for the marked rows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PendingBulkAction {
    Wish(BulkWish),
    /// The menu that says until when.
    Snooze,
    /// The line in which tags are edited.
    Tags,
}

/// What acting on many remembers.
#[derive(Debug, Clone, Default)]
pub(crate) struct BulkActions {
    asked: Option<PendingBulkAction>,
    /// What was acted on last.
    before: Marks,
}

impl Changes {
    /// What was acted on last.
    pub(crate) fn acted_on(&self) -> &Marks {
        &self.bulk.before
    }

    /// They could not be read.
    pub(crate) fn forget_marked(&mut self) {
        self.bulk.asked = None;
    }

    /// What is held, in words.
    fn held_words(&self, plan: &BulkPlan) -> String {
        match plan.apply.len() + plan.skipped.len() > 1 {
            true => format!("{}: {},", plan.wish.verb(), plan.describe()),
            false => format!("{},", plan.wish.past()),
        }
    }

    /// Rows of the last action on many are in the outbox.
    pub(crate) fn batch_queued(&mut self, group: u64, rows: &[OutboxRow]) {
        let Some(batch) = self.batch.as_mut().filter(|batch| batch.group == group) else { return };
        for row in rows {
            let item = batch.items.iter_mut().find(|item| {
                let key = (&item.key.channel, Some(&item.key.conversation));
                item.row.is_none() && item.fate.is_ok() && (&row.channel, row.lane.conversation()) == key
            });
            if let Some(item) = item {
                item.row = Some(row.id.clone());
            }
        }
        batch.stale = true;
    }

    /// What became of rows has come.
    pub(crate) fn fates(&mut self, fates: Vec<(RowId, OutboxOutcome)>) {
        let Some(batch) = &mut self.batch else { return };
        for (row, fate) in fates {
            if let Some(item) = batch.items.iter_mut().find(|item| item.row.as_ref() == Some(&row)) {
                item.fate = Ok(fate);
            }
        }
    }
}
