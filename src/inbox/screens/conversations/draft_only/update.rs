//! Switches conversations to drafts alone and back, and has the drafts made
//! that are missing, beside everything else.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::outside::OutsideRequest;
use crate::screens::composer::suggesting::update as suggesting;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use crate::screens::conversations::draft_only::PreparedDrafts;
use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::local::{DraftReadiness, LocalChange};
use model::outbox::Operation;
use model::suggestions::{AskedBy, DueDraft, SuggestionId};

impl Changes {
    /// Switches what is marked or selected to drafts alone, or back.
    pub(crate) fn turn_draft_only(&mut self, desk: &mut Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            return self.act_on_marked(BulkWish::DraftOnly(true), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan(BulkWish::DraftOnly(row.local.draft_only.is_none()), vec![row], desk, context);
    }

    /// Switches all that a plan applies to, and pauses the AI where only drafts
    /// are wanted from now on.
    pub(crate) fn draft_only_all(
        &mut self,
        plan: &BulkPlan,
        is_on: bool,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        self.keep_all(plan, |_| is_on, |row| row.local.draft_only.is_some(), LocalChange::DraftOnly, context);
        let answered = |row: &&ConversationRow| Tab::ai_may_answer(row) && row.automation_pending.is_none();
        let apply: Vec<ConversationRow> =
            plan.apply.iter().filter(answered).filter(|_| is_on).cloned().collect();
        if !apply.is_empty() {
            let pauses = BulkPlan { wish: BulkWish::Pause, apply, skipped: Vec::new() };
            desk.enqueue_all(&pauses, &Operation::SetAutomation { enabled: false }, 0, context);
        }
    }
}

impl PreparedDrafts {
    /// Asks which drafts are missing, where there are draft-only conversations
    /// and none is being made.
    pub(crate) fn follow(&mut self, desk: &Desk, context: &mut Context) {
        let row = desk.current_conversation();
        let is_missing = row.is_some_and(|row| row.local.draft_only == Some(DraftReadiness::Missing));
        if row.is_none_or(|row| self.open.as_ref().is_none_or(|open| !row.has_key(open))) {
            self.open = row.map(ConversationRow::key);
            self.stale |= is_missing;
        }
        if !self.stale || self.asked || !self.making.is_empty() {
            return;
        }
        self.stale = false;
        let has_any = |tab: &&Tab| tab.counts.draft_only > 0;
        let channels: Vec<ChannelId> =
            desk.tabs.iter().filter(has_any).map(|tab| tab.channel.id.clone()).collect();
        if !channels.is_empty() {
            self.asked = true;
            context.push(Effect::Load(Load::DueDrafts(channels, self.open.clone(), context.now)));
        }
    }

    /// Those that are missing could not be read; what changes next asks again.
    pub(crate) fn failed(&mut self) {
        self.asked = false;
    }

    /// A draft was made, or could not be.
    fn record_made(&mut self, id: &SuggestionId) -> bool {
        let before = self.making.len();
        self.making.retain(|conversation_key| *conversation_key != id.key);
        before > self.making.len()
    }
}

/// The missing drafts are known: they are asked for.
pub(crate) fn due(inbox: &mut Inbox, due: Vec<DueDraft>) {
    let requests: Vec<_> = due.iter().filter_map(|entry| suggesting::prepared(inbox, entry)).collect();
    let drafts = &mut inbox.features.prepared_drafts;
    drafts.asked = false;
    for request in requests {
        drafts.making.push(request.id.key.clone());
        inbox.context.push(Effect::Ask(OutsideRequest::Suggest(Box::new(request))));
    }
}

/// A draft that the desk asked for has come: the list says so, and the next is
/// asked for.
pub(crate) fn draft_arrived(inbox: &mut Inbox, id: &SuggestionId) {
    if id.asked_by == AskedBy::Desk && inbox.features.prepared_drafts.record_made(id) {
        inbox.history_changed(id.key.channel.clone(), &id.key.conversation);
    }
}
