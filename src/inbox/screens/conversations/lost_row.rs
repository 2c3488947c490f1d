//! Where the cursor of a list goes as rows come and go: a neighbour takes the
//! place of a row that leaves, until that row is brought back.

use crate::screens::conversations::ConversationList;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::queries::{Anchor, ConversationKey};
use model::time::{Moment, SECOND};

/// How long keys that change something wait for a row that undo brings back.
const RETURN: i64 = SECOND;

/// A row that left the list while it was selected. It is forgotten once a key
/// moves the cursor or acts on another row.
#[derive(Debug)]
pub(super) struct LostRow {
    key: ConversationKey,
    /// Whether its history is the open one.
    is_read: bool,
    /// When what made it leave was taken back.
    undone_at: Option<Moment>,
}

impl ConversationList {
    /// Something done to a conversation is taken back: if that brings back the
    /// lost row, it is selected again.
    pub(crate) fn expect_back(&mut self, conversation: &ConversationId, now: Moment) {
        if let Some(lost) = self.lost.as_mut().filter(|lost| lost.key.conversation == *conversation) {
            lost.undone_at = Some(now);
        }
    }

    /// This conversation is the one that is read.
    pub(crate) fn read_on(&mut self, open: Option<&ConversationKey>) {
        if let Some(lost) = &mut self.lost {
            lost.is_read = open == Some(&lost.key);
        }
    }

    /// Whether the selected row is about to give way to one that returns.
    pub(super) fn awaits_return(&self, now: Moment) -> bool {
        let undone_at = self.lost.as_ref().and_then(|lost| lost.undone_at);
        undone_at.is_some_and(|undone| now.since(undone) < RETURN)
    }

    /// Selects the lost row again, if it is back.
    pub(super) fn select_returned(&mut self, now: Moment) {
        let returned = |lost_row: &mut LostRow| {
            (lost_row.is_read || lost_row.undone_at.is_some())
                && self.page.rows.iter().any(|row| row.has_key(&lost_row.key))
        };
        if let Some(lost) = self.lost.take_if(returned) {
            self.moved_at = if lost.is_read { Some(now) } else { None };
            self.selected = Some(lost.key);
        }
    }

    /// The cursor rests on the first row, whichever that is now.
    pub(super) fn follow_top(&mut self, visible: usize, now: Moment) -> bool {
        let first = self.page.rows.first().map(ConversationRow::key);
        if first.is_some() && first != self.selected {
            self.moved_at = Some(now);
        }
        (self.selected, self.first) = (first, 0);
        self.reveal(visible);
        true
    }

    /// Notes what stands above the cursor and did not before.
    pub(super) fn note_arrivals(&mut self, before: &[ConversationKey]) {
        let now: Vec<ConversationKey> =
            self.page.rows.iter().take(self.index().unwrap_or(0)).map(ConversationRow::key).collect();
        self.arrived.retain(|conversation_key| now.contains(conversation_key));
        let new = now.into_iter().filter(|conversation_key| {
            !before.contains(conversation_key) && !self.arrived.contains(conversation_key)
        });
        let new: Vec<ConversationKey> = new.collect();
        self.arrived.extend(new);
    }

    /// The selected row has left the list: its neighbour takes its place.
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
            self.lost.get_or_insert(LostRow { key, is_read: false, undone_at: None });
        }
    }
}
