//! What every part of the screen gets besides its own state: the time, the
//! terminal, how it is set up, and where it leaves what is to be done.

use crate::Settings;
use crate::event::Effect;
use crate::features::offers::Offer;
use crate::notice::Notice;
use crate::overlays::guard::PromptGuard;
use crate::overlays::overlay::OverlayStack;
use model::time::Timestamp;

/// See the module's text.
#[derive(Debug)]
pub struct Context {
    /// The time of this turn.
    pub now: Timestamp,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the terminal window has the focus.
    pub focused: bool,
    /// How the desk behaves.
    pub settings: Settings,
    /// What lies over the desk, topmost last.
    pub layers: OverlayStack,
    /// What keeps keys meant for a text from the question over it.
    pub(crate) guard: PromptGuard,
    /// What the status line says for a while.
    pub notice: Option<Notice>,
    /// What one key would do that suggests itself.
    pub(crate) offer: Option<Offer>,
    /// Why something was not done in this turn, as it was said first.
    pub(crate) refusal: Option<String>,
    /// What is to be done after this turn.
    pub effects: Vec<Effect>,
}

impl Context {
    /// Nothing is to be done yet.
    pub fn new(settings: Settings, size: (u16, u16), now: Timestamp) -> Self {
        Self {
            now,
            size,
            focused: true,
            settings,
            layers: OverlayStack::default(),
            guard: PromptGuard::default(),
            notice: None,
            offer: None,
            refusal: None,
            effects: Vec::new(),
        }
    }

    /// Leaves something to be done.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
}
