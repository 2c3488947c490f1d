//! Records and announces the outcome of a row.

use std::time::Duration;

use crate::ChannelSync;
use crate::report::PullError;
use client::retry::RetryStep;
use model::news::News;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::outbox::{Operation, Stop};
use model::text::SafeText;
use model::time::Timestamp;
use store::lane::{LaneRow, Settlement};

/// Attempts to record an outcome, and the pause between them: each waits for a lock itself, and all
/// together end before a claim lapses.
const SETTLE_TRIES: u32 = 8;
const SETTLE_AGAIN: Duration = Duration::from_secs(1);

impl ChannelSync {
    /// Stops a row for a decision and announces the reason.
    pub(crate) async fn stop_row(&self, row: &LaneRow, stop: Stop, why: SafeText) -> Result<(), PullError> {
        if row.row.operation.is_unasked() {
            return self.drop_unasked(row, stop, why).await;
        }
        if let (Stop::Refused, Operation::ChangeThread { change, .. }) = (stop, &row.row.operation) {
            let what = not_filed(change);
            return self.drop_refused(row, &what, why).await;
        }
        tracing::info!(channel = %self.id(), row = %row.row.id, stop = stop.word(), "a row waits for a person");
        self.settle(row, Settlement::Stop(stop, why.clone())).await?;
        let title = self.store.lane_title(self.id(), &row.row.lane).await?;
        let words = stopped_words(&row.row.operation, title.as_str(), stop);
        let words = SafeText::line(&words);
        self.tell(News::Stopped(self.id().clone(), row.row.id.clone(), stop, words, why));
        Ok(())
    }

    /// Drops an automatic row, which never asks a person.
    async fn drop_unasked(&self, row: &LaneRow, stop: Stop, why: SafeText) -> Result<(), PullError> {
        tracing::info!(channel = %self.id(), row = %row.row.id, stop = stop.word(), %why, "dropped: nobody asked for it");
        if stop == Stop::Refused {
            self.kept_here(&row.row).await?;
        }
        self.settle(row, Settlement::Dropped(why)).await
    }

    /// Drops a refused thread change with a notice: it is easily repeated, so no decision is needed.
    async fn drop_refused(&self, row: &LaneRow, what: &str, why: SafeText) -> Result<(), PullError> {
        tracing::info!(channel = %self.id(), row = %row.row.id, %why, "a thread stays as it was");
        let words = SafeText::line(&format!("{what}: the server refuses ({why})"));
        self.settle(row, Settlement::Dropped(why)).await?;
        self.tell(News::Notice(self.id().clone(), row.row.lane.conversation().cloned(), words));
        Ok(())
    }

    /// Records the outcome of a row and announces it.
    pub(crate) async fn settle(&self, row: &LaneRow, settlement: Settlement) -> Result<(), PullError> {
        let leaves = match &settlement {
            Settlement::Dropped(_) | Settlement::Done { .. } | Settlement::Found(_) => true,
            Settlement::Wait { .. } | Settlement::AskAgain { .. } | Settlement::Stop(..) => false,
        };
        if !self.settled(row, settlement).await? {
            tracing::warn!(row = %row.row.id, "the outcome came after its claim had lapsed");
        }
        if leaves {
            self.tell(News::Left(self.id().clone(), row.row.id.clone()));
        }
        if let Some(conversation) = row.row.lane.conversation() {
            self.tell(News::History(self.id().clone(), conversation.clone()));
        }
        self.tell(News::Conversations(self.id().clone()));
        Ok(())
    }

    /// Records the outcome, with retries while the database fails, for as long as the claim holds.
    async fn settled(&self, row: &LaneRow, settlement: Settlement) -> Result<bool, PullError> {
        for _ in 0..SETTLE_TRIES {
            match self.store.settle(row, settlement.clone()).await {
                Ok(settled) => return Ok(settled),
                Err(error) => {
                    tracing::error!(row = %row.row.id, %error, "an outcome could not be written down");
                    tokio::time::sleep(SETTLE_AGAIN).await;
                }
            }
        }
        Ok(self.store.settle(row, settlement).await?)
    }
}

/// Summary of a stopped row without the reason.
fn stopped_words(operation: &Operation, title: &str, stop: Stop) -> String {
    let what = match operation {
        Operation::SendMail(_) => Some("mail"),
        Operation::SendFile(_) => Some("file"),
        it if it.speaks() || matches!(it, Operation::SendSms { .. }) => Some("text"),
        _ => None,
    };
    match (what, stop.is_ambiguous()) {
        (Some(what), true) => format!("not known whether your {what} to {title} left"),
        (Some(what), false) => format!("your {what} to {title}: {}", stop.label()),
        (None, true) => format!("{title}: not known whether {} worked", operation.doing()),
        (None, false) => format!("{title}: {}: {}", operation.doing(), stop.label()),
    }
}

/// Summary of a thread change that was not made.
fn not_filed(change: &ThreadChange) -> String {
    match &change.place {
        Some(ThreadPlace::Folder(name)) => format!("not moved to {name}"),
        Some(ThreadPlace::Archived(true)) => "not archived".to_owned(),
        Some(ThreadPlace::Archived(false)) => "not taken out of the archive".to_owned(),
        None => "not changed".to_owned(),
    }
}

/// Settlement of a row that is not done; `None` for one that is.
pub(crate) fn settlement(next: RetryStep, now: Timestamp) -> Option<Settlement> {
    Some(match next {
        RetryStep::Done => return None,
        RetryStep::Wait(wait) => Settlement::Wait { not_before: now.plus(wait) },
        RetryStep::AskAgain { after, counted } => {
            Settlement::AskAgain { not_before: now.plus(after), counted }
        }
        RetryStep::Stop(stop, why) => Settlement::Stop(stop, why),
        RetryStep::Halt(_) => Settlement::Wait { not_before: now },
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
            (text(), Stop::Unknown, "not known whether your text to Maria left"),
            (text(), Stop::Credits, "your text to Maria: NOT SENT, out of credits"),
            (pause(), Stop::Ask, "Maria: not known whether switching the AI worked"),
            (pause(), Stop::Refused, "Maria: switching the AI: NOT SENT"),
        ];
        for (operation, stop, words) in cases {
            assert_eq!(stopped_words(&operation, "Maria", stop), words);
        }
    }
}
