//! Searches a history for a text with an unknown outcome.
//!
//! A message matches if it was sent through the interface with the same text, no earlier than ten minutes
//! before the first attempt, and no other row claims it. Exactly one match: sent. No match in two searches a
//! minute apart, both two minutes after the last attempt: probably not sent. Several: a person chooses. No
//! result ever leads to another send.

use std::collections::BTreeSet;

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use crate::walk::{CursorStep, WalkCursors};
use client::ReadError;
use model::history_search::{HistoryFinding, HistorySearches, is_sent_text, normalize_text};
use model::ids::{MessageId, RowId};
use model::messages::Message;
use model::news::News;
use model::outbox::ClockTimes;
use model::text::SafeText;
use model::time::{MINUTE, SECOND, Timestamp};
use store::lane::{AttemptResult, LaneRow};

/// Distance before the first attempt at which the search ends: clocks differ.
const MARGIN_BEFORE_ATTEMPT: i64 = 10 * MINUTE;
/// Maximum time until a sent message is listed.
const LISTING_DELAY: i64 = 2 * MINUTE;
/// Minimum interval between two searches without a match.
const SEARCH_INTERVAL: i64 = MINUTE;
/// Maximum unfinished searches; more only on a person's request.
const MAX_SEARCHES: u32 = 12;

/// Walk back through a history for one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistorySearch {
    text: String,
    since: Timestamp,
    found: BTreeSet<MessageId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistorySearchStep {
    /// Older messages may match.
    Continue,
    /// Every possible match was seen.
    Finished,
}

impl HistorySearch {
    /// `first_attempt_at` is in server time.
    pub fn new(text: &str, first_attempt_at: Timestamp) -> Self {
        Self {
            text: normalize_text(text),
            since: first_attempt_at.plus(-MARGIN_BEFORE_ATTEMPT),
            found: BTreeSet::new(),
        }
    }

    /// Processes a page, newest first.
    pub fn add_page(&mut self, page: &[Message]) -> HistorySearchStep {
        for message in page {
            if message.created_at.is_some_and(|time| time < self.since) {
                return HistorySearchStep::Finished;
            }
            if is_sent_text(message, &self.text) {
                self.found.insert(message.id.clone());
            }
        }
        HistorySearchStep::Continue
    }

