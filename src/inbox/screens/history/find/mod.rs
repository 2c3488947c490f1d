//! Looking for words within the current conversation: what is typed after `/`
//! in the history, the hits, and walking them.
//!
//! The store looks in all it has.

pub(crate) mod update;

use model::ids::MessageId;
use model::search::Terms;

/// Hits walked at most.
const FOUND: u32 = 1_000;

/// What is looked for in a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Find {
    /// As typed.
    pub text: String,
    /// The same, cut into what must be found.
    pub terms: Terms,
    /// Messages in which it was found, newest first; `None` until it was
    /// looked for.
    pub hits: Option<Vec<MessageId>>,
    pub at: usize,
}

impl Find {
    /// Something to look for, if there is a word in it.
    pub fn new(text: &str) -> Option<Self> {
        let terms = Terms::parse(text);
        (!terms.is_empty()).then(|| Self { text: text.to_owned(), terms, hits: None, at: 0 })
    }

    /// Which of how many, in words.
    pub fn place(&self) -> String {
        match &self.hits {
            None => "looking".to_owned(),
            Some(hits) if hits.is_empty() => "not found in what was read of this conversation".to_owned(),
            Some(hits) => format!("{} of {}", self.at + 1, hits.len()),
        }
    }
}
