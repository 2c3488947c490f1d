//! Keeps the AI paused in draft-only channels and conversations. Each pause is an ordinary outbox row.

use crate::ChannelSync;
use client::prepare;
use model::news::News;
use model::outbox::{Lane, Operation};
use model::time::Timestamp;
use store::StoreError;
use store::draft_only::DraftOnlyStep;
use store::outbox::NewRow;

impl ChannelSync {
    /// Queues pauses for draft-only conversations. Returns true if a row was queued.
    pub async fn apply_draft_only(&self, now: Timestamp) -> bool {
        if self.spec().read_only || self.is_stopped() {
            return false;
        }
        self.queue_draft_pauses(now).await.unwrap_or_else(|error| {
            tracing::error!(channel = %self.id(), %error, "draft-only conversations could not be checked");
            false
        })
    }

    async fn queue_draft_pauses(&self, now: Timestamp) -> Result<bool, StoreError> {
        let whole_tab = self.spec().draft_only;
        let plan = self.store.draft_only_plan(self.id(), whole_tab).await?;
        if plan.has_ended {
            self.store.end_draft_only_tab(self.id()).await?;
        }
        let mut queued = false;
        for DraftOnlyStep { conversation, needs_pause: pauses } in &plan.steps {
            let row = match pauses {
                true => self.build_pause_row(&Lane::from(conversation.clone())).await?,
                false => None,
            };
            queued |= self.store.mark_draft_only(self.id(), conversation, row, now).await?.is_some();
        }
        if plan.has_ended || !plan.steps.is_empty() {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(queued)
    }

    async fn build_pause_row(&self, lane: &Lane) -> Result<Option<NewRow>, StoreError> {
        let Some(platform) = self.platform().await? else { return Ok(None) };
        let operation = Operation::SetAutomation { enabled: false };
        // A conversation without an AI switch needs no pause.
        let request = prepare(&platform, lane, &operation).ok();
        Ok(request.map(|request| NewRow::without_delay(self.id().clone(), lane.clone(), operation, request)))
    }
}
