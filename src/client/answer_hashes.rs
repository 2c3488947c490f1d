//! Hashes of the responses applied last, so that an unchanged poll is not parsed and applied again.
//!
//! The caller records a response with [`Client::record_applied`] after applying all of it, and
//! calls [`Client::forget_answers`] after changing the data that responses are merged into.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::connect::Client;
use crate::errors::ReadError;
use crate::request::ReadResponse;

const MAX_QUESTIONS: usize = 1_000;

type AnswerHash = [u8; 32];

/// Hash of the response applied last, by request.
#[derive(Debug, Clone, Default)]
pub(crate) struct AppliedAnswers(Arc<Mutex<AnswerHashes>>);

#[derive(Debug, Default)]
struct AnswerHashes {
    hash: RandomState,
    answers: HashMap<u64, AnswerHash>,
    /// Incremented by every [`Client::forget_answers`].
    age: u64,
}

/// Responses received since [`Client::skipping_unchanged`].
#[derive(Debug, Clone, Default)]
pub(crate) struct UnchangedFilter {
    age: u64,
    received: Arc<Mutex<Vec<(u64, AnswerHash)>>>,
}

impl AppliedAnswers {
    fn with_hashes<R>(&self, look: impl FnOnce(&mut AnswerHashes) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Client {
    /// Returns a client that fails with [`ReadError::Same`] if a response equals the one applied
    /// last. Use each such client for one load.
    #[must_use]
    pub fn skipping_unchanged(&self) -> Self {
        let age = self.applied.with_hashes(|answer_hashes| answer_hashes.age);
        Self { unchanged_filter: Some(UnchangedFilter { age, received: Arc::default() }), ..self.clone() }
    }

    /// Returns a client that never fails with [`ReadError::Same`].
    #[must_use]
    pub fn accepting_unchanged(&self) -> Self {
        Self { unchanged_filter: None, ..self.clone() }
    }

    /// Records the responses of this [`Client::skipping_unchanged`] client as applied.
    pub fn record_applied(&self) {
        let Some(unless) = &self.unchanged_filter else { return };
        let came = std::mem::take(&mut *unless.received.lock().unwrap_or_else(PoisonError::into_inner));
        self.applied.with_hashes(|answer_hashes| {
            // A response requested before `forget_answers` may be stale.
            if answer_hashes.age == unless.age {
                if answer_hashes.answers.len() >= MAX_QUESTIONS {
                    answer_hashes.answers.clear();
                }
                answer_hashes.answers.extend(came);
            }
        });
    }

    /// Drops all recorded hashes, so that the next responses count as new.
    pub fn forget_answers(&self) {
        self.applied.with_hashes(|answer_hashes| {
            answer_hashes.answers.clear();
            answer_hashes.age += 1;
        });
    }

    /// Returns [`ReadError::Same`] for a known response on a [`Client::skipping_unchanged`] client.
    pub(crate) fn stop_known_answer(
        &self,
        path: &str,
        query: &[(&str, &str)],
        answer: ReadResponse,
    ) -> Result<ReadResponse, ReadError> {
        let Some(unless) = &self.unchanged_filter else { return Ok(answer) };
        let print: AnswerHash = Sha256::digest(&answer.body).into();
        let (question, is_known) = self.applied.with_hashes(|entry| {
            let question = entry.hash.hash_one((path, query));
            (question, entry.answers.get(&question) == Some(&print))
        });
        if is_known {
            return Err(ReadError::Same);
        }
        unless.received.lock().unwrap_or_else(PoisonError::into_inner).push((question, print));
        Ok(answer)
    }
}
