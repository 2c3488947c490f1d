//! A list with a chosen line: where a key moves to.

use crate::keys::{KeyCode, KeyPress};
use model::queries::ConversationKey;
use model::text::SafeText;

/// The chosen line after a key, in a list of so many lines of which a page
/// shows some; `None` for a key that does not move.
pub(crate) fn chosen_after(key: KeyPress, chosen: usize, count: usize, page: usize) -> Option<usize> {
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

/// To the next entry or field, or to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Next,
    Back,
}

impl Step {
    /// What a key means wherever letters may be text: Tab goes as Down does.
    pub(crate) fn of(key: KeyPress) -> Option<Self> {
        match key.code {
            KeyCode::Down | KeyCode::Tab => Some(Self::Next),
            KeyCode::Up | KeyCode::BackTab => Some(Self::Back),
            _ => None,
        }
    }

    /// Goes from one of so many, round at the ends.
    pub(crate) fn wrap(self, at: usize, count: usize) -> usize {
        match self {
            Self::Next => (at + 1) % count.max(1),
            Self::Back => (at + count.max(1) - 1) % count.max(1),
        }
    }
}

/// The chosen entry of a menu after a key: round at the ends.
pub(crate) fn turned(key: KeyPress, chosen: usize, count: usize) -> Option<usize> {
    Step::of(key).map(|entry| entry.wrap(chosen, count))
}

/// The chosen entry after a key, in a list that typing narrows; `None` for a
/// key that does not move.
pub(crate) fn narrowed_after(key: KeyPress, chosen: usize, count: usize, page: usize) -> Option<usize> {
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
    pub name: SafeText,
    pub words: SafeText,
    pub right: String,
    /// Whether it needs a person.
    pub loud: bool,
    /// Whether nothing can be done about it.
    pub dim: bool,
    pub goes_to: Option<ConversationKey>,
}
