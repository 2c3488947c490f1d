//! The last answer to a question many ask every few seconds, while nothing
//! was committed since: pollers cost the database nothing in between.
//!
//! An answer is kept with the time until which it does not change by itself.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::database::session::DbSession;
use crate::database::shared_revision;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::state::Service;
use model::time::{Clock, Timestamp};

/// Bytes of answers remembered: those of a thousand desks that look at a list.
const REMEMBERED: usize = 32 * 1024 * 1024;

/// Answers by question.
#[derive(Default)]
pub struct LastAnswers {
    known: Mutex<KnownAnswers>,
}

#[derive(Default)]
struct KnownAnswers {
    by_question: HashMap<String, Known>,
    bytes: usize,
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
        let found =
            known.by_question.get(question).filter(|it| it.commits == commits && it.times.contains(&now));
        found.map(|it| it.answer.clone())
    }

    /// Keeps an answer that was read after so many commits and holds in a
    /// span of time.
    pub fn keep(&self, question: &str, commits: u64, times: Range<Timestamp>, answer: &[u8]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.by_question.remove(question).map_or(0, |it| it.answer.len());
        known.bytes = known.bytes - before + answer.len();
        if known.bytes > REMEMBERED {
            *known = KnownAnswers { bytes: answer.len(), ..KnownAnswers::default() };
        }
        known.by_question.insert(question.to_owned(), Known { commits, times, answer: answer.to_vec() });
    }
}

/// Answers a question of a workspace: with what is known, where it still holds,
/// else with what is read, and the span of time in which that holds. One
/// without a name is asked once and not kept.
pub async fn answer<F>(
    service: &Service,
    workspace: &str,
    question: Option<String>,
    read: F,
) -> Result<Reply, ApiError>
where
    F: FnOnce(&dyn DbSession) -> Result<(Reply, Range<Timestamp>), ApiError> + Send + 'static,
{
    let Some(question) = question else {
        return service.database.read(move |db| Ok(read(db)?.0)).await;
    };
    let (state, now) = (service.clone(), service.clock.now());
    let own = service.database.own_revision();
    if let Some(answer) = own.and_then(|it| state.last_answers.recall(&question, it, now)) {
        return Ok(Reply::of_json(answer));
    }
    let workspace = workspace.to_owned();
    let job = move |db: &dyn DbSession| {
        let commits = match own {
            Some(commits) => commits,
            None => {
                let commits = shared_revision(db, &workspace)?;
                if let Some(answer) = state.last_answers.recall(&question, commits, now) {
                    return Ok(Reply::of_json(answer));
                }
                commits
            }
        };
        let (reply, times) = read(db)?;
        state.last_answers.keep(&question, commits, times, &reply.body);
        Ok(reply)
    };
    service.database.read(job).await
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
        let long = vec![b'b'; REMEMBERED / 2];
        for _ in 0..3 {
            answers.keep("r", 3, at(0)..at(9), &long);
            assert!(answers.recall("q", 3, at(5)).is_some(), "the same again takes no more room");
        }
        answers.keep("s", 3, at(0)..at(9), &long);
        assert_eq!(answers.recall("q", 3, at(5)), None, "it is bounded");
        assert_eq!(answers.recall("s", 3, at(5)).map(|it| it.len()), Some(long.len()));
    }
}
