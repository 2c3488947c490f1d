//! Cursor walks: detection of unusable cursors, and the end of a walk down the conversation list. Pure.

use std::collections::HashSet;

use crate::overlap::OVERLAP_MARGIN;
use model::time::Timestamp;

const MAX_EMPTY_PAGES: u32 = 3;
/// Maximum pages of a list walk.
const MAX_PAGES: u32 = 10_000;
/// Maximum repeats from the top because rows moved up.
const MAX_PASSES: u32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CursorStep {
    /// Read the page at this cursor.
    Next(String),
    End,
    /// The cursors are unusable, with the reason.
    Broken(&'static str),
}

#[derive(Debug)]
pub struct WalkCursors {
    seen: HashSet<String>,
    current: Option<String>,
    pages: u32,
    empty: u32,
    limit: u32,
}

impl WalkCursors {
    /// Starts at the first page, with a maximum of `limit` pages.
    pub fn new(limit: u32) -> Self {
        Self { seen: HashSet::new(), current: None, pages: 0, empty: 0, limit }
    }

    /// Cursor of the next request; `None` for the first page.
    pub fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Processes a page of `rows` rows.
    pub fn follow(&mut self, rows: usize, next: Option<&str>) -> CursorStep {
        self.pages += 1;
        self.empty = if rows == 0 { self.empty + 1 } else { 0 };
        let Some(next) = next else {
            return CursorStep::End;
        };
        if rows == 0 && self.current.as_deref() == Some(next) {
            // Some servers always return a cursor: past the last row it repeats.
            return CursorStep::End;
        }
        if self.empty > MAX_EMPTY_PAGES {
            return CursorStep::Broken("the server returned too many empty pages in a row");
        }
        if self.pages >= self.limit {
            return CursorStep::Broken("the server's list has too many pages");
        }
        if self.current.as_deref() == Some(next) || !self.seen.insert(next.to_owned()) {
            return CursorStep::Broken("the server repeats a page");
        }
        self.current = Some(next.to_owned());
        CursorStep::Next(next.to_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListWalkStep {
    /// Read the page at [`ListWalk::cursor`].
    Next,
    /// Complete, with the newest activity seen.
    Complete(Timestamp),
    /// Rows keep moving or the cursors are unusable: try again later.
    Incomplete,
}

/// Walk down the list, newest activity first, to rows read before. Rows move up meanwhile, so its top is
/// read again.
#[derive(Debug)]
pub struct ListWalk {
    /// Rows older than this were read before.
    boundary: Option<Timestamp>,
    pass: u32,
    /// Newest activity on the first page of this round.
    top: Option<Timestamp>,
    newest: Option<Timestamp>,
    cursors: WalkCursors,
}

impl ListWalk {
    /// Walks from the top to rows older than the last complete walk; without one, reads a single page.
    pub fn since_last(since: Option<Timestamp>) -> Self {
        Self::down_to(since)
    }

    /// Walks from the top to [`OVERLAP_MARGIN`] behind the last complete sweep, to find changes committed late.
    pub fn sweep(since: Timestamp) -> Self {
        Self::down_to(Some(since.plus(-OVERLAP_MARGIN)))
    }

    fn down_to(boundary: Option<Timestamp>) -> Self {
        Self { boundary, pass: 0, top: None, newest: None, cursors: WalkCursors::new(MAX_PAGES) }
    }

    /// Cursor of the next request; `None` for the first page.
    pub fn cursor(&self) -> Option<&str> {
        self.cursors.current()
    }

    /// Processes a page: activity times in the list's order.
    pub fn add_page(&mut self, rows: &[Option<Timestamp>], next: Option<&str>) -> ListWalkStep {
        let first = self.cursors.pages() == 0;
        let newest = rows.iter().flatten().max().copied();
        if first {
            self.top = newest;
        }
        self.newest = self.newest.max(newest);
        let reached = match self.boundary {
            None => true,
            Some(boundary) => rows.iter().flatten().any(|row| *row < boundary),
        };
        let followed = self.cursors.follow(rows.len(), next);
        match followed {
            CursorStep::Next(_) if !reached => ListWalkStep::Next,
            CursorStep::Broken(why) if !reached => {
                tracing::warn!(why, "reading a list was stopped");
                ListWalkStep::Incomplete
            }
            // A single page is consistent: nothing moved during its read.
            _ if first => ListWalkStep::Complete(self.newest.unwrap_or_default()),
            _ => self.restart_at_top(),
        }
    }

    fn restart_at_top(&mut self) -> ListWalkStep {
        self.pass += 1;
        if self.pass > MAX_PASSES {
            return ListWalkStep::Incomplete;
        }
        // The next round ends at the first row that is not newer.
        self.boundary = self.top.map(|top| top.plus(1)).or(self.boundary);
        self.cursors = WalkCursors::new(MAX_PAGES);
        ListWalkStep::Next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;

    fn rows(times: &[i64]) -> Vec<Option<Timestamp>> {
        times.iter().map(|number| Some(at(*number))).collect()
    }

    #[test]
    fn what_follows_a_page() {
        let mut cursors = WalkCursors::new(5);
        assert_eq!(cursors.follow(50, Some("a")), CursorStep::Next("a".into()));
        assert_eq!(cursors.follow(0, Some("b")), CursorStep::Next("b".into()));
        assert!(matches!(cursors.follow(50, Some("a")), CursorStep::Broken(_)), "a cycle");
        let mut cursors = WalkCursors::new(5);
        assert_eq!(cursors.follow(50, None), CursorStep::End);
        let mut cursors = WalkCursors::new(5);
        cursors.follow(50, Some("a"));
        assert_eq!(cursors.follow(0, Some("a")), CursorStep::End, "nothing behind the last row");
        let mut cursors = WalkCursors::new(9);
        for cursor in ["a", "b", "c"] {
            assert!(matches!(cursors.follow(0, Some(cursor)), CursorStep::Next(_)));
        }
        assert!(matches!(cursors.follow(0, Some("d")), CursorStep::Broken(_)), "a fourth empty page");
        let mut cursors = WalkCursors::new(2);
        cursors.follow(1, Some("a"));
        assert!(matches!(cursors.follow(1, Some("b")), CursorStep::Broken(_)), "a third page");
    }

    #[test]
    fn the_first_walk_is_one_page() {
        let mut walk = ListWalk::since_last(None);
        assert_eq!(walk.add_page(&rows(&[9, 5, 1]), Some("a")), ListWalkStep::Complete(at(9)));
        assert_eq!(
            ListWalk::since_last(None).add_page(&[], None),
            ListWalkStep::Complete(Timestamp::default())
        );
    }

    #[test]
    fn a_walk_goes_behind_the_margin() {
        let mut walk = ListWalk::sweep(at(1000));
        assert_eq!(walk.add_page(&rows(&[1500, 1000, 399]), Some("a")), ListWalkStep::Complete(at(1500)));
        let mut walk = ListWalk::sweep(at(1000));
        assert_eq!(
            walk.add_page(&rows(&[1500, 1000, 400]), None),
            ListWalkStep::Complete(at(1500)),
            "the list ended"
        );
        let mut walk = ListWalk::sweep(at(1000));
        assert_eq!(walk.add_page(&rows(&[1500, 1000, 400]), Some("a")), ListWalkStep::Next);
        assert_eq!(walk.cursor(), Some("a"));
        assert_eq!(walk.add_page(&[None, Some(at(100))], Some("b")), ListWalkStep::Next, "the top again");
        assert_eq!(walk.cursor(), None);
        assert_eq!(walk.add_page(&rows(&[1500, 1000]), Some("a")), ListWalkStep::Complete(at(1500)));
    }

    #[test]
    fn a_look_ends_at_what_is_known() {
        let mut walk = ListWalk::since_last(Some(at(1000)));
        assert_eq!(walk.add_page(&rows(&[1500, 1000, 999]), Some("a")), ListWalkStep::Complete(at(1500)));
        let mut walk = ListWalk::since_last(Some(at(1000)));
        assert_eq!(
            walk.add_page(&rows(&[1500, 1000]), Some("a")),
            ListWalkStep::Next,
            "there may be more of that time"
        );
    }

    #[test]
    fn rows_that_moved_up_are_read_and_an_end_is_made() {
        let mut walk = ListWalk::sweep(at(1000));
        let mut top = 1500;
        for round in 0..4 {
            assert_eq!(
                walk.add_page(&rows(&[top + 100, top + 50]), Some("a")),
                ListWalkStep::Next,
                "{round}"
            );
            let last = walk.add_page(&rows(&[top + 20, 100]), Some("b"));
            assert_eq!(
                last,
                if round < 3 { ListWalkStep::Next } else { ListWalkStep::Incomplete },
                "{round}"
            );
            top += 1000;
        }
        let mut walk = ListWalk::sweep(at(0));
        walk.add_page(&rows(&[1500]), Some("a"));
        assert_eq!(walk.add_page(&rows(&[1400]), Some("a")), ListWalkStep::Incomplete);
    }
}
