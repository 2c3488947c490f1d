//! The last answer to a question many ask every few seconds, while nothing
//! was committed since: pollers cost the database nothing in between.
//!
//! Knows nothing of what is asked. Only for answers that follow from the
//! database alone, not from the time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Questions remembered; more would be other questions than pollers ask.
const REMEMBERED: usize = 64;

/// Answers by question, each with the number of commits before it was read.
#[derive(Default)]
pub struct LastAnswers {
    known: Mutex<HashMap<String, (u64, Vec<u8>)>>,
}

impl LastAnswers {
    /// The answer, if nothing was committed since.
    pub fn recall(&self, question: &str, commits: u64) -> Option<Vec<u8>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(question).filter(|(at, _)| *at == commits).map(|(_, answer)| answer.clone())
    }

    /// Keeps an answer that was read after so many commits.
    pub fn keep(&self, question: &str, commits: u64, answer: &[u8]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(question) {
            known.clear();
        }
        known.insert(question.to_owned(), (commits, answer.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_lasts_until_the_next_commit() {
        let answers = LastAnswers::default();
        assert_eq!(answers.recall("q", 3), None);
        answers.keep("q", 3, b"a");
        assert_eq!(answers.recall("q", 3), Some(b"a".to_vec()));
        assert_eq!(answers.recall("q", 4), None);
        assert_eq!(answers.recall("r", 3), None);
        (0..REMEMBERED).for_each(|number| answers.keep(&number.to_string(), 4, b"b"));
        assert_eq!(answers.recall("q", 3), None, "it is bounded");
    }
}
