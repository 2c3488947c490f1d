//! Putting conversations off: the menu for the time and the note, and their return.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

const MAX_ENDED_SNOOZES: usize = 100;

/// Ended snoozes that can be offered again; newest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct EndedSnoozes(Vec<(ConversationKey, Snooze)>);

impl EndedSnoozes {
    fn record(&mut self, key: ConversationKey, snooze: Snooze) {
        self.0.retain(|pair| pair.0 != key);
        if self.0.len() == MAX_ENDED_SNOOZES {
            self.0.remove(0);
        }
        self.0.push((key, snooze));
    }

    fn last_snooze(&self, key: &ConversationKey) -> Option<&Snooze> {
        self.0.iter().find(|pair| pair.0 == *key).map(|pair| &pair.1)
    }
}

pub(crate) fn describe_snooze(
    (until, stays): (Option<Timestamp>, bool),
    note: Option<SafeText>,
    now: Timestamp,
    zone: &Zone,
) -> String {
    format!("later: {}", Snooze::new(until, stays, None, now).with_note(note).describe(now, zone))
}

#[derive(Debug)]
pub(crate) struct SnoozeMenu {
    pub(crate) rows: Vec<ConversationRow>,
    typed: Option<(MenuField, TextLine)>,
    /// True if they stay away even when the customer writes.
    stays: bool,
    note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MenuField {
    Until,
    Note,
}

impl SnoozeMenu {
    pub(crate) fn new(rows: Vec<ConversationRow>) -> Self {
        Self { rows, typed: None, stays: false, note: String::new() }
    }
}
