//! Switches draft-only mode, and requests missing drafts in the background.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::outside::OutsideRequest;
use crate::screens::composer::suggestions::update as suggesting;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use crate::screens::conversations::draft_only::PreparedDrafts;
use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::local::{DraftReadiness, LocalChange};
use model::outbox::Operation;
use model::suggestions::{AskedBy, DueDraft, SuggestionId};

impl Changes {
    /// Toggles draft-only for the current conversation, or sets it for the marked ones.
    pub(crate) fn toggle_draft_only(&mut self, desk: &mut Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            return self.act_on_marked(BulkAction::DraftOnly(true), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.plan_bulk_action(
            BulkAction::DraftOnly(row.local.draft_only.is_none()),
            vec![row],
            desk,
            context,
        );
    }

    /// Applies the switch to a plan and pauses the AI where draft-only starts.
    pub(crate) fn apply_draft_only(
        &mut self,
        plan: &BulkPlan,
        is_on: bool,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        self.store_local_changes(
            plan,
            |_| is_on,
            |row| row.local.draft_only.is_some(),
            LocalChange::DraftOnly,
            context,
        );
        let answered = |row: &&ConversationRow| Tab::ai_may_answer(row) && row.automation_pending.is_none();
        let apply: Vec<ConversationRow> =
            plan.apply.iter().filter(answered).filter(|_| is_on).cloned().collect();
        if !apply.is_empty() {
            let pauses = BulkPlan { action: BulkAction::Pause, apply, skipped: Vec::new() };
            bulk_actions::enqueue_all(
                desk,
                &pauses,
                &Operation::SetAutomation { enabled: false },
                0,
                context,
            );
        }
    }
}

impl PreparedDrafts {
    /// Loads the missing drafts if there are draft-only conversations and none is being prepared.
    pub(crate) fn update(&mut self, desk: &Desk, context: &mut Context) {
        let row = desk.current_conversation();
        let is_missing = row.is_some_and(|row| row.local.draft_only == Some(DraftReadiness::Missing));
        if row.is_none_or(|row| self.open.as_ref().is_none_or(|open| !row.has_key(open))) {
            self.open = row.map(ConversationRow::key);
            self.stale |= is_missing;
        }
        if !self.stale || self.is_loading || !self.in_progress.is_empty() {
            return;
        }
        self.stale = false;
        let has_any = |tab: &&Tab| tab.counts.draft_only > 0;
        let channels: Vec<ChannelId> =
            desk.tabs.iter().filter(has_any).map(|tab| tab.channel.id.clone()).collect();
        if !channels.is_empty() {
            self.is_loading = true;
            context.push(Effect::Load(Load::DueDrafts(channels, self.open.clone(), context.now)));
        }
    }

    /// Records that the load failed; the next change retries it.
    pub(crate) fn record_load_failure(&mut self) {
        self.is_loading = false;
    }

    /// Records that a draft is finished or failed. Returns false if it was not awaited.
    fn record_finished(&mut self, id: &SuggestionId) -> bool {
        let before = self.in_progress.len();
        self.in_progress.retain(|conversation_key| *conversation_key != id.key);
        before > self.in_progress.len()
    }
}

pub(crate) fn receive_due_drafts(inbox: &mut Inbox, due: Vec<DueDraft>) {
    let requests: Vec<_> =
        due.iter().filter_map(|entry| suggesting::build_draft_request(inbox, entry)).collect();
    let drafts = &mut inbox.features.prepared_drafts;
    drafts.is_loading = false;
    for request in requests {
        drafts.in_progress.push(request.id.key.clone());
        inbox.context.push(Effect::Request(OutsideRequest::Suggest(Box::new(request))));
    }
}

pub(crate) fn record_draft_result(inbox: &mut Inbox, id: &SuggestionId) {
    if id.asked_by == AskedBy::Desk && inbox.features.prepared_drafts.record_finished(id) {
        inbox.history_changed(id.key.channel.clone(), &id.key.conversation);
    }
}
