//! The commands of the conversation list, and those that take a conversation
//! over, put it aside or go to another.

use crate::Inbox;
use crate::command::{Reason, pick};
use crate::conditions::{changeable, conversation_at_hand, no_conversation, thread_can_be_filed, writable};
use crate::event::{Effect, Load, Spread};
use crate::keys::KeyPress;
use crate::layout::SIDE_BY_SIDE;
use crate::overlays::listing::ListKind;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::screens::conversations::takeover::{closable, switchable};
use crate::tab::Focus;
use model::filter::{self, Sort};

fn may_switch(inbox: &Inbox, pause: bool) -> Result<(), Reason> {
    if inbox.tab().is_mail() {
        return Err("the AI's answers to mail are a setting of the whole account, read only here".into());
    }
    if inbox.acts_on_marks() {
        return Ok(());
    }
    switchable(writable(inbox)?, pause)
}

pub(crate) fn may_pause_ai(inbox: &Inbox) -> Result<(), Reason> {
    may_switch(inbox, true)
}

pub(crate) fn pause_ai(inbox: &mut Inbox, _: KeyPress) {
    match inbox.acts_on_marks() {
        true => inbox.act_on_marked(BulkWish::Pause),
        false => inbox.switch_ai(false),
    }
}

pub(crate) fn may_hand_back(inbox: &Inbox) -> Result<(), Reason> {
    may_switch(inbox, false)
}

pub(crate) fn hand_back(inbox: &mut Inbox, _: KeyPress) {
    match inbox.acts_on_marks() {
        true => inbox.act_on_marked(BulkWish::HandBack),
        false => inbox.switch_ai(true),
    }
}

pub(crate) fn may_close(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.tab().is_mail() {
        return thread_can_be_filed(inbox);
    }
    if inbox.acts_on_marks() {
        return Ok(());
    }
    let row = writable(inbox)?;
    let held = inbox.holds_close(&row.channel, &row.conversation.id);
    closable(row).map_err(|why| if held { format!("{why}; {{undo}} keeps it open") } else { why })
}

pub(crate) fn close(inbox: &mut Inbox, _: KeyPress) {
    if inbox.decides_in_triage() {
        inbox.triage_archive();
    } else if inbox.tab().is_mail() {
        inbox.archive();
    } else if inbox.acts_on_marks() {
        inbox.act_on_marked(BulkWish::Close);
    } else {
        inbox.close();
    }
}

pub(crate) fn close_and_next(inbox: &mut Inbox, _: KeyPress) {
    if inbox.tab().is_mail() {
        inbox.archive();
    } else if inbox.acts_on_marks() {
        return inbox.act_on_marked(BulkWish::Close);
    } else {
        inbox.close();
    }
    inbox.next_waiting(true);
}

/// Whether what this desk alone keeps of a conversation can be changed.
pub(crate) fn may_keep(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.acts_on_marks() {
        true => Ok(()),
        false => changeable(inbox).map(drop),
    }
}

pub(crate) fn snooze(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_snooze();
}

pub(crate) fn tags(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_tags();
}

pub(crate) fn claim(inbox: &mut Inbox, _: KeyPress) {
    inbox.claim();
}

pub(crate) fn may_mark_seen(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.tab().is_mail() {
        true => thread_can_be_filed(inbox),
        false => may_keep(inbox),
    }
}

pub(crate) fn unseen(inbox: &mut Inbox, _: KeyPress) {
    if inbox.decides_in_triage() {
        inbox.triage_left();
    } else if inbox.tab().is_mail() {
        inbox.toggle_read();
    } else {
        inbox.turn_seen();
    }
}

pub(crate) fn next_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.next_waiting(true);
}

pub(crate) fn previous_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.next_waiting(false);
}

pub(crate) fn most_urgent(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.push(Effect::Load(Load::Needing(None)));
}

pub(crate) fn next_conversation(inbox: &mut Inbox, _: KeyPress) {
    match inbox.decides_in_triage() {
        true => inbox.triage_left(),
        false => inbox.neighbour(1),
    }
}

pub(crate) fn previous_conversation(inbox: &mut Inbox, _: KeyPress) {
    match inbox.decides_in_triage() {
        true => inbox.triage_back(),
        false => inbox.neighbour(-1),
    }
}

