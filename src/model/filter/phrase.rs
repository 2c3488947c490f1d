//! Words looked for beside each other or anywhere, the last by its beginning.

use crate::search::{Terms, split_words};

/// Words as typed in a filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// As typed, without its quotes.
    pub text: String,
    /// Whether the words must stand beside each other in this order.
    pub exact: bool,
}

impl Phrase {
    /// What must be found for it, anywhere in the text.
    pub fn terms(&self) -> Terms {
        Terms::parse(&self.text)
    }

    /// Whether there is nothing to look for.
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
