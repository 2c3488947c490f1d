use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use model::local::LocalChange;

impl Changes {
    /// Toggles the current conversation; marked ones become seen if any is unread, else unseen.
    pub(crate) fn toggle_seen(&mut self, desk: &mut Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            let unseen = desk
                .list()
                .page
                .rows
                .iter()
                .any(|row| row.unread > 0 && desk.list().marks.contains(&row.key()));
            return self.act_on_marked(BulkAction::Seen(unseen), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan_bulk_action(BulkAction::Seen(row.unread > 0), vec![row], desk, context);
    }

    pub(crate) fn apply_seen(&mut self, plan: &BulkPlan, context: &mut Context) {
        let wanted = u32::from(plan.action == BulkAction::Seen(false));
        self.store_local_changes(plan, |_| wanted, |row| row.unread, LocalChange::Unseen, context);
    }
}
