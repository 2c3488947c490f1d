//! Commands of the conversation list, and those that take, finish, put off or change conversations.

use crate::Inbox;
use crate::actions;
use crate::command::{Reason, find_by_prefix};
use crate::conditions;
use crate::conditions::check_switchable;
use crate::conditions::{
    changeable_conversation, no_conversation_reason, on_conversation, thread_can_be_filed,
    writable_conversation,
};
use crate::event::{Effect, Load, MarkMode};
use crate::keymap::update as keymap;
use crate::keys::KeyPress;
use crate::layout::SIDE_BY_SIDE_MIN_WIDTH;
use crate::overlays::line;
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::composer::commands as composer;
use crate::screens::composer::sending;
use crate::screens::composer::suggestions::update as suggesting;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::BulkAction;
use crate::screens::conversations::card::update as card;
use crate::screens::conversations::done;
use crate::screens::conversations::saved_views::update as saved_views;
use crate::screens::conversations::takeover::{check_finishable, check_takeable, is_taken};
use crate::screens::mail::thread_filing::ThreadFiling;
use crate::screens::mail::triage::update as triage;
use crate::tab::Focus;
use model::filter::{self, Sort};

fn check_ai_switch(inbox: &Inbox, pause: bool) -> Result<(), Reason> {
    if inbox.desk.tab().is_mail() {
        return Err("AI replies to mail are a setting of the account, read-only here".into());
    }
    if bulk_actions::acts_on_marks(&inbox.desk) {
        return Ok(());
    }
    check_switchable(writable_conversation(inbox)?, pause)
}

pub(crate) fn may_pause_ai(inbox: &Inbox) -> Result<(), Reason> {
    check_ai_switch(inbox, true)
}

pub(crate) fn pause_ai(inbox: &mut Inbox, _: KeyPress) {
    match bulk_actions::acts_on_marks(&inbox.desk) {
        true => inbox.changes.act_on_marked(BulkAction::Pause, &inbox.desk, &mut inbox.context),
        false => {
            sending::switch_ai(&mut inbox.desk, false, &mut inbox.context);
            suggesting::request_brief(inbox);
        }
    }
}

pub(crate) fn may_hand_back(inbox: &Inbox) -> Result<(), Reason> {
    check_ai_switch(inbox, false)
}

pub(crate) fn hand_back(inbox: &mut Inbox, _: KeyPress) {
    match bulk_actions::acts_on_marks(&inbox.desk) {
        true => inbox.changes.act_on_marked(BulkAction::HandBack, &inbox.desk, &mut inbox.context),
        false => {
            sending::switch_ai(&mut inbox.desk, true, &mut inbox.context);
            suggesting::hide_brief(&mut inbox.desk);
        }
    }
}

pub(crate) fn may_take(inbox: &Inbox) -> Result<(), Reason> {
    if bulk_actions::acts_on_marks(&inbox.desk) {
        return conditions::check_tab_writable(inbox.desk.tab());
    }
    check_takeable(writable_conversation(inbox)?)
}

/// Takes the conversation over and opens the composer; where it is taken already, only the latter.
pub(crate) fn take(inbox: &mut Inbox, key: KeyPress) {
    if bulk_actions::acts_on_marks(&inbox.desk) {
        return inbox.changes.act_on_marked(BulkAction::Take, &inbox.desk, &mut inbox.context);
    }
    // The answer decides over the mail; nobody has to keep it.
    if triage::is_deciding_in_triage(&inbox.desk) {
        return composer::write_answer(inbox, key);
    }
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    if !is_taken(&row, &inbox.context.settings.agent) {
        inbox.changes.plan_bulk_action(BulkAction::Take, vec![row], &mut inbox.desk, &mut inbox.context);
        suggesting::request_brief(inbox);
        composer::write_answer(inbox, key);
        let undo = keymap::undo_hint(&inbox.desk, &inbox.context);
        return inbox.context.show_notice(format!("taken · {undo}"));
    }
    composer::write_answer(inbox, key);
}

