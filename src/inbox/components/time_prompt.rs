//! A time that is typed into a menu, key by key.

use crate::components::dialog::{DialogLine, Tone};
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use model::snooze;
use model::time::{Timestamp, Zone};

/// Characters a wish can have.
const LENGTH: usize = 30;

/// What a key made of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TypedLine {
    /// It goes on.
    More(TextLine),
    /// It is all that is wanted.
    Whole(TextLine),
    /// It is not wanted any more: the menu is back.
    Ended,
}

/// A key goes to what is typed.
pub(crate) fn type_key(mut text: TextLine, key: KeyPress) -> TypedLine {
    match key.code {
        KeyCode::Enter => return TypedLine::Whole(text),
        KeyCode::Esc => return TypedLine::Ended,
        KeyCode::Char('c') if key.ctrl => return TypedLine::Ended,
        _ if key.typed().is_some() && text.text().chars().count() >= LENGTH => (),
        _ => {
            text.key(key);
        }
    }
    TypedLine::More(text)
}

/// What a wish names, or that it names none, with examples.
pub(crate) fn answer(typed: &TextLine, named: Option<String>, examples: &str) -> DialogLine {
    match named {
        Some(named) => DialogLine::strong(named),
        None if typed.is_empty() => DialogLine::dim(examples),
        None => DialogLine::new(format!("not a time yet: {examples}"), Tone::Waiting),
    }
}

/// The next Monday by its date, which tells it from tomorrow on a Sunday.
pub(crate) fn monday(now: Timestamp, zone: &Zone) -> String {
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
            (&"9".repeat(LENGTH), "9", &"9".repeat(LENGTH)),
        ];
        for (typed, key, before) in cases {
            let key = KeyPress::parse(key).expect("a key");
            let TypedLine::More(line) = type_key(TextLine::new(typed), key) else { panic!("{typed} {key}") };
            assert_eq!(line.before(), before, "{typed} {key}");
        }
        let line = || TextLine::new("2h");
        let press = |name: &str| type_key(line(), KeyPress::parse(name).expect("a key"));
        assert_eq!(press("Enter"), TypedLine::Whole(line()));
        assert_eq!(press("Esc"), TypedLine::Ended);
        assert_eq!(press("Ctrl-C"), TypedLine::Ended);
    }
}
