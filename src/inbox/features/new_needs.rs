//! Conversations that began to need a person while the person looked elsewhere.

use crate::desk::Desk;

#[derive(Debug, Default)]
pub(crate) struct NewNeeds {
    /// Number of conversations when the list was last looked at; `None` before the first key.
    seen: Option<u32>,
}

impl NewNeeds {
    /// Takes over the current number if somebody looks at the list. A lower number is never news.
    pub(crate) fn follow(&mut self, desk: &Desk, is_looking: bool) {
        let current = total(desk);
        self.seen = match self.seen {
            _ if is_looking => Some(current),
            Some(seen) => Some(seen.min(current)),
            None => None,
        };
    }

    pub(crate) fn count(&self, desk: &Desk) -> u32 {
        self.seen.map_or(0, |seen| total(desk).saturating_sub(seen))
    }
}

fn total(desk: &Desk) -> u32 {
    desk.tabs.iter().map(|tab| tab.needs_person_count()).sum()
}
