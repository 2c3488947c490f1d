//! Keys of every form, which move between fields and leave, and the dialog of text fields.

use std::ops::Range;

use crate::components::dialog::{Dialog, DialogLine};
use crate::components::list::wrapped_selection_after_key;
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormKey {
    Leave,
    Submit,
    FocusMoved,
    FieldInput,
}

impl FormKey {
    pub(crate) fn of(key: KeyPress, focus: &mut usize, fields: Range<usize>) -> Self {
        match key.code {
            KeyCode::Esc => return Self::Leave,
            KeyCode::Char('c') if key.ctrl => return Self::Leave,
            KeyCode::Enter => return Self::Submit,
            _ => (),
        }
        match wrapped_selection_after_key(key, focus.saturating_sub(fields.start), fields.len()) {
            Some(at) => *focus = fields.start + at,
            None => return Self::FieldInput,
        }
        Self::FocusMoved
    }
}

/// Text fields of a form, each with the label at its place.
pub(crate) struct FormFields<'a> {
    pub(crate) labels: &'a [&'static str],
    pub(crate) label_width: usize,
    pub(crate) fields: &'a [TextLine],
    pub(crate) focus: usize,
    /// Reason why the last submission was refused.
    pub(crate) error: Option<&'a str>,
}

impl FormFields<'_> {
    /// Draws the fields, a hint, the error, and the line of keys.
    pub(crate) fn dialog(&self, title: &str, hint: &str, keys: &str) -> Dialog {
        let fields = self.labels.iter().zip(self.fields).enumerate();
        let mut lines: Vec<DialogLine> = fields
            .map(|(at, (label, text))| {
                DialogLine::field(label, self.label_width, (text.before(), text.after()), at == self.focus)
            })
            .collect();
        lines.extend([DialogLine::blank(), DialogLine::dim(hint)]);
        lines.extend(self.error.map(DialogLine::error));
        lines.extend([DialogLine::blank(), DialogLine::strong(keys)]);
        Dialog::new(title, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_round_the_fields() {
        // (field, key, meaning, next field)
        let cases = [
            (1, "Tab", FormKey::FocusMoved, 2),
            (3, "Down", FormKey::FocusMoved, 1),
            (1, "Shift-Tab", FormKey::FocusMoved, 3),
            (2, "Up", FormKey::FocusMoved, 1),
            (2, "x", FormKey::FieldInput, 2),
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
