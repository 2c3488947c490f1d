//! Claims: who takes care of a conversation, as this desk notes it. The
//! interface knows nothing of it.
//!
//! Knows nothing of other desks.

use crate::app::App;
use crate::app::bulk::{Plan, Wish};
use crate::app::event::Effect;
use crate::model::conversations::ConversationRow;
use crate::model::ids::ChannelId;
use crate::model::local::{Claim, Keep};

impl App {
    /// Claims what is marked or at hand; one that is claimed is released.
    pub(super) fn claim(&mut self, effects: &mut Vec<Effect>) {
        if self.acts_on_marks() {
            return self.act_on_marked(Wish::Claim(true), effects);
        }
        let tab = self.tab();
        let Some(row) = tab.at_hand().cloned() else { return };
        let channel = tab.channel.id.clone();
        self.plan(&channel, Wish::Claim(row.local.claim.is_none()), vec![row], effects);
    }

    /// Claims or releases all a plan applies to.
    pub(super) fn claim_all(&mut self, channel: &ChannelId, plan: &Plan, effects: &mut Vec<Effect>) {
        let claim = Claim { agent: self.settings.agent.clone(), at: self.now };
        let wanted = (plan.wish == Wish::Claim(true)).then_some(claim);
        let id = |row: &ConversationRow| row.conversation.id.clone();
        let after = plan.apply.iter().map(|it| (id(it), wanted.clone())).collect();
        let before = plan.apply.iter().map(|it| (id(it), it.local.claim.clone())).collect();
        effects.push(Effect::Keep(channel.clone(), Keep::Claim(after)));
        self.note_kept(channel, &plan.named(), Keep::Claim(before));
    }
}
