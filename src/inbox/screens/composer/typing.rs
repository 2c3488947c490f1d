//! Keys and pastes in the composer: what each does to the current text.

use crate::Inbox;
use crate::command::{Command, CommandScope};
use crate::components::text_buffer::TextEdit;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::KeyPress;
use crate::screens::composer::{Composer, ComposerMode};

/// A key was pressed while the composer has the keyboard.
pub(crate) fn composer_key(inbox: &mut Inbox, key: KeyPress) {
    if inbox.desk.mail_key(key, &mut inbox.context) {
        return;
    }
    match inbox.context.settings.keymap.resolve(&[CommandScope::Composer], &[key]) {
        Resolution::Matched(command) => inbox.call(command, key),
        Resolution::Pending | Resolution::Unknown => {
            inbox.features.macros.recorded(RecordedStep::Key(key), &mut inbox.context);
            if !inbox.desk.opens_replies(key, &mut inbox.context) {
                inbox.desk.typed(key, &mut inbox.context);
            }
        }
    }
}

impl Desk {
    pub(crate) fn edit_text(&mut self, edit: TextEdit, context: &Context) {
        let now = context.moment;
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.edit(edit, now);
            if matches!(edit, TextEdit::Undo | TextEdit::Redo) {
                let text = composer.sheet().text();
                composer.change_head(now, |composer| composer.follow_quote(&text));
            }
        }
    }

    /// What the composer writes.
    pub(crate) fn composer_mode(&self) -> ComposerMode {
        self.tab().composer.as_ref().map_or(ComposerMode::Reply, |composer| composer.mode)
    }

    /// A key that is no command: text, or a cursor key.
    fn typed(&mut self, key: KeyPress, context: &mut Context) {
        let now = context.moment;
        if self.fills_field(key, context) {
            return;
        }
        let known = self.tab_mut().composer.as_mut().is_some_and(|composer| composer.key(key, now));
        if !known {
            context.warn(format!(
                "{key} is not a key here; {} shows the keys",
                context.key_of(Command::HelpInText)
            ));
        }
    }

    /// Where there is nothing to delete, what is attached goes, then the
    /// quote.
    pub(crate) fn drop_quote(&mut self, key: KeyPress, context: &mut Context) {
        let now = context.moment;
        let quotes =
            |composer: &&mut Composer| composer.mode == ComposerMode::Reply && composer.sheet().is_empty();
        match self.tab_mut().composer.as_mut().filter(quotes) {
            Some(composer) if composer.attachment.is_some() => composer.attach(None, now),
            Some(composer) if composer.reply_to.is_some() => composer.reply_to = None,
            _ => self.typed(key, context),
        }
    }
}
