//! Borders and marks of the desk, with ASCII replacements.

use ratatui::buffer::Buffer;

use crate::theme_view::Theme;

/// Border characters: top left, top right, bottom left, bottom right, horizontal, vertical.
pub type BorderSet = [&'static str; 6];

impl Theme {
    pub fn border_set(self) -> BorderSet {
        if self.ascii { ["+", "+", "+", "+", "-", "|"] } else { ["┌", "┐", "└", "┘", "─", "│"] }
    }

    /// Joints to the frame above: left and right.
    pub fn border_joints(self) -> [&'static str; 2] {
        if self.ascii { ["+", "+"] } else { ["├", "┤"] }
    }

    /// Border and joints of a tab with a test key.
    pub fn test_border_set(self) -> (BorderSet, [&'static str; 2]) {
        if self.ascii {
            (["+", "+", "+", "+", "~", ":"], ["+", "+"])
        } else {
            (["┌", "┐", "└", "┘", "╌", "┆"], ["├", "┤"])
        }
    }

    /// Mark of a row chosen for a bulk action.
    pub fn chosen_mark(self) -> &'static str {
        if self.ascii { "*" } else { "●" }
    }

    pub fn note_border_set(self) -> (BorderSet, [&'static str; 2]) {
        if self.ascii {
            (["#", "#", "#", "#", "=", "#"], ["#", "#"])
        } else {
            (["╔", "╗", "╚", "╝", "═", "║"], ["╠", "╣"])
        }
    }

    /// Replaces the marks within texts by ASCII characters if needed.
    pub fn replace_marks(self, buffer: &mut Buffer) {
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

    /// Mark before the selected row only.
    pub fn selection_mark(self) -> &'static str {
        if self.ascii { ">" } else { "▌" }
    }

    pub fn unread_mark(self) -> &'static str {
        if self.ascii { "*" } else { "•" }
    }
}
