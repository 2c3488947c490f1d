//! Records and announces the outcome of a row.

use std::time::Duration;

use crate::ChannelSync;
use crate::report::PullError;
use client::retry::RetryStep;
use model::news::News;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::outbox::{Operation, StopReason};
use model::text::SafeText;
use model::time::Timestamp;
use store::lane::{AttemptResult, LaneRow};

/// Attempts to record an outcome, and the pause between them: each waits for a lock itself, and all
/// together end before a claim lapses.
const MAX_SETTLE_ATTEMPTS: u32 = 8;
const SETTLE_RETRY_DELAY: Duration = Duration::from_secs(1);

impl ChannelSync {
    /// Stops a row for a decision and announces the reason.
    pub(crate) async fn stop_row(
        &self,
        row: &LaneRow,
        stop: StopReason,
        why: SafeText,
    ) -> Result<(), PullError> {
        if row.row.operation.is_automatic() {
            return self.drop_automatic(row, stop, why).await;
        }
        if let (StopReason::Refused, Operation::ChangeThread { change, .. }) = (stop, &row.row.operation) {
            let what = describe_unfiled(change);
            return self.drop_refused(row, &what, why).await;
        }
        tracing::info!(channel = %self.id(), row = %row.row.id, stop = stop.word(), "a row waits for a person");
        self.settle(row, AttemptResult::Stop(stop, why.clone())).await?;
        let title = self.store.lane_title(self.id(), &row.row.lane).await?;
        let words = describe_stopped(&row.row.operation, title.as_str(), stop);
        let words = SafeText::line(&words);
        self.publish(News::Stopped(self.id().clone(), row.row.id.clone(), stop, words, why));
        Ok(())
    }

    /// Drops an automatic row, which never asks a person.
    async fn drop_automatic(&self, row: &LaneRow, stop: StopReason, why: SafeText) -> Result<(), PullError> {
        tracing::info!(channel = %self.id(), row = %row.row.id, stop = stop.word(), %why, "dropped: nobody asked for it");
        if stop == StopReason::Refused {
            self.apply_change_locally(&row.row).await?;
        }
        self.settle(row, AttemptResult::Dropped(why)).await
    }

    /// Drops a refused thread change with a notice: it is easily repeated, so no decision is needed.
    async fn drop_refused(&self, row: &LaneRow, what: &str, why: SafeText) -> Result<(), PullError> {
        tracing::info!(channel = %self.id(), row = %row.row.id, %why, "a thread stays as it was");
        let words = SafeText::line(&format!("{what}: the server refuses ({why})"));
        self.settle(row, AttemptResult::Dropped(why)).await?;
        self.publish(News::Notice(self.id().clone(), row.row.lane.conversation().cloned(), words));
        Ok(())
    }

    /// Records the outcome of a row and announces it.
    pub(crate) async fn settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<(), PullError> {
        let leaves = match &settlement {
            AttemptResult::Dropped(_) | AttemptResult::Done { .. } | AttemptResult::Found(_) => true,
            AttemptResult::Wait { .. } | AttemptResult::Retry { .. } | AttemptResult::Stop(..) => false,
        };
        if !self.try_settle(row, settlement).await? {
            tracing::warn!(row = %row.row.id, "the outcome came after its claim had lapsed");
        }
        if leaves {
            self.publish(News::RowRemoved(self.id().clone(), row.row.id.clone()));
        }
        if let Some(conversation) = row.row.lane.conversation() {
            self.publish(News::History(self.id().clone(), conversation.clone()));
        }
        self.publish(News::Conversations(self.id().clone()));
        Ok(())
    }

    /// Records the outcome, with retries while the database fails, for as long as the claim holds.
    async fn try_settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<bool, PullError> {
        for _ in 0..MAX_SETTLE_ATTEMPTS {
            match self.store.settle(row, settlement.clone()).await {
                Ok(settled) => return Ok(settled),
                Err(error) => {
                    tracing::error!(row = %row.row.id, %error, "an outcome could not be written down");
                    tokio::time::sleep(SETTLE_RETRY_DELAY).await;
                }
            }
        }
        Ok(self.store.settle(row, settlement).await?)
    }
}

/// Summary of a stopped row without the reason.
fn describe_stopped(operation: &Operation, title: &str, stop: StopReason) -> String {
    let what = match operation {
        Operation::SendMail(_) => Some("mail"),
        Operation::SendFile(_) => Some("file"),
        it if it.is_customer_message() || matches!(it, Operation::SendSms { .. }) => Some("text"),
        _ => None,
    };
    match (what, stop.is_ambiguous()) {
        (Some(what), true) => format!("not known whether your {what} to {title} left"),
        (Some(what), false) => format!("your {what} to {title}: {}", stop.label()),
        (None, true) => format!("{title}: not known whether {} worked", operation.describe_doing()),
        (None, false) => format!("{title}: {}: {}", operation.describe_doing(), stop.label()),
    }
}

/// Summary of a thread change that was not made.
fn describe_unfiled(change: &ThreadChange) -> String {
    match &change.place {
        Some(ThreadPlace::Folder(name)) => format!("not moved to {name}"),
        Some(ThreadPlace::Archived(true)) => "not archived".to_owned(),
        Some(ThreadPlace::Archived(false)) => "not taken out of the archive".to_owned(),
        None => "not changed".to_owned(),
    }
}

/// Settlement of a row that is not done; `None` for one that is.
pub(crate) fn result_of_retry(next: RetryStep, now: Timestamp) -> Option<AttemptResult> {
    Some(match next {
        RetryStep::Done => return None,
        RetryStep::Wait(wait) => AttemptResult::Wait { not_before: now.plus(wait) },
        RetryStep::AskAgain { after, counted } => {
            AttemptResult::Retry { not_before: now.plus(after), counted }
        }
        RetryStep::Stop(stop, why) => AttemptResult::Stop(stop, why),
        RetryStep::Halt(_) => AttemptResult::Wait { not_before: now },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_a_person_names_its_row() {
        let text = || Operation::SendText { to: "+1".into(), text: "hi".into(), reply_to: None };
        let pause = || Operation::SetAutomation { enabled: false };
        let cases = [
            (text(), StopReason::Unknown, "not known whether your text to Maria left"),
            (text(), StopReason::Credits, "your text to Maria: NOT SENT, out of credits"),
            (pause(), StopReason::KeyUnproven, "Maria: not known whether switching the AI worked"),
            (pause(), StopReason::Refused, "Maria: switching the AI: NOT SENT"),
        ];
        for (operation, stop, words) in cases {
            assert_eq!(describe_stopped(&operation, "Maria", stop), words);
        }
    }
}
