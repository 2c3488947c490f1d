use crate::Inbox;
use crate::command::{Command, CommandScope};
use crate::components::text_buffer::TextEdit;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::macros::steps::MacroStep;
use crate::keymap::Resolution;
use crate::keys::KeyPress;
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::mail::writing::update as writing;

pub(crate) fn handle_composer_key(inbox: &mut Inbox, key: KeyPress) {
    if writing::handle_mail_key(&mut inbox.desk, key, &mut inbox.context) {
        return;
    }
    match inbox.context.settings.keymap.resolve(&[CommandScope::Composer], &[key]) {
        Resolution::Matched(command) => inbox.run_command(command, key),
        Resolution::Pending | Resolution::Unknown => {
            inbox.features.macros.record(MacroStep::Key(key));
            if !canned::open_replies_on_key(&mut inbox.desk, key, &mut inbox.context) {
                handle_typed_key(&mut inbox.desk, key, &mut inbox.context);
            }
        }
    }
}

pub(crate) fn edit_text(desk: &mut Desk, edit: TextEdit, context: &Context) {
    let now = context.moment;
    if let Some(composer) = &mut desk.tab_mut().composer {
        composer.edit(edit, now);
        if matches!(edit, TextEdit::Undo | TextEdit::Redo) {
            let text = composer.buffer().text();
            composer.edit_header(now, |composer| composer.sync_quote(&text));
        }
    }
}

pub(crate) fn composer_mode(desk: &Desk) -> ComposerMode {
    desk.tab().composer.as_ref().map_or(ComposerMode::Reply, |composer| composer.mode)
}

fn handle_typed_key(desk: &mut Desk, key: KeyPress, context: &mut Context) {
    let now = context.moment;
    if canned::fill_field(desk, key, context) {
        return;
    }
    let known = desk.tab_mut().composer.as_mut().is_some_and(|composer| composer.key(key, now));
    if !known {
        context.show_warning(format!(
            "{key} is not a key here; {} shows the keys",
            context.key_of(Command::HelpInText)
        ));
    }
}

/// With an empty reply, removes the last attachment, or the quote if there is none.
pub(crate) fn drop_quote(desk: &mut Desk, key: KeyPress, context: &mut Context) {
    let now = context.moment;
    let quotes =
        |composer: &&mut Composer| composer.mode == ComposerMode::Reply && composer.buffer().is_empty();
    match desk.tab_mut().composer.as_mut().filter(quotes) {
        Some(composer) if !composer.attachments.is_empty() => {
            let kept = composer.attachments[..composer.attachments.len() - 1].to_vec();
            composer.attach(kept, now);
        }
        Some(composer) if composer.reply_to.is_some() => composer.reply_to = None,
        _ => handle_typed_key(desk, key, context),
    }
}
