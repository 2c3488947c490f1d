//! Keeps a question from being answered by keys that were meant for something
//! else. A question takes an answer once it has been on screen and the keyboard
//! has been quiet for a moment; what is typed before goes back into the text.

use crate::Inbox;
use crate::keys::{KeyCode, KeyPress};
use crate::wrap;
use model::time::Timestamp;

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
    drawn_at: Option<Timestamp>,
    /// When the last key was pressed, whatever it was for.
    last_key: Timestamp,
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

    /// Whoever answers in lines has heard the question.
    fn heard(&mut self) {
        (self.passed, self.by_lines) = (true, true);
    }

    /// A frame was drawn.
    pub(crate) fn drawn(&mut self, now: Timestamp) {
        self.drawn_at.get_or_insert(now);
    }

    /// A key was pressed.
    pub(crate) fn pressed(&mut self, now: Timestamp) {
        self.last_key = now;
    }

    /// Whether a key can be meant for the question. Esc, which answers
    /// nothing, only waits until the question has been seen.
    fn lets(&mut self, key: KeyPress, now: Timestamp) -> bool {
        let Some(drawn_at) = self.drawn_at.filter(|_| !self.passed) else { return self.passed };
        if key.code == KeyCode::Esc {
            return now.since(drawn_at) >= QUIET;
        }
        self.passed = now.since(drawn_at.max(self.last_key)) >= self.quiet;
        self.passed
    }

    fn keep(&mut self, it: char) {
        if self.kept.len() < MOST {
            self.kept.push(it);
        }
    }
}

impl Inbox {
    /// Whoever answers in lines has heard the question: the guard against
    /// typing ahead is over.
    pub fn question_was_heard(&mut self) {
        self.guard.heard();
    }

    /// Whether a key goes to the question on top; one that came too early does
    /// not, which is said.
    pub(crate) fn guard_lets(&mut self, key: KeyPress) -> bool {
        if self.guard.lets(key, self.context.now) {
            return true;
        }
        match key.typed() {
            Some(it) => {
                self.guard.keep(it);
                self.warn_of_kept();
            }
            None if key.code == KeyCode::Esc => (),
            None => self.warn(format!("{key} came too early to be an answer: press it again")),
        }
        false
    }

    /// A question got a letter that is none of its answers. Over a text that
    /// letter was meant for the text, and so are those that follow.
    pub(crate) fn went_astray(&mut self, key: KeyPress) {
        let Some(it) = key.typed().filter(|_| self.is_typing() && !self.guard.by_lines) else { return };
        (self.guard.passed, self.guard.quiet) = (false, WRITING);
        self.guard.keep(it);
        self.warn_of_kept();
    }

    fn warn_of_kept(&mut self) {
        let kept = wrap::cut(&self.guard.kept, 40);
        let goes = if self.keeps_typed() { "; it stays in the text" } else { "" };
        self.warn(format!("\"{kept}\" was typed too early to be an answer{goes}: stop typing, then answer"));
    }

    /// Whether what was kept is more than a slip, and there is a text for it.
    fn keeps_typed(&self) -> bool {
        self.guard.kept.chars().count() > 1 && self.is_typing()
    }

    /// Once no question is open, what was typed over one goes into the text it
    /// was meant for.
    pub(crate) fn give_typed_back(&mut self) {
        if self.guard.kept.is_empty() || !self.layers.is_empty() {
            return;
        }
        let keeps = self.keeps_typed();
        let kept = std::mem::take(&mut self.guard.kept);
        let now = self.context.now;
        if let Some(composer) = self.tab_mut().composer.as_mut().filter(|_| keeps) {
            composer.paste(&kept, now);
            self.say(format!(
                "kept in the text: \"{}\", typed while the question opened",
                wrap::cut(&kept, 40)
            ));
        }
    }
}
