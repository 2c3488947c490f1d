//! Looking for a text in its history whose outcome never became known: a
//! page a step, when nothing may leave, with the budget of the background.

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

/// Pages of one look.
const PAGES: u32 = 40;
/// Before the next page after one that could not be read.
const AGAIN: i64 = 5 * SECOND;

/// A look that is not finished.
#[derive(Debug)]
pub(crate) struct Looking {
    row: RowId,
    look: Look,
    cursors: WalkCursors,
}

impl Looking {
    /// `server_time` reads a moment of this machine by the server's clock.
    fn begin(row: &LaneRow, text: &str, server_time: impl Fn(Moment) -> Option<Timestamp>) -> Self {
        // The server's own time where it told; its history is dated by it.
        let first = row.first.unwrap_or_else(|| row.row.created_at.into());
        let look = Look::new(text, first.server.or_else(|| server_time(first)).unwrap_or(first.wall));
        Self { row: row.row.id.clone(), look, cursors: WalkCursors::new(PAGES) }
    }
}

impl ChannelSync {
    /// Reads one page for a row that may have been sent. What comes back is
    /// when the next page may be read.
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
                // The conversation is gone, or the cursor grew too old.
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

    /// A look saw all that could be the row.
    async fn looked(&self, row: &LaneRow, look: &Look, now: Timestamp) -> Result<(), PullError> {
        let unclaimed = self.store.unclaimed(self.id(), look.found().clone()).await?;
        let tried = row.last_attempt_at.unwrap_or(row.row.created_at);
        match conclude(&row.looks, unclaimed, tried, now) {
            Conclusion::Sent(message) => {
                tracing::info!(channel = %self.id(), row = %row.row.id, %message, "found in the history");
                if let Some(conversation) = row.row.lane.conversation() {
                    // Shown before its row goes, if the server still lets it
                    // be read.
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

/// What a conclusion says to a person.
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
