//! The commands of the conversation list, and those that take a conversation
//! over, put it aside or go to another.

use crate::Inbox;
use crate::command::{Reason, pick};
use crate::conditions;
use crate::conditions::{changeable, no_conversation, on_conversation, thread_can_be_filed, writable};
use crate::event::{Effect, Load, Spread};
use crate::keys::KeyPress;
use crate::layout::SIDE_BY_SIDE;
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::composer::suggesting::update as suggesting;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::screens::conversations::pauses::update as pauses;
use crate::screens::conversations::takeover::{closable, switchable};
use crate::screens::mail::thread_filing::ThreadFiling;
use crate::screens::mail::triage::TriageDecision;
use crate::tab::Focus;
use model::filter::{self, Sort};

fn may_switch(inbox: &Inbox, pause: bool) -> Result<(), Reason> {
    if inbox.desk.tab().is_mail() {
        return Err("the AI's answers to mail are a setting of the whole account, read only here".into());
    }
    if inbox.desk.acts_on_marks() {
        return Ok(());
    }
    switchable(writable(inbox)?, pause)
}

pub(crate) fn may_pause_ai(inbox: &Inbox) -> Result<(), Reason> {
    may_switch(inbox, true)
}

pub(crate) fn pause_ai(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.acts_on_marks() {
        true => inbox.changes.act_on_marked(BulkWish::Pause, &inbox.desk, &mut inbox.context),
        false => {
            inbox.desk.switch_ai(false, &mut inbox.context);
            suggesting::brief_beside(inbox);
        }
    }
}

pub(crate) fn may_hand_back(inbox: &Inbox) -> Result<(), Reason> {
    may_switch(inbox, false)
}

pub(crate) fn hand_back(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.acts_on_marks() {
        true => inbox.changes.act_on_marked(BulkWish::HandBack, &inbox.desk, &mut inbox.context),
        false => {
            inbox.desk.switch_ai(true, &mut inbox.context);
            inbox.desk.hide_brief();
        }
    }
}

pub(crate) fn may_close(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().is_mail() {
        return thread_can_be_filed(inbox);
    }
    if inbox.desk.acts_on_marks() {
        return Ok(());
    }
    let row = writable(inbox)?;
    let held = inbox.changes.holds_close(&row.channel, &row.conversation.id, &inbox.context);
    closable(row).map_err(|why| if held { format!("{why}; {{undo}} keeps it open") } else { why })
}

pub(crate) fn close(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.decides_in_triage() {
        let (filing, what) = (ThreadFiling::Archived(true), TriageDecision::Archived);
        inbox.changes.triage_file(&filing, what, &mut inbox.desk, &mut inbox.context);
    } else if inbox.desk.tab().is_mail() {
        inbox.changes.toggle_filing(ThreadFiling::Archived, &inbox.desk, &mut inbox.context);
    } else if inbox.desk.acts_on_marks() {
        inbox.changes.act_on_marked(BulkWish::Close, &inbox.desk, &mut inbox.context);
    } else {
        inbox.changes.close(&mut inbox.desk, &mut inbox.context);
    }
}

pub(crate) fn close_and_next(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.tab().is_mail() {
        inbox.changes.toggle_filing(ThreadFiling::Archived, &inbox.desk, &mut inbox.context);
    } else if inbox.desk.acts_on_marks() {
        return inbox.changes.act_on_marked(BulkWish::Close, &inbox.desk, &mut inbox.context);
    } else {
        inbox.changes.close(&mut inbox.desk, &mut inbox.context);
    }
    inbox.desk.next_waiting(true, &mut inbox.context);
}

/// Whether what this desk alone keeps of a conversation can be changed.
pub(crate) fn may_keep(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.acts_on_marks() {
        true => Ok(()),
        false => changeable(inbox).map(drop),
    }
}

pub(crate) fn snooze(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.ask_snooze(&inbox.desk, &mut inbox.context);
}

pub(crate) fn tags(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.ask_tags(&inbox.desk, &mut inbox.context);
}

pub(crate) fn claim(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.claim(&mut inbox.desk, &mut inbox.context);
}

/// Whether the AI can be kept paused for drafts alone.
pub(crate) fn may_draft_only(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.acts_on_marks() {
        true => conditions::tab_writable(inbox.desk.tab()),
        false => writable(inbox).map(drop),
    }
}

pub(crate) fn draft_only(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.turn_draft_only(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_mark_seen(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_mail() {
        true => thread_can_be_filed(inbox),
        false => may_keep(inbox),
    }
}

pub(crate) fn unseen(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.decides_in_triage() {
        inbox.desk.triage_left(&mut inbox.context);
    } else if inbox.desk.tab().is_mail() {
        inbox.changes.toggle_filing(ThreadFiling::Read, &inbox.desk, &mut inbox.context);
    } else {
        inbox.changes.turn_seen(&mut inbox.desk, &mut inbox.context);
    }
}

pub(crate) fn next_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.next_waiting(true, &mut inbox.context);
}

pub(crate) fn previous_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.next_waiting(false, &mut inbox.context);
}

