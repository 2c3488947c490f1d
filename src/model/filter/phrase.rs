//! Search words of a filter; the last one matches as a prefix.

use crate::search::{Terms, split_words};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// Without quotes.
    pub text: String,
    /// True if the words must be adjacent and in order.
    pub exact: bool,
}

impl Phrase {
    pub fn terms(&self) -> Terms {
        Terms::parse(&self.text)
    }

    pub fn is_empty(&self) -> bool {
        self.terms().is_empty()
    }

    pub fn is_in(&self, text: &str) -> bool {
        if !self.exact {
            return self.terms().find(text).is_some();
        }
        let wanted: Vec<String> =
            split_words(&self.text).into_iter().map(|text_word| text_word.folded).collect();
        let found: Vec<String> = split_words(text).into_iter().map(|text_word| text_word.folded).collect();
        let Some((last, before)) = wanted.split_last() else { return true };
        found.windows(wanted.len()).any(|window| {
            let (end, start) = window.split_last().unwrap_or((last, before));
            start == before && end.starts_with(last.as_str())
        })
    }
}
