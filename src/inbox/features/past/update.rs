//! Goes back in time, steps, and returns; refuses what would change something.

use crate::Inbox;
use crate::command::{Command, Reason};
use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Insight, Load, Loaded};
use crate::features::past::{NOT_RECORDED, READING_VERBS, READS, ShownPast, is_of_a_time};
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::tab::Focus;
use model::past::{PastMoment, PastNote};
use model::text::SafeText;
use model::time::{HOUR, MINUTE, Timestamp, short_span};

/// A small step.
const STEP: i64 = 5 * MINUTE;

impl Context {
    /// The time that list and history are shown as of.
    pub fn shown_at(&self) -> Timestamp {
        self.past.map_or(self.now, |past| past.at)
    }

    /// The past that is shown, in words: `Fri 20 Nov 14:05 · 2h ago`.
    pub(crate) fn past_words(&self) -> Option<String> {
        let at = self.past?.at;
        let zone = &self.settings.zone;
        let ago = short_span(self.now.since(at));
        Some(format!("{} {} · {ago} ago", at.day_name(zone), at.clock_face(zone)))
    }
}

/// `:at TIME`: shows that time, or the present again; without words what is
/// recorded.
pub(crate) fn at_line(inbox: &mut Inbox, words: &str) -> Result<(), Reason> {
    if words.is_empty() {
        explain(inbox);
        return Ok(());
    }
    match PastMoment::parse(words, inbox.context.now, &inbox.context.settings.zone)? {
        PastMoment::Now => leave(inbox),
        PastMoment::Past(at) => {
            may_step_back(inbox)?;
            enter(inbox, at);
        }
    }
    Ok(())
}

/// How times are typed.
pub(crate) fn moments(_: &Inbox) -> Vec<String> {
    ["now", "yesterday ", "today ", "5m", "1h", "1d"].map(str::to_owned).to_vec()
}

pub(crate) fn back(inbox: &mut Inbox, _: KeyPress) {
    step(inbox, -STEP);
}

pub(crate) fn hour_back(inbox: &mut Inbox, _: KeyPress) {
    step(inbox, -HOUR);
}

pub(crate) fn forward(inbox: &mut Inbox, _: KeyPress) {
    step(inbox, STEP);
}

pub(crate) fn hour_forward(inbox: &mut Inbox, _: KeyPress) {
    step(inbox, HOUR);
}

pub(crate) fn may_step_back(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_in_triage() {
        true => Err("leave the triage first".into()),
        false => Ok(()),
    }
}

pub(crate) fn may_step_forward(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.context.past {
        Some(_) => Ok(()),
        None => Err("this is the present; {past-back} goes back in time".into()),
    }
}

fn step(inbox: &mut Inbox, by: i64) {
    let at = inbox.context.shown_at().plus(by);
    match at >= inbox.context.now {
        true => leave(inbox),
        false => enter(inbox, at),
    }
}

/// Shows list and history as they were at a time.
fn enter(inbox: &mut Inbox, at: Timestamp) {
    let note = inbox.context.past.and_then(|past| past.note);
    inbox.context.past = Some(ShownPast { at, note });
    inbox.desk.page = PageKind::Inbox;
    inbox.desk.read_anew();
    let words = inbox.context.past_words().unwrap_or_default();
    inbox.context.say("as it was; read only, Esc returns");
    inbox.context.said.note(&format!("the past: {words}"), inbox.context.now);
}

/// Shows the present again.
pub(crate) fn leave(inbox: &mut Inbox) {
    if inbox.context.past.take().is_none() {
        return inbox.context.say("this is the present");
    }
    inbox.desk.read_anew();
    inbox.context.push(Effect::Load(Load::Insight(Insight::LeavePast)));
    inbox.context.say("back in the present");
}

