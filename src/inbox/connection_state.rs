//! State of a tab's connection as text: long for the status line and pages, short for the tab.

use crate::command::Command;
use crate::components::dialog::Tone;
use crate::settings::Settings;
use model::news::Health;
use model::time::{SECOND, Timestamp, format_precise_span};

/// Age from which an answer is not called fresh, in microseconds.
const MAX_FRESH_AGE: i64 = 20 * SECOND;

/// True if the server answers; while connecting, nothing is known to be wrong.
pub fn is_normal(health: &Health, now: Timestamp) -> bool {
    match health {
        Health::Connecting => true,
        Health::Live { at } => now.since(*at) < MAX_FRESH_AGE,
        _ => false,
    }
}

/// Text of the status line and of pages.
pub fn connection_label(health: &Health, now: Timestamp, settings: &Settings) -> (String, Tone) {
    let zone = &settings.zone;
    match health {
        Health::Connecting => ("connecting".to_owned(), Tone::Dim),
        Health::Live { at } => match now.since(*at) {
            age if age < 2 * SECOND => ("live".to_owned(), Tone::Dim),
            age if age < MAX_FRESH_AGE => (format!("live {}", format_precise_span(age)), Tone::Dim),
            age => (format!("No contact for {}", format_precise_span(age)), Tone::NeedsAttention),
        },
        Health::Silent { since } => {
            (format!("No answer for {}", format_precise_span(now.since(*since).max(0))), Tone::NeedsAttention)
        }
        Health::Offline { since, why } => {
            (format!("Offline since {}: {why}", since.hour_and_minute(zone)), Tone::Error)
        }
        Health::Trouble { since, why } => {
            (format!("Server trouble since {}: {why}", since.hour_and_minute(zone)), Tone::Error)
        }
        Health::Limited { until } => {
            let left = format_precise_span(until.since(now).max(0) + SECOND);
            (format!("Rate limit until {}: {left} left", until.hour_and_minute(zone)), Tone::NeedsAttention)
        }
        Health::Refused { code, why } => {
            let refresh = settings.keymap.first_key_name(Command::Refresh);
            let remedy = format!("{refresh} try again; a new key needs a restart");
            (format!("Key refused · {code}: {why} · {remedy}"), Tone::Error)
        }
        Health::Misconfigured { why } => (format!("Not working: {why}"), Tone::Error),
    }
}

/// One word for the tab's title; empty if all is well.
pub fn status_word(health: &Health) -> &'static str {
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
            (Health::Live { at: ago(21) }, "No contact for 21s", ""),
            (Health::Live { at: ago(7_300) }, "No contact for 2h", ""),
            (Health::Silent { since: ago(4) }, "No answer for 4s", "slow"),
            (Health::Offline { since: ago(60), why: why.clone() }, "Offline since 10:04: no route", "off"),
            (Health::Trouble { since: ago(60), why }, "Server trouble since 10:04: no route", "err"),
            (Health::Limited { until: ago(-11) }, "Rate limit until 10:05: 12s left", "wait"),
            (Health::Limited { until: ago(2) }, "Rate limit until 10:04: 1s left", "wait"),
            (
                Health::Refused { code, why: SafeText::line("gone") },
                "Key refused · REVOKED_KEY: gone · Ctrl-R try again; a new key needs a restart",
                "!",
            ),
            (Health::Misconfigured { why: SafeText::line("a redirect") }, "Not working: a redirect", "!"),
        ];
        for (health, expected, short) in cases {
            assert_eq!(connection_label(&health, now, &Settings::default()).0, expected);
            assert_eq!(status_word(&health), short, "{health:?}");
        }
    }
}
