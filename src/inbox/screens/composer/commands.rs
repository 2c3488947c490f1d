//! The commands that begin a text for a conversation, and those of the
//! composer.

use crate::Inbox;
use crate::command::Reason;
use crate::components::text_buffer::TextEdit;
use crate::conditions::writable;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::menu;
use crate::screens::composer::send_later;
use crate::screens::composer::sending;
use crate::screens::mail::update as mail;
use crate::tab::Focus;
use model::account::Platform;

pub(crate) fn may_write(inbox: &Inbox) -> Result<(), Reason> {
    let row = writable(inbox)?;
    // A mail is answered by its thread.
    if row.conversation.address.is_none() && !inbox.desk.tab().is_mail() {
        return Err("this conversation has no address to answer to".into());
    }
    Ok(())
}

pub(crate) fn reply(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.tab().is_mail() {
        mail::answer_mail(inbox);
    } else if inbox.desk.window_is_closed() {
        inbox.desk.reply_with_template(&mut inbox.context);
    } else {
        inbox.desk.write(true, &mut inbox.context);
    }
}

pub(crate) fn write(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => mail::answer_mail(inbox),
        false => inbox.desk.write(false, &mut inbox.context),
    }
}

pub(crate) fn canned(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => mail::answer_mail_canned(inbox),
        false => inbox.desk.canned(&mut inbox.context),
    }
}

pub(crate) fn write_note(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.write_note(&mut inbox.context);
}

fn label(inbox: &Inbox) -> &str {
    inbox.desk.tab().platform().map_or("this channel", Platform::label)
}

pub(crate) fn may_send_template(inbox: &Inbox) -> Result<(), Reason> {
    writable(inbox)?;
    match inbox.desk.tab().platform() {
        Some(Platform::Whatsapp) => Ok(()),
        _ => Err(format!("{} has no templates", label(inbox))),
    }
}

pub(crate) fn template(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.pick_template(&mut inbox.context);
}

pub(crate) fn may_attach(inbox: &Inbox) -> Result<(), Reason> {
    writable(inbox)?;
    match inbox.desk.tab().platform() {
        Some(platform) if !platform.has_histories() => Err(format!("{} takes no files here", label(inbox))),
        _ => Ok(()),
    }
}

pub(crate) fn attach(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.open_attach(&mut inbox.context);
}

pub(crate) fn send(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.composer_mode() {
        ComposerMode::Note => inbox.desk.save_note(&mut inbox.context),
        ComposerMode::Reply => sending::send(inbox),
    }
}

pub(crate) fn send_later(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.composer_mode() {
        ComposerMode::Reply => send_later::ask_when(inbox),
        ComposerMode::Note => inbox.context.warn("a note is kept at once; switch to the answer first"),
    }
}

/// Tab first goes to open fields and completes emoji.
pub(crate) fn leave(inbox: &mut Inbox, key: KeyPress) {
    if key.code == KeyCode::Tab
        && (inbox.connections.next_field(&mut inbox.desk, &inbox.context)
            || inbox.desk.complete_emoji(&mut inbox.context))
    {
        return;
    }
    match inbox.desk.writes_new_mail() {
        true => inbox.desk.leave_new_mail(&mut inbox.context),
        false => inbox.desk.tab_mut().focus = Focus::History,
    }
}

pub(crate) fn menu(inbox: &mut Inbox, _: KeyPress) {
    menu::open_menu(&mut inbox.context);
}

pub(crate) fn switch_mode(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.switch_mode();
}

pub(crate) fn turn_markup(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.turn_markup(&mut inbox.context);
}

pub(crate) fn edit_outside(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_outside(&mut inbox.context);
}

pub(crate) fn drop_quote(inbox: &mut Inbox, key: KeyPress) {
    inbox.desk.drop_quote(key, &mut inbox.context);
}

pub(crate) fn new_line(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::NewLine, &inbox.context);
}

pub(crate) fn undo_edit(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::Undo, &inbox.context);
}

pub(crate) fn redo_edit(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::Redo, &inbox.context);
}

pub(crate) fn line_start(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::LineStart, &inbox.context);
}

pub(crate) fn line_end(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::LineEnd, &inbox.context);
}

pub(crate) fn word_left(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::WordLeft, &inbox.context);
}

pub(crate) fn word_right(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::WordRight, &inbox.context);
}

pub(crate) fn delete_word(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::DeleteWord, &inbox.context);
}

pub(crate) fn delete_to_start(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::DeleteToStart, &inbox.context);
}

pub(crate) fn delete_to_end(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.edit_text(TextEdit::DeleteToEnd, &inbox.context);
}