pub(crate) fn may_finish(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().is_mail() {
        return thread_can_be_filed(inbox);
    }
    if bulk_actions::acts_on_marks(&inbox.desk) {
        return conditions::check_tab_writable(inbox.desk.tab());
    }
    let row = writable_conversation(inbox)?;
    let held = inbox.changes.has_held_close(&row.channel, &row.conversation.id, &inbox.context);
    check_finishable(row).map_err(|why| if held { format!("{why} · {{undo}} undo") } else { why })
}

/// Ends the work on the conversation, and goes to the most urgent one.
pub(crate) fn finish(inbox: &mut Inbox, _: KeyPress) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        return done::finish_in_triage(inbox);
    }
    match bulk_actions::acts_on_marks(&inbox.desk) {
        true if inbox.desk.tab().is_mail() && !inbox.desk.shows_all_tabs => {
            inbox.changes.toggle_filing(ThreadFiling::Archived, &inbox.desk, &mut inbox.context);
        }
        true => inbox.changes.act_on_marked(BulkAction::Done, &inbox.desk, &mut inbox.context),
        false => done::finish_current(inbox),
    }
}

pub(crate) fn may_change_locally(inbox: &Inbox) -> Result<(), Reason> {
    match bulk_actions::acts_on_marks(&inbox.desk) {
        true => Ok(()),
        false => changeable_conversation(inbox).map(drop),
    }
}

pub(crate) fn later(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.open_snooze_menu(&inbox.desk, &mut inbox.context);
}

pub(crate) fn tags(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.edit_tags(&inbox.desk, &mut inbox.context);
}

