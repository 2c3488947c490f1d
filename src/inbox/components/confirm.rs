//! A question over the screen: what is asked, its answers, and what each does.
//! It is answered by a letter of its own, never by Enter and never by the key
//! that opened it.

use std::fmt;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine};
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;

type Act = Box<dyn FnOnce(&mut Inbox)>;
type Words = Box<dyn Fn(&Inbox) -> Vec<DialogLine>>;
type Named = Box<dyn Fn(&mut NameIndex)>;

struct ConfirmAnswer {
    key: char,
    words: String,
    act: Act,
}

/// The question.
pub struct Confirm {
    title: String,
    words: Words,
    answers: Vec<ConfirmAnswer>,
    /// How leaving it is named: its key and its words.
    leaving: Option<(&'static str, String)>,
    left: Option<Act>,
    /// Whether each answer has a line of its own.
    stacked: bool,
    names: Option<Named>,
}

impl Confirm {
    /// A question that says these lines.
    pub fn new(title: impl Into<String>, lines: Vec<DialogLine>) -> Self {
        Self::live(title, move |_| lines.clone())
    }

    /// A question whose lines change as it stands.
    pub fn live(title: impl Into<String>, words: impl Fn(&Inbox) -> Vec<DialogLine> + 'static) -> Self {
        let (title, words) = (title.into(), Box::new(words));
        let (answers, names) = (Vec::new(), None);
        Self { title, words, answers, leaving: None, left: None, stacked: false, names }
    }

    /// An answer: its letter, what is said of it, and what it does. Without
    /// words it is not shown.
    pub fn answer(
        mut self,
        key: char,
        words: impl Into<String>,
        act: impl FnOnce(&mut Inbox) + 'static,
    ) -> Self {
        self.answers.push(ConfirmAnswer { key, words: words.into(), act: Box::new(act) });
        self
    }

    /// `n` and Esc leave all as it is.
    pub fn no(mut self, words: impl Into<String>) -> Self {
        self.leaving = Some(("n", words.into()));
        self
    }

    /// Only Esc leaves all as it is.
    pub fn esc(mut self, words: impl Into<String>) -> Self {
        self.leaving = Some(("Esc", words.into()));
        self
    }

    /// What leaving it does.
    pub fn left(mut self, act: impl FnOnce(&mut Inbox) + 'static) -> Self {
        self.left = Some(Box::new(act));
        self
    }

    /// Each answer on a line of its own.
    pub fn stacked(mut self) -> Self {
        self.stacked = true;
        self
    }

    /// The people it names.
    pub fn naming(mut self, names: impl Fn(&mut NameIndex) + 'static) -> Self {
        self.names = Some(Box::new(names));
        self
    }

    fn keys(&self) -> Vec<DialogLine> {
        let shown = self.answers.iter().filter(|answer| !answer.words.is_empty());
        let answers =
            shown.map(|confirm_answer| (confirm_answer.key.to_string(), confirm_answer.words.as_str()));
        let leaving = self.leaving.iter().map(|(key, words)| ((*key).to_owned(), words.as_str()));
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
        let says_no = key.typed() == Some('n') && self.leaving.as_ref().is_some_and(|pair| pair.0 == "n");
        match answered {
            Some(at) => (self.answers.remove(at).act)(inbox),
            None if says_no || key.code == KeyCode::Esc => {
                if let Some(left) = self.left.take() {
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

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        self.names.iter().for_each(|name| name(names));
    }
}

impl OverlayView for Confirm {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let mut lines = (self.words)(inbox);
        lines.push(DialogLine::gap());
        lines.extend(self.keys());
        Dialog::new(&self.title, lines)
    }
}
