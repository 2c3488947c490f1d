//! The page "Needs you", of all tabs: what needs a person by urgency, pauses of the AI made from this
//! desk, and what happened since the person left. An alarm rings when an AI did not wake up or the
//! target of an answer is near.

pub(crate) mod lines;
pub(crate) mod update;

use model::attention::Alarms;
use model::needs_you::{NeedsYouId, NeedsYouPage};
use model::time::Timestamp;

/// What is known of it.
#[derive(Debug, Default)]
pub(crate) struct AttentionQueue {
    /// `None` until it was read.
    page: Option<NeedsYouPage>,
    /// The entry that was gone to last.
    visited: Option<NeedsYouId>,
    /// True if the page may be outdated.
    stale: bool,
    /// How much was due when it was looked at last.
    alarms: Alarms,
    /// Until when it was looked at: what became due before rings no more.
    rung_until: Option<Timestamp>,
    /// Whether it may be otherwise by now.
    alarms_stale: bool,
    /// Whether an answer is awaited.
    asked: bool,
}

impl AttentionQueue {
    /// Something may need a person now, or none any more.
    pub(crate) fn changed(&mut self) {
        (self.stale, self.alarms_stale) = (true, true);
    }

    /// The wall clock was set. What becomes due by it is looked at anew; one
    /// that was set back rings again of what it had already come to.
    pub(crate) fn clock_was_set(&mut self, now: Timestamp) {
        self.rung_until = self.rung_until.map(|until| until.min(now));
        self.changed();
    }

    /// When something becomes due.
    pub(crate) fn due(&self, now: Timestamp) -> Option<Timestamp> {
        self.alarms.next.filter(|entry| *entry > now)
    }

    /// What is due, in words for the status line, and whether any of it is late.
    pub(crate) fn due_words(&self) -> Option<(String, bool)> {
        let words = |count: u32, one: &str, many: &str| {
            (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
        };
        let Alarms { unanswered: silent, near, missed, .. } = self.alarms;
        let parts = [
            words(silent, "AI silent", "AIs silent"),
            words(missed, "answer late", "answers late"),
            words(near, "answer due", "answers due"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| (parts.join(", "), silent + missed > 0))
    }
}