impl Desk {
    /// Reads every list and history again, of whatever time is shown now.
    fn read_anew(&mut self) {
        for tab in &mut self.tabs {
            self.ahead.forget(&tab.channel.id, None);
            tab.list.read_anew();
            if let Some(history) = &mut tab.history {
                history.read_anew();
            }
            if tab.focus == Focus::Composer {
                tab.focus = Focus::History;
            }
        }
        self.all.read_anew();
        if let Some(beside) = &mut self.beside {
            beside.history.read_anew();
        }
        self.contact.mark_stale();
        self.counted = None;
    }
}

/// Why a command cannot be done while the past is shown.
pub(crate) fn may(inbox: &Inbox, command: Command) -> Result<(), Reason> {
    match inbox.context.past.is_none() || READS.contains(&command) {
        true => Ok(()),
        false => Err(refusal()),
    }
}

/// The same of a line.
pub(crate) fn may_say(inbox: &Inbox, verb: &str) -> Result<(), Reason> {
    match inbox.context.past.is_none() || READING_VERBS.contains(&verb) {
        true => Ok(()),
        false => Err(refusal()),
    }
}

/// The status line tells which time it is.
fn refusal() -> Reason {
    "this is the past; Esc returns".to_owned()
}

/// Nothing is written in the past.
pub(crate) fn keep_out_of_composer(desk: &mut Desk, context: &mut Context) {
    if context.past.is_some() && desk.is_typing() {
        desk.tab_mut().focus = Focus::History;
        context.warn(refusal());
    }
}

/// Makes each read of a list or a history one of the time that is shown.
pub(crate) fn wrap(context: &mut Context) {
    let Some(past) = context.past else { return };
    for effect in &mut context.effects {
        if let Effect::Load(load) = effect
            && is_of_a_time(load)
        {
            *load = Load::At(past.at, Box::new(load.clone()));
        }
    }
}

/// What was read, if it is of the time that is shown.
pub(crate) fn sift(context: &mut Context, load: Load, loaded: Loaded) -> Option<(Load, Loaded)> {
    match (load, loaded) {
        (Load::At(at, load), Loaded::At(note, loaded)) => {
            let past = context.past.as_mut().filter(|past| past.at == at)?;
            past.note = Some(note);
            Some((*load, *loaded))
        }
        (load, loaded) => (context.past.is_none() || !is_of_a_time(&load)).then_some((load, loaded)),
    }
}

/// The read that failed, if it is of the time that is shown.
pub(crate) fn sift_failure(context: &Context, load: Load) -> Option<Load> {
    if let Load::At(at, load) = load {
        return context.past.is_some_and(|past| past.at == at).then_some(*load);
    }
    (context.past.is_none() || !is_of_a_time(&load)).then_some(load)
}

/// What the past is made of.
fn explain(inbox: &mut Inbox) {
    let mut lines: Vec<String> = [
        "`:at 14:05`, `:at yesterday 14:05`, `:at 2026-11-20 09:00`, `:at 2h` show list and history \
         as they were then, on this desk's clocks; Esc or `:at now` returns.",
        "",
        "Messages stand by their own times, with how far they had come by then. Closed or open, AI \
         on or off, the window, why the AI failed, what you had seen, pauses, claims and snoozes are \
         as this desk knew them.",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    lines.push(format!("Not recorded, and so not shown: {NOT_RECORDED}."));
    lines.push("What was deleted since is gone from the past, too. Names are those of now.".to_owned());
    if let Some(words) =
        inbox.context.past.and_then(|past| past.note).map(|past_note| note_words(&inbox.context, past_note))
    {
        lines.push(words);
    }
    let lines = lines.iter().map(|text| SafeText::line(text)).collect();
    inbox.context.open(TextView::new("The past", lines));
}

/// Since when changes are kept, and whether all is shown.
pub(super) fn note_words(context: &Context, note: PastNote) -> String {
    let zone = &context.settings.zone;
    let since = note.since.map_or_else(String::new, |time| {
        let day = time.day_name(zone);
        format!("Recorded since {day} {}.", time.clock_face(zone))
    });
    match note.is_cut {
        true => format!("{since} Only the newest conversations are shown.").trim_start().to_owned(),
        false => since,
    }
}
