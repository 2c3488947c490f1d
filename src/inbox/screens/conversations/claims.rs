//! Claims: who takes care of a conversation, as this desk notes it. The
//! interface knows nothing of it.

use crate::Inbox;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use model::local::{Assignment, Keep};

impl Inbox {
    /// Claims what is marked or at hand; one that is claimed is released.
    pub(crate) fn claim(&mut self) {
        if self.acts_on_marks() {
            return self.act_on_marked(BulkWish::Claim(true));
        }
        let Some(row) = self.at_hand().cloned() else { return };
        self.plan(BulkWish::Claim(row.local.claim.is_none()), vec![row]);
    }

    /// Claims or releases all a plan applies to.
    pub(crate) fn claim_all(&mut self, plan: &BulkPlan) {
        let claim = Assignment { agent: self.context.settings.agent.clone(), at: self.context.now };
        let wanted = (plan.wish == BulkWish::Claim(true)).then_some(claim);
        self.keep_all(plan, |_| wanted.clone(), |row| row.local.claim.clone(), Keep::Claim);
    }
}
