//! Themes: one table of twelve roles each, with a column for every number of colours.

use ratatui::style::Color;

use crate::color_depth::{ColorDepth, is_light_ground};

model::words! {
    /// Name of a theme in the configuration.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ThemePalette {
        /// The terminal's own sixteen colours on its own ground.
        Terminal = "terminal",
        /// `light` if `COLORFGBG` names a light ground, else `dark`.
        #[default]
        Auto = "auto",
        Dark = "dark",
        Light = "light",
        /// Earlier name, as `dark`.
        Contrast = "contrast",
        /// Earlier name, as `auto`.
        ColourBlind = "colour-blind",
        /// No colours, as with `NO_COLOR`.
        Mono = "mono",
    }
}

impl ThemePalette {
    /// The theme that has a table, by the value of `COLORFGBG`.
    pub fn resolve(self, colorfgbg: Option<&str>) -> Self {
        match self {
            Self::Auto | Self::ColourBlind if colorfgbg.is_some_and(is_light_ground) => Self::Light,
            Self::Auto | Self::ColourBlind | Self::Contrast => Self::Dark,
            Self::Terminal | Self::Dark | Self::Light | Self::Mono => self,
        }
    }

    /// Colours in this depth; `Color::Reset` is the terminal's own.
    pub(crate) fn colors(self, depth: ColorDepth) -> ThemeTable<Color> {
        let table = match self {
            Self::Auto | Self::Dark | Self::Contrast | Self::ColourBlind => &DARK,
            Self::Light => &LIGHT,
            Self::Terminal => &TERMINAL,
            Self::Mono => &MONO,
        };
        table.map(|row| row.in_depth(depth))
    }
}

/// Colour of one role in each column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColorRow {
    direct: Color,
    indexed: Color,
    sixteen: Color,
}

impl ColorRow {
    fn in_depth(self, depth: ColorDepth) -> Color {
        match depth {
            ColorDepth::Direct => self.direct,
            ColorDepth::Indexed => self.indexed,
            ColorDepth::Sixteen => self.sixteen,
            ColorDepth::Monochrome => Color::Reset,
        }
    }
}

/// Colours of the twelve roles, and the ground they are drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThemeTable<C> {
    pub(crate) ground: C,
    pub(crate) text: C,
    pub(crate) dim: C,
    pub(crate) accent: C,
    /// Ground of the selected row; `Color::Reset` reverses the row instead.
    pub(crate) selection: C,
    pub(crate) border: C,
    pub(crate) customer: C,
    pub(crate) ai: C,
    pub(crate) own: C,
    pub(crate) colleague: C,
    pub(crate) urgent: C,
    pub(crate) soon: C,
    pub(crate) good: C,
}

impl<C: Copy> ThemeTable<C> {
    fn map<D>(&self, change: impl Fn(C) -> D) -> ThemeTable<D> {
        ThemeTable {
            ground: change(self.ground),
            text: change(self.text),
            dim: change(self.dim),
            accent: change(self.accent),
            selection: change(self.selection),
            border: change(self.border),
            customer: change(self.customer),
            ai: change(self.ai),
            own: change(self.own),
            colleague: change(self.colleague),
            urgent: change(self.urgent),
            soon: change(self.soon),
            good: change(self.good),
        }
    }
}

/// A role's 24-bit, 256 and 16-colour column.
const fn color_row(direct: u32, indexed: u8, sixteen: Color) -> ColorRow {
    ColorRow { direct: Color::from_u32(direct), indexed: Color::Indexed(indexed), sixteen }
}

/// A role with one of the terminal's own sixteen colours in every column.
const fn terminal_color(color: Color) -> ColorRow {
    ColorRow { direct: color, indexed: color, sixteen: color }
}

const DARK: ThemeTable<ColorRow> = ThemeTable {
    ground: color_row(0x16181d, 234, Color::Black),
    text: color_row(0xd7dae0, 253, Color::White),
    dim: color_row(0x9aa0ac, 247, Color::Gray),
    accent: color_row(0x82aaff, 111, Color::Cyan),
    selection: color_row(0x2b303b, 236, Color::Reset),
    border: color_row(0x6b7280, 243, Color::Gray),
    customer: color_row(0xf4f6fa, 255, Color::White),
    ai: color_row(0x6bd6d0, 80, Color::LightCyan),
    own: color_row(0xa5d075, 150, Color::LightGreen),
    colleague: color_row(0xd69ae0, 176, Color::LightMagenta),
    urgent: color_row(0xff7b82, 210, Color::LightRed),
    soon: color_row(0xe6c07b, 221, Color::LightYellow),
    good: color_row(0x7fd88f, 114, Color::Green),
};

