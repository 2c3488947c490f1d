//! The palettes, and the colours each has on a terminal: computed, so that
//! every text can be read on the ground it stands on.
//!
//! A terminal's sixteen colours are another set in each of its themes (the
//! eighth is the ground itself in one of them), so none is used as it is: what
//! the terminal tells of them gives the hue, and the contrast is computed. A
//! terminal that tells nothing gets no colour on a ground nobody knows: an
//! accent brings its own ground there, and all else has the terminal's letters.

use ratatui::style::{Color, Style};

use crate::contrast::{READABLE, Rgb};
use crate::terminal_colors::{ColorDepth, TerminalColors};

/// Contrast of every text of the palette of strong contrast, as the
/// guidelines ask for at their highest level.
const STRONG: f64 = 7.0;

model::words! {
    /// Which colours the desk has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ThemePalette {
        /// The terminal's own hues, on its own ground.
        Terminal = "terminal",
        /// `light` where the environment says that the terminal is light, else `dark`.
        #[default]
        Auto = "auto",
        /// Light on dark, whatever the terminal has.
        Dark = "dark",
        /// Dark on light, whatever the terminal has.
        Light = "light",
        /// Black, white and few strong colours.
        Contrast = "contrast",
        /// Orange and blue instead of red and green, on the terminal's own ground.
        ColourBlind = "colour-blind",
        /// None: `NO_COLOR` is set or it was asked for.
        Mono = "mono",
    }
}

/// What a colour stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Accent {
    Alarm,
    Waiting,
    Test,
    Own,
}

/// How many accents there are.
const ACCENTS: usize = 4;
/// The terminal's own colour for each accent.
const NUMBERS: [usize; ACCENTS] = [1, 3, 6, 2];
/// Hues where the terminal has not told its own.
const HUES: [Rgb; ACCENTS] =
    [Rgb(0xe0, 0x4f, 0x4f), Rgb(0xd9, 0xa4, 0x1e), Rgb(0x2a, 0xa1, 0xa8), Rgb(0x4f, 0xa3, 0x4f)];
/// Hues that stay apart for eyes that lack one of the three kinds of cones,
/// after Okabe and Ito, with a bluer blue.
const APART: [Rgb; ACCENTS] =
    [Rgb(0xe6, 0x6a, 0x00), Rgb(0x2f, 0x55, 0xe6), Rgb(0xcc, 0x79, 0xa7), Rgb(0x00, 0x9e, 0x73)];
/// The grounds of accents where the ground around them is not known, and the
/// letters on them: numbers that are the same colour in every terminal.
const PATCHES: [(u8, u8); ACCENTS] = [(231, 160), (16, 220), (16, 80), (231, 22)];
/// The same for eyes that lack a kind of cones.
const PATCHES_APART: [(u8, u8); ACCENTS] = [(16, 208), (231, 25), (16, 218), (231, 23)];

/// The colours of a palette on one terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThemeColors {
    /// Letters without a colour of their own.
    pub(crate) letters: Color,
    /// The ground nothing is drawn on.
    pub(crate) ground: Color,
    /// The ground of what is selected; none reverses it.
    pub(crate) selection: Option<Color>,
    /// Letters without a colour of their own on it.
    pub(crate) selected_letters: Color,
    /// What matters less, where that has a colour of its own.
    pub(crate) quiet: Option<Color>,
    /// The same on the ground of what is selected.
    pub(crate) selected_quiet: Color,
    /// By [`Accent`].
    pub(crate) accents: [Style; ACCENTS],
    /// Whether there are no colours at all.
    pub(crate) is_colourless: bool,
}

impl ThemeColors {
    /// The terminal's letters on the terminal's ground.
    pub(crate) const NONE: Self = Self {
        letters: Color::Reset,
        ground: Color::Reset,
        selection: None,
        selected_letters: Color::Reset,
        quiet: None,
        selected_quiet: Color::Reset,
        accents: [Style::new(); ACCENTS],
        is_colourless: true,
    };
}

/// What colours are computed from.
struct Ground {
    letters: Rgb,
    ground: Rgb,
    is_terminals: bool,
    has_letters: bool,
    hues: [Rgb; ACCENTS],
    least: f64,
    depth: ColorDepth,
}

