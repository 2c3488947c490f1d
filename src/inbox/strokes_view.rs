//! The strokes and marks of the desk, and what stands for them in ASCII.

use ratatui::buffer::Buffer;

use crate::theme_view::Theme;

/// The strokes of a border: top left, top right, bottom left, bottom right,
/// horizontal, vertical.
pub type BorderSet = [&'static str; 6];

impl Theme {
    /// Corners, horizontal and vertical line of a border: top left, top
    /// right, bottom left, bottom right, horizontal, vertical.
    pub fn border_set(self) -> BorderSet {
        if self.ascii { ["+", "+", "+", "+", "-", "|"] } else { ["┌", "┐", "└", "┘", "─", "│"] }
    }

    /// Where a frame hangs from the one above: left and right.
    pub fn joints(self) -> [&'static str; 2] {
        if self.ascii { ["+", "+"] } else { ["├", "┤"] }
    }

    /// The border and the joints of a tab whose key sends nothing for real.
    pub fn test_border_set(self) -> (BorderSet, [&'static str; 2]) {
        if self.ascii {
            (["+", "+", "+", "+", "~", ":"], ["+", "+"])
        } else {
            (["┌", "┐", "└", "┘", "╌", "┆"], ["├", "┤"])
        }
    }

    /// The mark of a row that was chosen to be acted on.
    pub fn chosen(self) -> &'static str {
        if self.ascii { "*" } else { "●" }
    }

    /// The border and the joints of what is private: no message has it.
    pub fn note_border_set(self) -> (BorderSet, [&'static str; 2]) {
        if self.ascii {
            (["#", "#", "#", "#", "=", "#"], ["#", "#"])
        } else {
            (["╔", "╗", "╚", "╝", "═", "║"], ["╠", "╣"])
        }
    }

    /// In ASCII, what the desk draws within its words has signs of one
    /// character, too.
    pub fn plain_marks(self, buffer: &mut Buffer) {
        if !self.ascii {
            return;
        }
        for cell in &mut buffer.content {
            let plain = match cell.symbol() {
                "▸" | "→" | "↪" | "▌" => ">",
                "←" | "‹" | "⏎" => "<",
                "•" | "●" => "*",
                "·" | "─" | "╌" | "═" | "–" | "—" => "-",
                "…" | "▱" | "░" => ".",
                "↑" => "^",
                "↓" => "v",
                "│" | "┆" | "║" | "▏" => "|",
                "█" | "▓" | "▒" | "▰" | "▣" => "#",
                "×" => "x",
                _ => continue,
            };
            cell.set_symbol(plain);
        }
    }

    /// The mark before the selected row, and before nothing else.
    pub fn mark(self) -> &'static str {
        if self.ascii { ">" } else { "▌" }
    }

    /// The mark before an unread row.
    pub fn unread(self) -> &'static str {
        if self.ascii { "*" } else { "•" }
    }
}