const LIGHT: ThemeTable<ColorRow> = ThemeTable {
    ground: color_row(0xfafafa, 231, Color::White),
    text: color_row(0x24292f, 235, Color::Black),
    dim: color_row(0x5a616b, 59, Color::DarkGray),
    accent: color_row(0x1f5fc4, 26, Color::Blue),
    selection: color_row(0xdfe4ec, 254, Color::Reset),
    border: color_row(0x868d97, 245, Color::DarkGray),
    customer: color_row(0x000000, 16, Color::Black),
    ai: color_row(0x0b6a74, 23, Color::Cyan),
    own: color_row(0x3b6b12, 22, Color::Green),
    colleague: color_row(0x8a3a9e, 91, Color::Magenta),
    urgent: color_row(0xa01038, 125, Color::Red),
    soon: color_row(0x885b00, 94, Color::Yellow),
    good: color_row(0x1a6b3c, 22, Color::Green),
};

/// Dim text and borders have the terminal's own text colour: in several colour schemes the grey of the
/// sixteen is the ground.
const TERMINAL: ThemeTable<ColorRow> = ThemeTable {
    ground: terminal_color(Color::Reset),
    text: terminal_color(Color::Reset),
    dim: terminal_color(Color::Reset),
    accent: terminal_color(Color::Cyan),
    selection: terminal_color(Color::Reset),
    border: terminal_color(Color::Reset),
    customer: terminal_color(Color::Reset),
    ai: terminal_color(Color::Cyan),
    own: terminal_color(Color::Green),
    colleague: terminal_color(Color::Magenta),
    urgent: terminal_color(Color::Red),
    soon: terminal_color(Color::Yellow),
    good: terminal_color(Color::Green),
};

