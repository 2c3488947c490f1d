//! Styles by meaning.
//!
//! Nothing is told by colour alone: every meaning also has a word or a mark, so
//! `Mono` loses nothing.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

/// Which colours the desk has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemePalette {
    /// The terminal's own sixteen, on its own ground.
    #[default]
    Terminal,
    /// Light on dark, whatever the terminal has.
    Dark,
    /// Dark on light, whatever the terminal has.
    Light,
    /// Black, white and few strong colours.
    Contrast,
    /// Blue and orange instead of green and red.
    ColourBlind,
    /// None: `NO_COLOR` is set or it was asked for.
    Mono,
}

impl ThemePalette {
    /// The words of the configuration, and what each stands for.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("terminal", Self::Terminal),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("contrast", Self::Contrast),
        ("colour-blind", Self::ColourBlind),
        ("mono", Self::Mono),
    ];

    /// What a word of the configuration stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(it, _)| *it == word).map(|(_, palette)| *palette)
    }

    /// Letters and ground, where the palette brings its own.
    fn ground(self) -> Option<(Color, Color)> {
        match self {
            Self::Dark => Some((Color::Indexed(252), Color::Indexed(234))),
            Self::Light => Some((Color::Indexed(235), Color::Indexed(255))),
            Self::Contrast => Some((Color::Indexed(231), Color::Indexed(16))),
            Self::Terminal | Self::ColourBlind | Self::Mono => None,
        }
    }

    fn color(self, role: Role) -> Option<Color> {
        let indexed = |number| Some(Color::Indexed(number));
        match self {
            Self::Mono => None,
            Self::Terminal => Some(match role {
                Role::Dim => Color::DarkGray,
                Role::Alarm => Color::Red,
                Role::Test => Color::Cyan,
                Role::Ai => Color::Magenta,
                Role::Own => Color::Green,
                Role::Waiting => Color::Yellow,
                Role::Customer => Color::Blue,
            }),
            Self::ColourBlind => Some(match role {
                Role::Dim => Color::DarkGray,
                Role::Alarm => Color::Indexed(208),
                Role::Test => Color::Cyan,
                Role::Ai => Color::Indexed(175),
                Role::Own => Color::Indexed(33),
                Role::Waiting => Color::Indexed(220),
                Role::Customer => Color::Indexed(117),
            }),
            Self::Dark => indexed(match role {
                Role::Dim => 245,
                Role::Alarm => 203,
                Role::Test => 80,
                Role::Ai => 176,
                Role::Own => 114,
                Role::Waiting => 221,
                Role::Customer => 111,
            }),
            Self::Light => indexed(match role {
                Role::Dim => 242,
                Role::Alarm => 160,
                Role::Test => 30,
                Role::Ai => 90,
                Role::Own => 28,
                Role::Waiting => 130,
                Role::Customer => 25,
            }),
            Self::Contrast => indexed(match role {
                Role::Dim => 250,
                Role::Alarm => 210,
                Role::Test => 87,
                Role::Ai => 219,
                Role::Own => 120,
                Role::Waiting => 227,
                Role::Customer => 159,
            }),
        }
    }
}

/// What a colour stands for.
#[derive(Debug, Clone, Copy)]
enum Role {
    Dim,
    Alarm,
    Test,
    Ai,
    Own,
    Waiting,
    Customer,
}

/// How the desk looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    /// Its colours.
    pub palette: ThemePalette,
    /// Only ASCII for borders and marks.
    pub ascii: bool,
}

/// The strokes of a border: top left, top right, bottom left, bottom right,
/// horizontal, vertical.
pub type BorderSet = [&'static str; 6];

impl Theme {
    fn role(self, role: Role) -> Style {
        self.palette.color(role).map_or_else(Style::new, |it| Style::new().fg(it))
    }

    /// Gives what has no colour of its own the palette's letters and ground.
    pub fn lay_ground(self, buffer: &mut Buffer) {
        let Some((letters, ground)) = self.palette.ground() else { return };
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = letters;
            }
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
        }
    }

    /// What matters less.
    pub fn dim(self) -> Style {
        match self.palette {
            ThemePalette::Mono => Style::new().add_modifier(Modifier::DIM),
            _ => self.role(Role::Dim),
        }
    }

    /// What matters more.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row or item.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Words that were looked for.
    pub fn found(self) -> Style {
        self.waiting().add_modifier(Modifier::UNDERLINED)
    }

    /// A border; the pane with the keyboard stands out.
    pub fn border(self, focused: bool) -> Style {
        if focused { self.strong() } else { self.dim() }
    }

    /// A live key: real messages, real credits.
    pub fn live(self) -> Style {
        self.role(Role::Alarm).add_modifier(Modifier::BOLD)
    }

    /// A test key.
    pub fn test(self) -> Style {
        self.role(Role::Test).add_modifier(Modifier::BOLD)
    }

    /// The AI answers.
    pub fn ai_on(self) -> Style {
        self.role(Role::Ai)
    }

    /// The AI is paused: a person answers.
    pub fn ai_off(self) -> Style {
        self.role(Role::Own).add_modifier(Modifier::BOLD)
    }

    /// Someone waits, or something runs out.
    pub fn waiting(self) -> Style {
        self.role(Role::Waiting).add_modifier(Modifier::BOLD)
    }

    /// Something went wrong.
    pub fn error(self) -> Style {
        self.role(Role::Alarm).add_modifier(Modifier::BOLD)
    }

    /// What the customer said.
    pub fn customer(self) -> Style {
        self.role(Role::Customer).add_modifier(Modifier::BOLD)
    }

    /// What this desk said.
    pub fn own(self) -> Style {
        self.role(Role::Own)
    }

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

    /// What is private and never sent.
    pub fn note(self) -> Style {
        self.role(Role::Waiting)
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

    /// The mark before an unread or selected row.
    pub fn mark(self) -> &'static str {
        if self.ascii { ">" } else { "▌" }
    }
}
