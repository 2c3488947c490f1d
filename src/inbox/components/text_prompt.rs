//! One line that is asked for, over the screen.

use std::fmt;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use model::text;

type Submit = Box<dyn FnMut(&mut Inbox, &str) -> Result<(), String>>;
type Below = Box<dyn Fn(&Inbox, &TextLine) -> Vec<DialogLine>>;

/// The line.
pub struct TextPrompt {
    title: &'static str,
    prompt: &'static str,
    text: TextLine,
    below: Below,
    submit: Submit,
    /// Why it was not taken.
    wrong: Option<String>,
}

impl TextPrompt {
    /// A line behind a prompt, with what stands below it, its keys last. Enter gives it on,
    /// and it stays open with the reason where it is not taken.
    pub fn new(
        title: &'static str,
        prompt: &'static str,
        below: impl Fn(&Inbox, &TextLine) -> Vec<DialogLine> + 'static,
        submit: impl FnMut(&mut Inbox, &str) -> Result<(), String> + 'static,
    ) -> Self {
        let (below, submit) = (Box::new(below), Box::new(submit));
        Self { title, prompt, text: TextLine::default(), below, submit, wrong: None }
    }
}

impl fmt::Debug for TextPrompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, text, wrong, .. } = self;
        formatter.debug_tuple("TextPrompt").field(title).field(text).field(wrong).finish()
    }
}

impl Overlay for TextPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Submit => match (self.submit)(inbox, self.text.text().trim()) {
                Ok(()) => return KeyOutcome::Done,
                Err(why) => self.wrong = Some(why).filter(|text| !text.is_empty()),
            },
            FormKey::Moved => (),
            FormKey::Field => {
                self.wrong = None;
                self.text.key(key);
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        self.wrong = None;
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
        lines.extend(self.wrong.iter().map(DialogLine::error));
        lines.extend(keys);
        Dialog::new(self.title, lines)
    }
}
