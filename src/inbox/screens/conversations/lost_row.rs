//! Selection of a list while rows come and go: a neighbour replaces a row that leaves, until that
//! row returns.

use crate::screens::conversations::ConversationList;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::queries::{Anchor, ConversationKey};
use model::time::{Moment, SECOND};

/// Time during which changing keys are refused while undo brings a row back, in microseconds.
const RETURN_GUARD_DURATION: i64 = SECOND;

/// A row that left the list while selected; forgotten once a key acts on another row.
#[derive(Debug)]
pub(super) struct LostRow {
    key: ConversationKey,
    /// Time of the undo that should bring it back.
    undone_at: Option<Moment>,
}

impl ConversationList {
    /// Records an undo; if it brings the lost row back, the row is selected again.
    pub(crate) fn expect_return(&mut self, conversation: &ConversationId, now: Moment) {
        if let Some(lost) = self.lost_row.as_mut().filter(|lost| lost.key.conversation == *conversation) {
            lost.undone_at = Some(now);
        }
    }

    /// True shortly after an undo that should bring the lost row back.
    pub(super) fn awaits_return(&self, now: Moment) -> bool {
        let undone_at = self.lost_row.as_ref().and_then(|lost| lost.undone_at);
        undone_at.is_some_and(|undone| now.since(undone) < RETURN_GUARD_DURATION)
    }

    pub(super) fn select_returned(&mut self) {
        let returned = |lost_row: &mut LostRow| {
            lost_row.undone_at.is_some() && self.page.rows.iter().any(|row| row.has_key(&lost_row.key))
        };
        if let Some(lost) = self.lost_row.take_if(returned) {
            (self.moved_at, self.unlisted_at) = (None, None);
            self.selected = Some(lost.key);
        }
    }

    /// Selects the first row; used while the cursor follows the top.
    pub(super) fn follow_top(&mut self, visible: usize, now: Moment) -> bool {
        let first = self.page.rows.first().map(ConversationRow::key);
        if first.is_some() && first != self.selected {
            self.moved_at = Some(now);
        }
        (self.selected, self.first) = (first, 0);
        self.reveal(visible);
        true
    }

    /// Records the rows that are new above the cursor.
    pub(super) fn record_arrivals(&mut self, before: &[ConversationKey]) {
        let now: Vec<ConversationKey> =
            self.page.rows.iter().take(self.index().unwrap_or(0)).map(ConversationRow::key).collect();
        self.arrived.retain(|conversation_key| now.contains(conversation_key));
        let new = now.into_iter().filter(|conversation_key| {
            !before.contains(conversation_key) && !self.arrived.contains(conversation_key)
        });
        let new: Vec<ConversationKey> = new.collect();
        self.arrived.extend(new);
    }

    /// Selects a neighbour of the selected row, which left the list.
    pub(super) fn select_near(&mut self, old_index: Option<usize>, now: Moment) {
        let last = self.page.rows.len().checked_sub(1);
        let gone = self.selected.take().filter(|_| old_index.is_some());
        let index = match (&self.wanted.anchor, last) {
            (Anchor::Bottom, Some(last)) => Some(last),
            (_, Some(last)) => Some(old_index.unwrap_or(0).min(last)),
            (_, None) => None,
        };
        self.selected = index.map(|index| self.page.rows[index].key());
        if let Some(key) = gone {
            self.moved_at = Some(now);
            self.lost_row.get_or_insert(LostRow { key, undone_at: None });
        }
    }
}
