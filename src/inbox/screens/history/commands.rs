//! The commands of the message history.

use crate::Inbox;
use crate::command::{Reason, pick};
use crate::conditions::{no_conversation, on_conversation, writable};
use crate::event::FileWrite;
use crate::keys::KeyPress;
use crate::screens::history::split_view;
use crate::screens::mail::menus;
use crate::tab::Focus;
use model::ids::ConversationId;
use model::queries::TranscriptFormat;

pub(crate) fn message_down(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.tab_mut().history.iter_mut().for_each(|history| history.step(1));
}

pub(crate) fn message_up(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.tab_mut().history.iter_mut().for_each(|history| history.step(-1));
}

pub(crate) fn first_unseen(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.tab_mut().history.as_mut().is_some_and(|history| !history.go_to_divider()) {
        inbox.context.say("nothing new since you looked");
    }
}

fn reactable(inbox: &Inbox, remove: bool) -> Result<(), Reason> {
    let tab = inbox.desk.tab();
    if tab.is_mail() {
        return Err("mails take no reactions".into());
    }
    writable(inbox)?;
    if tab.is_phone() {
        return Err("an SMS takes no reactions".into());
    }
    let history = tab.history.as_ref().ok_or_else(|| no_conversation(tab))?;
    let row = history.selected_message().ok_or("select a message of the customer first")?;
    let present = match &row.reaction_pending {
        Some(pending) => !pending.is_empty(),
        None => row.reaction.is_some(),
    };
    if remove && !present {
        return Err("there is no reaction of yours on this message".into());
    }
    if row.message.unreadable {
        return Err("this message could not be read, so its id is not sure".into());
    }
    Ok(())
}

pub(crate) fn may_react(inbox: &Inbox) -> Result<(), Reason> {
    reactable(inbox, false)
}

pub(crate) fn react(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.pick_reaction(&mut inbox.context);
}

pub(crate) fn may_remove_reaction(inbox: &Inbox) -> Result<(), Reason> {
    reactable(inbox, true)
}

pub(crate) fn remove_reaction(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.remove_reaction(&mut inbox.context);
}

pub(crate) fn go_to_quoted(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.go_to_quoted(&mut inbox.context);
}

pub(crate) fn show_picture(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.toggle_picture(&mut inbox.context);
}

pub(crate) fn open_outside(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => menus::choose_link(inbox),
        false => inbox.desk.ask_open(&mut inbox.context),
    }
}

pub(crate) fn elsewhere(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.look_elsewhere(&mut inbox.context);
}

pub(crate) fn raw(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.raw(&mut inbox.context);
}

pub(crate) fn may_show_unreadable(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().unreadable_count() {
        0 => Err("all that the server sent to this tab could be read".into()),
        _ => Ok(()),
    }
}

pub(crate) fn show_unreadable(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.show_unreadable(&mut inbox.context);
}

pub(crate) fn pipe(inbox: &mut Inbox, _: KeyPress) {
    inbox.keyboard.open_pipe(&mut inbox.context);
}

pub(crate) fn find_in_history(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.open_find(&mut inbox.context);
}

pub(crate) fn may_step_hits(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().history.as_ref().is_none_or(|history| history.find.is_none()) {
        return Err("nothing is looked for; {find-in-history} looks in this conversation".into());
    }
    Ok(())
}

pub(crate) fn older_hit(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.next_hit(true, &mut inbox.context);
}

pub(crate) fn newer_hit(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.next_hit(false, &mut inbox.context);
}

pub(crate) fn back(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.hide_brief();
    inbox.desk.tab_mut().focus = Focus::List;
}

fn has_room_for_second(inbox: &Inbox) -> Result<(), Reason> {
    split_view::no_room_for_second(&inbox.context).map_or(Ok(()), Err)
}

pub(crate) fn may_keep_beside(inbox: &Inbox) -> Result<(), Reason> {
    has_room_for_second(inbox)?;
    on_conversation(inbox)
}

pub(crate) fn keep_beside(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.keep_beside(&mut inbox.context);
}

pub(crate) fn may_swap_beside(inbox: &Inbox) -> Result<(), Reason> {
    has_room_for_second(inbox)?;
    match inbox.desk.second() {
        Some(_) => Ok(()),
        None => Err("no other conversation is kept; {keep-beside} keeps this one".into()),
    }
}

pub(crate) fn swap_beside(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.swap_beside(&mut inbox.context);
}

pub(crate) fn find(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    match &inbox.desk.tab().history {
        Some(_) if inbox.desk.is_inbox_shown() => inbox.desk.look_for(words, &mut inbox.context),
        _ => return Err("open a conversation first".to_owned()),
    }
    Ok(())
}

pub(crate) fn formats(_: &Inbox) -> Vec<String> {
    TranscriptFormat::WORDS.map(str::to_owned).into()
}

pub(crate) fn export(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (word, file) = words.split_once(' ').unwrap_or((words, ""));
    if word == "csv" {
        return inbox.broadcasts.export_csv(file.trim(), &inbox.desk, &mut inbox.context);
    }
    let format = TranscriptFormat::ALL[pick("format", word, &formats(inbox))?];
    let key = inbox
        .desk
        .current_conversation()
        .map(|current_conversation| current_conversation.key())
        .ok_or("no conversation is selected")?;
    let name = inbox.desk.tabs.iter().find(|tab| tab.channel.id == key.channel);
    let name = name.map(|name| name.channel.name.clone()).unwrap_or_default();
    let file = match file.trim() {
        "" => format!("{}.{word}", file_name(&key.conversation)),
        file => file.to_owned(),
    };
    inbox.context.push(FileWrite::Export { key, name, format, file });
    Ok(())
}

/// A conversation's id as the name of a file.
fn file_name(id: &ConversationId) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() || character == '-' || character == '_' {
            character
        } else {
            '_'
        }
    };
    id.as_str().chars().map(plain).take(60).collect()
}
