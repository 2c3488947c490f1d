//! Who gets a key: the topmost layer, the composer, or the key map.

pub(crate) mod ahead;
pub(crate) mod bursts;
pub(crate) mod update;

use crate::keyboard::ahead::TypedAhead;
use crate::keys::KeyPress;
use model::time::Moment;

/// What the keyboard is in the middle of.
#[derive(Debug, Default)]
pub struct Keyboard {
    /// The start of a key sequence.
    pub pressed: Vec<KeyPress>,
    /// What was typed before it could act.
    pub(crate) ahead: TypedAhead,
    /// Command lines said before, newest last.
    pub(crate) command_history: Vec<String>,
    /// Commands that were piped to, the newest last.
    pub(crate) piped: Vec<String>,
    /// When the first Ctrl-C was pressed.
    pub(crate) interrupted_at: Option<Moment>,
    /// Whether the desk ends as soon as nothing is paused from here.
    pub(crate) leaving: bool,
    /// Whether what comes back from the editor is JSON of the person's own.
    pub(crate) edits_json: bool,
    /// The next step of the exercise, while one goes on.
    pub(crate) tutor: Option<usize>,
    /// Whether the exercise was ever begun: it need not be offered any more.
    pub(crate) knows_tutor: bool,
}
