//! Queue of input between the terminal and [`Inbox::update`], from which the event loop takes all input.
//!
//! No input ever acts on what was selected before a read that moves the selection is answered:
//!
//! | state | keys, pastes, lines | clicks, the wheel |
//! |---|---|---|
//! | nothing is awaited | are taken in their order | are taken |
//! | a read is awaited | stay in the queue | are dropped; a click is reported |
//! | a read has been awaited for [`MAX_READ_WAIT`] | are dropped and reported | are dropped |
//! | a macro is played | stay in the queue; Esc, a paste and a burst stop the macro | are dropped |
//! | a read or a macro has ended with a refusal | waiting input is dropped and reported | |
//!
//! Input that comes later is dropped, too, until the late read has ended, and its answer changes nothing. Ctrl-C
//! is taken in every state; what waits before it is dropped. The keys of a burst are taken one after the other.

use std::collections::VecDeque;

use crate::Inbox;
use crate::event::{DroppedInput, Event};
use crate::keyboard::awaited_reads::InputWait;
use crate::keyboard::bursts;
use crate::keyboard::input;
use crate::keys::Pointer;
use model::time::{Moment, SECOND};

/// Maximum time input waits for a read, in microseconds.
pub const MAX_READ_WAIT: i64 = SECOND / 4;
/// Maximum inputs in the queue; further ones are dropped.
const MAX_QUEUED_INPUTS: usize = 100_000;

#[derive(Debug, Default)]
pub struct InputQueue {
    /// Each input with the time it came from the terminal.
    inputs: VecDeque<(Moment, Event)>,
    /// Arrival of the input taken last.
    arrived_at: Moment,
    /// Reason for the wait at the last check, and its start.
    waiting: Option<(InputWait, Moment)>,
}

impl InputQueue {
    /// Adds input that came from the terminal at a time.
    pub fn push(&mut self, input: Event, arrived_at: Moment) {
        if self.inputs.len() < MAX_QUEUED_INPUTS {
            self.inputs.push_back((arrived_at, input));
        }
    }

    /// Adds input to the front, such as the keys of a line of plain mode.
    pub fn push_first(&mut self, inputs: Vec<Event>, arrived_at: Moment) {
        inputs.into_iter().rev().for_each(|input| self.inputs.push_front((arrived_at, input)));
    }

    /// Arrival time of the input that [`Self::next`] returned last.
    pub fn arrived_at(&self) -> Moment {
        self.arrived_at
    }

    /// Next input in the queue, which may have to wait.
    pub fn first(&self) -> Option<&Event> {
        self.inputs.front().map(|(_, input)| input)
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// True if input had to wait at the last check: results read since are handled first.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Time at which input that waits is dropped.
    pub fn due(&self) -> Option<Moment> {
        let (wait, since) = self.waiting.filter(|_| !self.inputs.is_empty())?;
        (wait == InputWait::Read).then(|| since.plus(MAX_READ_WAIT))
    }

    /// Returns the next event for the inbox: input that acts now, or a report of dropped input. `None` if the
    /// rest has to wait.
    pub fn next(&mut self, inbox: &Inbox, now: Moment) -> Option<Event> {
        if self.waiting.is_some() && inbox.is_waiting_input_stale() {
            self.waiting = None;
            if let Some(dropped) = self.drop_inputs(DroppedInput::Stale) {
                return Some(dropped);
            }
        }
        loop {
            if let Some(wait) = inbox.input_wait(self.first()) {
                return self.next_while_waiting(wait, now);
            }
            self.waiting = None;
            let input = self.take(0)?;
            let Event::Burst(text) = &input else { return Some(input) };
            match bursts::keys_of(inbox, text) {
                Some(keys) => self.push_first(keys, self.arrived_at),
                None => return Some(input),
            }
        }
    }

    fn next_while_waiting(&mut self, wait: InputWait, now: Moment) -> Option<Event> {
        let before = self.waiting.filter(|waiting| waiting.0 == wait);
        let since = before.map_or(now, |waiting| waiting.1);
        self.waiting = Some((wait, since));
        if let Some(at) = self.inputs.iter().position(|(_, input)| never_waits(input)) {
            return self.take(at);
        }
        let stops = |input: &Event| match wait {
            InputWait::Macro => input::stops_macro(input),
            InputWait::Read => input::is_interrupt(input),
        };
        if let Some(at) = self.inputs.iter().position(|(_, input)| stops(input)) {
            self.waiting = None;
            self.inputs.drain(..at);
            return self.take(0);
        }
        let clicked = self.drop_pointers();
        if wait == InputWait::Read
            && now.since(since) >= MAX_READ_WAIT
            && let Some(dropped) = self.drop_inputs(DroppedInput::Late)
        {
            return Some(dropped);
        }
        clicked.then_some(Event::InputDropped(DroppedInput::Click))
    }

    fn take(&mut self, at: usize) -> Option<Event> {
        let (arrived_at, input) = self.inputs.remove(at)?;
        self.arrived_at = arrived_at;
        Some(input)
    }

    /// Drops all input. Returns the event that reports it, `None` if there was no input.
    fn drop_inputs(&mut self, why: DroppedInput) -> Option<Event> {
        let before = self.inputs.len();
        self.inputs.retain(|(_, input)| never_waits(input));
        (self.inputs.len() < before).then_some(Event::InputDropped(why))
    }

    /// Drops mouse input. Returns true if there was a click.
    fn drop_pointers(&mut self) -> bool {
        let clicks = |input: &Event| {
            matches!(input, Event::Pointer(Pointer::Down(..) | Pointer::Tab(_) | Pointer::AllTabs))
        };
        let clicked = self.inputs.iter().any(|(_, input)| clicks(input));
        self.inputs.retain(|(_, input)| !matches!(input, Event::Pointer(_)));
        clicked
    }
}

/// True if an input does not depend on the selection.
fn never_waits(input: &Event) -> bool {
    matches!(input, Event::Focus(_) | Event::Pointer(Pointer::Up))
}

#[cfg(test)]
mod tests;
