//! Lets keys act, keeps those that have to wait, and lets these act in their
//! order once what they wait for has come. What was refused meanwhile, or did
//! not come in time, ends it: the keys behind it were meant for something else
//! than what is there.

use crate::Inbox;
use crate::command::{Command, CommandScope};
use crate::context::Context;
use crate::event::Effect;
use crate::keyboard::ahead::{KeyWait, PATIENCE, TypedAhead, TypedInput, TypedStep};
use crate::keyboard::bursts::{self, BurstMeaning};
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress, Pointer};
use crate::layout;
use crate::notice::Fact;
use crate::pointer;

/// A person typed something.
pub(crate) fn typed(inbox: &mut Inbox, typed: TypedInput) {
    if layout::is_too_small(inbox.context.size) {
        if let TypedInput::Key(key) = typed {
            typed_unseen(inbox, key);
        }
        return;
    }
    let (wait, now) = (wait_of(inbox, Some(&typed)), inbox.context.moment);
    match inbox.keyboard.ahead.step(&typed, wait, now) {
        TypedStep::Act => begin(inbox, typed),
        TypedStep::Keep => inbox.keyboard.ahead.queue.push_back(typed),
        TypedStep::StopPlaying(why) => {
            inbox.keyboard.ahead.queue.clear();
            inbox.features.macros.stop_playing(why, &mut inbox.context);
        }
        TypedStep::Drop(why) => give_up(inbox, why),
        TypedStep::DropAndAct => {
            inbox.keyboard.ahead.forget();
            act(inbox, typed);
        }
    }
}

/// Lets what was typed just now act; the keys of a burst one after the other, as each may have to
/// wait for the one before.
fn begin(inbox: &mut Inbox, typed_now: TypedInput) {
    let TypedInput::Burst(text) = &typed_now else { return act(inbox, typed_now) };
    match bursts::meaning(inbox, text) {
        BurstMeaning::Paste => bursts::paste(inbox, text),
        BurstMeaning::Keys(keys) => keys.into_iter().for_each(|key| typed(inbox, key)),
    }
}

/// The mouse did something. A click is meant for what is on screen, so nothing
/// goes elsewhere after it.
pub(crate) fn pointed(inbox: &mut Inbox, pointer: Pointer) {
    if layout::is_too_small(inbox.context.size) {
        return;
    }
    let clicks = matches!(pointer, Pointer::Down(..) | Pointer::Tab(_) | Pointer::AllTabs);
    let ahead = &inbox.keyboard.ahead;
    if clicks && inbox.features.macros.playing.is_none() && (ahead.holds_any() || ahead.goes_elsewhere()) {
        give_up(inbox, "you clicked meanwhile");
    }
    pointer::pointer(inbox, pointer);
}

/// Nothing is shown, so nothing is done but what needs no look: leaving,
/// suspending, drawing anew.
fn typed_unseen(inbox: &mut Inbox, key: KeyPress) {
    inbox.keyboard.pressed.clear();
    let places = [CommandScope::Desk];
    match inbox.context.settings.keymap.resolve(&places, &[key]) {
        Resolution::Matched(command @ (Command::Interrupt | Command::Suspend | Command::Redraw)) => {
            inbox.call(command, key);
        }
        Resolution::Matched(_) | Resolution::Pending | Resolution::Unknown => (),
    }
}

fn act(inbox: &mut Inbox, typed: TypedInput) {
    match typed {
        TypedInput::Key(key) => inbox.key(key),
        TypedInput::Paste(text) => inbox.pasted(&text),
        TypedInput::LineBreak => bursts::break_line(inbox),
        TypedInput::Burst(text) => match bursts::meaning(inbox, &text) {
            BurstMeaning::Paste => bursts::paste(inbox, &text),
            BurstMeaning::Keys(keys) => {
                let queue = &mut inbox.keyboard.ahead.queue;
                keys.into_iter().rev().for_each(|key| queue.push_front(key));
            }
        },
    }
}

