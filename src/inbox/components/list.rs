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

/// The chosen entry of a menu after a key: round at the ends.
pub(crate) fn turned(key: KeyPress, chosen: usize, count: usize) -> Option<usize> {
    let count = count.max(1);
    match key.code {
        KeyCode::Down | KeyCode::Tab => Some((chosen + 1) % count),
        KeyCode::Up | KeyCode::BackTab => Some((chosen + count - 1) % count),
        _ => None,
    }
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
