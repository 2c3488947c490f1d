//! The state of a tab's connection, in words: long ones for the status line and
//! pages, a short one for the tab.

use ratatui::style::Style;

use crate::command::Command;
use crate::settings::Settings;
use crate::theme_view::Theme;
use model::news::Health;
use model::time::{SECOND, Timestamp, format_precise_span};

/// From this age on an answer is no longer called fresh.
const FRESH: i64 = 20 * SECOND;

/// The words of the status line.
pub fn connection_label(
    health: &Health,
    now: Timestamp,
    settings: &Settings,
    theme: Theme,
) -> (String, Style) {
    let zone = &settings.zone;
    match health {
        Health::Connecting => ("connecting".to_owned(), theme.quiet()),
        Health::Live { at } => match now.since(*at) {
            age if age < 2 * SECOND => ("live".to_owned(), theme.quiet()),
            age if age < FRESH => (format!("live {}", format_precise_span(age)), theme.quiet()),
            age => (format!("last answer {} ago", format_precise_span(age)), theme.needs_a_person()),
        },
        Health::Silent { since } => (
            format!("no answer for {}", format_precise_span(now.since(*since).max(0))),
            theme.needs_a_person(),
        ),
        Health::Offline { since, why } => {
            (format!("OFFLINE since {}: {why}", since.hour_and_minute(zone)), theme.error())
        }
        Health::Trouble { since, why } => {
            (format!("SERVER TROUBLE since {}: {why}", since.hour_and_minute(zone)), theme.error())
        }
        Health::Limited { until } => {
            let left = format_precise_span(until.since(now).max(0) + SECOND);
            (
                format!("limited by the server until {}, {left}", until.hour_and_minute(zone)),
                theme.needs_a_person(),
            )
        }
        Health::Refused { code, why } => {
            let refresh = settings.keymap.first(Command::Refresh);
            let again = "a new key needs a restart";
            (format!("KEY NOT TAKEN: {code} · {again}; {refresh} tries this one · {why}"), theme.error())
        }
        Health::Misconfigured { why } => (format!("CANNOT WORK: {why}"), theme.error()),
    }
}

/// One word for the tab's title; nothing while all is well.
pub fn mark(health: &Health) -> &'static str {
    match health {
        Health::Connecting | Health::Live { .. } => "",
        Health::Silent { .. } => "slow",
        Health::Offline { .. } => "off",
        Health::Trouble { .. } => "err",
        Health::Limited { .. } => "wait",
        Health::Refused { .. } | Health::Misconfigured { .. } => "!",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    #[test]
    fn every_state_has_words_and_a_mark() {
        let now = Timestamp::parse("2026-11-20T10:05:00Z").expect("valid");
        let ago = |seconds: i64| now.plus(-seconds * SECOND);
        let why = SafeText::line("no route");
        let code = SafeText::line("REVOKED_KEY");
        let cases = [
            (Health::Connecting, "connecting", ""),
            (Health::Live { at: ago(1) }, "live", ""),
            (Health::Live { at: ago(-9) }, "live", ""),
            (Health::Live { at: ago(7) }, "live 7s", ""),
            (Health::Live { at: ago(21) }, "last answer 21s ago", ""),
            (Health::Live { at: ago(7_300) }, "last answer 2h ago", ""),
            (Health::Silent { since: ago(4) }, "no answer for 4s", "slow"),
            (Health::Offline { since: ago(60), why: why.clone() }, "OFFLINE since 10:04: no route", "off"),
            (Health::Trouble { since: ago(60), why }, "SERVER TROUBLE since 10:04: no route", "err"),
            (Health::Limited { until: ago(-11) }, "limited by the server until 10:05, 12s", "wait"),
            (Health::Limited { until: ago(2) }, "limited by the server until 10:04, 1s", "wait"),
            (
                Health::Refused { code, why: SafeText::line("gone") },
                "KEY NOT TAKEN: REVOKED_KEY · a new key needs a restart; Ctrl-R tries this one · gone",
                "!",
            ),
            (Health::Misconfigured { why: SafeText::line("a redirect") }, "CANNOT WORK: a redirect", "!"),
        ];
        for (health, expected, short) in cases {
            assert_eq!(connection_label(&health, now, &Settings::default(), Theme::default()).0, expected);
            assert_eq!(mark(&health), short, "{health:?}");
        }
    }
}
