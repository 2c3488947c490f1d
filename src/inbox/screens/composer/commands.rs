//! Commands of the composer, and those that start a text.

use crate::Inbox;
use crate::actions;
use crate::command::Reason;
use crate::components::text_buffer::TextEdit;
use crate::conditions::writable_conversation;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::attachments;
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::editor;
use crate::screens::composer::emoji;
use crate::screens::composer::link_preview;
use crate::screens::composer::markup;
use crate::screens::composer::menu;
use crate::screens::composer::notes;
use crate::screens::composer::rich_forms::RichFormKind;
use crate::screens::composer::rich_forms::update as rich_forms;
use crate::screens::composer::send_later;
use crate::screens::composer::sending;
use crate::screens::composer::typing;
use crate::screens::mail::update as mail;
use crate::screens::mail::writing::update as writing;
use crate::screens::templates::form;
use crate::tab::Focus;
use model::account::Platform;

pub(crate) fn may_write(inbox: &Inbox) -> Result<(), Reason> {
    let row = writable_conversation(inbox)?;
    // A mail is addressed by its thread.
    if row.conversation.address.is_none() && !inbox.desk.tab().is_mail() {
        return Err("this conversation has no reply address".into());
    }
    Ok(())
}

pub(crate) fn reply(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.tab().is_mail() {
        mail::answer_mail(inbox);
    } else if sending::is_window_closed(&inbox.desk) {
        form::reply_with_template(&mut inbox.desk, &mut inbox.context);
    } else {
        actions::write(&mut inbox.desk, true, &mut inbox.context);
    }
}

/// Writes without quoting; with a template once the service window has closed.
pub(crate) fn write_answer(inbox: &mut Inbox, key: KeyPress) {
    match sending::is_window_closed(&inbox.desk) && !inbox.desk.tab().is_mail() {
        true => form::reply_with_template(&mut inbox.desk, &mut inbox.context),
        false => write(inbox, key),
    }
}

pub(crate) fn write(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => mail::answer_mail(inbox),
        false => actions::write(&mut inbox.desk, false, &mut inbox.context),
    }
}

pub(crate) fn open_canned_replies(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => mail::answer_mail_canned(inbox),
        false => canned::open_canned_replies(&mut inbox.desk, &mut inbox.context),
    }
}

pub(crate) fn write_note(inbox: &mut Inbox, _: KeyPress) {
    notes::write_note(&mut inbox.desk, &mut inbox.context);
}

fn label(inbox: &Inbox) -> &str {
    inbox.desk.tab().platform().map_or("this channel", Platform::label)
}

pub(crate) fn may_send_template(inbox: &Inbox) -> Result<(), Reason> {
    writable_conversation(inbox)?;
    match inbox.desk.tab().platform() {
        Some(Platform::Whatsapp) => Ok(()),
        _ => Err(format!("{} has no templates", label(inbox))),
    }
}

pub(crate) fn template(inbox: &mut Inbox, _: KeyPress) {
    form::pick_template(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_send_contact(inbox: &Inbox) -> Result<(), Reason> {
    sending::check_may_send_contact(inbox)
}

pub(crate) fn send_contact(inbox: &mut Inbox, _: KeyPress) {
    rich_forms::open_form(&mut inbox.desk, RichFormKind::Contact, &mut inbox.context);
}

pub(crate) fn may_switch_preview(inbox: &Inbox) -> Result<(), Reason> {
    may_write(inbox)?;
    link_preview::check_may_switch(inbox)
}

pub(crate) fn switch_preview(inbox: &mut Inbox, _: KeyPress) {
    link_preview::switch_preview(inbox);
}

pub(crate) fn may_attach(inbox: &Inbox) -> Result<(), Reason> {
    writable_conversation(inbox)?;
    match inbox.desk.tab().platform() {
        Some(platform) if !platform.has_histories() => Err(format!("{} cannot send files", label(inbox))),
        _ => Ok(()),
    }
}

pub(crate) fn attach(inbox: &mut Inbox, _: KeyPress) {
    attachments::open_attach_form(&mut inbox.desk, &mut inbox.context);
}

/// Sends the text. On an empty one only a key other than Enter ends the hold: a second Enter never
/// makes a message leave earlier.
pub(crate) fn send(inbox: &mut Inbox, key: KeyPress) {
    match typing::composer_mode(&inbox.desk) {
        ComposerMode::Note => notes::save_note(&mut inbox.desk, &mut inbox.context),
        ComposerMode::Reply => sending::send(inbox, key.code != KeyCode::Enter),
    }
}

pub(crate) fn may_send_now(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.has_held_rows(&inbox.desk) {
        true => Ok(()),
        false => Err("nothing is held in this conversation".into()),
    }
}

pub(crate) fn send_now(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.send_held_now(&inbox.desk, &mut inbox.context);
}

pub(crate) fn send_later(inbox: &mut Inbox, _: KeyPress) {
    match typing::composer_mode(&inbox.desk) {
        ComposerMode::Reply => send_later::ask_send_time(inbox),
        ComposerMode::Note => {
            inbox.context.show_warning("notes are saved at once; switch to the reply first")
        }
    }
}

/// Leaves the composer. Tab first goes to open fields and completes emoji.
pub(crate) fn leave(inbox: &mut Inbox, key: KeyPress) {
    if key.code == KeyCode::Tab
        && (inbox.connections.fill_or_go_to_field(&mut inbox.desk, &inbox.context)
            || emoji::complete_emoji(&mut inbox.desk, &mut inbox.context))
    {
        return;
    }
    match writing::is_writing_new_mail(&inbox.desk) {
        true => writing::leave_new_mail(&mut inbox.desk, &mut inbox.context),
        false => inbox.desk.tab_mut().focus = Focus::History,
    }
}

pub(crate) fn open_menu(inbox: &mut Inbox, _: KeyPress) {
    menu::open_menu(&mut inbox.context);
}

pub(crate) fn switch_mode(inbox: &mut Inbox, _: KeyPress) {
    notes::switch_mode(&mut inbox.desk);
}

pub(crate) fn cycle_markup(inbox: &mut Inbox, _: KeyPress) {
    markup::cycle_markup(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn edit_outside(inbox: &mut Inbox, _: KeyPress) {
    editor::edit_outside(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn drop_quote(inbox: &mut Inbox, key: KeyPress) {
    typing::drop_quote(&mut inbox.desk, key, &mut inbox.context);
}

pub(crate) fn new_line(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::NewLine, &inbox.context);
}

pub(crate) fn undo_edit(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::Undo, &inbox.context);
}

pub(crate) fn redo_edit(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::Redo, &inbox.context);
}

pub(crate) fn line_start(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::LineStart, &inbox.context);
}

pub(crate) fn line_end(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::LineEnd, &inbox.context);
}

pub(crate) fn word_left(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::WordLeft, &inbox.context);
}

pub(crate) fn word_right(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::WordRight, &inbox.context);
}

pub(crate) fn delete_word(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::DeleteWord, &inbox.context);
}

pub(crate) fn delete_to_start(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::DeleteToStart, &inbox.context);
}

pub(crate) fn delete_to_end(inbox: &mut Inbox, _: KeyPress) {
    typing::edit_text(&mut inbox.desk, TextEdit::DeleteToEnd, &inbox.context);
}
