//! Recording macros: what is pressed while one is recorded, and always what
//! was done last to a conversation, so that it can be done again.
//!
//! Answers to questions are never recorded: they are a person's to give. Knows
//! nothing of playing.

pub(crate) mod update;

use crate::features::macros::Macros;
use crate::features::macros::steps;
use crate::features::macros::steps::RecordedStep;
use crate::keys::{KeyCode, KeyPress};
use model::macros::Macro;

/// Keys and commands of one macro at most.
const MOST: usize = 2_000;

/// A macro of the configuration: it is changed there only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The letter and the steps.
    pub macro_: Macro,
    /// A key that plays it at once.
    pub key: Option<KeyPress>,
}

/// The macros there are, and what is being recorded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording {
    /// All macros, by their letters.
    pub(crate) all: Vec<Macro>,
    /// The letter and the steps so far.
    under_way: Option<(char, Vec<RecordedStep>)>,
    /// What was done last to a conversation.
    pub(crate) last: Vec<RecordedStep>,
    /// What is being done to one, until its menu is closed.
    trail: Vec<RecordedStep>,
}

/// The macros: one is played, or recorded.
#[derive(Debug)]
pub(crate) struct MacroMenu {
    pub(crate) chosen: usize,
    /// Whether the letter begins a recording.
    pub(crate) records: bool,
}

impl Macros {
    pub fn macros(&self) -> &[Macro] {
        &self.recording.all
    }

    /// The letter and the number of steps of the macro being recorded.
    pub fn is_recording(&self) -> Option<(char, usize)> {
        self.recording.under_way.as_ref().map(|(letter, done)| (*letter, steps::count(done)))
    }

    /// Remembers what is done to a conversation until its menu is closed.
    fn trail(&mut self, step: &RecordedStep) {
        let trail = &mut self.recording.trail;
        match step {
            RecordedStep::Command(command, _) if steps::can_be_repeated(*command) => {
                *trail = vec![step.clone()]
            }
            RecordedStep::Command(..) => trail.clear(),
            RecordedStep::Key(key) if key.code == KeyCode::Esc => trail.clear(),
            RecordedStep::Key(_) | RecordedStep::Paste(_) if !trail.is_empty() => trail.push(step.clone()),
            RecordedStep::Key(_) | RecordedStep::Paste(_) => (),
            RecordedStep::Line(_) => trail.clear(),
        }
    }

    /// What `.` does again, in words.
    pub(crate) fn repeatable(&self) -> bool {
        !self.recording.last.is_empty()
    }
}

/// How many steps, in words.
pub(crate) fn count(steps: usize) -> String {
    match steps {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    }
}
