//! Modal editing in the composer: which keys are letters of a mode, and which
//! mean what they always do.

use crate::components::text_buffer::{Sheet, TextEdit};
use crate::context::Context;
use crate::desk::Desk;
use crate::features::vim::{Vim, VimMode};
use crate::keys::{KeyCode, KeyPress};

impl Desk {
    /// A key while text is edited by modes; false for one that means what it
    /// always does.
    pub(crate) fn modal_key(&mut self, key: KeyPress, context: &Context) -> bool {
        let now = context.moment;
        if !context.settings.vim || !self.tab().writes_text() {
            return false;
        }
        let mut vim = std::mem::take(&mut self.vim);
        let is_mail = self.tab().mail_head().is_some();
        let composer = self.tab_mut().composer.as_mut();
        let taken = composer
            .is_some_and(|composer| composer.change(now, |sheet| take(&mut vim, key, is_mail, sheet)));
        self.vim = vim;
        taken
    }

    /// Who leaves the text comes back typing.
    pub(crate) fn rest_modes(&mut self, context: &Context) {
        if self.vim.mode() != VimMode::Insert && !self.is_typing() {
            self.vim.rest();
            let now = context.moment;
            if let Some(composer) = &mut self.tab_mut().composer {
                composer.change(now, |composer| composer.spread(None));
            }
        }
    }
}

fn take(vim: &mut Vim, key: KeyPress, is_mail: bool, sheet: &mut Sheet) -> bool {
    if key.code == KeyCode::Esc {
        return vim.step_back(sheet);
    }
    if vim.mode() == VimMode::Insert {
        return false;
    }
    let letter = match key.code {
        KeyCode::Char('r') if key.ctrl => {
            sheet.edit(TextEdit::Redo);
            return true;
        }
        // A chat's Enter sends, whatever the mode.
        KeyCode::Enter if is_mail => Some('j'),
        KeyCode::Backspace | KeyCode::Left => Some('h'),
        KeyCode::Right => Some('l'),
        KeyCode::Up => Some('k'),
        KeyCode::Down => Some('j'),
        KeyCode::Home => Some('0'),
        KeyCode::End => Some('$'),
        KeyCode::Delete => Some('x'),
        _ => key.typed(),
    };
    match letter {
        Some(letter) => vim.letter(letter, sheet),
        // What acts on the whole text finds nothing spread.
        None if vim.mode() == VimMode::Visual => {
            vim.step_back(sheet);
            return false;
        }
        None => return false,
    }
    true
}
