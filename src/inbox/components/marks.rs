//! Marked conversations of a list, by id: marks survive loading, filtering and scrolling.

use std::collections::BTreeSet;

use model::conversations::ConversationRow;
use model::queries::ConversationKey;

/// Maximum number of marks: as many as one person can review.
pub const MAX_MARKS: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    ids: BTreeSet<ConversationKey>,
    range_start: Option<ConversationKey>,
    range: BTreeSet<ConversationKey>,
}

impl Marks {
    pub fn of(ids: impl IntoIterator<Item = ConversationKey>) -> Self {
        let ids = ids.into_iter().take(usize::try_from(MAX_MARKS).unwrap_or(usize::MAX)).collect();
        Self { ids, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.range.is_empty()
    }

    pub fn len(&self) -> usize {
        self.ids.union(&self.range).count()
    }

    pub fn contains(&self, id: &ConversationKey) -> bool {
        self.ids.contains(id) || self.range.contains(id)
    }

    pub fn keys(&self) -> Vec<ConversationKey> {
        self.ids.union(&self.range).cloned().collect()
    }

    pub fn has_range(&self) -> bool {
        self.range_start.is_some()
    }

    /// Toggles a mark. Returns false if there are too many marks.
    pub fn toggle(&mut self, id: &ConversationKey) -> bool {
        self.end_range();
        if self.ids.remove(id) {
            return true;
        }
        let fits = self.ids.len() < usize::try_from(MAX_MARKS).unwrap_or(usize::MAX);
        if fits {
            self.ids.insert(id.clone());
        }
        fits
    }

    /// Begins a range at a row, or ends it.
    pub fn toggle_range(&mut self, at: &ConversationKey) {
        if self.range_start.is_some() {
            return self.end_range();
        }
        self.range_start = Some(at.clone());
        self.range.insert(at.clone());
    }

    /// Extends the range to a row. If its start is no longer loaded, its content stays.
    pub fn extend_range(&mut self, rows: &[ConversationRow], to: &ConversationKey) {
        let Some(from) = &self.range_start else { return };
        let place = |id: &ConversationKey| rows.iter().position(|row| row.has_key(id));
        let most = usize::try_from(MAX_MARKS).unwrap_or(usize::MAX);

        match (place(from), place(to)) {
            (Some(from), Some(to)) => {
                let (first, last) = (from.min(to), from.max(to));
                self.range = rows[first..=last].iter().take(most).map(ConversationRow::key).collect();
            }
            (None, Some(_)) if self.range.len() < most => {
                self.range.insert(to.clone());
            }
            _ => (),
        }
    }

    fn end_range(&mut self) {
        self.range_start = None;
        let most = usize::try_from(MAX_MARKS).unwrap_or(usize::MAX);
        for id in std::mem::take(&mut self.range) {
            if self.ids.len() < most {
                self.ids.insert(id);
            }
        }
    }
}
