//! Cache of answers to list requests, valid until the next commit: polling clients cost the database nothing
//! in between.
//!
//! Each answer carries the span of time in which it does not change by itself.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::auth::Caller;
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::state::Service;
use model::time::{Clock, Timestamp};

/// Size of one generation of cached answers, in bytes; two are kept. Together enough for about a thousand
/// desks that poll a list.
const MAX_CACHED_BYTES: usize = 28 * 1024 * 1024;

#[derive(Default)]
pub struct AnswerCache {
    known: Mutex<CacheGenerations>,
}

/// Two generations; the older one is dropped when the newer one is full.
#[derive(Default)]
struct CacheGenerations {
    newer: HashMap<String, CachedAnswer>,
    older: HashMap<String, CachedAnswer>,
    /// Size of `newer`.
    bytes: usize,
}

struct CachedAnswer {
    /// Commit count of the database when the answer was read.
    commits: u64,
    times: Range<Timestamp>,
    answer: Vec<u8>,
}

impl AnswerCache {
    /// Returns the cached answer if nothing was committed since and `now` is in its span.
    pub fn find(&self, question: &str, commits: u64, now: Timestamp) -> Option<Vec<u8>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((question, found)) = known.older.remove_entry(question) {
            known.insert(question, found);
        }
        let found =
            known.newer.get(question).filter(|known| known.commits == commits && known.times.contains(&now));
        found.map(|known| known.answer.clone())
    }

    /// Caches an answer that was read after `commits` commits and holds during `times`.
    pub fn store(&self, question: &str, commits: u64, times: Range<Timestamp>, answer: &[u8]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.older.remove(question);
        known.insert(question.to_owned(), CachedAnswer { commits, times, answer: answer.to_vec() });
    }
}

impl CacheGenerations {
    fn insert(&mut self, question: String, known: CachedAnswer) {
        self.bytes += known.answer.len();
        let before = self.newer.insert(question, known);
        self.bytes -= before.map_or(0, |known| known.answer.len());
        if self.bytes > MAX_CACHED_BYTES {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
    }
}

/// Answers a question from the cache, else by `read`, which returns the answer and the span in which it
/// holds. A question of `None` is not cached.
pub async fn answer_cached<F>(
    service: &Service,
    caller: &Caller,
    question: Option<String>,
    read: F,
) -> Result<Reply, ApiError>
where
    F: FnOnce(&dyn DbSession) -> Result<(Reply, Range<Timestamp>), ApiError> + Send + 'static,
{
    let commits = service.database.own_revision().or(caller.revision.map(i64::unsigned_abs));
    let Some((question, commits)) = question.zip(commits) else {
        return service.database.read(move |db| Ok(read(db)?.0)).await;
    };
    if let Some(answer) = service.last_answers.find(&question, commits, service.clock.now()) {
        return Ok(Reply::from_json(answer));
    }
    let state = service.clone();
    let job = move |db: &dyn DbSession| {
        let (reply, times) = read(db)?;
        state.last_answers.store(&question, commits, times, &reply.body);
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
        let answers = AnswerCache::default();
        assert_eq!(answers.find("q", 3, at(5)), None);
        answers.store("q", 3, at(5)..at(9), b"a");
        let cases = [(3, 5, true), (3, 8, true), (4, 5, false), (2, 5, false), (3, 9, false), (3, 4, false)];
        for (commits, now, holds) in cases {
            assert_eq!(answers.find("q", commits, at(now)).is_some(), holds, "{commits} {now}");
        }
        assert_eq!(answers.find("r", 3, at(5)), None);
        let (long, kept) =
            (vec![b'b'; MAX_CACHED_BYTES / 2], |question| answers.find(question, 3, at(5)).is_some());
        for _ in 0..9 {
            answers.store("r", 3, at(0)..at(9), &long);
        }
        assert!(kept("q") && kept("r"), "the same again takes no more room");
        for question in ["s", "t", "u", "v"] {
            answers.store(question, 3, at(0)..at(9), &long);
            assert!(kept("q"), "what is asked for stays");
        }
        assert!(!kept("r") && kept("v"), "it is bounded");
    }
}
