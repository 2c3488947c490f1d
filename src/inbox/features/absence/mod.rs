//! Notes when a person is at this desk, and says once after an absence that something happened
//! meanwhile. The page "Needs you" lists it.

pub(crate) mod update;

use model::time::{MINUTE, Moment};

/// How long after a key somebody is still here; a key within that writes
/// nothing to the disk.
const HERE: i64 = MINUTE;
/// How long after the return events are waited for that are still to be read from the server.
const ANNOUNCEMENT_LIMIT: i64 = 10 * MINUTE;

/// What is known of it.
#[derive(Debug, Default)]
pub(crate) struct Absences {
    /// The newest key, while it is to be noted that somebody was here after it.
    touched_at: Option<Moment>,
    /// When it was noted last that somebody is here.
    noted_at: Option<Moment>,
    /// Deadline of the announcement, `None` once it was made.
    announces_until: Option<Moment>,
}

impl Absences {
    /// When it is to be noted that somebody was here.
    pub(crate) fn due(&self) -> Option<Moment> {
        self.touched_at.map(|moment| moment.plus(HERE))
    }
}
