//! Commands of the message history.

use crate::Inbox;
use crate::command::{Reason, find_by_prefix};
use crate::conditions::{no_conversation_reason, writable_conversation};
use crate::event::FileWrite;
use crate::keys::KeyPress;
use crate::screens::composer::suggestions::update as suggestions;
use crate::screens::history::find::update as find;
use crate::screens::history::pictures::update as pictures;
use crate::screens::history::raw;
use crate::screens::history::reactions;
use crate::screens::history::reading;
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
        inbox.context.show_notice("no unseen messages");
    }
}

fn check_reactable(inbox: &Inbox, remove: bool) -> Result<(), Reason> {
    let tab = inbox.desk.tab();
    if tab.is_mail() {
        return Err("mail has no reactions".into());
    }
    writable_conversation(inbox)?;
    if tab.is_phone() {
        return Err("SMS has no reactions".into());
    }
    let history = tab.history.as_ref().ok_or_else(|| no_conversation_reason(tab))?;
    let row = history.selected_message().ok_or("select a message of the customer first")?;
    let present = match &row.reaction_pending {
        Some(pending) => !pending.is_empty(),
        None => row.reaction.is_some(),
    };
    if remove && !present {
        return Err("no reaction of yours on this message".into());
    }
    if row.message.unreadable {
        return Err("this message could not be read; its id is uncertain".into());
    }
    Ok(())
}

pub(crate) fn may_react(inbox: &Inbox) -> Result<(), Reason> {
    check_reactable(inbox, false)
}

pub(crate) fn react(inbox: &mut Inbox, _: KeyPress) {
    reactions::open_reaction_picker(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_remove_reaction(inbox: &Inbox) -> Result<(), Reason> {
    check_reactable(inbox, true)
}

pub(crate) fn remove_reaction(inbox: &mut Inbox, _: KeyPress) {
    reactions::remove_reaction(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn go_to_quoted(inbox: &mut Inbox, _: KeyPress) {
    reading::go_to_quoted(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn show_picture(inbox: &mut Inbox, _: KeyPress) {
    pictures::toggle_picture(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn open_outside(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => menus::choose_link(inbox),
        false => reading::ask_open_link(&mut inbox.desk, &mut inbox.context),
    }
}

pub(crate) fn go_to_other_conversation(inbox: &mut Inbox, _: KeyPress) {
    reading::find_other_conversations(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn open_raw_view(inbox: &mut Inbox, _: KeyPress) {
    raw::open_raw_view(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_show_unreadable(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().unreadable_count() {
        0 => Err("no unreadable data on this channel".into()),
        _ => Ok(()),
    }
}

pub(crate) fn show_unreadable(inbox: &mut Inbox, _: KeyPress) {
    raw::show_unreadable(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn pipe(inbox: &mut Inbox, _: KeyPress) {
    inbox.keyboard.open_pipe(&mut inbox.context);
}

pub(crate) fn find_in_history(inbox: &mut Inbox, _: KeyPress) {
    find::open_find(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_step_hits(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().history.as_ref().is_none_or(|history| history.find.is_none()) {
        return Err("no search yet; {find-in-history} search this conversation".into());
    }
    Ok(())
}

pub(crate) fn older_hit(inbox: &mut Inbox, _: KeyPress) {
    find::next_hit(&mut inbox.desk, true, &mut inbox.context);
}

pub(crate) fn newer_hit(inbox: &mut Inbox, _: KeyPress) {
    find::next_hit(&mut inbox.desk, false, &mut inbox.context);
}

pub(crate) fn back(inbox: &mut Inbox, _: KeyPress) {
    suggestions::hide_brief(&mut inbox.desk);
    inbox.desk.tab_mut().focus = Focus::List;
}

pub(crate) fn find(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    match &inbox.desk.tab().history {
        Some(_) if inbox.desk.is_inbox_shown() => {
            find::start_find(&mut inbox.desk, words, &mut inbox.context)
        }
        _ => return Err("open a conversation first".to_owned()),
    }
    Ok(())
}

pub(crate) fn format_completions(_: &Inbox) -> Vec<String> {
    TranscriptFormat::WORDS.map(str::to_owned).into()
}

pub(crate) fn export(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (word, file) = words.split_once(' ').unwrap_or((words, ""));
    if word == "csv" {
        return inbox.broadcasts.export_csv(file.trim(), &inbox.desk, &mut inbox.context);
    }
    let format = TranscriptFormat::ALL[find_by_prefix("format", word, &format_completions(inbox))?];
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
