use crate::Inbox;
use crate::command::{Command, CommandScope};
use crate::components::text_buffer::TextEdit;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::macros::steps::MacroStep;
use crate::keymap::Resolution;
use crate::keys::KeyPress;
use crate::screens::composer::{Composer, ComposerMode};

pub(crate) fn handle_composer_key(inbox: &mut Inbox, key: KeyPress) {
    if inbox.desk.handle_mail_key(key, &mut inbox.context) {
        return;
    }
    match inbox.context.settings.keymap.resolve(&[CommandScope::Composer], &[key]) {
        Resolution::Matched(command) => inbox.run_command(command, key),
        Resolution::Pending | Resolution::Unknown => {
            inbox.features.macros.record(MacroStep::Key(key));
            if !inbox.desk.open_replies_on_key(key, &mut inbox.context) {
                inbox.desk.handle_typed_key(key, &mut inbox.context);
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
                let text = composer.buffer().text();
                composer.edit_header(now, |composer| composer.sync_quote(&text));
            }
        }
    }

    pub(crate) fn composer_mode(&self) -> ComposerMode {
        self.tab().composer.as_ref().map_or(ComposerMode::Reply, |composer| composer.mode)
    }

    fn handle_typed_key(&mut self, key: KeyPress, context: &mut Context) {
        let now = context.moment;
        if self.fill_field(key, context) {
            return;
        }
        let known = self.tab_mut().composer.as_mut().is_some_and(|composer| composer.key(key, now));
        if !known {
            context.show_warning(format!(
                "{key} is not a key here; {} shows the keys",
                context.key_of(Command::HelpInText)
            ));
        }
    }

    /// With an empty reply, removes the attachment, then the quote.
    pub(crate) fn drop_quote(&mut self, key: KeyPress, context: &mut Context) {
        let now = context.moment;
        let quotes =
            |composer: &&mut Composer| composer.mode == ComposerMode::Reply && composer.buffer().is_empty();
        match self.tab_mut().composer.as_mut().filter(quotes) {
            Some(composer) if composer.attachment.is_some() => composer.attach(None, now),
            Some(composer) if composer.reply_to.is_some() => composer.reply_to = None,
            _ => self.handle_typed_key(key, context),
        }
    }
}
