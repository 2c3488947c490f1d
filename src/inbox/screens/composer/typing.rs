//! Keys and pastes in the composer: what each does to the text at hand.

use crate::Inbox;
use crate::commands::{Command, CommandScope};
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::composer::{Composer, ComposerMode};
use crate::tab::Focus;

impl Inbox {
    /// A key was pressed while the composer has the keyboard.
    pub(crate) fn composer_key(&mut self, key: KeyPress) {
        if self.modal_key(key) {
            return self.recorded(RecordedStep::Key(key));
        }
        if self.mail_key(key) {
            return;
        }
        match self.context.settings.keymap.resolve(&[CommandScope::Composer], &[key]) {
            Resolution::Matched(command) => {
                self.recorded(RecordedStep::Command(command, key));
                self.composer_command(command, key);
            }
            Resolution::Pending | Resolution::Unknown => {
                self.recorded(RecordedStep::Key(key));
                if !self.opens_replies(key) {
                    self.typed(key);
                }
            }
        }
    }

    pub(crate) fn composer_command(&mut self, command: Command, key: KeyPress) {
        let now = self.context.now;
        self.tutor_saw(command);
        let taken = self.writing_command(command, key);
        if let Some(composer) = self.tab_mut().composer.as_mut().filter(|_| !taken) {
            composer.edit(command, now);
        }
    }

    /// Commands of the composer that are more than an edit of its text; false
    /// for others.
    fn writing_command(&mut self, command: Command, key: KeyPress) -> bool {
        match command {
            Command::Send if self.composer_mode() == ComposerMode::Note => self.save_note(),
            Command::Send => self.send(),
            Command::Leave if key.code == KeyCode::Tab && (self.next_field() || self.complete_emoji()) => (),
            Command::Leave if self.writes_new_mail() => self.leave_new_mail(),
            Command::Leave => self.tab_mut().focus = Focus::History,
            Command::PaletteInText => self.open_palette(),
            Command::HelpInText => self.open_layer(Layer::Help(Box::default())),
            Command::SwitchMode => self.switch_mode(),
            Command::Menu => self.open_menu(),
            Command::Attach => self.attach_if_possible(),
            Command::TurnMarkup => self.turn_markup(),
            Command::SendLater if self.composer_mode() == ComposerMode::Reply => self.ask_when(),
            Command::SendLater => self.warn("a note is kept at once; switch to the answer first"),
            Command::EditOutside => self.edit_outside(),
            Command::DropQuote => self.drop_quote(key),
            _ => return false,
        }
        true
    }

    /// What the composer writes.
    pub(crate) fn composer_mode(&self) -> ComposerMode {
        self.tab().composer.as_ref().map_or(ComposerMode::Reply, |it| it.mode)
    }

    /// A key that is no command: text, or a cursor key.
    fn typed(&mut self, key: KeyPress) {
        let now = self.context.now;
        if self.fills_field(key) {
            return;
        }
        let known = self.tab_mut().composer.as_mut().is_some_and(|it| it.key(key, now));
        if !known {
            self.warn(format!(
                "{key} is not a key here; {} shows the keys",
                self.key_of(Command::HelpInText)
            ));
        }
    }

    /// Where there is nothing to delete, what is attached goes, then the
    /// quote.
    fn drop_quote(&mut self, key: KeyPress) {
        let now = self.context.now;
        let quotes = |it: &&mut Composer| it.mode == ComposerMode::Reply && it.sheet().is_empty();
        match self.tab_mut().composer.as_mut().filter(quotes) {
            Some(composer) if composer.attachment.is_some() => composer.attach(None, now),
            Some(composer) if composer.reply_to.is_some() => composer.reply_to = None,
            _ => self.typed(key),
        }
    }

    /// Pasted text is text in the composer and nothing anywhere else.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(Layer::Attach(form)) = self.layers.last_mut() {
            form.paste(text);
            return self.look_at_typed();
        }
        if let Some(Layer::PersonForm(form)) = self.layers.last_mut() {
            let focus = form.focus;
            if let Some(value) = form.values.get_mut(focus) {
                value.insert(model::text::pasted(text).trim());
            }
            return form.grow();
        }
        if let Some(Layer::BroadcastForm(form)) =
            self.layers.pop_if(|it| matches!(it, Layer::BroadcastForm(_)))
        {
            return self.paste_into_broadcast(form, text);
        }
        if let Some(Layer::Form(form)) = self.layers.last_mut() {
            return form.paste(text);
        }
        if let Some(Layer::TemplateForm(form)) = self.layers.last_mut() {
            let focus = form.focus;
            if let Some(value) = form.values.get_mut(focus) {
                value.insert(text);
            }
            return;
        }
        let now = self.context.now;
        if self.paste_into_help(text) {
            return;
        }
        if self.layers.is_empty() && self.paste_into_head(text) {
            return;
        }
        if self.paste_into_field(text) {
            return;
        }
        if let Some(Layer::Line(line)) = self.layers.pop_if(|it| matches!(it, Layer::Line(_))) {
            return self.paste_into_line(line, text);
        }
        if let Some(Layer::Palette(palette)) = self.layers.pop_if(|it| matches!(it, Layer::Palette(_))) {
            return self.paste_into_palette(palette, text);
        }
        if self.layers.last() == Some(&Layer::Search) {
            self.search.text.insert(text.trim_end());
            return self.ask_search();
        }
        if !self.layers.is_empty() || !self.is_typing() {
            return self.warn(self.keyed("pasted text was ignored: press {reply} first to write"));
        }
        let fits = self.tab_mut().composer.as_mut().is_none_or(|it| it.paste(text, now));
        if !fits {
            return self.warn("the pasted text was too long and has been cut");
        }
        self.recognise_path(text);
    }
}
