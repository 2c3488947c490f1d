//! The final check of a frame: no cell may act on a terminal, however its text got there.
//! `SafeText` is the first check; this one also covers typed and pasted text.

use ratatui::buffer::Buffer;

use crate::wrap;
use model::text::SafeText;

/// Maximum size of a cell, in bytes.
const MAX_CELL_BYTES: usize = 80;

/// Replaces dangerous text in every cell.
pub fn sweep(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        let mut characters = symbol.chars();
        if characters.next().is_some_and(wrap::is_single) && characters.next().is_none() {
            continue;
        }
        let safe = SafeText::line(symbol);
        // A tab or line break at the end would be trimmed before the comparison.
        let breaks =
            symbol.contains(|symbol: char| symbol.is_control() || matches!(symbol, '\u{2028}' | '\u{2029}'));
        if breaks || safe.as_str() != symbol.trim() || symbol.len() > MAX_CELL_BYTES {
            cell.set_symbol("\u{fffd}");
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;
    use model::text::oracle::{acting_chars, first_acting};

    #[test]
    fn nothing_that_acts_stays_in_a_cell() {
        let symbols = [
            "\u{1b}",
            "\u{9b}",
            "\u{202e}",
            "a\u{200b}",
            "\u{2028}",
            "\u{e000}",
            "\u{7f}",
            "自",
            "é",
            "👨‍👩‍👧",
            "🇵",
            "🇵🇹",
        ];
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        for (x, symbol) in symbols.iter().enumerate() {
            buffer.content[x].set_symbol(symbol);
        }
        sweep(&mut buffer);
        let swept: Vec<&str> = buffer.content.iter().take(symbols.len()).map(|cell| cell.symbol()).collect();
        let bad = "\u{fffd}";
        assert_eq!(swept, [bad, bad, bad, bad, bad, bad, bad, "自", "é", "👨‍👩‍👧", bad, "🇵🇹"]);
    }
    #[test]
    fn no_character_that_acts_stays_in_a_cell() {
        let all: Vec<char> = acting_chars().collect();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 2, u16::try_from(all.len()).expect("few")));
        for (place, character) in all.iter().enumerate() {
            buffer.content[2 * place].set_symbol(&character.to_string());
            buffer.content[2 * place + 1].set_symbol(&format!("a{character}"));
        }
        sweep(&mut buffer);
        for cell in &buffer.content {
            assert_eq!(first_acting(cell.symbol(), &[]), None, "{:?}", cell.symbol());
        }
    }
}