pub(crate) fn claim(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.toggle_claim(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_draft_only(inbox: &Inbox) -> Result<(), Reason> {
    match bulk_actions::acts_on_marks(&inbox.desk) {
        true => conditions::check_tab_writable(inbox.desk.tab()),
        false => writable_conversation(inbox).map(drop),
    }
}

pub(crate) fn draft_only(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.toggle_draft_only(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_mark_seen(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_mail() {
        true => thread_can_be_filed(inbox),
        false => may_change_locally(inbox),
    }
}

pub(crate) fn toggle_seen(inbox: &mut Inbox, _: KeyPress) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        triage::skip_in_triage(&mut inbox.desk, &mut inbox.context);
    } else if inbox.desk.tab().is_mail() {
        inbox.changes.toggle_filing(ThreadFiling::Read, &inbox.desk, &mut inbox.context);
    } else {
        inbox.changes.toggle_seen(&mut inbox.desk, &mut inbox.context);
    }
}

pub(crate) fn next_urgent(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.urgency_walk.finished = None;
    inbox.context.push(Effect::Load(Load::NeedsPerson));
}

pub(crate) fn next_conversation(inbox: &mut Inbox, _: KeyPress) {
    match triage::is_deciding_in_triage(&inbox.desk) {
        true => triage::skip_in_triage(&mut inbox.desk, &mut inbox.context),
        false => actions::select_adjacent_conversation(&mut inbox.desk, 1, &mut inbox.context),
    }
}

pub(crate) fn previous_conversation(inbox: &mut Inbox, _: KeyPress) {
    match triage::is_deciding_in_triage(&inbox.desk) {
        true => triage::go_back_in_triage(&mut inbox.desk, &mut inbox.context),
        false => actions::select_adjacent_conversation(&mut inbox.desk, -1, &mut inbox.context),
    }
}

pub(crate) fn may_show_card(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)?;
    if inbox.desk.tab().is_in_triage() {
        return Err("not available in triage; Esc leaves it".into());
    }
    if inbox.desk.tab().focus == Focus::List && inbox.context.size.0 < SIDE_BY_SIDE_MIN_WIDTH {
        return Err("open the conversation first, then {card} shows its card".into());
    }
    Ok(())
}

pub(crate) fn card(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.panes.card = Some(inbox.desk.areas(&inbox.context).card.is_none());
}

pub(crate) fn may_open_from_card(inbox: &Inbox) -> Result<(), Reason> {
    match card::selected_conversation(&inbox.desk) {
        Some(_) => Ok(()),
        None => Err("no conversation with this number or address on other channels".into()),
    }
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
    actions::open(&mut inbox.desk, Focus::History, &mut inbox.context);
}

pub(crate) fn may_mark(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.list().selected {
        Some(_) => Ok(()),
        None => Err(no_conversation_reason(inbox.desk.tab())),
    }
}

pub(crate) fn mark(inbox: &mut Inbox, _: KeyPress) {
    bulk_actions::toggle_mark(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn mark_range(inbox: &mut Inbox, _: KeyPress) {
    bulk_actions::mark_range(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn mark_all(inbox: &mut Inbox, _: KeyPress) {
    bulk_actions::load_list_keys(&mut inbox.desk, MarkMode::All, &mut inbox.context);
}

pub(crate) fn mark_inverted(inbox: &mut Inbox, _: KeyPress) {
    bulk_actions::load_list_keys(&mut inbox.desk, MarkMode::Invert, &mut inbox.context);
}

pub(crate) fn mark_none(inbox: &mut Inbox, _: KeyPress) {
    suggesting::hide_brief(&mut inbox.desk);
    inbox.changes.clear_marks(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_restore_marks(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.previous_marks().is_empty() {
        true => Err("no earlier marks".into()),
        false => Ok(()),
    }
}

pub(crate) fn restore_marks(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.list().selected.is_some() {
        inbox.desk.list_mut().marks = inbox.changes.previous_marks().clone();
    }
}

pub(crate) fn may_show_results(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.changes.batch {
        Some(_) => Ok(()),
        None => Err("no bulk action yet".into()),
    }
}

pub(crate) fn show_results(inbox: &mut Inbox, _: KeyPress) {
    listing::show_list(&mut inbox.context, ListKind::BulkResults);
}

pub(crate) fn filter_list(inbox: &mut Inbox, _: KeyPress) {
    line::open_filter(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn choose_view(inbox: &mut Inbox, _: KeyPress) {
    saved_views::open_view_menu(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn go_to_snoozed(inbox: &mut Inbox, _: KeyPress) {
    saved_views::show_snoozed(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_sort_threads(inbox: &Inbox) -> Result<(), Reason> {
    if !inbox.desk.tab().is_mail() && !inbox.desk.shows_all_tabs {
        return Err("no mail threads in this list".into());
    }
    Ok(())
}

pub(crate) fn sort_by_activity(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Activity, &mut inbox.context);
}

pub(crate) fn sort_by_waiting(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Waiting, &mut inbox.context);
}

pub(crate) fn sort_by_urgency(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Urgency, &mut inbox.context);
}

pub(crate) fn sort_by_window(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Window, &mut inbox.context);
}

pub(crate) fn sort_by_name(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Name, &mut inbox.context);
}

pub(crate) fn sort_by_category(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Category, &mut inbox.context);
}

pub(crate) fn sort_by_priority(inbox: &mut Inbox, _: KeyPress) {
    saved_views::set_sort(&mut inbox.desk, Sort::Priority, &mut inbox.context);
}

pub(crate) fn filter_by(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    inbox.desk.go_to_list(&mut inbox.context);
    inbox.desk.list_mut().set_typed_filter(words);
    match filter::parse(words).mistakes.into_iter().next() {
        Some(mistake) => Err(mistake.message),
        None => Ok(()),
    }
}

pub(crate) fn view_names(inbox: &Inbox) -> Vec<String> {
    inbox.desk.views.iter().map(|view| view.name.clone()).collect()
}

pub(crate) fn show_view(inbox: &mut Inbox, name: &str) -> Result<(), String> {
    let index = find_by_prefix("view", name, &view_names(inbox))?;
    saved_views::show_view(&mut inbox.desk, index, &mut inbox.context);
    Ok(())
}

pub(crate) fn sort_completions(_: &Inbox) -> Vec<String> {
    Sort::ALL.iter().map(|(_, word, _)| (*word).to_owned()).collect()
}

pub(crate) fn sort_by(inbox: &mut Inbox, word: &str) -> Result<(), String> {
    let index = find_by_prefix("order", word, &sort_completions(inbox))?;
    saved_views::set_sort(&mut inbox.desk, Sort::ALL[index].0, &mut inbox.context);
    Ok(())
}