impl ThemePalette {
    /// True if the terminal's own colours make a difference.
    pub(crate) fn follows(self, terminal: &TerminalColors) -> bool {
        matches!(self, Self::Terminal | Self::ColourBlind) && terminal.depth != ColorDepth::Few
    }

    /// Letters and ground, where the palette brings its own.
    fn own_ground(self, terminal: &TerminalColors) -> Option<(Rgb, Rgb)> {
        match self {
            Self::Auto if terminal.is_light() => Self::Light.own_ground(terminal),
            Self::Auto => Self::Dark.own_ground(terminal),
            Self::Dark => Some((Rgb::indexed(252), Rgb::indexed(234))),
            Self::Light => Some((Rgb::indexed(235), Rgb::indexed(255))),
            Self::Contrast => Some((Rgb::WHITE, Rgb::BLACK)),
            Self::Terminal | Self::ColourBlind | Self::Mono => None,
        }
    }

    /// The colours it has on a terminal.
    pub(crate) fn on(self, terminal: &TerminalColors) -> ThemeColors {
        if self == Self::Mono || terminal.depth == ColorDepth::Few {
            return ThemeColors::NONE;
        }
        let apart = self == Self::ColourBlind;
        let told = |number: usize| terminal.numbered[NUMBERS[number]].unwrap_or(HUES[number]);
        let hues = match self {
            Self::ColourBlind => APART,
            Self::Terminal => std::array::from_fn(told),
            _ => HUES,
        };
        let least = if self == Self::Contrast { STRONG } else { READABLE };
        let depth = terminal.depth;
        if let Some((letters, ground)) = self.own_ground(terminal) {
            let own = Ground { letters, ground, is_terminals: false, has_letters: false, hues, least, depth };
            return own.colors();
        }
        match (terminal.ground, terminal.letters) {
            (Some(ground), told) => {
                let letters = told.unwrap_or_else(|| Rgb(128, 128, 128).readable_on(&[ground], STRONG));
                let has_letters = told.is_some();
                Ground { letters, ground, is_terminals: true, has_letters, hues, least, depth }.colors()
            }
            (None, _) => patches(if apart { PATCHES_APART } else { PATCHES }),
        }
    }
}

impl Ground {
    /// A colour as the terminal takes it; it must be readable on these.
    fn color(&self, color: Rgb, grounds: &[Rgb]) -> Color {
        match self.depth {
            ColorDepth::Direct => Color::Rgb(color.0, color.1, color.2),
            _ => Color::Indexed(color.nearest_indexed(grounds, self.least)),
        }
    }

    /// The ground of what is selected, as the terminal takes it.
    fn selection(&self) -> Rgb {
        let wanted = self.ground.selection(self.letters);
        match self.depth {
            ColorDepth::Direct => wanted,
            _ => Rgb::indexed(self.ground.indexed_selection(wanted)),
        }
    }

    fn colors(&self) -> ThemeColors {
        let selection = self.selection();
        let both = [self.ground, selection];
        let readable = |ground: Rgb| match self.letters.contrast(ground) >= self.least {
            true => self.letters,
            false => self.letters.readable_on(&[ground], self.least),
        };
        let quiet = |ground: Rgb| self.color(readable(ground).quiet_on(ground, self.least), &[ground]);
        let keeps = self.has_letters && self.letters.contrast(self.ground) >= self.least;
        let letters = |ground: Rgb| self.color(readable(ground), &[ground]);
        let accent = |hue: Rgb| {
            let made = hue.readable_on(&both, self.least);
            Style::new().fg(self.color(made, &both))
        };
        ThemeColors {
            letters: if keeps { Color::Reset } else { letters(self.ground) },
            ground: if self.is_terminals { Color::Reset } else { self.color(self.ground, &[]) },
            selection: Some(self.color(selection, &[])),
            selected_letters: letters(selection),
            quiet: Some(quiet(self.ground)),
            selected_quiet: quiet(selection),
            accents: self.hues.map(accent),
            is_colourless: false,
        }
    }
}

/// Accents that bring their own ground.
fn patches(patches: [(u8, u8); ACCENTS]) -> ThemeColors {
    let style = |(letters, ground)| Style::new().fg(Color::Indexed(letters)).bg(Color::Indexed(ground));
    ThemeColors { accents: patches.map(style), is_colourless: false, ..ThemeColors::NONE }
}
