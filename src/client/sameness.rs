//! Answers that say what was said before: a poll whose bytes are those that
//! were applied last is neither parsed nor applied again, so that an idle
//! desk costs next to nothing.
//!
//! Only who applied one whole says so, and whoever changes what answers are
//! merged into makes all be forgotten.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::connect::Client;
use crate::errors::ReadError;
use crate::request::ReadResponse;

/// Questions remembered at most.
const REMEMBERED: usize = 1_000;

/// What stands for an answer's bytes.
type Print = [u8; 32];

/// Of each question, the answer that was applied last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Applied(Arc<Mutex<AnswerHashes>>);

#[derive(Debug, Default)]
struct AnswerHashes {
    hash: RandomState,
    answers: HashMap<u64, Print>,
    /// Grows whenever all is forgotten.
    age: u64,
}

/// Answers that came since one asked to be spared what is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unless {
    age: u64,
    came: Arc<Mutex<Vec<(u64, Print)>>>,
}

impl Applied {
    fn known<R>(&self, look: impl FnOnce(&mut AnswerHashes) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Client {
    /// The same client, which answers [`ReadError::Same`] where the answer is
    /// the one applied last. To be used for one reading.
    #[must_use]
    pub fn unless_same(&self) -> Self {
        let age = self.applied.known(|answer_hashes| answer_hashes.age);
        Self { unless: Some(Unless { age, came: Arc::default() }), ..self.clone() }
    }

    /// The same client, to which every answer is new.
    #[must_use]
    pub fn also_same(&self) -> Self {
        Self { unless: None, ..self.clone() }
    }

    /// What came through [`Client::unless_same`] was applied whole.
    pub fn note_applied(&self) {
        let Some(unless) = &self.unless else { return };
        let came = std::mem::take(&mut *unless.came.lock().unwrap_or_else(PoisonError::into_inner));
        self.applied.known(|answer_hashes| {
            // What was on its way when all was forgotten may be older.
            if answer_hashes.age == unless.age {
                if answer_hashes.answers.len() >= REMEMBERED {
                    answer_hashes.answers.clear();
                }
                answer_hashes.answers.extend(came);
            }
        });
    }

    /// Takes every answer as new.
    pub fn forget_answers(&self) {
        self.applied.known(|answer_hashes| {
            answer_hashes.answers.clear();
            answer_hashes.age += 1;
        });
    }

    /// Stops an answer that is known, where it is not wanted.
    pub(crate) fn look(
        &self,
        path: &str,
        query: &[(&str, &str)],
        answer: ReadResponse,
    ) -> Result<ReadResponse, ReadError> {
        let Some(unless) = &self.unless else { return Ok(answer) };
        let print: Print = Sha256::digest(&answer.body).into();
        let (question, is_known) = self.applied.known(|entry| {
            let question = entry.hash.hash_one((path, query));
            (question, entry.answers.get(&question) == Some(&print))
        });
        if is_known {
            return Err(ReadError::Same);
        }
        unless.came.lock().unwrap_or_else(PoisonError::into_inner).push((question, print));
        Ok(answer)
    }
}
