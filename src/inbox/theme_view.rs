//! Styles by meaning, each in the colour of one of the theme's roles.
//!
//! Nothing is told by colour alone: every meaning also has a word or a mark, so
//! `mono` loses nothing.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::color_depth::ColorDepth;
use crate::palette_view::{ThemePalette, ThemeTable};

/// How the desk looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Only ASCII for borders and marks.
    pub ascii: bool,
    palette: ThemePalette,
    depth: ColorDepth,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(ThemePalette::default(), false)
    }
}

impl Theme {
    /// Words alone: no colour, no stroke that is not ASCII.
    pub const PLAIN: Self = Self { ascii: true, palette: ThemePalette::Mono, depth: ColorDepth::Monochrome };

    /// A theme in 256 colours.
    pub fn new(palette: ThemePalette, ascii: bool) -> Self {
        Self { ascii, palette, depth: ColorDepth::Indexed }
    }

    pub fn in_depth(self, depth: ColorDepth) -> Self {
        Self { depth, ..self }
    }

    /// True if pictures made of cells have colours and not shades.
    pub fn has_colored_pictures(self) -> bool {
        let has_colors = matches!(self.depth, ColorDepth::Indexed | ColorDepth::Direct);
        has_colors && self.palette != ThemePalette::Mono && !self.ascii
    }

    /// Gives what has no colour of its own the theme's text colour and ground.
    pub fn fill_background(self, buffer: &mut Buffer) {
        let ThemeTable { text, ground, .. } = self.colors();
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = text;
            }
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
        }
    }

    /// True if this is the colour of a role that stands out from text.
    pub fn is_accent(self, color: Color) -> bool {
        let ThemeTable { accent, ai, own: you, colleague, urgent, soon, good, .. } = self.colors();
        color != Color::Reset && [accent, ai, you, colleague, urgent, soon, good].contains(&color)
    }

    fn colors(self) -> ThemeTable<Color> {
        self.palette.colors(self.depth)
    }

    /// What matters less.
    pub fn dim(self) -> Style {
        Style::new().fg(self.colors().dim)
    }

    /// What matters more, or goes on by itself and will be over: sending, saving, held.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row or item: a ground on which everything keeps its colour. A theme without such a
    /// ground reverses the row.
    pub fn selected(self) -> Style {
        match self.colors().selection {
            Color::Reset => Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED),
            ground => Style::new().bg(ground),
        }
    }

    /// Keys, and bars of charts that are neither good nor bad.
    pub fn accent(self) -> Style {
        Style::new().fg(self.colors().accent)
    }

    /// Words that were looked for.
    pub fn match_highlight(self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    /// A border; the pane with the keyboard stands out.
    pub fn border(self, focused: bool) -> Style {
        if focused { self.strong() } else { Style::new().fg(self.colors().border) }
    }

    /// A test key: nothing reaches anyone.
    pub fn test(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    /// The AI is paused: a person answers, here or elsewhere.
    pub fn ai_off(self, here: bool) -> Style {
        if here { self.own().add_modifier(Modifier::BOLD) } else { self.strong() }
    }

    /// Someone waits for a person, or something runs out.
    pub fn needs_a_person(self) -> Style {
        Style::new().fg(self.colors().soon).add_modifier(Modifier::BOLD)
    }

    /// Something went wrong.
    pub fn error(self) -> Style {
        Style::new().fg(self.colors().urgent).add_modifier(Modifier::BOLD)
    }

    /// Something went well.
    pub fn good(self) -> Style {
        Style::new().fg(self.colors().good)
    }

    /// What the customer said.
    pub fn customer(self) -> Style {
        Style::new().fg(self.colors().customer).add_modifier(Modifier::BOLD)
    }

    /// What the AI said.
    pub fn ai(self) -> Style {
        Style::new().fg(self.colors().ai)
    }

    /// What this desk said or made.
    pub fn own(self) -> Style {
        Style::new().fg(self.colors().own)
    }

    /// What a colleague said.
    pub fn colleague(self) -> Style {
        Style::new().fg(self.colors().colleague)
    }

    /// What is private and never sent.
    pub fn private_note(self) -> Style {
        self.accent()
    }
}
