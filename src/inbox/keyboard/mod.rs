//! Routing of keys: topmost popup, composer, or key map.

pub(crate) mod awaited_reads;
pub(crate) mod bursts;
pub(crate) mod input;

use crate::features::tutor::Tutor;
use crate::keyboard::awaited_reads::AwaitedReads;
use crate::keys::KeyPress;
use model::time::Moment;

#[derive(Debug, Default)]
pub struct Keyboard {
    pub pressed: Vec<KeyPress>,
    /// Reads that input waits for.
    pub(crate) reads: AwaitedReads,
    /// Earlier command lines, newest last.
    pub(crate) command_history: Vec<String>,
    /// Commands of earlier pipes, newest last.
    pub(crate) pipe_history: Vec<String>,
    pub(crate) interrupted_at: Option<Moment>,
    /// True if the desk ends once no pause made here is left.
    pub(crate) quits_after_hand_back: bool,
    /// True if the editor's text is JSON of the person.
    pub(crate) edits_json: bool,
    pub(crate) tutor: Tutor,
}
