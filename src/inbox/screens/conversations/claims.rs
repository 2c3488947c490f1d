//! Claims: who takes care of a conversation, as this desk notes it. The
//! interface has no such thing.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::local::{Assignment, LocalChange};

impl Changes {
    /// Claims what is marked or selected; one that is claimed is released.
    pub(crate) fn claim(&mut self, desk: &mut Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            return self.act_on_marked(BulkWish::Claim(true), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan(BulkWish::Claim(row.local.claim.is_none()), vec![row], desk, context);
    }

    /// Claims or releases all a plan applies to.
    pub(crate) fn claim_all(&mut self, plan: &BulkPlan, context: &mut Context) {
        let claim = Assignment { agent: context.settings.agent.clone(), at: context.now };
        let wanted = (plan.wish == BulkWish::Claim(true)).then_some(claim);
        self.keep_all(plan, |_| wanted.clone(), |row| row.local.claim.clone(), LocalChange::Claim, context);
    }
}
