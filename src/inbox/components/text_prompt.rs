//! A popup that asks for one line.

use std::fmt;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use model::text;

type SubmitAction = Box<dyn FnMut(&mut Inbox, &str) -> Result<(), String>>;
type LinesBelow = Box<dyn Fn(&Inbox, &TextLine) -> Vec<DialogLine>>;

pub struct TextPrompt {
    title: &'static str,
    prompt: &'static str,
    text: TextLine,
    below: LinesBelow,
    submit: SubmitAction,
    error: Option<String>,
}

impl TextPrompt {
    /// Enter submits; a rejected line stays open with the reason.
    pub fn new(
        title: &'static str,
        prompt: &'static str,
        below: impl Fn(&Inbox, &TextLine) -> Vec<DialogLine> + 'static,
        submit: impl FnMut(&mut Inbox, &str) -> Result<(), String> + 'static,
    ) -> Self {
        let (below, submit) = (Box::new(below), Box::new(submit));
        Self { title, prompt, text: TextLine::default(), below, submit, error: None }
    }
}

impl fmt::Debug for TextPrompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, text, error: wrong, .. } = self;
        formatter.debug_tuple("TextPrompt").field(title).field(text).field(wrong).finish()
    }
}

impl Overlay for TextPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Submit => match (self.submit)(inbox, self.text.text().trim()) {
                Ok(()) => return KeyOutcome::Done,
                Err(why) => self.error = Some(why).filter(|text| !text.is_empty()),
            },
            FormKey::FocusMoved => (),
            FormKey::FieldInput => {
                self.error = None;
                self.text.key(key);
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        self.error = None;
        self.text.insert(text::clean_pasted(outside).trim());
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for TextPrompt {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let mut lines = vec![DialogLine::prompt(self.prompt, &self.text)];
        lines.extend((self.below)(inbox, &self.text));
        let keys = lines.pop();
        lines.extend(self.error.iter().map(DialogLine::error));
        lines.extend(keys);
        Dialog::new(self.title, lines)
    }
}
