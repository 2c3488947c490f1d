//! Plays a macro step by step.

use crate::Inbox;
use crate::command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::features::macros::Macros;
use crate::features::macros::playing::Playing;
use crate::features::macros::recording;
use crate::features::macros::recording::update::asks_a_person;
use crate::features::macros::steps;
use crate::features::macros::steps::RecordedStep;
use crate::keys::KeyPress;
use model::conversations::ConversationRow;

pub(crate) fn play_macro(inbox: &mut Inbox, letter: char) {
    match inbox.features.macros.steps_of(letter, &inbox.context) {
        Ok(steps) => play(inbox, Some(letter), steps),
        Err(why) => inbox.context.warn(why),
    }
}

pub(crate) fn play(inbox: &mut Inbox, letter: Option<char>, steps: Vec<RecordedStep>) {
    inbox.changes.journal.join(true);
    inbox.features.macros.playing = Some(Playing {
        letter,
        steps,
        done: 0,
        about: inbox.desk.current_conversation().map(ConversationRow::key),
        wanders: false,
        since: inbox.context.moment,
    });
}

/// Plays the next step if nothing is awaited; whether one was played.
pub(crate) fn play_on(inbox: &mut Inbox) -> bool {
    let Some(playing) = &inbox.features.macros.playing else { return false };
    if let Some(why) = inbox.context.refusal.take().filter(|_| playing.done > 0) {
        inbox.features.macros.stop_playing(&why, &mut inbox.context);
        return false;
    }
    if is_awaiting(inbox) {
        if inbox.features.macros.playing_due().is_some_and(|due| due <= inbox.context.moment) {
            inbox
                .features
                .macros
                .stop_playing("this desk's files did not answer in time", &mut inbox.context);
        }
        return false;
    }
    if let Some((why, before)) = inbox.features.macros.obstacle(&inbox.desk, &inbox.context) {
        if let Some(playing) = &mut inbox.features.macros.playing {
            playing.done += usize::from(before);
        }
        inbox.features.macros.stop_playing_at(why, if before { "before" } else { "at" }, &mut inbox.context);
        return false;
    }
    play_next(inbox)
}

/// Whether something is awaited; asks for an echo after new loads.
fn is_awaiting(inbox: &mut Inbox) -> bool {
    let awaited = &mut inbox.features.macros.awaited;
    if awaited.loads && awaited.echo.is_none() {
        awaited.loads = false;
        awaited.echoes += 1;
        awaited.echo = Some(awaited.echoes);
        inbox.context.push(Effect::Load(Load::Echo(awaited.echoes)));
    }
    awaited.echo.is_some() || awaited.asks > 0 || inbox.changes.is_writing()
}

fn play_next(inbox: &mut Inbox) -> bool {
    let here = inbox.desk.current_conversation().map(ConversationRow::key);
    let now = inbox.context.moment;
    let Some(playing) = &mut inbox.features.macros.playing else { return false };
    let Some(step) = playing.steps.get(playing.done).cloned() else {
        end_playing(inbox);
        return false;
    };
    (playing.about, playing.since) = (here, now);
    playing.done += 1;
    match step {
        RecordedStep::Command(command, _) => playing.wanders = steps::goes_elsewhere(command),
        RecordedStep::Line(_) => playing.wanders = true,
        RecordedStep::Key(_) | RecordedStep::Paste(_) => (),
    }
    match step {
        RecordedStep::Command(command, key) => play_command(inbox, command, key),
        RecordedStep::Key(key) => inbox.press(key),
        RecordedStep::Paste(text) => inbox.paste(&text),
        RecordedStep::Line(text) => inbox.run_line(&text),
    }
    true
}

fn play_command(inbox: &mut Inbox, command: command::Command, key: KeyPress) {
    let row = command::row(command);
    if !inbox.context.layers.is_empty() || !inbox.desk.places().contains(&row.place) {
        let place = row.place.heading().to_lowercase();
        return inbox.context.warn(format!("{} is for another place: {place}", row.word));
    }
    inbox.call(command, key);
}

/// The last step was played.
fn end_playing(inbox: &mut Inbox) {
    let Some(playing) = inbox.features.macros.playing.take() else { return };
    if let Some(letter) = playing.letter {
        let steps = recording::count(steps::count(&playing.steps));
        inbox
            .context
            .say(inbox.context.keyed(&format!("macro {letter}: {steps} · {{undo}} takes back what can be")));
    }
    // What opened a question must not be answered by typing ahead.
    if asks_a_person(&inbox.context) {
        inbox.keyboard.ahead.drop_keys();
    }
}

impl Macros {
    /// Notes what these effects ask for.
    pub(crate) fn note_asked(&mut self, context: &Context) {
        for effect in &context.effects {
            self.awaited.loads |= matches!(effect, Effect::Load(load) if !matches!(load, Load::Echo(_)));
            self.awaited.asks += usize::from(matches!(effect, Effect::Ask(_)));
        }
    }

    /// Why the next step cannot be played, and whether that is told of it
    /// rather than of the one before it.
    fn obstacle(&self, desk: &Desk, context: &Context) -> Option<(&'static str, bool)> {
        let playing = self.playing.as_ref()?;
        if playing.done == 0 || playing.done == playing.steps.len() {
            return None;
        }
        if asks_a_person(context) {
            return Some(("it asks; answer it yourself", false));
        }
        let here = desk.current_conversation().map(ConversationRow::key);
        let moved = !playing.wanders && playing.about != here;
        moved.then_some(("the conversation has changed", true))
    }

    pub(crate) fn stop_playing(&mut self, why: &str, context: &mut Context) {
        self.stop_playing_at(why, "at", context);
    }

    fn stop_playing_at(&mut self, why: &str, at: &str, context: &mut Context) {
        let Some(playing) = self.playing.take() else { return };
        let what = playing.letter.map_or_else(|| "repeat".to_owned(), |letter| format!("macro {letter}"));
        let (done, total) = (steps::count(&playing.steps[..playing.done]), steps::count(&playing.steps));
        let name = playing.done.checked_sub(1).map(|entry| playing.steps[entry].name()).unwrap_or_default();
        let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(why);
        context.warn(match total {
            0 | 1 => format!("{what} stopped: {why}"),
            total => format!("{what} stopped {at} step {done} of {total} ({name}): {why}"),
        });
    }
}
