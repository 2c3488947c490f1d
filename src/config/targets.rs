//! Response targets of all channels and of single ones.

use crate::config::reading::Section;
use crate::config::settings::{Setting, SettingTable, SettingValue, TableForm, setting};
use crate::config::{Config, Mistakes};
use model::ids::ChannelId;
use model::targets::ResponseTargets;
use model::time::MINUTE;

const TARGET_MINUTES: SettingValue = SettingValue::Number(0, 10_080);

pub(super) const TABLE: SettingTable = SettingTable {
    name: "targets",
    form: TableForm::Once,
    doc: "How soon customers should be answered. Rows show the remaining time, and the bell rings when a fifth of \
          it is left.",
    settings: &[
        setting(
            "first_response_minutes",
            TARGET_MINUTES,
            "0",
            "Minutes until the first answer; 0 for no target",
        ),
        setting("waiting_minutes", TARGET_MINUTES, "0", "Minutes until each later answer; 0 for no target"),
    ],
};

pub(super) const CHANNEL_SETTINGS: [Setting; 2] = [
    setting(
        "first_response_minutes",
        TARGET_MINUTES,
        "",
        "Minutes until the first answer to its customers, if different from [targets]",
    ),
    setting(
        "waiting_minutes",
        TARGET_MINUTES,
        "",
        "Minutes until each later answer to them, if different from [targets]",
    ),
];

/// Minutes of each target, `None` if not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetMinutes {
    first_response: Option<i64>,
    waiting: Option<i64>,
}

impl TargetMinutes {
    pub(super) const NONE: Self = Self { first_response: Some(0), waiting: Some(0) };

    /// Fills unset targets from `others`.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            first_response: self.first_response.or(others.first_response),
            waiting: self.waiting.or(others.waiting),
        }
    }
}

/// Reads the two keys from `[targets]` or a channel.
pub(super) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> TargetMinutes {
    TargetMinutes {
        first_response: mistakes.value(section.integer("first_response_minutes")),
        waiting: mistakes.value(section.integer("waiting_minutes")),
    }
}

impl Config {
    /// Targets of each channel: its own, else those of all channels.
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
