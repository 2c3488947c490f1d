//! Selection keys of lists.

use crate::keys::{KeyCode, KeyPress};
use model::queries::ConversationKey;
use model::text::SafeText;

/// Selected line after a key; `None` if it does not move. `page` is the number of visible lines.
pub(crate) fn selection_after_key(key: KeyPress, chosen: usize, count: usize, page: usize) -> Option<usize> {
    let last = count.saturating_sub(1);
    let moved = match key.code {
        KeyCode::Char('d') if key.ctrl => chosen + page / 2,
        KeyCode::Char('u') if key.ctrl => chosen.saturating_sub(page / 2),
        KeyCode::Char('j') | KeyCode::Down => chosen + 1,
        KeyCode::Char('k') | KeyCode::Up => chosen.saturating_sub(1),
        KeyCode::PageDown => chosen + page,
        KeyCode::PageUp => chosen.saturating_sub(page),
        KeyCode::Home | KeyCode::Char('g') => 0,
        KeyCode::End | KeyCode::Char('G') => last,
        _ => return None,
    };
    Some(moved.min(last))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Next,
    Back,
}

impl Step {
    /// Direction of a key in lists with text entry: Tab acts like Down.
    pub(crate) fn of(key: KeyPress) -> Option<Self> {
        match key.code {
            KeyCode::Down | KeyCode::Tab => Some(Self::Next),
            KeyCode::Up | KeyCode::BackTab => Some(Self::Back),
            _ => None,
        }
    }

    /// Steps within `count` entries, wrapping at the ends.
    pub(crate) fn wrap(self, at: usize, count: usize) -> usize {
        match self {
            Self::Next => (at + 1) % count.max(1),
            Self::Back => (at + count.max(1) - 1) % count.max(1),
        }
    }
}

/// Selected entry of a menu after a key, wrapping at the ends.
pub(crate) fn wrapped_selection_after_key(key: KeyPress, chosen: usize, count: usize) -> Option<usize> {
    Step::of(key).map(|entry| entry.wrap(chosen, count))
}

/// Selected entry after a key in a list filtered by typing; `None` if the key does not move.
pub(crate) fn filtered_selection_after_key(
    key: KeyPress,
    chosen: usize,
    count: usize,
    page: usize,
) -> Option<usize> {
    let step = match key.code {
        KeyCode::PageDown => return Some((chosen + page).min(count.saturating_sub(1))),
        KeyCode::PageUp => return Some(chosen.saturating_sub(page)),
        KeyCode::Char('n') if key.ctrl => Step::Next,
        KeyCode::Char('p') if key.ctrl => Step::Back,
        _ => Step::of(key)?,
    };
    Some(match step {
        Step::Next => (chosen + 1).min(count.saturating_sub(1)),
        Step::Back => chosen.saturating_sub(1),
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLine {
    /// Empty if the line continues the text of the previous one.
    pub name: SafeText,
    pub text: SafeText,
    pub trailing: String,
    /// True if it needs a person.
    pub is_urgent: bool,
    /// True if nothing can be done about it.
    pub dim: bool,
    pub target: Option<ConversationKey>,
}

impl ListLine {
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: SafeText::line(name),
            text: SafeText::line(text),
            trailing: String::new(),
            is_urgent: false,
            dim: false,
            target: None,
        }
    }
}
