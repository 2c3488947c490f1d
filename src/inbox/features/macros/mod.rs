//! Macros of the configuration, and `.`, which repeats the last action on a conversation.
//!
//! Both play steps one after the other ([`playback`]). Answers to questions are never steps.

pub(crate) mod menu;
pub(crate) mod playback;
pub mod steps;

use crate::Inbox;
use crate::context::Context;
use crate::features::macros::playback::{MacroPlayback, PendingAnswers};
use crate::features::macros::steps::MacroStep;
use crate::keys::{KeyCode, KeyPress};

/// Steps that one letter plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macro {
    pub letter: char,
    pub steps: Vec<MacroStep>,
    /// Key that plays it at once.
    pub key: Option<KeyPress>,
}

/// Steps that are played, and those that `.` repeats.
#[derive(Debug, Default)]
pub struct Macros {
    last_action: Vec<MacroStep>,
    /// Action on a conversation whose menu is still open.
    unfinished_action: Vec<MacroStep>,
    pub(crate) playback: Option<MacroPlayback>,
    pending: PendingAnswers,
}

impl Macros {
    /// Records a step for `.`: an action on a conversation begins anew, what is typed in its menu
    /// follows, and any other command ends it.
    pub(crate) fn record(&mut self, step: MacroStep) {
        match step {
            MacroStep::Command(command, _) if steps::is_repeatable(command) => {
                self.unfinished_action = vec![step];
            }
            MacroStep::Key(key) if key.code == KeyCode::Esc => self.unfinished_action.clear(),
            MacroStep::Key(_) | MacroStep::Paste(_) if self.unfinished_action.is_empty() => (),
            MacroStep::Key(_) | MacroStep::Paste(_) => self.unfinished_action.push(step),
            MacroStep::Command(..) | MacroStep::Line(_) => self.unfinished_action.clear(),
        }
    }

    /// Records a key of a menu or a form, unless it answers a question.
    pub(crate) fn record_overlay_key(&mut self, key: KeyPress, context: &Context) {
        if context.overlays.last().is_some_and(|layer| !layer.is_question()) {
            self.record(MacroStep::Key(key));
        }
    }

    /// Ends the recorded action once its menu is closed.
    pub(crate) fn end_action(&mut self, context: &Context) {
        if context.overlays.is_empty() && !self.unfinished_action.is_empty() {
            self.last_action = std::mem::take(&mut self.unfinished_action);
        }
    }

    pub(crate) fn has_last_action(&self) -> bool {
        !self.last_action.is_empty()
    }
}

/// Repeats the last action on a conversation.
pub(crate) fn repeat(inbox: &mut Inbox) {
    let steps = inbox.features.macros.last_action.clone();
    playback::start_playback(inbox, None, steps);
}

/// Returns the letter of the macro that a key plays.
pub(crate) fn macro_letter(context: &Context, key: KeyPress) -> Option<char> {
    let macros = &context.settings.macros;
    macros.iter().find(|configured| configured.key == Some(key)).map(|configured| configured.letter)
}

/// True if the next key press answers a question.
pub(crate) fn is_question_open(context: &Context) -> bool {
    context.overlays.last().is_some_and(|layer| layer.is_question())
}
