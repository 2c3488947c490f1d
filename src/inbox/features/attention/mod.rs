//! The page "Needs you" of all tabs: entries that need a person, by urgency; pauses of the AI made from this
//! desk; and events since the person left. An alarm rings when an AI does not answer after a hand-back, or
//! the target of an answer is near.

pub(crate) mod lines;
pub(crate) mod update;

use model::attention::Alarms;
use model::needs_you::{NeedsYouId, NeedsYouPage};
use model::time::Timestamp;

#[derive(Debug, Default)]
pub(crate) struct AttentionQueue {
    /// `None` until loaded.
    page: Option<NeedsYouPage>,
    /// Entry that was opened last.
    visited: Option<NeedsYouId>,
    /// True if the page may be outdated.
    stale: bool,
    /// Counts of due entries, as of the last load.
    alarms: Alarms,
    /// Time of the last load; entries that became due before it do not ring again.
    rung_until: Option<Timestamp>,
    /// True if the alarms may be outdated.
    alarms_stale: bool,
    /// True while the alarms are being loaded.
    asked: bool,
}

impl AttentionQueue {
    /// Marks page and alarms as outdated.
    pub(crate) fn changed(&mut self) {
        (self.stale, self.alarms_stale) = (true, true);
    }

    /// Reloads after the wall clock was set. If it was set back, entries that become due again ring again.
    pub(crate) fn clock_was_set(&mut self, now: Timestamp) {
        self.rung_until = self.rung_until.map(|until| until.min(now));
        self.changed();
    }

    /// Time at which the next entry becomes due.
    pub(crate) fn due(&self, now: Timestamp) -> Option<Timestamp> {
        self.alarms.next.filter(|entry| *entry > now)
    }

    /// Due entries as text for the status line, and true if any is late.
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
