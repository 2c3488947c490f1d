//! Claims: the agent who takes care of a conversation. They are kept on this desk, and shared with its team.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use model::local::{Assignment, LocalChange};

impl Changes {
    /// Claims the marked conversations; toggles the claim of the current one.
    pub(crate) fn toggle_claim(&mut self, desk: &mut Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            return self.act_on_marked(BulkAction::Claim(true), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan_bulk_action(BulkAction::Claim(row.local.claim.is_none()), vec![row], desk, context);
    }

    pub(crate) fn apply_claims(&mut self, plan: &BulkPlan, context: &mut Context) {
        let claim = Assignment { agent: context.settings.agent.clone(), at: context.now };
        let wanted = (plan.action == BulkAction::Claim(true)).then_some(claim);
        self.store_local_changes(
            plan,
            |_| wanted.clone(),
            |row| row.local.claim.clone(),
            LocalChange::Claim,
            context,
        );
    }
}
