//! Putting conversations aside: the menu that says until when, and their
//! coming back.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::snooze::Snooze;
use model::time::{Timestamp, Zone};

/// Those that came back and were looked at, remembered at most.
const SLEPT: usize = 100;

/// What came back and was looked at, so that the same time can be offered
/// again; the newest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnoozeState(Vec<(ConversationKey, Snooze)>);

impl SnoozeState {
    fn record(&mut self, key: ConversationKey, snooze: Snooze) {
        self.0.retain(|pair| pair.0 != key);
        if self.0.len() == SLEPT {
            self.0.remove(0);
        }
        self.0.push((key, snooze));
    }

    fn of(&self, key: &ConversationKey) -> Option<&Snooze> {
        self.0.iter().find(|pair| pair.0 == *key).map(|pair| &pair.1)
    }
}

/// What was done, in words.
pub(crate) fn describe_snooze(
    (until, stays): (Option<Timestamp>, bool),
    now: Timestamp,
    zone: &Zone,
) -> String {
    format!("snoozed {}", Snooze::new(until, stays, None, now).describe(now, zone))
}

/// Asks until when conversations are put aside.
#[derive(Debug)]
pub(crate) struct SnoozeMenu {
    pub(crate) rows: Vec<ConversationRow>,
    /// A wish being typed.
    pub(crate) typed: Option<TextLine>,
    /// Whether they stay away also when the customer writes before.
    pub(crate) stays: bool,
}
