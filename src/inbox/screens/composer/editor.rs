//! What needs the terminal for itself: the text at hand in an editor of the
//! person's own, and adding a channel key.
//!
//! What comes back is put into the composer and never sent.

use crate::Inbox;
use crate::components::text_buffer::CAPACITY;
use crate::event::Effect;
use crate::screens::composer::ComposerMode;
use model::bounds;
use model::text;

impl Inbox {
    /// Asks for the editor with the text at hand.
    pub(crate) fn edit_outside(&mut self) {
        if let Some(composer) = &self.tab().composer {
            self.context.push(Effect::Edit(composer.text()));
        }
    }

    /// Asks for the steps that add a channel key.
    pub(crate) fn set_up(&mut self, _: &str) -> Result<(), String> {
        self.context.push(Effect::SetUp);
        Ok(())
    }

    /// They have ended.
    pub(crate) fn set_up_ended(&mut self, ended: Result<(), String>) {
        match ended {
            Ok(()) if self.context.settings.demo => self.say("added; `frontdesk` without `demo` opens it"),
            Ok(()) => self.say(self.keyed("added; its tab is there at the next start: {quit} leaves")),
            Err(why) => self.warn(why),
        }
    }

    /// The editor has ended.
    pub(crate) fn edited(&mut self, text: Result<String, String>) {
        if self.metadata_edited(&text) {
            return;
        }
        if std::mem::take(&mut self.edits_json) {
            return self.json_edited(text);
        }
        let now = self.context.now;
        let text = match text {
            Ok(text) => text::pasted(text.strip_suffix('\n').unwrap_or(&text)),
            Err(why) => return self.warn(format!("the editor: {why}; the text is as it was")),
        };
        let Some(composer) = &mut self.tab_mut().composer else { return };
        let mode = composer.mode;
        if bounds::length(&text) > CAPACITY {
            return self.warn("the edited text is longer than the composer takes; the text is as it was");
        }
        composer.change(now, |it| it.replace_all(&text));
        self.say(match mode {
            ComposerMode::Reply => "edited; nothing was sent",
            ComposerMode::Note => "edited; Enter keeps the note",
        });
    }
}