    pub fn matching_ids(&self) -> &BTreeSet<MessageId> {
        &self.found
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReconcileResult {
    Sent(MessageId),
    /// Undecided; the searches so far.
    Open(HistorySearches),
}

/// Concludes from a complete search; `unclaimed` are the matches no other row claims.
pub fn reconcile_findings(
    before: &HistorySearches,
    unclaimed: Vec<MessageId>,
    last_attempt_at: Timestamp,
    now: Timestamp,
) -> ReconcileResult {
    let mut searches = HistorySearches { count: before.count + 1, last_at: Some(now), ..before.clone() };
    let mut unclaimed = unclaimed.into_iter();
    match (unclaimed.next(), unclaimed.len()) {
        (Some(message), 0) => return ReconcileResult::Sent(message),
        (Some(first), _) => {
            searches.finding = HistoryFinding::Several(std::iter::once(first).chain(unclaimed).collect());
        }
        (None, _) if now.since(last_attempt_at) < LISTING_DELAY => {}
        (None, _) => match before.absent_at {
            Some(earlier) if now.since(earlier) >= SEARCH_INTERVAL => {
                searches.finding = HistoryFinding::Absent
            }
            // The first search, one too soon after it, or a clock set back.
            Some(earlier) if now.since(earlier) >= 0 => {}
            _ => searches.absent_at = Some(now),
        },
    }
    ReconcileResult::Open(searches)
}

pub fn record_unfinished(before: &HistorySearches, now: Timestamp) -> HistorySearches {
    HistorySearches { count: before.count + 1, last_at: Some(now), ..before.clone() }
}

/// Time of the next automatic search, `None` if there is none: at once, then when a sent message must be
/// listed, then a minute later; incomplete searches are repeated at growing intervals.
pub fn next_search_at(searches: &HistorySearches, last_attempt_at: Timestamp) -> Option<Timestamp> {
    if searches.finding != HistoryFinding::Nothing || searches.count >= MAX_SEARCHES {
        return None;
    }
    let Some(last) = searches.last_at else {
        return Some(last_attempt_at);
    };
    let apart = SEARCH_INTERVAL << searches.count.saturating_sub(3).min(5);
    Some(last.plus(apart).max(last_attempt_at.plus(LISTING_DELAY)))
}

/// Maximum pages of one search.
const MAX_PAGES: u32 = 40;
/// Delay after a page that could not be read, in microseconds.
const RETRY_DELAY: i64 = 5 * SECOND;

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
        let (Some(text), Some(conversation)) = (row.row.operation.listed_text(), row.row.lane.conversation())
        else {
            return Ok((None, now));
        };
        let Some(platform) = self.platform().await? else {
            return Ok((None, now.plus(RETRY_DELAY)));
        };
        let mut looking = before.filter(|looking| looking.row == row.row.id).unwrap_or_else(|| {
            ActiveHistorySearch::start(row, &text, |first| self.client.server_time(first))
        });
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
                tracing::warn!(
                    channel = %self.id(),
                    row = %row.row.id,
                    why,
                    "the history of a conversation could not be checked completely"
                );
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
            ReconcileResult::Open(searches) => {
                let why = describe_finding(&searches);
                let notice = why.clone();
                if self.store.record_history_searches(row, searches, why).await?
                    && let Some(notice) = notice
                {
                    let conversation = row.row.lane.conversation().cloned();
                    if let Some(conversation) = &conversation {
                        self.publish(News::History(self.id().clone(), conversation.clone()));
                    }
                    self.publish(News::Notice(self.id().clone(), conversation, notice));
                }
                Ok(())
            }
        }
    }
}

