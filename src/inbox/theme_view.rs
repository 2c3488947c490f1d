//! Styles by meaning.
//!
//! Colour is for what needs a person; all else is plain, strong or quiet.
//! Nothing is told by colour alone: every meaning also has a word or a mark, so
//! `mono` loses nothing.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::palette_view::{Accent, ThemeColors, ThemePalette};
use crate::terminal_colors::TerminalColors;

/// How the desk looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Only ASCII for borders and marks.
    pub ascii: bool,
    palette: ThemePalette,
    terminal: TerminalColors,
    colors: ThemeColors,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(ThemePalette::default(), false)
    }
}

impl Theme {
    /// Words alone: no colour, no stroke that is not ASCII.
    pub const PLAIN: Self = Self {
        ascii: true,
        palette: ThemePalette::Mono,
        terminal: TerminalColors::UNKNOWN,
        colors: ThemeColors::NONE,
    };

    /// A theme on a terminal whose colours are not known.
    pub fn new(palette: ThemePalette, ascii: bool) -> Self {
        Self { ascii, palette, ..Self::PLAIN }.on(TerminalColors::UNKNOWN)
    }

    /// The theme on a terminal of which so much is known.
    pub fn on(self, terminal: TerminalColors) -> Self {
        Self { terminal, colors: self.palette.on(&terminal), ..self }
    }

    /// True if the terminal's own colours make a difference to it.
    pub fn follows_terminal(self) -> bool {
        self.palette.follows(&self.terminal)
    }

    /// Whether it has no colours at all.
    pub fn is_colourless(self) -> bool {
        self.colors.is_colourless
    }

    /// Gives what has no colour of its own the theme's letters and ground.
    pub fn lay_ground(self, buffer: &mut Buffer) {
        let ThemeColors { letters, ground, selection, selected_letters, quiet, selected_quiet, .. } =
            self.colors;
        for cell in &mut buffer.content {
            let selected = selection.is_some() && selection == Some(cell.bg);
            if selected && quiet == Some(cell.fg) {
                cell.fg = selected_quiet;
            } else if cell.fg == Color::Reset {
                cell.fg = if selected { selected_letters } else { letters };
            }
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
        }
    }

    /// Whether a cell as it is drawn carries an accent.
    pub fn is_accent(self, letters: Color, ground: Color) -> bool {
        let has = |style: &Style| {
            style.fg.is_some_and(|color| color == letters) && style.bg.is_none_or(|color| color == ground)
        };
        self.colors.accents.iter().any(has)
    }

    fn accent(self, accent: Accent) -> Style {
        self.colors.accents[accent as usize]
    }

    /// What matters less.
    pub fn quiet(self) -> Style {
        self.colors.quiet.map_or_else(Style::new, |quiet| Style::new().fg(quiet))
    }

    /// What matters more.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row or item: one ground, on which everything keeps its
    /// letters. Where the ground around it is not known, it is reversed as a
    /// whole.
    pub fn selected(self) -> Style {
        match self.colors.selection {
            Some(ground) => Style::new().bg(ground),
            None => Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED),
        }
    }

    /// Words that were looked for.
    pub fn match_highlight(self) -> Style {
        self.accent(Accent::Waiting).add_modifier(Modifier::UNDERLINED)
    }

    /// A border; the pane with the keyboard stands out.
    pub fn border(self, focused: bool) -> Style {
        if focused { self.strong() } else { self.quiet() }
    }

    /// A live key: real messages, real credits. It is what a key is, so its
    /// word is enough.
    pub fn live(self) -> Style {
        self.quiet()
    }

    /// A test key: nothing reaches anyone.
    pub fn test(self) -> Style {
        self.accent(Accent::Test).add_modifier(Modifier::BOLD)
    }

    /// The AI answers, as it does by default.
    pub fn ai_on(self) -> Style {
        self.quiet()
    }

    /// The AI is paused: a person answers, here or elsewhere.
    pub fn ai_off(self, here: bool) -> Style {
        if here { self.accent(Accent::Own).add_modifier(Modifier::BOLD) } else { self.strong() }
    }

    /// Someone waits for a person, or something runs out.
    pub fn needs_a_person(self) -> Style {
        self.accent(Accent::Waiting).add_modifier(Modifier::BOLD)
    }

    /// What goes on by itself and will be over: sending, saving, held.
    pub fn under_way(self) -> Style {
        self.strong()
    }

    /// Something went wrong.
    pub fn error(self) -> Style {
        self.accent(Accent::Alarm).add_modifier(Modifier::BOLD)
    }

    /// What the customer said.
    pub fn customer(self) -> Style {
        self.strong()
    }

    /// What this desk said or made.
    pub fn own(self) -> Style {
        self.accent(Accent::Own)
    }

    /// What is private and never sent.
    pub fn private_note(self) -> Style {
        self.accent(Accent::Waiting)
    }
}
