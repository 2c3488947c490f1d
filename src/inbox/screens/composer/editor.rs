//! What needs the terminal for itself: the current text in an editor of the
//! person's own, and adding a channel key.
//!
//! What comes back is put into the composer and never sent.

use crate::Inbox;
use crate::components::text_buffer::CAPACITY;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::screens::composer::ComposerMode;
use model::bounds;
use model::text;

impl Desk {
    /// Asks for the editor with the current text.
    pub(crate) fn edit_outside(&mut self, context: &mut Context) {
        if let Some(composer) = &self.tab().composer {
            context.push(TerminalOrder::Edit(composer.text()));
        }
    }
}

/// Asks for the steps that add a channel key.
pub(crate) fn set_up(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.context.push(TerminalOrder::SetUp);
    Ok(())
}

/// The editor has ended.
pub(crate) fn edited(inbox: &mut Inbox, text: Result<String, String>) {
    if inbox.people.metadata_edited(&text, &mut inbox.context) {
        return;
    }
    if std::mem::take(&mut inbox.keyboard.edits_json) {
        return inbox.desk.json_edited(text, &mut inbox.context);
    }
    let now = inbox.context.moment;
    let text = match text {
        Ok(text) => text::clean_pasted(text.strip_suffix('\n').unwrap_or(&text)),
        Err(why) => return inbox.context.warn(format!("the editor: {why}; the text is as it was")),
    };
    let Some(composer) = &mut inbox.desk.tab_mut().composer else { return };
    let mode = composer.mode;
    if bounds::count_chars(&text) > CAPACITY {
        return inbox
            .context
            .warn("the edited text is longer than the composer takes; the text is as it was");
    }
    composer.change(now, |composer| composer.replace_all(&text));
    inbox.context.say(match mode {
        ComposerMode::Reply => "edited; nothing was sent",
        ComposerMode::Note => "edited; Enter keeps the note",
    });
}

pub(crate) fn set_up_ended(context: &mut Context, ended: Result<(), String>) {
    match ended {
        Ok(()) if context.settings.demo => context.say("added; `frontdesk` without `demo` opens it"),
        Ok(()) => context.say(context.keyed("added; its tab is there at the next start: {quit} leaves")),
        Err(why) => context.warn(why),
    }
}
