//! Undo within a triage: only decisions of this triage, each exactly once.

use crate::Inbox;
use crate::features::undo::update as undo;
use crate::features::undo_send::EarlyDecision;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::triage::{TriageDecision, TriageStep};

/// Undoes the last decision that can be undone and returns to its thread.
pub(crate) fn undo_in_triage(inbox: &mut Inbox) {
    if undo_current(inbox) {
        return;
    }
    let Some(triage) = &inbox.desk.tab().mail.triage else { return };
    let mut past = Vec::new();
    let mut found = None;
    for (place, step) in triage.decided.iter().enumerate().rev() {
        match step_undo(inbox, step) {
            Ok(way) => {
                found = Some((place, way));
                break;
            }
            Err(why) => past.push((step.newest_group.unwrap_or_default(), why)),
        }
    }
    let older = found.as_ref().and_then(|(place, _)| triage.decided.get(*place)).map(step_title);
    if let Some((number, why)) = past.into_iter().next()
        && (inbox.changes.mark_reported(number) || older.is_none())
    {
        let more = older.map(|older| inbox.context.fill_in_keys(&format!(" · {{undo}} undo again: {older}")));
        return inbox.context.show_notice(format!("{why}{}", more.unwrap_or_default()));
    }
    match found {
        None => inbox.context.show_notice("no decisions yet"),
        Some((place, way)) => undo_step(inbox, place, way),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepUndo {
    NotNeeded,
    Group(u64),
    /// A mail still being written to the outbox.
    BeingQueued,
}

/// Returns how to undo a decision, or why it cannot be undone.
fn step_undo(inbox: &Inbox, step: &TriageStep) -> Result<StepUndo, String> {
    let group = match (step.decision, step.rows.first()) {
        (TriageDecision::Left, _) | (_, None) => return Ok(StepUndo::NotNeeded),
        (TriageDecision::Answered, Some(row)) => {
            inbox.changes.mail_group(row, step.newest_group.unwrap_or(u64::MAX))
        }
        _ => step.group,
    };
    match group {
        None if inbox.changes.is_queueing() => Ok(StepUndo::BeingQueued),
        None => Err("too old to undo".to_owned()),
        Some(group) => match inbox.changes.irrevocable_reason(group, &inbox.context) {
            Some(why) => Err(why),
            None => Ok(StepUndo::Group(group)),
        },
    }
}

fn step_title(step: &TriageStep) -> String {
    step.rows.first().map_or_else(String::new, |row| row.conversation.title().to_string())
}

fn undo_step(inbox: &mut Inbox, place: usize, way: StepUndo) {
    let Some(triage) = &mut inbox.desk.tab_mut().mail.triage else { return };
    let step = triage.decided.remove(place);
    let mut rows = step.rows;
    // Decisions of one macro share a number and are undone together.
    let number = step.newest_group;
    let goes_along = |triage_step: &mut TriageStep| {
        way != StepUndo::NotNeeded && number.is_some() && triage_step.newest_group == number
    };
    while let Some(with) = triage.decided.pop_if(goes_along) {
        rows.splice(0..0, with.rows);
    }
    if let Some(at) = triage.current.take() {
        triage.queue.push_front(at);
    }
    let mut rows = rows.into_iter();
    let Some(first) = rows.next() else { return };
    for row in rows.rev() {
        triage.queue.push_front(row);
    }
    triage.ended_at = None;
    triage.current = Some(first.clone());
    match way {
        StepUndo::NotNeeded => inbox.context.show_notice(format!("back at {}", first.conversation.title())),
        StepUndo::Group(group) => undo::undo_group(inbox, group),
        StepUndo::BeingQueued => drop(inbox.changes.pending_groups.decide(EarlyDecision::Recall)),
    }
    triage::show_in_triage(&mut inbox.desk, first, &mut inbox.context);
}

/// Undoes a later change of the current thread that is no decision, such as a star; false if none.
fn undo_current(inbox: &mut Inbox) -> bool {
    let Some(triage) = inbox.desk.tab().triage() else { return false };
    let Some(at) = triage.current.as_ref().map(|conversation_row| conversation_row.conversation.id.clone())
    else {
        return false;
    };
    let before = triage.group_before.unwrap_or_default();
    let newest = inbox.changes.newest_undoable(&at, triage.group_before_current(), &inbox.context);
    let Some((group, was_star)) = newest.map(|newest| (newest.group, newest.star_change().is_some())) else {
        return false;
    };
    undo::undo_group(inbox, group);
    let is_starred = inbox.changes.added_star(&at, before);
    if let Some(triage) = &mut inbox.desk.tab_mut().mail.triage
        && was_star
    {
        match is_starred {
            true => triage.starred.insert(at),
            false => triage.starred.remove(&at),
        };
    }
    true
}
