//! Mail rules: their actions are queued like those of a person, by the leading process, a few threads a
//! minute and outside the share of the rate limit reserved for people.

use crate::ChannelSync;
use crate::conversations::MAX_BULK_BUDGET_PERCENT;
use crate::report::PullError;
use client::prepare;
use model::account::Platform;
use model::ids::ThreadId;
use model::news::News;
use model::outbox::content::ThreadChange;
use model::outbox::{Lane, Operation};
use store::RuleMatch;
use store::outbox::NewRow;

impl ChannelSync {
    /// Queues the actions of matching rules. Returns true if there were any.
    pub async fn apply_rules(&self) -> bool {
        let acted = self.try_apply_rules().await;
        acted
            .inspect_err(|error| tracing::error!(%error, "the mail rules could not be applied"))
            .unwrap_or_default()
    }

    async fn try_apply_rules(&self) -> Result<bool, PullError> {
        let is_mail = self.known_platform() == Some(Platform::Email);
        if !is_mail || self.spec().read_only || self.client.budget_used_percent() >= MAX_BULK_BUDGET_PERCENT {
            return Ok(false);
        }
        let now = self.clock.now();
        let mut queued = Vec::new();
        for ruled in self.store.rule_matches(self.id(), now).await? {
            let Some(row) = self.build_rule_row(&ruled) else { continue };
            let thread = ruled.thread.clone();
            if self.store.enqueue_by_rule(row, ruled, now).await? {
                tracing::info!(channel = %self.id(), %thread, "a mail rule was applied");
                queued.push(thread);
            }
        }
        let acted = !queued.is_empty();
        if acted {
            self.publish(News::Conversations(self.id().clone()));
        }
        for thread in queued {
            self.publish(News::History(self.id().clone(), thread));
        }
        Ok(acted)
    }

    fn build_rule_row(&self, ruled: &RuleMatch) -> Option<NewRow> {
        let change =
            ruled.actions.iter().fold(ThreadChange::default(), |change, action| action.add_to(change));
        let operation = Operation::ChangeThread { thread: ThreadId::new(ruled.thread.as_str()), change };
        let lane = Lane::Conversation(ruled.thread.clone());
        let prepared = prepare(&Platform::Email, &lane, &operation)
            .inspect_err(|error| tracing::error!(%error, "the request of a mail rule could not be prepared"));
        Some(NewRow::without_delay(self.id().clone(), lane, operation, prepared.ok()?))
    }
}