pub(crate) fn may_show_card(inbox: &Inbox) -> Result<(), Reason> {
    conversation_at_hand(inbox)?;
    if inbox.tab().focus == Focus::List && inbox.context.size.0 < SIDE_BY_SIDE {
        return Err("open the conversation first, then {card} shows its card".into());
    }
    Ok(())
}

pub(crate) fn card(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.panes.card = Some(inbox.areas().card.is_none());
}

pub(crate) fn down(inbox: &mut Inbox, _: KeyPress) {
    let visible = inbox.list_rows(&inbox.areas());
    inbox.list_mut().step(1, visible);
}

pub(crate) fn up(inbox: &mut Inbox, _: KeyPress) {
    let visible = inbox.list_rows(&inbox.areas());
    inbox.list_mut().step(-1, visible);
}

pub(crate) fn open(inbox: &mut Inbox, _: KeyPress) {
    inbox.open(Focus::History);
}

/// Without a row there is nothing to mark.
pub(crate) fn may_mark(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.list().selected {
        Some(_) => Ok(()),
        None => Err(no_conversation(inbox.tab())),
    }
}

pub(crate) fn mark(inbox: &mut Inbox, _: KeyPress) {
    inbox.mark();
}

pub(crate) fn mark_range(inbox: &mut Inbox, _: KeyPress) {
    inbox.mark_range();
}

pub(crate) fn mark_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_spread(Spread::All);
}

pub(crate) fn mark_inverted(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_spread(Spread::Invert);
}

pub(crate) fn mark_none(inbox: &mut Inbox, _: KeyPress) {
    inbox.mark_none();
}

pub(crate) fn may_mark_again(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.acted_on().is_empty() {
        true => Err("nothing was marked before".into()),
        false => Ok(()),
    }
}

pub(crate) fn mark_again(inbox: &mut Inbox, _: KeyPress) {
    if inbox.list().selected.is_some() {
        inbox.list_mut().marks = inbox.acted_on().clone();
    }
}

pub(crate) fn may_show_results(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.batch {
        Some(_) => Ok(()),
        None => Err("nothing was done with many yet".into()),
    }
}

pub(crate) fn show_results(inbox: &mut Inbox, _: KeyPress) {
    inbox.show_list(ListKind::Results);
}

pub(crate) fn filter_list(inbox: &mut Inbox, _: KeyPress) {
    inbox.open_filter();
}

pub(crate) fn choose_view(inbox: &mut Inbox, _: KeyPress) {
    inbox.choose_view();
}

pub(crate) fn go_to_snoozed(inbox: &mut Inbox, _: KeyPress) {
    inbox.show_snoozed();
}

pub(crate) fn show_paused(inbox: &mut Inbox, _: KeyPress) {
    inbox.show_paused();
}

pub(crate) fn may_sort_threads(inbox: &Inbox) -> Result<(), Reason> {
    if !inbox.tab().is_mail() && !inbox.desk.everywhere {
        return Err("only email threads have one, and this list has none".into());
    }
    Ok(())
}

pub(crate) fn sort_by_activity(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Activity);
}

pub(crate) fn sort_by_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Waiting);
}

pub(crate) fn sort_by_urgency(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Urgency);
}

pub(crate) fn sort_by_window(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Window);
}

pub(crate) fn sort_by_name(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Name);
}

pub(crate) fn sort_by_category(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Category);
}

pub(crate) fn sort_by_priority(inbox: &mut Inbox, _: KeyPress) {
    inbox.sort(Sort::Priority);
}

pub(crate) fn filter_by(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.bring_list();
    inbox.list_mut().set_typed(words);
    match filter::parse(words).mistakes.into_iter().next() {
        Some(mistake) => Err(mistake.words),
        None => Ok(()),
    }
}

pub(crate) fn view_names(inbox: &Inbox) -> Vec<String> {
    inbox.desk.views.iter().map(|it| it.name.clone()).collect()
}

pub(crate) fn show_view(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let index = pick("view", name, &view_names(inbox))?;
    inbox.show_view(index);
    Ok(())
}

pub(crate) fn orders(_: &Inbox) -> Vec<String> {
    Sort::ALL.iter().map(|(_, word, _)| (*word).to_owned()).collect()
}

pub(crate) fn sort_by(inbox: &mut Inbox, word: &str) -> Result<(), String> {
    let index = pick("order", word, &orders(inbox))?;
    inbox.sort(Sort::ALL[index].0);
    Ok(())
}
