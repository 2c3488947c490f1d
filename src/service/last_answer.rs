//! The last answer to a question many ask every few seconds, while nothing
//! was committed since: pollers cost the database nothing in between.
//!
//! Whoever keeps an answer says until when the time alone does not change it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use model::time::Timestamp;

/// Questions remembered; more would be other questions than pollers ask.
const REMEMBERED: usize = 64;

/// Answers by question.
#[derive(Default)]
pub struct LastAnswers {
    known: Mutex<HashMap<String, Known>>,
}

/// An answer, and while it holds.
struct Known {
    /// The commits before it was read.
    commits: u64,
    times: Range<Timestamp>,
    answer: Vec<u8>,
}

impl LastAnswers {
    /// The answer, if nothing was committed since and the time does not
    /// change it.
    pub fn recall(&self, question: &str, commits: u64, now: Timestamp) -> Option<Vec<u8>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(question).filter(|it| it.commits == commits && it.times.contains(&now));
        found.map(|it| it.answer.clone())
    }

    /// Keeps an answer that was read after so many commits and holds in a
    /// span of time.
    pub fn keep(&self, question: &str, commits: u64, times: Range<Timestamp>, answer: &[u8]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(question) {
            known.clear();
        }
        known.insert(question.to_owned(), Known { commits, times, answer: answer.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_lasts_until_the_next_commit_or_its_time_is_over() {
        let at = Timestamp::from_micros;
        let answers = LastAnswers::default();
        assert_eq!(answers.recall("q", 3, at(5)), None);
        answers.keep("q", 3, at(5)..at(9), b"a");
        let cases = [(3, 5, true), (3, 8, true), (4, 5, false), (2, 5, false), (3, 9, false), (3, 4, false)];
        for (commits, now, holds) in cases {
            assert_eq!(answers.recall("q", commits, at(now)).is_some(), holds, "{commits} {now}");
        }
        assert_eq!(answers.recall("r", 3, at(5)), None);
        (0..REMEMBERED).for_each(|number| answers.keep(&number.to_string(), 4, at(0)..at(9), b"b"));
        assert_eq!(answers.recall("q", 3, at(5)), None, "it is bounded");
    }
}
