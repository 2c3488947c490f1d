//! Popups: a trait with one implementing type each, and their stack. The topmost has the keyboard.

use std::any::Any;

use crate::Inbox;
use crate::event::Load;
use crate::keys::KeyPress;
use crate::overlays::view::OverlayView;

/// Rows outside a popup: the tabs above, the last line below.
pub(crate) const RESERVED_ROWS: u16 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOutcome {
    Stay,
    /// Stays open; the key has no meaning in the popup.
    Ignored,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayInput {
    Keys,
    /// Text; a paste is inserted as a whole.
    Text,
    /// Single letters as text, without pastes.
    Letters,
    /// Answer to a question by a key; keys typed ahead must not give it.
    Answer,
    /// Answer to a question, typed in letters.
    TypedAnswer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopupTarget {
    Row(usize),
    Key(KeyPress),
}

pub trait Overlay: Any + OverlayView {
    /// Handles a key, off the stack: a popup it opens goes on top, or replaces it on `Done`.
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome;

    /// Inserts pasted text; returns false if the popup takes none.
    fn paste(&mut self, _inbox: &mut Inbox, _text: &str) -> bool {
        false
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Keys
    }

    /// True if keys typed ahead must not answer the popup.
    fn is_question(&self) -> bool {
        matches!(self.input(), OverlayInput::Answer | OverlayInput::TypedAnswer)
    }

    fn accepts_text(&self) -> bool {
        !matches!(self.input(), OverlayInput::Keys | OverlayInput::Answer)
    }

    /// True if it is a line at the foot of the screen, whose Enter reaches no customer.
    fn is_line(&self) -> bool {
        false
    }

    /// True if the popup shows the result of this load, including its failure.
    fn shows_load(&self, _load: &Load) -> bool {
        false
    }

    /// Called when the popup's content is on its way to the customer.
    fn on_sent(&mut self, _inbox: &mut Inbox) {}

    /// Keys for the last line, in place of those of the page.
    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        None
    }
}

/// Open popups, topmost last.
#[derive(Debug, Default)]
pub struct OverlayStack(Vec<Box<dyn Overlay>>);

impl OverlayStack {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn last(&self) -> Option<&dyn Overlay> {
        self.0.last().map(Box::as_ref)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &dyn Overlay> {
        self.0.iter().map(Box::as_ref)
    }

    /// The topmost popup if it has this type.
    pub fn top<T: Overlay>(&self) -> Option<&T> {
        let top: &dyn Any = self.0.last()?.as_ref();
        top.downcast_ref()
    }

    pub(crate) fn top_mut<T: Overlay>(&mut self) -> Option<&mut T> {
        let top: &mut dyn Any = self.0.last_mut()?.as_mut();
        top.downcast_mut()
    }

    /// Open popups of this type, topmost first.
    pub(crate) fn all_of_mut<T: Overlay>(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().filter_map(|entry| {
            let entry: &mut dyn Any = entry.as_mut();
            entry.downcast_mut()
        })
    }

    pub(crate) fn all_of<T: Overlay>(&self) -> impl Iterator<Item = &T> {
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

    /// Inserts a popup at a depth counted from the bottom.
    pub(crate) fn insert(&mut self, depth: usize, overlay: Box<dyn Overlay>) {
        self.0.insert(depth.min(self.0.len()), overlay);
    }

    /// Closes the popups of this type for which `fits` is false.
    pub(crate) fn retain<T: Overlay>(&mut self, fits: impl Fn(&T) -> bool) {
        self.0.retain(|entry| {
            let entry: &dyn Any = entry.as_ref();
            entry.downcast_ref().is_none_or(&fits)
        });
    }
}
