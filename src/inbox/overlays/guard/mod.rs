//! Keeps a question from being answered by keys that were meant for something
//! else. A question takes an answer once it has been on screen and the keyboard
//! has been quiet for a moment; what is typed before goes back into the text.

pub(crate) mod update;

use crate::keys::{KeyCode, KeyPress};
use model::time::Moment;

/// Microseconds without a key before a new question takes an answer.
pub const QUIET: i64 = 150_000;
/// The same once a letter came over a text that is none of the answers:
/// somebody goes on writing.
const WRITING: i64 = 500_000;
/// Characters kept at most.
const MOST: usize = 2_000;

/// What stands between the keyboard and the newest question.
#[derive(Debug, Default)]
pub(crate) struct PromptGuard {
    /// When the question was first on screen.
    drawn_at: Option<Moment>,
    /// When the last key was pressed, whatever it was for.
    last_key: Moment,
    /// How long the keyboard has to be quiet.
    quiet: i64,
    /// Whether the question takes answers by now.
    passed: bool,
    /// Whether answers come in lines, which nobody types ahead of a question.
    by_lines: bool,
    /// What was typed and not taken for an answer.
    kept: String,
}

impl PromptGuard {
    /// A question was opened, or shows something else now.
    pub(crate) fn raise(&mut self) {
        (self.drawn_at, self.quiet, self.passed) = (None, QUIET, false);
    }

    /// A person who answers in lines has heard the question.
    pub(crate) fn heard(&mut self) {
        (self.passed, self.by_lines) = (true, true);
    }

    /// A frame was drawn.
    pub(crate) fn drawn(&mut self, now: Moment) {
        self.drawn_at.get_or_insert(now);
    }

    /// Text came too fast to be an answer: somebody goes on writing, or pasted.
    pub(crate) fn overrun(&mut self, now: Moment) {
        (self.passed, self.quiet, self.last_key) = (false, WRITING, now);
    }

    /// A key was pressed.
    pub(crate) fn pressed(&mut self, now: Moment) {
        self.last_key = now;
    }

    /// Whether a key can be meant for the question. Esc, which answers
    /// nothing, only waits until the question has been seen.
    fn lets(&mut self, key: KeyPress, now: Moment) -> bool {
        let Some(drawn_at) = self.drawn_at.filter(|_| !self.passed) else { return self.passed };
        if key.code == KeyCode::Esc {
            return now.since(drawn_at) >= QUIET;
        }
        self.passed = now.since(drawn_at.max(self.last_key)) >= self.quiet;
        self.passed
    }

    fn push_typed(&mut self, it: char) {
        if self.kept.len() < MOST {
            self.kept.push(it);
        }
    }
}
