//! Passes input to the part that has the keyboard. Input comes through the
//! [`InputQueue`](crate::input_queue::InputQueue), so nothing is waited for here.

use crate::Inbox;
use crate::command::{Command, CommandScope};
use crate::event::Event;
use crate::keyboard::bursts;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress, Pointer};
use crate::layout;
use crate::pointer;

/// Key that neither waits nor is dropped.
const INTERRUPT: KeyPress = KeyPress::ctrl('c');

pub(crate) fn is_interrupt(input: &Event) -> bool {
    *input == Event::Key(INTERRUPT)
}

pub(crate) fn stops_macro(input: &Event) -> bool {
    let stops = |key: &KeyPress| *key == INTERRUPT || *key == KeyPress::plain(KeyCode::Esc);
    matches!(input, Event::Paste(_) | Event::Burst(_)) || matches!(input, Event::Key(key) if stops(key))
}

pub(crate) fn take_key(inbox: &mut Inbox, key: KeyPress) {
    if layout::is_too_small(inbox.context.size) {
        return take_key_unseen(inbox, key);
    }
    if inbox.features.macros.playback.is_some() && stops_macro(&Event::Key(key)) {
        return inbox.features.macros.stop_playback("you stopped it", &mut inbox.context);
    }
    if key == INTERRUPT {
        inbox.stop_waiting();
    }
    inbox.handle_key(key);
}

pub(crate) fn take_paste(inbox: &mut Inbox, text: &str) {
    take_text(inbox, |inbox| inbox.handle_paste(text));
}

/// Takes a burst that is not split into keys.
pub(crate) fn take_burst(inbox: &mut Inbox, text: &str) {
    take_text(inbox, |inbox| bursts::take_whole(inbox, text));
}

fn take_text(inbox: &mut Inbox, act: impl FnOnce(&mut Inbox)) {
    if layout::is_too_small(inbox.context.size) {
        return;
    }
    if inbox.features.macros.playback.is_some() {
        let why = "text pasted meanwhile was ignored";
        return inbox.features.macros.stop_playback(why, &mut inbox.context);
    }
    act(inbox);
}

pub(crate) fn take_line_break(inbox: &mut Inbox) {
    if !layout::is_too_small(inbox.context.size) {
        bursts::break_line(inbox);
    }
}

pub(crate) fn take_pointer(inbox: &mut Inbox, pointer: Pointer) {
    if !layout::is_too_small(inbox.context.size) {
        pointer::handle_pointer(inbox, pointer);
    }
}

/// Takes a key while the screen is too small to show anything: only leaving, suspending and redrawing act.
fn take_key_unseen(inbox: &mut Inbox, key: KeyPress) {
    inbox.keyboard.pressed.clear();
    let places = [CommandScope::Desk];
    match inbox.context.settings.keymap.resolve(&places, &[key]) {
        Resolution::Matched(command @ (Command::Interrupt | Command::Suspend | Command::Redraw)) => {
            inbox.run_command(command, key);
        }
        Resolution::Matched(_) | Resolution::Pending | Resolution::Unknown => (),
    }
}
