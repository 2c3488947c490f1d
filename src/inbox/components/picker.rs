//! A list that is narrowed by typing: what was typed, and which entry is
//! chosen.

use crate::components::list::narrowed_after;
use crate::components::words;
use crate::keys::{KeyCode, KeyPress};

/// Entries a page key passes.
const PAGE: usize = 8;
/// Characters a question may have.
const LONGEST: usize = 100;

/// The state of a picker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picker {
    /// What was typed.
    pub query: String,
    /// The chosen entry, counted from the best.
    pub chosen: usize,
}

/// What a key did to a picker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picked {
    /// The question or the choice may have changed.
    Stays,
    Entry(usize),
    Left,
}

impl Picker {
    /// A picker with a question typed already.
    pub fn with(query: &str) -> Self {
        Self { query: query.to_owned(), chosen: 0 }
    }

    /// A key, while there are so many entries.
    pub fn key(&mut self, key: KeyPress, count: usize) -> Picked {
        let last = count.saturating_sub(1);
        let chosen = self.chosen.min(last);
        if let Some(moved) = narrowed_after(key, chosen, count, PAGE) {
            self.chosen = moved;
            return Picked::Stays;
        }
        self.chosen = match key.code {
            KeyCode::Enter if count > 0 => return Picked::Entry(chosen),
            KeyCode::Esc => return Picked::Left,
            KeyCode::Char('c') if key.ctrl => return Picked::Left,
            KeyCode::Home => 0,
            KeyCode::End => last,
            KeyCode::Backspace => {
                match key.ctrl || key.alt {
                    true => words::delete_last(&mut self.query),
                    false => drop(self.query.pop()),
                }
                0
            }
            KeyCode::Char('u') if key.ctrl => {
                self.query.clear();
                0
            }
            _ => match key.typed() {
                Some(it) if self.query.chars().count() < LONGEST => {
                    self.query.push(it);
                    0
                }
                _ => chosen,
            },
        };
        Picked::Stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_narrow_and_choose() {
        let mut picker = Picker::default();
        let mut press = |name: &str, count| picker.key(KeyPress::parse(name).expect("a key"), count);
        assert_eq!(press("Down", 3), Picked::Stays);
        assert_eq!(press("Enter", 3), Picked::Entry(1));
        assert_eq!(press("r", 1), Picked::Stays);
        assert_eq!(press("Enter", 1), Picked::Entry(0));
        assert_eq!(press("Enter", 0), Picked::Stays, "there is nothing to pick");
        assert_eq!(press("Esc", 1), Picked::Left);
        assert_eq!(picker.query, "r");
    }
}
