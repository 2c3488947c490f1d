//! A list filtered by typing: the query and the selected entry.

use crate::components::list::filtered_selection_after_key;
use crate::components::word_boundaries;
use crate::keys::{KeyCode, KeyPress};

/// Entries per page key.
const PAGE_ROWS: usize = 8;
const MAX_QUERY_CHARS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picker {
    pub query: String,
    /// Index of the selected entry in the filtered list.
    pub chosen: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickerOutcome {
    /// Query or selection may have changed.
    Stay,
    Selected(usize),
    Cancelled,
}

impl Picker {
    pub fn with_query(query: &str) -> Self {
        Self { query: query.to_owned(), chosen: 0 }
    }

    pub fn key(&mut self, key: KeyPress, count: usize) -> PickerOutcome {
        let last = count.saturating_sub(1);
        let chosen = self.chosen.min(last);
        if let Some(moved) = filtered_selection_after_key(key, chosen, count, PAGE_ROWS) {
            self.chosen = moved;
            return PickerOutcome::Stay;
        }
        self.chosen = match key.code {
            KeyCode::Enter if count > 0 => return PickerOutcome::Selected(chosen),
            KeyCode::Esc => return PickerOutcome::Cancelled,
            KeyCode::Char('c') if key.ctrl => return PickerOutcome::Cancelled,
            KeyCode::Home => 0,
            KeyCode::End => last,
            KeyCode::Backspace => {
                match key.ctrl || key.alt {
                    true => word_boundaries::delete_last_word(&mut self.query),
                    false => drop(self.query.pop()),
                }
                0
            }
            KeyCode::Char('u') if key.ctrl => {
                self.query.clear();
                0
            }
            _ => match key.typed() {
                Some(character) if self.query.chars().count() < MAX_QUERY_CHARS => {
                    self.query.push(character);
                    0
                }
                _ => chosen,
            },
        };
        PickerOutcome::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_narrow_and_choose() {
        let mut picker = Picker::default();
        let mut press = |name: &str, count| picker.key(KeyPress::parse(name).expect("a key"), count);
        assert_eq!(press("Down", 3), PickerOutcome::Stay);
        assert_eq!(press("Enter", 3), PickerOutcome::Selected(1));
        assert_eq!(press("r", 1), PickerOutcome::Stay);
        assert_eq!(press("Enter", 1), PickerOutcome::Selected(0));
        assert_eq!(press("Enter", 0), PickerOutcome::Stay, "there is nothing to pick");
        assert_eq!(press("Esc", 1), PickerOutcome::Cancelled);
        assert_eq!(picker.query, "r");
    }
}
