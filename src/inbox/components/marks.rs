//! Marked conversations of a list, by id: they stay marked whatever is
//! loaded, filtered or scrolled meanwhile.

use std::collections::BTreeSet;

use model::conversations::ConversationRow;
use model::queries::ConversationKey;

/// Conversations marked at once at most: what one person can answer for.
pub const MOST: u32 = 1_000;

/// The marks of one list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    ids: BTreeSet<ConversationKey>,
    from: Option<ConversationKey>,
    /// What the range holds so far.
    range: BTreeSet<ConversationKey>,
}

impl Marks {
    pub fn of(ids: impl IntoIterator<Item = ConversationKey>) -> Self {
        let ids = ids.into_iter().take(usize::try_from(MOST).unwrap_or(usize::MAX)).collect();
        Self { ids, ..Self::default() }
    }

    /// Whether nothing is marked.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.range.is_empty()
    }

    /// How many are marked.
    pub fn len(&self) -> usize {
        self.ids.union(&self.range).count()
    }

    pub fn contains(&self, id: &ConversationKey) -> bool {
        self.ids.contains(id) || self.range.contains(id)
    }

    pub fn keys(&self) -> Vec<ConversationKey> {
        self.ids.union(&self.range).cloned().collect()
    }

    /// Whether a range is being marked.
    pub fn is_ranging(&self) -> bool {
        self.from.is_some()
    }

    /// Marks one, or takes its mark away. False when there are too many.
    pub fn toggle(&mut self, id: &ConversationKey) -> bool {
        self.end_range();
        if self.ids.remove(id) {
            return true;
        }
        let fits = self.ids.len() < usize::try_from(MOST).unwrap_or(usize::MAX);
        if fits {
            self.ids.insert(id.clone());
        }
        fits
    }

    /// Begins a range at a row, or ends the one begun.
    pub fn toggle_range(&mut self, at: &ConversationKey) {
        if self.from.is_some() {
            return self.end_range();
        }
        self.from = Some(at.clone());
        self.range.insert(at.clone());
    }

    /// The range reaches to this row now. Where its beginning is no longer in
    /// the window, what it held stays.
    pub fn reach(&mut self, rows: &[ConversationRow], to: &ConversationKey) {
        let Some(from) = &self.from else { return };
        let place = |id: &ConversationKey| rows.iter().position(|row| row.has_key(id));
        let most = usize::try_from(MOST).unwrap_or(usize::MAX);

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
        self.from = None;
        let most = usize::try_from(MOST).unwrap_or(usize::MAX);
        for id in std::mem::take(&mut self.range) {
            if self.ids.len() < most {
                self.ids.insert(id);
            }
        }
    }
}
