//! Keeps a question from being answered by keys typed ahead. A question accepts an answer once it
//! has been on screen and the keyboard has been quiet for a moment; earlier keys go back into the
//! text. A key counts at the time it came from the terminal, not when a slow machine gets to it.

pub(crate) mod update;

use crate::keys::{KeyCode, KeyPress};
use model::time::Moment;

/// Quiet time before a new question accepts an answer, in microseconds.
pub const ANSWER_QUIET_TIME: i64 = 150_000;
/// Quiet time after a letter that is no answer: the person is still writing. Microseconds.
const TYPING_QUIET_TIME: i64 = 500_000;
/// Maximum size of the kept text, in bytes.
const MAX_REJECTED_BYTES: usize = 2_000;

/// State of the guard for the newest question.
#[derive(Debug, Default)]
pub(crate) struct PromptGuard {
    /// Time the question was first on screen.
    drawn_at: Option<Moment>,
    last_key: Moment,
    /// Required quiet time, in microseconds.
    required_quiet: i64,
    accepts_answers: bool,
    /// True if answers come as lines, which are never typed ahead.
    reads_lines: bool,
    /// Keys that were not accepted as an answer.
    rejected_text: String,
}

impl PromptGuard {
    /// Raises the guard for a new or changed question.
    pub(crate) fn raise(&mut self) {
        (self.drawn_at, self.required_quiet, self.accepts_answers) = (None, ANSWER_QUIET_TIME, false);
    }

    /// Lowers the guard for a person who answers in lines.
    pub(crate) fn lower(&mut self) {
        (self.accepts_answers, self.reads_lines) = (true, true);
    }

    pub(crate) fn record_frame(&mut self, now: Moment) {
        self.drawn_at.get_or_insert(now);
    }

    /// Raises the guard again after text that is too fast for an answer.
    pub(crate) fn raise_after_burst(&mut self, at: Moment) {
        (self.accepts_answers, self.required_quiet, self.last_key) = (false, TYPING_QUIET_TIME, at);
    }

    pub(crate) fn record_key(&mut self, at: Moment) {
        self.last_key = at;
    }

    /// True if a key that came at a time may answer the question. Esc needs only that the question was on screen.
    fn accepts(&mut self, key: KeyPress, at: Moment) -> bool {
        let Some(drawn_at) = self.drawn_at.filter(|_| !self.accepts_answers) else {
            return self.accepts_answers;
        };
        if key.code == KeyCode::Esc {
            return at.since(drawn_at) >= ANSWER_QUIET_TIME;
        }
        self.accepts_answers = at.since(drawn_at.max(self.last_key)) >= self.required_quiet;
        self.accepts_answers
    }

    fn push_rejected(&mut self, character: char) {
        if self.rejected_text.len() < MAX_REJECTED_BYTES {
            self.rejected_text.push(character);
        }
    }
}
