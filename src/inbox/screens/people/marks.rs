//! Marks on the people page: single people by number, or all that match a search, loaded or not.

use crate::screens::people::People;
use std::collections::BTreeSet;

/// Maximum number of single marks.
const MAX_MARKS: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkedPeople {
    Phones(BTreeSet<String>),
    All(String),
}

impl Default for MarkedPeople {
    fn default() -> Self {
        Self::Phones(BTreeSet::new())
    }
}

impl MarkedPeople {
    /// True if a person in the current list is marked.
    pub fn contains(&self, phone: &str) -> bool {
        match self {
            Self::Phones(phones) => phones.contains(phone),
            Self::All(_) => true,
        }
    }

    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Phones(phones) if phones.is_empty() => None,
            Self::Phones(phones) => Some(format!("{} marked", phones.len())),
            Self::All(search) if search.is_empty() => Some("all marked".to_owned()),
            Self::All(_) => Some("all matches marked".to_owned()),
        }
    }
}

impl People {
    /// Toggles the mark of the selected person and moves down.
    pub(crate) fn mark_person(&mut self) {
        let Some(phone) = self.rows.chosen().map(|chosen| chosen.phone.clone()) else { return };
        let mut phones = match std::mem::take(&mut self.marked) {
            MarkedPeople::Phones(phones) => phones,
            // Unmarking one of "all" keeps the loaded rows marked.
            MarkedPeople::All(_) => self.rows.rows.iter().map(|row| row.phone.clone()).collect(),
        };
        if !phones.remove(&phone) && phones.len() < MAX_MARKS {
            phones.insert(phone);
        }
        self.marked = MarkedPeople::Phones(phones);
        self.rows.step(1);
    }
}
