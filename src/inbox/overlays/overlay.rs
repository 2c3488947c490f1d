//! What lies over the screen: one trait, implemented by one type per popup, and
//! the stack they lie on. The topmost has the keyboard.

use std::any::Any;

use crate::Inbox;
use crate::event::Load;
use crate::features::privacy::names::NameIndex;
use crate::keys::KeyPress;
use crate::overlays::view::OverlayView;

/// Rows around a popup: the tabs above it, two lines below it.
pub(crate) const AROUND: u16 = 3;

/// What a key came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOutcome {
    Stay,
    /// It stays open, and the key means nothing in it.
    Ignored,
    /// It closes.
    Done,
}

/// What is pressed or typed into a popup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayInput {
    /// Keys, each of which means something.
    Keys,
    /// Text, whatever the letters; a paste goes into it whole.
    Text,
    /// Text that takes no pastes: letters, of which none does anything else.
    Letters,
    /// The answer to a question, which fast typing must not give.
    Answer,
    /// The same, typed in letters.
    TypedAnswer,
}

/// What in a popup was clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopupTarget {
    /// A row of its list.
    Row(usize),
    /// A key it names.
    Key(KeyPress),
}

/// One popup.
pub trait Overlay: Any + OverlayView {
    /// Takes a key. It is off the stack meanwhile: what it opens lies over it,
    /// or takes its place if it is done.
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome;

    /// Takes pasted text; false if that is nothing to it.
    fn paste(&mut self, _inbox: &mut Inbox, _text: &str) -> bool {
        false
    }

    /// What is pressed or typed into it.
    fn input(&self) -> OverlayInput {
        OverlayInput::Keys
    }

    /// Whether fast typing must not answer it.
    fn is_question(&self) -> bool {
        matches!(self.input(), OverlayInput::Answer | OverlayInput::TypedAnswer)
    }

    /// Whether what is typed into it is text.
    fn takes_text(&self) -> bool {
        !matches!(self.input(), OverlayInput::Keys | OverlayInput::Answer)
    }

    /// True if it is a line at the foot of the screen, whose Enter reaches no customer.
    fn is_line(&self) -> bool {
        false
    }

    /// Whether its keys are steps of a macro. Answers are a person's to give.
    fn is_recorded(&self) -> bool {
        !self.is_question()
    }

    /// Whether plain mode reads it out; a line that is typed is not.
    fn is_read_out(&self) -> bool {
        true
    }

    /// Adds the names of people it shows, which can be hidden.
    fn names(&self, _inbox: &Inbox, _names: &mut NameIndex) {}

    /// Whether it shows what this load brings: a failed one is said in it.
    fn shows(&self, _load: &Load) -> bool {
        false
    }

    /// What it made is on its way to the customer.
    fn has_left(&mut self, _inbox: &mut Inbox) {}

    /// The keys the last line names instead of those of the page.
    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        None
    }
}

/// The popups that are open, topmost last.
#[derive(Debug, Default)]
pub struct OverlayStack(Vec<Box<dyn Overlay>>);

impl OverlayStack {
    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The topmost.
    pub fn last(&self) -> Option<&dyn Overlay> {
        self.0.last().map(Box::as_ref)
    }

    /// All of them, topmost last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &dyn Overlay> {
        self.0.iter().map(Box::as_ref)
    }

    /// The topmost, if it is one of these.
    pub fn top<T: Overlay>(&self) -> Option<&T> {
        let top: &dyn Any = self.0.last()?.as_ref();
        top.downcast_ref()
    }

    /// The topmost, if it is one of these.
    pub(crate) fn top_mut<T: Overlay>(&mut self) -> Option<&mut T> {
        let top: &mut dyn Any = self.0.last_mut()?.as_mut();
        top.downcast_mut()
    }

    /// Each of these, topmost first.
    pub(crate) fn of_mut<T: Overlay>(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().filter_map(|entry| {
            let entry: &mut dyn Any = entry.as_mut();
            entry.downcast_mut()
        })
    }

    /// Each of these, topmost first.
    pub(crate) fn of<T: Overlay>(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev().filter_map(|overlay| {
            let overlay: &dyn Any = overlay.as_ref();
            overlay.downcast_ref()
        })
    }

    pub(crate) fn push(&mut self, overlay: impl Overlay) {
        self.0.push(Box::new(overlay));
    }

    pub(crate) fn pop(&mut self) -> Option<Box<dyn Overlay>> {
        self.0.pop()
    }

    /// Puts one at a place counted from below.
    pub(crate) fn insert(&mut self, depth: usize, overlay: Box<dyn Overlay>) {
        self.0.insert(depth.min(self.0.len()), overlay);
    }

    /// Closes each of these that does not fit.
    pub(crate) fn retain<T: Overlay>(&mut self, fits: impl Fn(&T) -> bool) {
        self.0.retain(|entry| {
            let entry: &dyn Any = entry.as_ref();
            entry.downcast_ref().is_none_or(&fits)
        });
    }
}
