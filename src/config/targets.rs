//! How soon customers shall be answered: for all channels, and for one.

use crate::config::reading::Section;
use crate::config::settings::{Setting, SettingTable, SettingValue, TableForm, setting};
use crate::config::{Config, Mistakes};
use model::ids::ChannelId;
use model::targets::ResponseTargets;
use model::time::MINUTE;

/// Minutes of a target.
const MINUTES: SettingValue = SettingValue::Number(0, 10_080);

/// The targets of all channels.
pub(super) const TABLE: SettingTable = SettingTable {
    name: "targets",
    form: TableForm::Once,
    doc: "How soon customers shall be answered. Rows show the time that is left, and a bell rings in its last fifth.",
    settings: &[
        setting("first_response_minutes", MINUTES, "0", "Minutes until the first answer; 0 is no target"),
        setting("waiting_minutes", MINUTES, "0", "Minutes until each later answer; 0 is no target"),
    ],
};

/// Those of one channel.
pub(super) const OWN: [Setting; 2] = [
    setting(
        "first_response_minutes",
        MINUTES,
        "",
        "Minutes until the first answer to its customers, where otherwise than in [targets]",
    ),
    setting(
        "waiting_minutes",
        MINUTES,
        "",
        "Minutes until each later answer to them, where otherwise than in [targets]",
    ),
];

/// Minutes of each target, as far as they stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetMinutes {
    first_response: Option<i64>,
    waiting: Option<i64>,
}

impl TargetMinutes {
    /// No target for anybody.
    pub(super) const NONE: Self = Self { first_response: Some(0), waiting: Some(0) };

    /// These, and others where nothing is said.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            first_response: self.first_response.or(others.first_response),
            waiting: self.waiting.or(others.waiting),
        }
    }
}

/// Reads the two keys of `[targets]` or of a channel.
pub(super) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> TargetMinutes {
    TargetMinutes {
        first_response: mistakes.value(section.integer("first_response_minutes")),
        waiting: mistakes.value(section.integer("waiting_minutes")),
    }
}

impl Config {
    /// The targets of each channel: its own, else those of all.
    pub fn targets(&self) -> Vec<(ChannelId, ResponseTargets)> {
        let span = |minutes: Option<i64>| minutes.unwrap_or(0) * MINUTE;
        let of = |own: TargetMinutes| {
            let TargetMinutes { first_response, waiting } = own.or(self.targets);
            ResponseTargets { first_response: span(first_response), waiting: span(waiting) }
        };
        let all = self.channels.iter().map(|channel| (channel.id(), of(channel.targets)));
        all.filter(|entry| entry.1.is_set()).collect()
    }
}
