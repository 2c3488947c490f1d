//! Search within the current conversation; the store searches all stored messages.

pub(crate) mod update;

use model::ids::MessageId;
use model::search::Terms;

const MAX_HITS: u32 = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Find {
    pub text: String,
    /// Parsed from `text`.
    pub terms: Terms,
    /// Messages that match, newest first; `None` until the search has run.
    pub hits: Option<Vec<MessageId>>,
    pub at: usize,
}

impl Find {
    /// Creates a search; `None` if `text` has no term.
    pub fn new(text: &str) -> Option<Self> {
        let terms = Terms::parse(text);
        (!terms.is_empty()).then(|| Self { text: text.to_owned(), terms, hits: None, at: 0 })
    }

    pub fn position_label(&self) -> String {
        match &self.hits {
            None => "looking".to_owned(),
            Some(hits) if hits.is_empty() => "no match in the messages read here".to_owned(),
            Some(hits) => format!("{} of {}", self.at + 1, hits.len()),
        }
    }
}
