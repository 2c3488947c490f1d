//! Taking decisions of a triage back: exactly what was done with each, never
//! what was done before it or elsewhere.

use crate::Inbox;
use crate::features::undo::update as undo;
use crate::features::undo_send::Early;
use crate::screens::mail::triage::{TriageDecision, TriageStep};

/// Takes the last decision back that can be, and goes to its thread. What was
/// done before the triage stays.
pub(crate) fn triage_undo(inbox: &mut Inbox) {
    inbox.context.let_be();
    if undo_current(inbox) {
        return;
    }
    let Some(triage) = &inbox.desk.tab().mail.triage else { return };
    let mut past = Vec::new();
    let mut found = None;
    for (place, step) in triage.decided.iter().enumerate().rev() {
        match step_way(inbox, step) {
            Ok(way) => {
                found = Some((place, way));
                break;
            }
            Err(why) => past.push((step.newest.unwrap_or_default(), why)),
        }
    }
    let older = found.as_ref().and_then(|(place, _)| triage.decided.get(*place)).map(step_words);
    if let Some((number, why)) = past.into_iter().next()
        && (inbox.changes.first_told_past(number) || older.is_none())
    {
        let more =
            older.map(|older| inbox.context.keyed(&format!(" · {{undo}} again goes back to: {older}")));
        return inbox.context.say(format!("{why}{}", more.unwrap_or_default()));
    }
    match found {
        None => inbox.context.say("nothing was decided yet"),
        Some((place, way)) => take_step_back(inbox, place, way),
    }
}

/// How a decision is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepWay {
    /// Nothing was done.
    Nothing,
    /// What has this number.
    Group(u64),
    /// A mail on its way into the outbox.
    OnItsWay,
}

/// How a decision can be taken back, or why it cannot.
fn step_way(inbox: &Inbox, step: &TriageStep) -> Result<StepWay, String> {
    let group = match (step.what, step.rows.first()) {
        (TriageDecision::Left, _) | (_, None) => return Ok(StepWay::Nothing),
        (TriageDecision::Answered, Some(row)) => {
            inbox.changes.group_of_mail(row, step.newest.unwrap_or(u64::MAX))
        }
        _ => step.group,
    };
    match group {
        None if inbox.changes.is_queueing() => Ok(StepWay::OnItsWay),
        None => Err("too long ago to be taken back".to_owned()),
        Some(group) => match inbox.changes.is_past_undoing(group, &inbox.context) {
            Some(why) => Err(why),
            None => Ok(StepWay::Group(group)),
        },
    }
}

/// The thread of a decision.
fn step_words(step: &TriageStep) -> String {
    step.rows.first().map_or_else(String::new, |row| row.conversation.title().to_string())
}

fn take_step_back(inbox: &mut Inbox, place: usize, way: StepWay) {
    let Some(triage) = &mut inbox.desk.tab_mut().mail.triage else { return };
    let step = triage.decided.remove(place);
    let mut rows = step.rows;
    // What a macro decided has one number, and is taken back as one.
    let number = step.newest;
    let goes_along = |triage_step: &mut TriageStep| {
        way != StepWay::Nothing && number.is_some() && triage_step.newest == number
    };
    while let Some(with) = triage.decided.pop_if(goes_along) {
        rows.splice(0..0, with.rows);
    }
    if let Some(at) = triage.at.take() {
        triage.queue.push_front(at);
    }
    let mut rows = rows.into_iter();
    let Some(first) = rows.next() else { return };
    for row in rows.rev() {
        triage.queue.push_front(row);
    }
    triage.ended = None;
    triage.at = Some(first.clone());
    match way {
        StepWay::Nothing => inbox.context.say(format!("back at {}", first.conversation.title())),
        StepWay::Group(group) => undo::undo_group(inbox, group),
        StepWay::OnItsWay => drop(inbox.changes.queueing.decide(Early::Recall)),
    }
    inbox.desk.triage_show(first, &mut inbox.context);
}

/// Takes back a star or the like of the current thread, if that was done after
/// the last decision; it is no decision, and one stays there.
fn undo_current(inbox: &mut Inbox) -> bool {
    let Some(triage) = inbox.desk.tab().triage() else { return false };
    let Some(at) = triage.at.as_ref().map(|conversation_row| conversation_row.conversation.id.clone()) else {
        return false;
    };
    let before = triage.before.unwrap_or_default();
    let newest = inbox.changes.newest_of(&at, triage.before_current(), &inbox.context);
    let Some((group, was_star)) = newest.map(|newest| (newest.group, newest.starred().is_some())) else {
        return false;
    };
    undo::undo_group(inbox, group);
    let is_starred = inbox.changes.gave_star(&at, before);
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
