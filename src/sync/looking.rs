//! Searches a history for a text with an unknown outcome: one page a step, only when no row can be sent,
//! within the background budget.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::reconcile::{Conclusion, Look, LookProgress, conclude, cut_short};
use crate::report::{PullError, Pulled};
use crate::walk::{Followed, WalkCursors};
use client::ReadError;
use model::ids::RowId;
use model::news::News;
use model::outbox::{LookResult, Looks, Moment, Operation};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use store::lane::{LaneRow, Settlement};

/// Maximum pages of one search.
const PAGES: u32 = 40;
/// Delay after a page that could not be read, in microseconds.
const AGAIN: i64 = 5 * SECOND;

/// Search in progress.
#[derive(Debug)]
pub(crate) struct Looking {
    row: RowId,
    look: Look,
    cursors: WalkCursors,
}

impl Looking {
    /// Starts a search. `server_time` converts a local moment to the server's clock.
    fn begin(row: &LaneRow, text: &str, server_time: impl Fn(Moment) -> Option<Timestamp>) -> Self {
        // Server time is preferred because the history is dated by it.
        let first = row.first.unwrap_or_else(|| row.row.created_at.into());
        let look = Look::new(text, first.server.or_else(|| server_time(first)).unwrap_or(first.wall));
        Self { row: row.row.id.clone(), look, cursors: WalkCursors::new(PAGES) }
    }
}

impl ChannelSync {
    /// Reads one page. Returns the continued search and the earliest time of its next page.
    pub(crate) async fn look(
        &self,
        before: Option<Looking>,
        row: &LaneRow,
        now: Timestamp,
    ) -> Result<(Option<Looking>, Timestamp), PullError> {
        let (Operation::SendText { text, .. }, Some(conversation)) =
            (&row.row.operation, row.row.lane.conversation())
        else {
            return Ok((None, now));
        };
        let Some(platform) = self.platform().await? else {
            return Ok((None, now.plus(AGAIN)));
        };
        let mut looking = before
            .filter(|looking| looking.row == row.row.id)
            .unwrap_or_else(|| Looking::begin(row, text, |first| self.client.server_time(first)));
        let page = match self.client.history(&platform, conversation, looking.cursors.current()).await {
            Ok(page) => page,
            Err(ReadError::NotFound(_) | ReadError::Rejected(_)) => {
                // The conversation was deleted or the cursor expired.
                self.store.note_looks(row, cut_short(&row.looks, now), None).await?;
                return Ok((None, now));
            }
            Err(error) => {
                let wait = match self.read_failed(PolledResource::History, error) {
                    Pulled::Paced(wait) => wait,
                    _ => AGAIN,
                };
                return Ok((Some(looking), now.plus(wait)));
            }
        };
        self.read_succeeded(PolledResource::History);
        let enough = looking.look.take(&page.items) == LookProgress::Enough;
        match looking.cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
            Followed::Next(_) if !enough => return Ok((Some(looking), now)),
            Followed::Broken(why) if !enough => {
                tracing::warn!(channel = %self.id(), row = %row.row.id, why, "a look could not be finished");
                self.store.note_looks(row, cut_short(&row.looks, now), None).await?;
            }
            _ => self.looked(row, &looking.look, now).await?,
        }
        Ok((None, now))
    }

    /// Settles the row after a complete search.
    async fn looked(&self, row: &LaneRow, look: &Look, now: Timestamp) -> Result<(), PullError> {
        let unclaimed = self.store.unclaimed(self.id(), look.found().clone()).await?;
        let tried = row.last_attempt_at.unwrap_or(row.row.created_at);
        match conclude(&row.looks, unclaimed, tried, now) {
            Conclusion::Sent(message) => {
                tracing::info!(channel = %self.id(), row = %row.row.id, %message, "found in the history");
                if let Some(conversation) = row.row.lane.conversation() {
                    // Shown before the row is removed, if the server still allows it.
                    self.pull_history(conversation).await;
                }
                self.settle(row, Settlement::Found(message)).await
            }
            Conclusion::Open(looks) => {
                let why = words(&looks);
                let told = why.clone();
                if self.store.note_looks(row, looks, why).await?
                    && let Some(told) = told
                {
                    let conversation = row.row.lane.conversation().cloned();
                    if let Some(conversation) = &conversation {
                        self.tell(News::History(self.id().clone(), conversation.clone()));
                    }
                    self.tell(News::Notice(self.id().clone(), conversation, told));
                }
                Ok(())
            }
        }
    }
}

/// Message for a finding.
fn words(looks: &Looks) -> Option<SafeText> {
    match &looks.finding {
        LookResult::Nothing | LookResult::Listed => None,
        LookResult::Absent => Some(SafeText::line(
            "not found in the conversation: probably not sent; it is never sent again by itself",
        )),
        LookResult::Several(messages) => {
            let ids: Vec<_> = messages.iter().map(|message| message.as_str()).collect();
            Some(SafeText::line(&format!(
                "{} messages with these words are in the conversation: {}; one of them may be it",
                ids.len(),
                ids.join(", ")
            )))
        }
    }
}
