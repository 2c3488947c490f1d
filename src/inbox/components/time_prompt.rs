//! A time typed into a menu.

use crate::components::dialog::{DialogLine, Tone};
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use model::snooze;
use model::time::{Timestamp, Zone};

const MAX_CHARS: usize = 30;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TimePromptState {
    Typing(TextLine),
    Submitted(TextLine),
    /// Back to the menu.
    Cancelled,
}

pub(crate) fn type_key(mut text: TextLine, key: KeyPress) -> TimePromptState {
    match key.code {
        KeyCode::Enter => return TimePromptState::Submitted(text),
        KeyCode::Esc => return TimePromptState::Cancelled,
        KeyCode::Char('c') if key.ctrl => return TimePromptState::Cancelled,
        _ if key.typed().is_some() && text.text().chars().count() >= MAX_CHARS => (),
        _ => {
            text.key(key);
        }
    }
    TimePromptState::Typing(text)
}

/// The parsed time, or an error with examples.
pub(crate) fn preview_line(typed: &TextLine, named: Option<String>, examples: &str) -> DialogLine {
    match named {
        Some(named) => DialogLine::strong(named),
        None if typed.is_empty() => DialogLine::dim(examples),
        None => DialogLine::new(format!("not a time yet: {examples}"), Tone::NeedsAttention),
    }
}

/// The next Monday by its date, which distinguishes it from "tomorrow" on a Sunday.
pub(crate) fn next_monday_examples(now: Timestamp, zone: &Zone) -> String {
    let at = snooze::monday_morning(now, zone);
    format!("Monday {} {}", &at.day_name(zone)[4..], at.hour_and_minute(zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_edited_as_other_fields_are() {
        // (typed before, key, before the cursor)
        let cases = [
            ("fri 9", "x", "fri 9x"),
            ("fri 9", "Backspace", "fri "),
            ("fri 9", "Ctrl-W", "fri "),
            ("fri 9", "Ctrl-U", ""),
            ("fri 9", "Home", ""),
            (&"9".repeat(MAX_CHARS), "9", &"9".repeat(MAX_CHARS)),
        ];
        for (typed, key, before) in cases {
            let key = KeyPress::parse(key).expect("a key");
            let TimePromptState::Typing(line) = type_key(TextLine::new(typed), key) else {
                panic!("{typed} {key}")
            };
            assert_eq!(line.before(), before, "{typed} {key}");
        }
        let line = || TextLine::new("2h");
        let press = |name: &str| type_key(line(), KeyPress::parse(name).expect("a key"));
        assert_eq!(press("Enter"), TimePromptState::Submitted(line()));
        assert_eq!(press("Esc"), TimePromptState::Cancelled);
        assert_eq!(press("Ctrl-C"), TimePromptState::Cancelled);
    }
}
