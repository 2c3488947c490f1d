//! The commands that begin a text for a conversation, and those of the
//! composer.

use crate::Inbox;
use crate::command::Reason;
use crate::components::text_buffer::TextEdit;
use crate::conditions::writable;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::ComposerMode;
use crate::tab::Focus;
use model::account::Platform;

pub(crate) fn may_write(inbox: &Inbox) -> Result<(), Reason> {
    let row = writable(inbox)?;
    // A mail is answered by its thread.
    if row.conversation.address.is_none() && !inbox.tab().is_mail() {
        return Err("this conversation has no address to answer to".into());
    }
    Ok(())
}

pub(crate) fn reply(inbox: &mut Inbox, _: KeyPress) {
    if inbox.tab().is_mail() {
        inbox.answer_mail();
    } else if inbox.window_is_closed() {
        inbox.reply_with_template();
    } else {
        inbox.write(true);
    }
}

pub(crate) fn write(inbox: &mut Inbox, _: KeyPress) {
    match inbox.tab().is_mail() {
        true => inbox.answer_mail(),
        false => inbox.write(false),
    }
}

pub(crate) fn canned(inbox: &mut Inbox, _: KeyPress) {
    match inbox.tab().is_mail() {
        true => inbox.answer_mail_canned(),
        false => inbox.canned(),
    }
}

pub(crate) fn write_note(inbox: &mut Inbox, _: KeyPress) {
    inbox.write_note();
}

fn label(inbox: &Inbox) -> &str {
    inbox.tab().platform().map_or("this channel", Platform::label)
}

pub(crate) fn may_send_template(inbox: &Inbox) -> Result<(), Reason> {
    writable(inbox)?;
    match inbox.tab().platform() {
        Some(Platform::Whatsapp) => Ok(()),
        _ => Err(format!("{} has no templates", label(inbox))),
    }
}

pub(crate) fn template(inbox: &mut Inbox, _: KeyPress) {
    inbox.pick_template();
}

pub(crate) fn may_attach(inbox: &Inbox) -> Result<(), Reason> {
    writable(inbox)?;
    match inbox.tab().platform() {
        Some(platform) if !platform.has_histories() => Err(format!("{} takes no files here", label(inbox))),
        _ => Ok(()),
    }
}

pub(crate) fn attach(inbox: &mut Inbox, _: KeyPress) {
    inbox.open_attach();
}

pub(crate) fn send(inbox: &mut Inbox, _: KeyPress) {
    match inbox.composer_mode() {
        ComposerMode::Note => inbox.save_note(),
        ComposerMode::Reply => inbox.send(),
    }
}

pub(crate) fn send_later(inbox: &mut Inbox, _: KeyPress) {
    match inbox.composer_mode() {
        ComposerMode::Reply => inbox.ask_when(),
        ComposerMode::Note => inbox.context.warn("a note is kept at once; switch to the answer first"),
    }
}

/// Tab first goes to open fields and completes emoji.
pub(crate) fn leave(inbox: &mut Inbox, key: KeyPress) {
    if key.code == KeyCode::Tab && (inbox.next_field() || inbox.complete_emoji()) {
        return;
    }
    match inbox.writes_new_mail() {
        true => inbox.leave_new_mail(),
        false => inbox.tab_mut().focus = Focus::History,
    }
}

pub(crate) fn menu(inbox: &mut Inbox, _: KeyPress) {
    inbox.open_menu();
}

pub(crate) fn switch_mode(inbox: &mut Inbox, _: KeyPress) {
    inbox.switch_mode();
}

pub(crate) fn turn_markup(inbox: &mut Inbox, _: KeyPress) {
    inbox.turn_markup();
}

pub(crate) fn edit_outside(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_outside();
}

pub(crate) fn drop_quote(inbox: &mut Inbox, key: KeyPress) {
    inbox.drop_quote(key);
}

pub(crate) fn new_line(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::NewLine);
}

pub(crate) fn undo_edit(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::Undo);
}

pub(crate) fn redo_edit(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::Redo);
}

pub(crate) fn line_start(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::LineStart);
}

pub(crate) fn line_end(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::LineEnd);
}

pub(crate) fn word_left(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::WordLeft);
}

pub(crate) fn word_right(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::WordRight);
}

pub(crate) fn delete_word(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::DeleteWord);
}

pub(crate) fn delete_to_start(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::DeleteToStart);
}

pub(crate) fn delete_to_end(inbox: &mut Inbox, _: KeyPress) {
    inbox.edit_text(TextEdit::DeleteToEnd);
}
