//! Claims: who takes care of a conversation, as this desk notes it. The
//! interface knows nothing of it.

use crate::App;
use crate::bulk::{Plan, Wish};
use model::local::{Claim, Keep};

impl App {
    /// Claims what is marked or at hand; one that is claimed is released.
    pub(super) fn claim(&mut self) {
        if self.acts_on_marks() {
            return self.act_on_marked(Wish::Claim(true));
        }
        let Some(row) = self.at_hand().cloned() else { return };
        self.plan(Wish::Claim(row.local.claim.is_none()), vec![row]);
    }

    /// Claims or releases all a plan applies to.
    pub(super) fn claim_all(&mut self, plan: &Plan) {
        let claim = Claim { agent: self.context.settings.agent.clone(), at: self.context.now };
        let wanted = (plan.wish == Wish::Claim(true)).then_some(claim);
        self.keep_all(plan, |_| wanted.clone(), |row| row.local.claim.clone(), Keep::Claim);
    }
}
