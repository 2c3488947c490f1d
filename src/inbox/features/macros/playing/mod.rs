//! Playing macros: one step after the other, each only when all that the one
//! before it asked for has come, so that no step acts on what is not loaded
//! yet. It stops at the first refusal and at every question, and says where.

pub(crate) mod update;

use crate::features::macros::Macros;
use crate::features::macros::steps::RecordedStep;
use model::queries::ConversationKey;
use model::time::{Moment, SECOND};

/// How long one step may take.
const PATIENCE: i64 = 10 * SECOND;

/// A macro that is being played.
#[derive(Debug)]
pub(crate) struct Playing {
    /// Its letter; none for what was done last.
    letter: Option<char>,
    steps: Vec<RecordedStep>,
    /// How many of them were played.
    done: usize,
    /// The conversation it is about until a step goes elsewhere.
    about: Option<ConversationKey>,
    /// Whether the steps being played may go elsewhere.
    wanders: bool,
    /// Since when the current step is awaited.
    since: Moment,
}

/// What has been asked for and has not come yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Awaited {
    /// Questions to the person's files.
    asks: usize,
    /// Whether something was loaded after the last echo was asked for.
    loads: bool,
    /// The echo that comes back after all loads before it.
    echo: Option<u64>,
    echoes: u64,
}

impl Macros {
    /// Whether what is done now follows from a step before it, so that a
    /// person has not looked at a list that changed since.
    pub(crate) fn follows_a_step(&self) -> bool {
        self.playing.as_ref().is_some_and(|playing| playing.done > 1)
    }

    /// An answer from the person's files has come.
    pub(crate) fn ask_answered(&mut self) {
        self.awaited.asks = self.awaited.asks.saturating_sub(1);
    }

    /// All loads before an echo have come.
    pub(crate) fn echoed(&mut self, echo: u64) {
        if self.awaited.echo == Some(echo) {
            self.awaited.echo = None;
        }
    }

    /// When a step has taken too long.
    pub(crate) fn playing_due(&self) -> Option<Moment> {
        self.playing.as_ref().map(|playing| playing.since.plus(PATIENCE))
    }
}