pub(crate) fn most_urgent(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.push(Effect::Load(Load::Needing(None)));
}

pub(crate) fn next_conversation(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.decides_in_triage() {
        true => inbox.desk.triage_left(&mut inbox.context),
        false => inbox.desk.neighbour(1, &mut inbox.context),
    }
}

pub(crate) fn previous_conversation(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.decides_in_triage() {
        true => inbox.desk.triage_back(&mut inbox.context),
        false => inbox.desk.neighbour(-1, &mut inbox.context),
    }
}

pub(crate) fn may_show_card(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)?;
    if inbox.desk.tab().is_in_triage() {
        return Err("a triage shows the mail alone; Esc leaves it".into());
    }
    if inbox.desk.tab().focus == Focus::List && inbox.context.size.0 < SIDE_BY_SIDE {
        return Err("open the conversation first, then {card} shows its card".into());
    }
    Ok(())
}

pub(crate) fn card(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.panes.card = Some(inbox.desk.areas(&inbox.context).card.is_none());
}

pub(crate) fn down(inbox: &mut Inbox, _: KeyPress) {
    let visible = inbox.desk.list_rows(&inbox.desk.areas(&inbox.context));
    inbox.desk.list_mut().step(1, visible);
}

pub(crate) fn up(inbox: &mut Inbox, _: KeyPress) {
    let visible = inbox.desk.list_rows(&inbox.desk.areas(&inbox.context));
    inbox.desk.list_mut().step(-1, visible);
}

pub(crate) fn open(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.open(Focus::History, &mut inbox.context);
}

/// Without a row there is nothing to mark.
pub(crate) fn may_mark(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.list().selected {
        Some(_) => Ok(()),
        None => Err(no_conversation(inbox.desk.tab())),
    }
}

pub(crate) fn mark(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.mark(&mut inbox.context);
}

pub(crate) fn mark_range(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.mark_range(&mut inbox.context);
}

pub(crate) fn mark_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.ask_spread(Spread::All, &mut inbox.context);
}

pub(crate) fn mark_inverted(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.ask_spread(Spread::Invert, &mut inbox.context);
}

pub(crate) fn mark_none(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.hide_brief();
    inbox.changes.mark_none(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_mark_again(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.acted_on().is_empty() {
        true => Err("nothing was marked before".into()),
        false => Ok(()),
    }
}

pub(crate) fn mark_again(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.list().selected.is_some() {
        inbox.desk.list_mut().marks = inbox.changes.acted_on().clone();
    }
}

pub(crate) fn may_show_results(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.batch {
        Some(_) => Ok(()),
        None => Err("nothing was done with many yet".into()),
    }
}

pub(crate) fn show_results(inbox: &mut Inbox, _: KeyPress) {
    listing::show_list(&mut inbox.context, ListKind::Results);
}

pub(crate) fn filter_list(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.open_filter(&mut inbox.context);
}

pub(crate) fn choose_view(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.choose_view(&mut inbox.context);
}

pub(crate) fn go_to_snoozed(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.show_snoozed(&mut inbox.context);
}

pub(crate) fn show_paused(inbox: &mut Inbox, _: KeyPress) {
    pauses::show_paused(&mut inbox.context);
}

pub(crate) fn may_sort_threads(inbox: &Inbox) -> Result<(), Reason> {
    if !inbox.desk.tab().is_mail() && !inbox.desk.everywhere {
        return Err("only email threads have one, and this list has none".into());
    }
    Ok(())
}

pub(crate) fn sort_by_activity(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Activity, &mut inbox.context);
}

pub(crate) fn sort_by_waiting(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Waiting, &mut inbox.context);
}

pub(crate) fn sort_by_urgency(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Urgency, &mut inbox.context);
}

pub(crate) fn sort_by_window(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Window, &mut inbox.context);
}

pub(crate) fn sort_by_name(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Name, &mut inbox.context);
}

pub(crate) fn sort_by_category(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Category, &mut inbox.context);
}

pub(crate) fn sort_by_priority(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.sort(Sort::Priority, &mut inbox.context);
}

pub(crate) fn filter_by(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.desk.bring_list(&mut inbox.context);
    inbox.desk.list_mut().set_typed(words);
    match filter::parse(words).mistakes.into_iter().next() {
        Some(mistake) => Err(mistake.message),
        None => Ok(()),
    }
}

pub(crate) fn view_names(inbox: &Inbox) -> Vec<String> {
    inbox.desk.views.iter().map(|view| view.name.clone()).collect()
}

pub(crate) fn show_view(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let index = pick("view", name, &view_names(inbox))?;
    inbox.desk.show_view(index, &mut inbox.context);
    Ok(())
}

pub(crate) fn orders(_: &Inbox) -> Vec<String> {
    Sort::ALL.iter().map(|(_, word, _)| (*word).to_owned()).collect()
}

pub(crate) fn sort_by(inbox: &mut Inbox, word: &str) -> Result<(), String> {
    let index = pick("order", word, &orders(inbox))?;
    inbox.desk.sort(Sort::ALL[index].0, &mut inbox.context);
    Ok(())
}
