//! Marks on the page of people: some by their numbers, or all that a search
//! fits, also those that were not read yet.

use crate::screens::people::People;
use std::collections::BTreeSet;

/// People marked one by one at most.
const MOST: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marked {
    /// The people with these numbers.
    These(BTreeSet<String>),
    /// All that this search fits.
    All(String),
}

impl Default for Marked {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Marked {
    /// Whether a person who fits what is looked for now is marked.
    pub fn contains(&self, phone: &str) -> bool {
        match self {
            Self::These(phones) => phones.contains(phone),
            Self::All(_) => true,
        }
    }

    /// How many, in words; `None` for nobody.
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::These(phones) if phones.is_empty() => None,
            Self::These(phones) => Some(format!("{} marked", phones.len())),
            Self::All(search) if search.is_empty() => Some("all marked".to_owned()),
            Self::All(_) => Some("all that fit are marked".to_owned()),
        }
    }
}

impl People {
    /// Marks the chosen person, or takes the mark away, and goes down.
    pub(crate) fn mark_person(&mut self) {
        let Some(phone) = self.rows.chosen().map(|chosen| chosen.phone.clone()) else { return };
        let mut phones = match std::mem::take(&mut self.marked) {
            Marked::These(phones) => phones,
            // Unmarking one of "all" keeps the loaded rows marked.
            Marked::All(_) => self.rows.rows.iter().map(|row| row.phone.clone()).collect(),
        };
        if !phones.remove(&phone) && phones.len() < MOST {
            phones.insert(phone);
        }
        self.marked = Marked::These(phones);
        self.rows.step(1);
    }
}
