//! A question with answers. Each answer has a letter of its own; Enter and the key that opened the question
//! answer nothing.

use std::fmt;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;

type AnswerAction = Box<dyn FnOnce(&mut Inbox)>;
type LinesFn = Box<dyn Fn(&Inbox) -> Vec<DialogLine>>;

struct ConfirmAnswer {
    key: char,
    text: String,
    action: AnswerAction,
}

pub struct Confirm {
    title: String,
    lines: LinesFn,
    answers: Vec<ConfirmAnswer>,
    cancel_hint: Option<(&'static str, String)>,
    on_cancel: Option<AnswerAction>,
    /// True for one line per answer.
    stacked: bool,
}

impl Confirm {
    pub fn new(title: impl Into<String>, lines: Vec<DialogLine>) -> Self {
        Self::with_live_lines(title, move |_| lines.clone())
    }

    /// A question whose lines are recomputed at each drawing.
    pub fn with_live_lines(
        title: impl Into<String>,
        words: impl Fn(&Inbox) -> Vec<DialogLine> + 'static,
    ) -> Self {
        let (title, lines) = (title.into(), Box::new(words));
        Self { title, lines, answers: Vec::new(), cancel_hint: None, on_cancel: None, stacked: false }
    }

    /// Adds an answer: letter, text and function. Without text it is not shown.
    pub fn answer(
        mut self,
        key: char,
        words: impl Into<String>,
        act: impl FnOnce(&mut Inbox) + 'static,
    ) -> Self {
        self.answers.push(ConfirmAnswer { key, text: words.into(), action: Box::new(act) });
        self
    }

    /// `n` and Esc change nothing.
    pub fn no(mut self, words: impl Into<String>) -> Self {
        self.cancel_hint = Some(("n", words.into()));
        self
    }

    /// Only Esc leaves without a change.
    pub fn esc(mut self, words: impl Into<String>) -> Self {
        self.cancel_hint = Some(("Esc", words.into()));
        self
    }

    pub fn on_cancel(mut self, act: impl FnOnce(&mut Inbox) + 'static) -> Self {
        self.on_cancel = Some(Box::new(act));
        self
    }

    pub fn one_line_per_answer(mut self) -> Self {
        self.stacked = true;
        self
    }

    fn answer_lines(&self) -> Vec<DialogLine> {
        let shown = self.answers.iter().filter(|answer| !answer.text.is_empty());
        let answers =
            shown.map(|confirm_answer| (confirm_answer.key.to_string(), confirm_answer.text.as_str()));
        let leaving = self.cancel_hint.iter().map(|(key, words)| ((*key).to_owned(), words.as_str()));
        let all: Vec<(String, &str)> = answers.chain(leaving).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|(key, words)| (key.as_str(), *words)).collect();
        all.chunks(if self.stacked { 1 } else { all.len().max(1) }).map(DialogLine::keys).collect()
    }
}

impl fmt::Debug for Confirm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Confirm").field("title", &self.title).finish_non_exhaustive()
    }
}

impl Overlay for Confirm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let answered =
            key.typed().and_then(|character| self.answers.iter().position(|answer| answer.key == character));
        let says_no = key.typed() == Some('n') && self.cancel_hint.as_ref().is_some_and(|pair| pair.0 == "n");
        match answered {
            Some(at) => (self.answers.remove(at).action)(inbox),
            None if says_no || key.code == KeyCode::Esc => {
                if let Some(left) = self.on_cancel.take() {
                    left(inbox);
                }
            }
            None => return KeyOutcome::Ignored,
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }
}

impl OverlayView for Confirm {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let mut lines = (self.lines)(inbox);
        lines.push(DialogLine::blank());
        lines.extend(self.answer_lines());
        Dialog::new(&self.title, lines)
    }
}
