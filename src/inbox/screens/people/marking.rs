//! Marks on the page of people: some by their numbers, or all that a search
//! fits, also those that were not read yet.

use std::collections::BTreeSet;

use crate::Inbox;

/// People marked one by one at most.
const MOST: usize = 10_000;

/// Who is marked.
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
    pub fn words(&self) -> Option<String> {
        match self {
            Self::These(phones) if phones.is_empty() => None,
            Self::These(phones) => Some(format!("{} marked", phones.len())),
            Self::All(search) if search.is_empty() => Some("all marked".to_owned()),
            Self::All(_) => Some("all that fit are marked".to_owned()),
        }
    }
}

impl Inbox {
    /// Marks the chosen person, or takes the mark away, and goes down.
    pub(crate) fn mark_person(&mut self) {
        let people = &mut self.people;
        let Some(phone) = people.rows.chosen().map(|it| it.phone.clone()) else { return };
        let mut phones = match std::mem::take(&mut people.marked) {
            Marked::These(phones) => phones,
            // Unmarking one of "all" keeps the loaded rows marked.
            Marked::All(_) => people.rows.rows.iter().map(|it| it.phone.clone()).collect(),
        };
        if !phones.remove(&phone) && phones.len() < MOST {
            phones.insert(phone);
        }
        people.marked = Marked::These(phones);
        people.rows.step(1);
    }
}
