//! Plays a macro: each step waits until every request of the one before it is answered, so that no step acts
//! on missing data. Stops at the first refusal and at every question.

use crate::Inbox;
use crate::command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::features::macros::Macros;
use crate::features::macros::steps::MacroStep;
use crate::features::macros::{is_question_open, steps};
use crate::keys::KeyPress;
use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::time::{Moment, SECOND};

/// Maximum time for one step, in microseconds.
const STEP_TIMEOUT: i64 = 10 * SECOND;

#[derive(Debug)]
pub(crate) struct MacroPlayback {
    /// `None` for a repeated action.
    letter: Option<char>,
    steps: Vec<MacroStep>,
    /// Number of steps played.
    played: usize,
    /// Conversation it acts on until a step goes elsewhere.
    conversation: Option<ConversationKey>,
    /// True if the current step may go elsewhere.
    may_leave_conversation: bool,
    /// Start of the wait for the current step.
    waiting_since: Moment,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PendingAnswers {
    /// Number of requests to the outside.
    requests: usize,
    /// True if a load was requested after the last barrier.
    has_new_loads: bool,
    /// Barrier that completes after all loads before it.
    open_barrier: Option<u64>,
    barrier_count: u64,
}

pub(crate) fn play_macro(inbox: &mut Inbox, letter: char) {
    let found = inbox.context.settings.macros.iter().find(|configured| configured.letter == letter);
    match found.map(|configured| configured.steps.clone()) {
        Some(steps) => start_playback(inbox, Some(letter), steps),
        None => inbox.context.show_warning(format!("no macro has the letter {letter}; see config.toml")),
    }
}

pub(crate) fn start_playback(inbox: &mut Inbox, letter: Option<char>, steps: Vec<MacroStep>) {
    inbox.changes.journal.set_joining(true);
    inbox.features.macros.playback = Some(MacroPlayback {
        letter,
        steps,
        played: 0,
        conversation: inbox.desk.current_conversation().map(ConversationRow::key),
        may_leave_conversation: false,
        waiting_since: inbox.context.moment,
    });
}

/// Plays the next step if nothing is awaited; returns true if one was played.
pub(crate) fn play_if_ready(inbox: &mut Inbox) -> bool {
    let Some(playing) = &inbox.features.macros.playback else { return false };
    if let Some(why) = inbox.context.refusal.take().filter(|_| playing.played > 0) {
        inbox.features.macros.stop_playback(&why, &mut inbox.context);
        return false;
    }
    if is_waiting_for_answers(inbox) {
        if inbox.features.macros.step_deadline().is_some_and(|due| due <= inbox.context.moment) {
            inbox
                .features
                .macros
                .stop_playback("this desk's files did not answer in time", &mut inbox.context);
        }
        return false;
    }
    if let Some((why, before)) = inbox.features.macros.obstacle(&inbox.desk, &inbox.context) {
        if let Some(playing) = &mut inbox.features.macros.playback {
            playing.played += usize::from(before);
        }
        inbox.features.macros.stop_playback_at(why, if before { "before" } else { "at" }, &mut inbox.context);
        return false;
    }
    play_next_step(inbox)
}

/// Returns true while loads, requests or writes are awaited; sends a barrier after new loads.
fn is_waiting_for_answers(inbox: &mut Inbox) -> bool {
    let awaited = &mut inbox.features.macros.pending;
    if awaited.has_new_loads && awaited.open_barrier.is_none() {
        awaited.has_new_loads = false;
        awaited.barrier_count += 1;
        awaited.open_barrier = Some(awaited.barrier_count);
        inbox.context.push(Effect::Load(Load::Barrier(awaited.barrier_count)));
    }
    awaited.open_barrier.is_some() || awaited.requests > 0 || inbox.changes.is_writing()
}

fn play_next_step(inbox: &mut Inbox) -> bool {
    let here = inbox.desk.current_conversation().map(ConversationRow::key);
    let now = inbox.context.moment;
    let Some(playing) = &mut inbox.features.macros.playback else { return false };
    let Some(step) = playing.steps.get(playing.played).cloned() else {
        end_playback(inbox);
        return false;
    };
    (playing.conversation, playing.waiting_since) = (here, now);
    playing.played += 1;
    match step {
        MacroStep::Command(command, _) => {
            playing.may_leave_conversation = steps::leaves_conversation(command)
        }
        MacroStep::Line(_) => playing.may_leave_conversation = true,
        MacroStep::Key(_) | MacroStep::Paste(_) => (),
    }
    match step {
        MacroStep::Command(command, key) => play_command(inbox, command, key),
        MacroStep::Key(key) => inbox.dispatch_key(key),
        MacroStep::Paste(text) => inbox.paste(&text),
        MacroStep::Line(text) => inbox.run_line(&text),
    }
    true
}

fn play_command(inbox: &mut Inbox, command: command::Command, key: KeyPress) {
    let row = command::row(command);
    if !inbox.context.overlays.is_empty() || !inbox.desk.active_scopes().contains(&row.place) {
        let place = row.place.heading().to_lowercase();
        return inbox.context.show_warning(format!("{} works only in: {place}", row.word));
    }
    inbox.run_command(command, key);
}

/// Called after the last step.
fn end_playback(inbox: &mut Inbox) {
    let Some(playing) = inbox.features.macros.playback.take() else { return };
    if let Some(letter) = playing.letter {
        let steps = steps::describe_count(steps::count_shown_steps(&playing.steps));
        inbox
            .context
            .show_notice(inbox.context.fill_in_keys(&format!("macro {letter}: {steps} · {{undo}} undo")));
    }
}

impl Macros {
    /// True if a step was played: nobody has seen a list that changed since.
    pub(crate) fn has_played_step(&self) -> bool {
        self.playback.as_ref().is_some_and(|playing| playing.played > 1)
    }

