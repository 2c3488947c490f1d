//! Styles by meaning, in the terminal's own 16 colours.
//!
//! Knows nothing of where a style is used. Nothing is told by colour alone:
//! every meaning also has a word or a mark, so `mono` loses nothing.

use ratatui::style::{Color, Modifier, Style};

/// How the desk looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    /// No colours: `NO_COLOR` is set or asked for.
    pub mono: bool,
    /// Only ASCII for borders and marks.
    pub ascii: bool,
}

impl Theme {
    fn color(self, color: Color) -> Style {
        if self.mono { Style::new() } else { Style::new().fg(color) }
    }

    /// What matters less.
    pub fn dim(self) -> Style {
        if self.mono { Style::new().add_modifier(Modifier::DIM) } else { self.color(Color::DarkGray) }
    }

    /// What matters more.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row or item.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A border; the pane with the keyboard stands out.
    pub fn border(self, focused: bool) -> Style {
        if focused { self.strong() } else { self.dim() }
    }

    /// A live key: real messages, real credits.
    pub fn live(self) -> Style {
        self.color(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// A test key.
    pub fn test(self) -> Style {
        self.color(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// The AI answers.
    pub fn ai_on(self) -> Style {
        self.color(Color::Magenta)
    }

    /// The AI is paused: a person answers.
    pub fn ai_off(self) -> Style {
        self.color(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// Someone waits, or something runs out.
    pub fn waiting(self) -> Style {
        self.color(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// Something went wrong.
    pub fn error(self) -> Style {
        self.color(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What the customer said.
    pub fn customer(self) -> Style {
        self.color(Color::Blue).add_modifier(Modifier::BOLD)
    }

    /// What this desk said.
    pub fn own(self) -> Style {
        self.color(Color::Green)
    }

    /// Corners, horizontal and vertical line of a border: top left, top
    /// right, bottom left, bottom right, horizontal, vertical.
    pub fn border_set(self) -> [&'static str; 6] {
        if self.ascii { ["+", "+", "+", "+", "-", "|"] } else { ["┌", "┐", "└", "┘", "─", "│"] }
    }

    /// Where a frame hangs from the one above: left and right.
    pub fn joints(self) -> [&'static str; 2] {
        if self.ascii { ["+", "+"] } else { ["├", "┤"] }
    }

    /// The mark of a row that was chosen to be acted on.
    pub fn chosen(self) -> &'static str {
        if self.ascii { "*" } else { "●" }
    }

    /// The mark before an unread or selected row.
    pub fn mark(self) -> &'static str {
        if self.ascii { ">" } else { "▌" }
    }
}
