//! What every part of the screen gets besides its own state: the time, the
//! terminal, how it is set up, and where it leaves what is to be done.

use crate::Settings;
use crate::event::Effect;
use model::time::Timestamp;

/// See the module's text.
#[derive(Debug, Clone)]
pub struct Context {
    /// The time of this turn.
    pub now: Timestamp,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the terminal window has the focus.
    pub focused: bool,
    /// How the desk behaves.
    pub settings: Settings,
    /// What is to be done after this turn.
    pub effects: Vec<Effect>,
}

impl Context {
    /// Nothing is to be done yet.
    pub fn new(settings: Settings, size: (u16, u16), now: Timestamp) -> Self {
        Self { now, size, focused: true, settings, effects: Vec::new() }
    }

    /// Leaves something to be done.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
}
