//! While nobody was here: when the person came back, and what happened since
//! they left. Who types is not disturbed: it is offered in the status line.

pub(crate) mod update;

use model::digest::Digest;
use model::time::{MINUTE, Moment};

/// How long after a key somebody is still here; a key within that writes
/// nothing to the disk.
const HERE: i64 = MINUTE;

/// What is known of it.
#[derive(Debug, Default)]
pub(crate) struct Absences {
    /// The newest key, while it is to be noted that somebody was here after it.
    touched_at: Option<Moment>,
    /// When it was noted last that somebody is here.
    noted_at: Option<Moment>,
    /// What happened since the latest absence began, as read last.
    digest: Option<Digest>,
    /// Whether that may be old.
    pub(crate) stale: bool,
    /// Whether it is still to be said that something happened.
    announces: bool,
    /// The line that was gone to.
    chosen: usize,
}

impl Absences {
    /// When it is to be noted that somebody was here.
    pub(crate) fn due(&self) -> Option<Moment> {
        self.touched_at.map(|moment| moment.plus(HERE))
    }
}
