//! Records when a person is at this desk, and announces once that something happened during an absence. The
//! page "Needs you" lists it.

pub(crate) mod update;

use model::time::{MINUTE, Moment};

/// Time after a key in which the person counts as present, in microseconds; a key within it writes nothing to
/// disk.
const HERE: i64 = MINUTE;
/// Time after a return in which events that are still being read from the server are announced, in
/// microseconds.
const ANNOUNCEMENT_LIMIT: i64 = 10 * MINUTE;

#[derive(Debug, Default)]
pub(crate) struct Absences {
    /// Newest input that no presence record covers yet.
    touched_at: Option<Moment>,
    /// Time of the newest presence record.
    noted_at: Option<Moment>,
    /// Deadline of the announcement, `None` once it was made.
    announces_until: Option<Moment>,
}

impl Absences {
    /// Time at which the newest input is recorded.
    pub(crate) fn due(&self) -> Option<Moment> {
        self.touched_at.map(|moment| moment.plus(HERE))
    }
}
