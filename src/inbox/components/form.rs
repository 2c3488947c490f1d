//! The keys every form has: fields one after the other, and what leaves it.

use std::ops::Range;

use crate::components::list::turned;
use crate::keys::{KeyCode, KeyPress};

/// What a key means to a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormKey {
    Leave,
    /// What was filled in is wanted so.
    Submit,
    /// Another field has the keyboard.
    Moved,
    Field,
}

impl FormKey {
    /// A key, while one of these fields has the keyboard.
    pub(crate) fn of(key: KeyPress, focus: &mut usize, fields: Range<usize>) -> Self {
        match key.code {
            KeyCode::Esc => return Self::Leave,
            KeyCode::Char('c') if key.ctrl => return Self::Leave,
            KeyCode::Enter => return Self::Submit,
            _ => (),
        }
        match turned(key, focus.saturating_sub(fields.start), fields.len()) {
            Some(at) => *focus = fields.start + at,
            None => return Self::Field,
        }
        Self::Moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_round_the_fields() {
        // (field, key, what it means, field then)
        let cases = [
            (1, "Tab", FormKey::Moved, 2),
            (3, "Down", FormKey::Moved, 1),
            (1, "Shift-Tab", FormKey::Moved, 3),
            (2, "Up", FormKey::Moved, 1),
            (2, "x", FormKey::Field, 2),
            (2, "Enter", FormKey::Submit, 2),
            (2, "Esc", FormKey::Leave, 2),
            (2, "Ctrl-C", FormKey::Leave, 2),
        ];
        for (from, key, means, to) in cases {
            let mut focus = from;
            let told = FormKey::of(KeyPress::parse(key).expect("a key"), &mut focus, 1..4);
            assert_eq!((told, focus), (means, to), "{key}");
        }
    }
}