    /// Records the answer to a request to the outside.
    pub(crate) fn record_answer(&mut self) {
        self.pending.requests = self.pending.requests.saturating_sub(1);
    }

    pub(crate) fn complete_barrier(&mut self, echo: u64) {
        if self.pending.open_barrier == Some(echo) {
            self.pending.open_barrier = None;
        }
    }

    pub(crate) fn step_deadline(&self) -> Option<Moment> {
        self.playback.as_ref().map(|playing| playing.waiting_since.plus(STEP_TIMEOUT))
    }

    /// Records the requests among the effects.
    pub(crate) fn record_requests(&mut self, context: &Context) {
        for effect in &context.effects {
            self.pending.has_new_loads |=
                matches!(effect, Effect::Load(load) if !matches!(load, Load::Barrier(_)));
            self.pending.requests += usize::from(matches!(effect, Effect::Request(_)));
        }
    }

    /// Returns the reason why the next step cannot be played; true if the notice names this step, false if
    /// the one before it.
    fn obstacle(&self, desk: &Desk, context: &Context) -> Option<(&'static str, bool)> {
        let playing = self.playback.as_ref()?;
        if playing.played == 0 || playing.played == playing.steps.len() {
            return None;
        }
        if is_question_open(context) {
            return Some(("a question needs your answer", false));
        }
        let here = desk.current_conversation().map(ConversationRow::key);
        let moved = !playing.may_leave_conversation && playing.conversation != here;
        moved.then_some(("the conversation has changed", true))
    }

    pub(crate) fn stop_playback(&mut self, why: &str, context: &mut Context) {
        self.stop_playback_at(why, "at", context);
    }

    fn stop_playback_at(&mut self, why: &str, at: &str, context: &mut Context) {
        let Some(playing) = self.playback.take() else { return };
        let what = playing.letter.map_or_else(|| "repeat".to_owned(), |letter| format!("macro {letter}"));
        let (done, total) = (
            steps::count_shown_steps(&playing.steps[..playing.played]),
            steps::count_shown_steps(&playing.steps),
        );
        let name = playing.played.checked_sub(1).map(|entry| playing.steps[entry].name()).unwrap_or_default();
        let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(why);
        context.show_warning(match total {
            0 | 1 => format!("{what} stopped: {why}"),
            total => format!("{what} stopped {at} step {done} of {total} ({name}): {why}"),
        });
    }
}