/// What something typed now has to wait for.
fn wait_of(inbox: &Inbox, typed: Option<&TypedInput>) -> KeyWait {
    if inbox.features.macros.playing.is_some() {
        return KeyWait::Playing;
    }
    let ahead = &inbox.keyboard.ahead;
    let waits = match inbox.context.layers.last() {
        _ if ahead.goes_elsewhere() => true,
        Some(top) => {
            let takes = typed.is_some_and(TypedInput::takes_what_is_found);
            takes && top.takes_text() && ahead.awaited.iter().any(|entry| top.shows(entry))
        }
        None => !ahead.gave_up && inbox.desk.lacks_target(),
    };
    if waits { KeyWait::Read } else { KeyWait::Nothing }
}

/// Lets the oldest of the keys that wait act, if it need not wait any more;
/// whether one did. `replayed`: whether the turn before this was one of them.
pub(crate) fn act_next(inbox: &mut Inbox, replayed: bool) -> bool {
    let now = inbox.context.moment;
    inbox.keyboard.ahead.gave_up &= inbox.desk.lacks_target();
    let came = std::mem::take(&mut inbox.keyboard.ahead.came);
    let wait = wait_of(inbox, inbox.keyboard.ahead.queue.front());
    let ahead = &mut inbox.keyboard.ahead;
    if wait == KeyWait::Playing || wait == KeyWait::Nothing && !ahead.holds_any() {
        ahead.since = None;
        return false;
    }
    let refused = inbox.context.refusal.clone().filter(|_| came || replayed || wait == KeyWait::Nothing);
    // A text goes on where it was begun, whatever was said of it.
    let goes_on = replayed && takes_text(inbox);
    if layout::is_too_small(inbox.context.size) && inbox.keyboard.ahead.holds_any() {
        give_up(inbox, "the terminal became too small");
        return false;
    }
    let ahead = &mut inbox.keyboard.ahead;
    match refused {
        Some(why) if ahead.holds_any() && !goes_on => {
            give_up(inbox, &why);
            return false;
        }
        Some(_) | None => (),
    }
    if wait == KeyWait::Read {
        let since = *ahead.since.get_or_insert(now);
        if ahead.holds_any() && now.since(since) >= PATIENCE {
            give_up(inbox, "this desk's files did not answer in time");
        } else if ahead.waiting(now) > 0 {
            inbox.context.state(Fact::KeysWait);
        }
        return false;
    }
    ahead.since = None;
    let Some(next) = ahead.queue.pop_front() else { return false };
    inbox.context.refusal = None;
    act(inbox, next);
    inbox.changes.touches.record_input(&inbox.context.effects);
    true
}

/// Keys wait no longer, and nothing goes elsewhere any more.
fn give_up(inbox: &mut Inbox, why: &str) {
    let dropped = inbox.keyboard.ahead.holds_any();
    inbox.keyboard.ahead.forget();
    inbox.context.warn(match dropped {
        true => format!("{why}; what was typed meanwhile was dropped"),
        false => why.to_owned(),
    });
}

impl TypedAhead {
    /// Drops the queued keys and the reads they wait for.
    pub(crate) fn forget(&mut self) {
        *self = Self { gave_up: true, ..Self::default() };
    }

    /// Drops the keys that wait.
    pub(crate) fn drop_keys(&mut self) {
        self.queue.clear();
    }

    /// Notes the reads among these effects.
    pub(crate) fn note_asked(&mut self, context: &Context) {
        for effect in &context.effects {
            if let Effect::Load(load) = effect {
                self.note(load);
            }
        }
    }
}

/// Whether letters are text.
fn takes_text(inbox: &Inbox) -> bool {
    match inbox.context.layers.last() {
        Some(top) => top.takes_text(),
        None => inbox.desk.is_typing(),
    }
}

/// Whether what is typed now acts only after a read that is under way.
pub(crate) fn keys_wait(inbox: &Inbox) -> bool {
    let enter = TypedInput::Key(KeyPress::plain(KeyCode::Enter));
    inbox.keyboard.ahead.holds_any() || wait_of(inbox, Some(&enter)) == KeyWait::Read
}