const MONO: ThemeTable<ColorRow> = ThemeTable {
    ground: terminal_color(Color::Reset),
    text: terminal_color(Color::Reset),
    dim: terminal_color(Color::Reset),
    accent: terminal_color(Color::Reset),
    selection: terminal_color(Color::Reset),
    border: terminal_color(Color::Reset),
    customer: terminal_color(Color::Reset),
    ai: terminal_color(Color::Reset),
    own: terminal_color(Color::Reset),
    colleague: terminal_color(Color::Reset),
    urgent: terminal_color(Color::Reset),
    soon: terminal_color(Color::Reset),
    good: terminal_color(Color::Reset),
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimum contrast of words (WCAG 2, level AA).
    const MIN_WORD_CONTRAST: f64 = 4.5;
    /// Minimum contrast of borders.
    const MIN_BORDER_CONTRAST: f64 = 3.0;
    /// Minimum contrast of the selected row's ground and the ground around it.
    const MIN_SELECTION_CONTRAST: f64 = 1.2;
    /// Levels of the 6x6x6 cube among a terminal's 256 colours.
    const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

    type Matrix = [[f64; 3]; 3];

    /// Full colour vision deficiency in linear light, after Machado, Oliveira and Fernandes 2009.
    const EYES: [(&str, Matrix); 4] = [
        ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        ),
    ];
    /// Minimum distance in Oklab, from 0 to 100, of two colours that differ at a glance.
    const MIN_DISTANCE: f64 = 6.0;

    fn linear_rgb(color: Color) -> [f64; 3] {
        let channels = match color {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(number @ 16..232) => {
                let place = number - 16;
                [place / 36, place / 6 % 6, place % 6].map(|level| CUBE[usize::from(level)])
            }
            Color::Indexed(number @ 232..) => [(number - 232) * 10 + 8; 3],
            other => panic!("{other:?} is another colour in each colour scheme"),
        };
        channels.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn contrast(one: Color, two: Color) -> f64 {
        let [one, two] = [one, two].map(|color| {
            let [red, green, blue] = linear_rgb(color);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        });
        one.max(two) / one.min(two)
    }

    fn multiply(matrix: Matrix, vector: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
    }

    fn oklab(color: Color, eyes: Matrix) -> [f64; 3] {
        let light = multiply(eyes, linear_rgb(color)).map(|value| value.clamp(0.0, 1.0));
        let cones = multiply(
            [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            light,
        );
        multiply(
            [
                [21.045_425_53, 79.361_778_50, -0.407_204_68],
                [197.799_849_51, -242.859_220_50, 45.059_370_99],
                [2.590_403_71, 78.277_176_62, -80.867_576_60],
            ],
            cones.map(f64::cbrt),
        )
    }

    fn distance(one: Color, two: Color, eyes: Matrix) -> f64 {
        let pairs = oklab(one, eyes).into_iter().zip(oklab(two, eyes));
        pairs.map(|(one, two)| (one - two).powi(2)).sum::<f64>().sqrt()
    }

    /// The designed tables in the columns whose colours are the same on every terminal.
    fn designed() -> impl Iterator<Item = (String, ThemeTable<Color>)> {
        [ThemePalette::Dark, ThemePalette::Light].into_iter().flat_map(|palette| {
            [ColorDepth::Direct, ColorDepth::Indexed].map(|depth| {
                let name = format!("{} in {depth:?}", palette.word());
                (name, palette.colors(depth))
            })
        })
    }

    #[test]
    fn designed_themes_have_enough_contrast() {
        let white = Color::Rgb(255, 255, 255);
        for (color, expected) in [
            (Color::Rgb(0, 0, 0), 21.0),
            (Color::Rgb(0x77, 0x77, 0x77), 4.48),
            (Color::Indexed(196), 4.0),
            (Color::Indexed(255), 1.16),
        ] {
            assert!((contrast(color, white) - expected).abs() < 0.01, "{color:?}");
        }
        for (name, colors) in designed() {
            let words = [
                ("text", colors.text),
                ("dim", colors.dim),
                ("accent", colors.accent),
                ("customer", colors.customer),
                ("ai", colors.ai),
                ("you", colors.own),
                ("colleague", colors.colleague),
                ("urgent", colors.urgent),
                ("soon", colors.soon),
                ("good", colors.good),
            ];
            for (role, color) in words {
                for (place, ground) in [("ground", colors.ground), ("selection", colors.selection)] {
                    let found = contrast(color, ground);
                    assert!(found >= MIN_WORD_CONTRAST, "{role} on the {place} of {name}: {found:.2}");
                }
            }
            let border = contrast(colors.border, colors.ground);
            assert!(border >= MIN_BORDER_CONTRAST, "border of {name}: {border:.2}");
            let selection = contrast(colors.selection, colors.ground);
            assert!(selection >= MIN_SELECTION_CONTRAST, "selection of {name}: {selection:.2}");
        }
    }

    #[test]
    fn dim_text_is_fainter_than_other_text() {
        for (name, colors) in designed() {
            for ground in [colors.ground, colors.selection] {
                let (dim, text) = (contrast(colors.dim, ground), contrast(colors.text, ground));
                assert!(dim < text, "{name}: {dim:.2} and {text:.2}");
            }
        }
    }

    #[test]
    fn urgent_and_soon_differ_for_colour_blind_eyes() {
        let [(_, all_cones), _, (_, deuteranopia), _] = EYES;
        let (red, green) = (Color::Rgb(0xaa, 0x44, 0x22), Color::Rgb(0x68, 0x68, 0x22));
        assert!(distance(red, green, all_cones) > 14.0);
        assert!(distance(red, green, deuteranopia) < MIN_DISTANCE);
        for (name, colors) in designed() {
            for (eyes, matrix) in EYES {
                let found = distance(colors.urgent, colors.soon, matrix);
                assert!(found >= MIN_DISTANCE, "{name} with {eyes}: {found:.1}");
            }
        }
    }

    #[test]
    fn every_theme_name_resolves_to_a_table() {
        for (name, on_dark, on_light) in [
            ("terminal", "terminal", "terminal"),
            ("auto", "dark", "light"),
            ("dark", "dark", "dark"),
            ("light", "light", "light"),
            ("contrast", "dark", "dark"),
            ("colour-blind", "dark", "light"),
            ("mono", "mono", "mono"),
        ] {
            let palette = ThemePalette::from_word(name).expect(name);
            assert_eq!(palette.resolve(None).word(), on_dark, "{name}");
            assert_eq!(palette.resolve(Some("15;0")).word(), on_dark, "{name}");
            assert_eq!(palette.resolve(Some("0;15")).word(), on_light, "{name}");
        }
    }

    #[test]
    fn terminals_without_colours_and_mono_get_none() {
        let none = MONO.map(|_| Color::Reset);
        for palette in ThemePalette::ALL {
            assert_eq!(palette.colors(ColorDepth::Monochrome), none, "{}", palette.word());
        }
        for depth in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::Direct] {
            assert_eq!(ThemePalette::Mono.colors(depth), none, "{depth:?}");
            assert_eq!(ThemePalette::Terminal.colors(depth).soon, Color::Yellow, "{depth:?}");
        }
    }
}
