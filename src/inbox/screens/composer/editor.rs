//! Actions that take over the terminal: an external editor for the current text (which is never
//! sent by it), and adding a channel key.

use crate::Inbox;
use crate::components::text_buffer::MAX_CHARS;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::screens::composer::ComposerMode;
use crate::screens::composer::raw_json;
use model::bounds;
use model::text;

pub(crate) fn edit_outside(desk: &mut Desk, context: &mut Context) {
    if let Some(composer) = &desk.tab().composer {
        context.push(TerminalOrder::Edit(composer.text()));
    }
}

pub(crate) fn set_up_channel(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.context.push(TerminalOrder::SetUp);
    Ok(())
}

pub(crate) fn receive_edited_text(inbox: &mut Inbox, text: Result<String, String>) {
    if inbox.people.metadata_edited(&text, &mut inbox.context) {
        return;
    }
    if std::mem::take(&mut inbox.keyboard.edits_json) {
        return raw_json::receive_edited_json(&mut inbox.desk, text, &mut inbox.context);
    }
    let now = inbox.context.moment;
    let text = match text {
        Ok(text) => text::clean_pasted(text.strip_suffix('\n').unwrap_or(&text)),
        Err(why) => return inbox.context.show_warning(format!("the editor: {why}; the text is as it was")),
    };
    let Some(composer) = &mut inbox.desk.tab_mut().composer else { return };
    let mode = composer.mode;
    if bounds::count_chars(&text) > MAX_CHARS {
        return inbox
            .context
            .show_warning("the edited text is longer than the composer takes; the text is as it was");
    }
    composer.change(now, |composer| composer.replace_all(&text));
    inbox.context.show_notice(match mode {
        ComposerMode::Reply => "edited; nothing was sent",
        ComposerMode::Note => "edited; Enter keeps the note",
    });
}

pub(crate) fn report_setup(context: &mut Context, ended: Result<(), String>) {
    match ended {
        Ok(()) if context.settings.demo => context.show_notice("added; `frontdesk` without `demo` opens it"),
        Ok(()) => context.show_notice(context.fill_in_keys("added; restart to open it: {quit} quit")),
        Err(why) => context.show_warning(why),
    }
}
