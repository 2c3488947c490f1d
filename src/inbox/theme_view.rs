//! Styles by meaning, each in the colour of one of the theme's roles.
//!
//! No meaning relies on colour alone: each also has a word or a mark, so `mono` loses nothing.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::color_depth::ColorDepth;
use crate::theme_table_view::{Role, ThemeName};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Only ASCII for borders and marks.
    pub ascii: bool,
    name: ThemeName,
    depth: ColorDepth,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(ThemeName::default(), false)
    }
}

impl Theme {
    /// Words alone: no colour, no stroke that is not ASCII.
    pub const PLAIN: Self = Self { ascii: true, name: ThemeName::Mono, depth: ColorDepth::Monochrome };

    /// A theme in 256 colours.
    pub fn new(name: ThemeName, ascii: bool) -> Self {
        Self { ascii, name, depth: ColorDepth::Indexed }
    }

    pub fn in_depth(self, depth: ColorDepth) -> Self {
        Self { depth, ..self }
    }

    /// True if pictures made of cells have colours and not shades.
    pub fn has_colored_pictures(self) -> bool {
        let has_colors = matches!(self.depth, ColorDepth::Indexed | ColorDepth::Direct);
        has_colors && self.name != ThemeName::Mono && !self.ascii
    }

    /// Gives words without a colour of their own the theme's text colour where they are on the selection.
    pub fn color_selected_text(self, buffer: &mut Buffer) {
        let (text, selection) = (self.color(Role::Text), self.color(Role::Selection));
        if selection == Color::Reset {
            return;
        }
        for cell in &mut buffer.content {
            if cell.bg == selection && cell.fg == Color::Reset {
                cell.fg = text;
            }
        }
    }

    /// Colour of a role; `Color::Reset` is the terminal's own.
    pub fn color(self, role: Role) -> Color {
        self.name.color(role, self.depth)
    }

    /// True if this is the colour of a role that stands out from text.
    pub fn is_accent(self, color: Color) -> bool {
        color != Color::Reset && Role::STANDING_OUT.iter().any(|role| self.color(*role) == color)
    }

    fn style(self, role: Role) -> Style {
        Style::new().fg(self.color(role))
    }

    /// Style of a role that must stand out: bold where it has no colour.
    fn loud_style(self, role: Role) -> Style {
        let style = self.style(role);
        if self.color(role) == Color::Reset { style.patch(self.strong()) } else { style }
    }

    /// Style of a role that must not stand out: faint in the terminal's own colours.
    fn quiet_style(self, role: Role) -> Style {
        let style = self.style(role);
        if self.name == ThemeName::Terminal { style.add_modifier(Modifier::DIM) } else { style }
    }

    /// Less important text.
    pub fn dim(self) -> Style {
        self.quiet_style(Role::Dim)
    }

    /// Important text, and states that end by themselves: sending, saving, held.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row or item: a ground on which everything keeps its colour. A theme without such a
    /// ground reverses the row.
    pub fn selected(self) -> Style {
        match self.color(Role::Selection) {
            Color::Reset => Style::new()
                .fg(Color::Reset)
                .bg(Color::Reset)
                .remove_modifier(Modifier::DIM)
                .add_modifier(Modifier::REVERSED),
            ground => Style::new().bg(ground),
        }
    }

    /// Keys, and bars of charts that are neither good nor bad.
    pub fn accent(self) -> Style {
        self.style(Role::Accent)
    }

    /// Words that were looked for.
    pub fn match_highlight(self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    /// A border; the pane with the keyboard stands out.
    pub fn border(self, focused: bool) -> Style {
        if focused { self.strong() } else { self.quiet_style(Role::Border) }
    }

    /// A test key, whose messages reach nobody.
    pub fn test(self) -> Style {
        self.accent().patch(self.strong())
    }

    /// The AI is paused: a person answers, here or elsewhere.
    pub fn ai_off(self, here: bool) -> Style {
        if here { self.you().patch(self.strong()) } else { self.strong() }
    }

    /// Time that runs out, or a state that is not right yet.
    pub fn soon(self) -> Style {
        self.loud_style(Role::Soon)
    }

    /// A failure, or a customer who needs a person now.
    pub fn urgent(self) -> Style {
        self.loud_style(Role::Urgent)
    }

    pub fn good(self) -> Style {
        self.style(Role::Good)
    }

    pub fn customer(self) -> Style {
        self.style(Role::Customer).patch(self.strong())
    }

    pub fn ai(self) -> Style {
        self.style(Role::Ai)
    }

    /// Text written or made at this desk.
    pub fn you(self) -> Style {
        self.style(Role::You)
    }

    pub fn colleague(self) -> Style {
        self.style(Role::Colleague)
    }

    /// Private text, which is never sent.
    pub fn private_note(self) -> Style {
        self.accent()
    }
}