fn describe_finding(searches: &HistorySearches) -> Option<SafeText> {
    match &searches.finding {
        HistoryFinding::Nothing | HistoryFinding::Listed => None,
        HistoryFinding::Absent => Some(SafeText::line(
            "not found in the conversation, so probably not sent; it is never sent again automatically",
        )),
        HistoryFinding::Several(messages) => {
            let ids: Vec<_> = messages.iter().map(|message| message.as_str()).collect();
            Some(SafeText::line(&format!(
                "the conversation has {} messages with this text: {}; one of them may be this one",
                ids.len(),
                ids.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod reconcile_tests {
    use super::*;
    use crate::tests::at;
    use model::ids::ConversationId;
    use model::messages::{DeliveryStatus, Direction, Sender};
    use model::text::SafeText;

    fn message(id: &str, text: &str, seconds: i64) -> Message {
        Message {
            direction: Direction::Outbound,
            sender: Sender::Api,
            content: SafeText::block(text),
            delivery: DeliveryStatus::Sent,
            created_at: Some(at(seconds)),
            ..Message::stand_in(MessageId::from(id), ConversationId::from("c"))
        }
    }

    fn ids(words: &[&str]) -> Vec<MessageId> {
        words.iter().map(|word| MessageId::from(*word)).collect()
    }

    #[test]
    fn only_the_same_words_sent_through_the_interface_can_be_it() {
        let from = |sender: Sender| Message { sender, ..message("x", "Hi\nthere", 5) };
        let cases = [
            ("it", message("x", "Hi\nthere", 5), true),
            ("other line breaks", message("x", "Hi\r\nthere\r\n", 5), true),
            ("just in reach", message("x", "Hi\nthere", -600), true),
            ("too early", message("x", "Hi\nthere", -601), false),
            ("other words", message("x", "Hi there", 5), false),
            ("the AI", from(Sender::Ai), false),
            ("a person elsewhere", from(Sender::Human), false),
            ("the customer", Message { direction: Direction::Inbound, ..from(Sender::Customer) }, false),
            ("no time told", Message { created_at: None, ..message("x", "Hi\nthere", 5) }, true),
            ("unreadable", Message { unreadable: true, ..message("x", "Hi\nthere", 5) }, false),
        ];
        for (name, message, fits) in cases {
            let mut look = HistorySearch::new("Hi\nthere", at(0));
            look.add_page(&[message]);
            assert_eq!(look.matching_ids().len(), usize::from(fits), "{name}");
        }
    }

    #[test]
    fn a_look_ends_where_nothing_older_can_be_it() {
        let mut look = HistorySearch::new("Hi", at(0));
        assert_eq!(
            look.add_page(&[message("b", "Hi", 9), message("a", "no", 5)]),
            HistorySearchStep::Continue
        );
        assert_eq!(
            look.add_page(&[message("z", "Hi", -700), message("y", "Hi", -701)]),
            HistorySearchStep::Finished
        );
        assert_eq!(look.matching_ids().iter().map(MessageId::as_str).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn one_is_it_none_must_be_seen_twice_and_several_are_shown() {
        let none = HistorySearches::default;
        let open = |looks| ReconcileResult::Open(looks);
        let first = HistorySearches { count: 1, absent_at: Some(at(120)), last_at: Some(at(120)), ..none() };
        assert_eq!(reconcile_findings(&none(), ids(&["m"]), at(0), at(1)), ReconcileResult::Sent("m".into()));
        let several = HistorySearches {
            count: 1,
            last_at: Some(at(1)),
            finding: HistoryFinding::Several(ids(&["m", "n"])),
            ..none()
        };
        assert_eq!(reconcile_findings(&none(), ids(&["m", "n"]), at(0), at(1)), open(several));
        let early = HistorySearches { count: 1, last_at: Some(at(119)), ..none() };
        assert_eq!(reconcile_findings(&none(), Vec::new(), at(0), at(119)), open(early), "too soon to count");
        assert_eq!(reconcile_findings(&none(), Vec::new(), at(0), at(120)), open(first.clone()));
        let soon = HistorySearches { count: 2, last_at: Some(at(179)), ..first.clone() };
        assert_eq!(reconcile_findings(&first, Vec::new(), at(0), at(179)), open(soon), "not a minute apart");
        let absent = HistorySearches {
            count: 2,
            last_at: Some(at(180)),
            finding: HistoryFinding::Absent,
            ..first.clone()
        };
        assert_eq!(reconcile_findings(&first, Vec::new(), at(0), at(180)), open(absent));
        let back = HistorySearches { count: 2, last_at: Some(at(119)), absent_at: Some(at(119)), ..none() };
        assert_eq!(
            reconcile_findings(&first, Vec::new(), at(-99), at(119)),
            open(back),
            "the clock was set back"
        );
        assert_eq!(
            reconcile_findings(&first, ids(&["m"]), at(0), at(180)),
            ReconcileResult::Sent("m".into())
        );
    }

    #[test]
    fn searches_are_limited_and_spaced() {
        let looks = |count, last: i64| HistorySearches {
            count,
            last_at: Some(at(last)),
            ..HistorySearches::default()
        };
        let cases = [
            (HistorySearches::default(), Some(0)),
            (looks(1, 1), Some(120)),
            (looks(2, 120), Some(180)),
            (looks(3, 180), Some(240)),
            (looks(4, 240), Some(360)),
            (looks(11, 1000), Some(1000 + 32 * 60)),
            (looks(12, 1000), None),
            (HistorySearches { finding: HistoryFinding::Absent, ..looks(2, 180) }, None),
        ];
        for (searches, next) in cases {
            assert_eq!(next_search_at(&searches, at(0)), next.map(at), "{searches:?}");
        }
    }
}
