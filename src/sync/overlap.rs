//! Gaps between two answers of the new-message trigger, and the end of the backfill that closes them.
//! Pure.
//!
//! Compares sets of ids, not a watermark: a message committed late appears below newer ones.

use std::collections::HashSet;

use crate::walk::{CursorStep, WalkCursors};
use model::bounds::MAX_TRIGGER_ITEMS;
use model::ids::MessageId;
use model::messages::Message;
use model::time::{MINUTE, Timestamp};

/// Number of known items, the oldest of the page among them, that proves an overlap.
const MIN_OVERLAP: usize = 10;
/// Consecutive known items that end a backfill.
const MAX_KNOWN_IN_A_ROW: usize = 20;
/// Distance a walk covers behind the last complete reading, in microseconds, to find messages committed
/// late.
pub const OVERLAP_MARGIN: i64 = 10 * MINUTE;

/// True if a page of the trigger leaves no gap: it holds everything, overlaps with earlier answers, or
/// reaches back behind the last complete reading. `unreadable` items count towards the page's length.
pub fn is_joined(
    page: &[Message],
    unreadable: usize,
    earlier: &HashSet<MessageId>,
    complete_until: Timestamp,
) -> bool {
    let Some(oldest) = page.last() else {
        return unreadable < MAX_TRIGGER_ITEMS;
    };
    let known = page.iter().filter(|message| earlier.contains(&message.id)).count();
    page.len() + unreadable < MAX_TRIGGER_ITEMS
        || (known >= MIN_OVERLAP && earlier.contains(&oldest.id))
        || is_behind_margin(oldest.created_at, complete_until)
}

/// True if a time is more than [`OVERLAP_MARGIN`] behind the last complete reading.
pub fn is_behind_margin(time: Option<Timestamp>, complete_until: Timestamp) -> bool {
    time.is_some_and(|time| time < complete_until.plus(-OVERLAP_MARGIN))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackfillStep {
    /// Read the page at this cursor.
    Next(String),
    /// Known messages were reached.
    Complete,
    /// The server's cursors are unusable: try again later.
    Incomplete,
}

/// Walk down all inbound messages.
#[derive(Debug)]
pub struct Backfill {
    complete_until: Timestamp,
    in_a_row: usize,
    cursors: WalkCursors,
}

impl Backfill {
    /// Maximum pages of a backfill.
    pub const MAX_PAGES: u32 = 10_000;

    pub fn new(complete_until: Timestamp) -> Self {
        Self { complete_until, in_a_row: 0, cursors: WalkCursors::new(Self::MAX_PAGES) }
    }

    /// Cursor of the next page; `None` for the first.
    pub fn cursor(&self) -> Option<&str> {
        self.cursors.current()
    }

    /// Processes a page: for each item, true if it was stored before, and its time.
    pub fn add_page(&mut self, page: &[(bool, Option<Timestamp>)], next: Option<&str>) -> BackfillStep {
        for (known, time) in page {
            self.in_a_row = if *known { self.in_a_row + 1 } else { 0 };
            if self.in_a_row >= MAX_KNOWN_IN_A_ROW && is_behind_margin(*time, self.complete_until) {
                return BackfillStep::Complete;
            }
        }
        match self.cursors.follow(page.len(), next) {
            CursorStep::Next(cursor) => BackfillStep::Next(cursor),
            CursorStep::End => BackfillStep::Complete,
            CursorStep::Broken(_) => BackfillStep::Incomplete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;
    use model::ids::ConversationId;
    use model::messages::DeliveryStatus;

    fn message(number: i64) -> Message {
        Message {
            delivery: DeliveryStatus::Sent,
            created_at: Some(at(number)),
            ..Message::stand_in(MessageId::new(number.to_string()), ConversationId::from("c"))
        }
    }

    /// Messages `from` down to `to`, newest first.
    fn page(from: i64, to: i64) -> Vec<Message> {
        (to..=from).rev().map(message).collect()
    }

    fn ids(from: i64, to: i64) -> HashSet<MessageId> {
        page(from, to).into_iter().map(|message| message.id).collect()
    }

    #[test]
    fn when_a_page_joins() {
        let nothing = HashSet::new();
        let without_oldest: HashSet<_> = ids(1050, 1002);
        let cases = [
            ("nothing there", vec![], 0, &nothing, 0, true),
            ("not full", page(1049, 1001), 0, &nothing, 0, true),
            ("full with one unreadable", page(1049, 1001), 1, &nothing, 0, false),
            ("51 new", page(1051, 1002), 0, &ids(1000, 951), 0, false),
            ("50 new", page(1050, 1001), 0, &ids(1000, 951), 0, false),
            ("nine known", page(1041, 992), 0, &ids(1000, 951), 0, false),
            ("ten known", page(1040, 991), 0, &ids(1000, 951), 0, true),
            ("the oldest is not known", page(1050, 1001), 0, &without_oldest, 0, false),
            ("back behind the last complete", page(1050, 1001), 0, &nothing, 1602, true),
            ("within the margin", page(1050, 1001), 0, &nothing, 1601, false),
        ];
        for (name, page, unreadable, earlier, complete, joined) in cases {
            assert_eq!(is_joined(&page, unreadable, earlier, at(complete)), joined, "{name}");
        }
    }

    fn facts(from: i64, to: i64, known: bool) -> Vec<(bool, Option<Timestamp>)> {
        (to..=from).rev().map(|number| (known, Some(at(number)))).collect()
    }

    #[test]
    fn a_backfill_ends_with_twenty_known_behind_the_margin() {
        let next = |text: &str| BackfillStep::Next(text.to_owned());
        let mut walk = Backfill::new(at(1000));
        assert_eq!(walk.cursor(), None);
        // The trigger's own page is known, but too new to prove anything.
        assert_eq!(walk.add_page(&facts(5100, 5001, true), Some("a")), next("a"));
        assert_eq!(walk.add_page(&facts(5000, 4901, false), Some("b")), next("b"));
        assert_eq!(walk.cursor(), Some("b"));
        assert_eq!(walk.add_page(&facts(500, 401, false), Some("c")), next("c"), "old but not known");
        assert_eq!(walk.add_page(&facts(400, 382, true), Some("d")), next("d"), "nineteen in a row");
        assert_eq!(walk.add_page(&facts(381, 300, true), Some("e")), BackfillStep::Complete);
        let mut walk = Backfill::new(at(1000));
        assert_eq!(walk.add_page(&facts(900, 801, false), None), BackfillStep::Complete, "the list ended");
        let undated: Vec<_> = (0..100).map(|_| (true, None)).collect();
        assert_eq!(Backfill::new(at(1000)).add_page(&undated, Some("a")), next("a"));
    }

    #[test]
    fn cursors_that_lead_nowhere_leave_it_incomplete() {
        let mut walk = Backfill::new(at(0));
        walk.add_page(&facts(100, 1, false), Some("a"));
        assert_eq!(walk.add_page(&facts(100, 1, false), Some("a")), BackfillStep::Incomplete);
        let mut walk = Backfill::new(at(0));
        for cursor in ["a", "b", "c"] {
            walk.add_page(&[], Some(cursor));
        }
        assert_eq!(walk.add_page(&[], Some("d")), BackfillStep::Incomplete);
    }
}
