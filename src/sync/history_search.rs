//! Searches a history for a text with an unknown outcome: one page a step, only when no row can be sent,
//! within the background budget.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::reconcile::{
    HistorySearch, HistorySearchStep, ReconcileResult, reconcile_findings, record_unfinished,
};
use crate::report::{PullError, PullOutcome};
use crate::walk::{CursorStep, WalkCursors};
use client::ReadError;
use model::ids::RowId;
use model::news::News;
use model::outbox::{ClockTimes, HistoryFinding, HistorySearches, Operation};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use store::lane::{AttemptResult, LaneRow};

/// Maximum pages of one search.
const MAX_PAGES: u32 = 40;
/// Delay after a page that could not be read, in microseconds.
const RETRY_DELAY: i64 = 5 * SECOND;

/// Search in progress.
#[derive(Debug)]
pub(crate) struct ActiveHistorySearch {
    row: RowId,
    search: HistorySearch,
    cursors: WalkCursors,
}

impl ActiveHistorySearch {
    /// Starts a search. `server_time` converts a local moment to the server's clock.
    fn start(row: &LaneRow, text: &str, server_time: impl Fn(ClockTimes) -> Option<Timestamp>) -> Self {
        // Server time is preferred because the history is dated by it.
        let first = row.first.unwrap_or_else(|| row.row.created_at.into());
        let search =
            HistorySearch::new(text, first.server.or_else(|| server_time(first)).unwrap_or(first.wall));
        Self { row: row.row.id.clone(), search, cursors: WalkCursors::new(MAX_PAGES) }
    }
}

impl ChannelSync {
    /// Reads one page. Returns the continued search and the earliest time of its next page.
    pub(crate) async fn search_history(
        &self,
        before: Option<ActiveHistorySearch>,
        row: &LaneRow,
        now: Timestamp,
    ) -> Result<(Option<ActiveHistorySearch>, Timestamp), PullError> {
        let (Operation::SendText { text, .. }, Some(conversation)) =
            (&row.row.operation, row.row.lane.conversation())
        else {
            return Ok((None, now));
        };
        let Some(platform) = self.platform().await? else {
            return Ok((None, now.plus(RETRY_DELAY)));
        };
        let mut looking = before
            .filter(|looking| looking.row == row.row.id)
            .unwrap_or_else(|| ActiveHistorySearch::start(row, text, |first| self.client.server_time(first)));
        let page = match self.client.history(&platform, conversation, looking.cursors.current()).await {
            Ok(page) => page,
            Err(ReadError::NotFound(_) | ReadError::Rejected(_)) => {
                // The conversation was deleted or the cursor expired.
                self.store
                    .record_history_searches(row, record_unfinished(&row.history_searches, now), None)
                    .await?;
                return Ok((None, now));
            }
            Err(error) => {
                let wait = match self.read_failed(PolledResource::History, error) {
                    PullOutcome::Paced(wait) => wait,
                    _ => RETRY_DELAY,
                };
                return Ok((Some(looking), now.plus(wait)));
            }
        };
        self.read_succeeded(PolledResource::History);
        let enough = looking.search.add_page(&page.items) == HistorySearchStep::Finished;
        match looking.cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
            CursorStep::Next(_) if !enough => return Ok((Some(looking), now)),
            CursorStep::Broken(why) if !enough => {
                tracing::warn!(channel = %self.id(), row = %row.row.id, why, "a look could not be finished");
                self.store
                    .record_history_searches(row, record_unfinished(&row.history_searches, now), None)
                    .await?;
            }
            _ => self.finish_history_search(row, &looking.search, now).await?,
        }
        Ok((None, now))
    }

    /// Settles the row after a complete search.
    async fn finish_history_search(
        &self,
        row: &LaneRow,
        look: &HistorySearch,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let unclaimed = self.store.unclaimed_messages(self.id(), look.matching_ids().clone()).await?;
        let tried = row.last_attempt_at.unwrap_or(row.row.created_at);
        match reconcile_findings(&row.history_searches, unclaimed, tried, now) {
            ReconcileResult::Sent(message) => {
                tracing::info!(channel = %self.id(), row = %row.row.id, %message, "found in the history");
                if let Some(conversation) = row.row.lane.conversation() {
                    // Shown before the row is removed, if the server still allows it.
                    self.pull_history(conversation).await;
                }
                self.settle(row, AttemptResult::Found(message)).await
            }
            ReconcileResult::Open(looks) => {
                let why = describe_finding(&looks);
                let told = why.clone();
                if self.store.record_history_searches(row, looks, why).await?
                    && let Some(told) = told
                {
                    let conversation = row.row.lane.conversation().cloned();
                    if let Some(conversation) = &conversation {
                        self.publish(News::History(self.id().clone(), conversation.clone()));
                    }
                    self.publish(News::Notice(self.id().clone(), conversation, told));
                }
                Ok(())
            }
        }
    }
}

/// Message for a finding.
fn describe_finding(looks: &HistorySearches) -> Option<SafeText> {
    match &looks.finding {
        HistoryFinding::Nothing | HistoryFinding::Listed => None,
        HistoryFinding::Absent => Some(SafeText::line(
            "not found in the conversation: probably not sent; it is never sent again by itself",
        )),
        HistoryFinding::Several(messages) => {
            let ids: Vec<_> = messages.iter().map(|message| message.as_str()).collect();
            Some(SafeText::line(&format!(
                "{} messages with these words are in the conversation: {}; one of them may be it",
                ids.len(),
                ids.join(", ")
            )))
        }
    }
}
