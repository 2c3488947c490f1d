//! Themes: one table of twelve roles each, with a column for every number of colours.

use ratatui::style::Color;

use crate::color_depth::{ColorDepth, is_light_ground};

model::words! {
    /// Name of a theme in the configuration.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ThemeName {
        /// `light` if `COLORFGBG` names a light ground, else `dark`.
        #[default]
        Auto = "auto",
        /// For dark terminals.
        Dark = "dark",
        /// For light terminals.
        Light = "light",
        /// The terminal's own sixteen colours.
        Terminal = "terminal",
        /// No colours, as with `NO_COLOR`.
        Mono = "mono",
    }
}

impl ThemeName {
    /// Replaces `auto` by the theme for the value of `COLORFGBG`.
    pub fn resolve(self, colorfgbg: Option<&str>) -> Self {
        match self {
            Self::Auto if colorfgbg.is_some_and(is_light_ground) => Self::Light,
            Self::Auto => Self::Dark,
            Self::Dark | Self::Light | Self::Terminal | Self::Mono => self,
        }
    }

    /// Colour of a role; `Color::Reset` is the terminal's own.
    pub(crate) fn color(self, role: Role, depth: ColorDepth) -> Color {
        let table = match self {
            Self::Auto | Self::Dark => &DARK,
            Self::Light => &LIGHT,
            Self::Terminal => &TERMINAL,
            Self::Mono => return Color::Reset,
        };
        let row = table[role.index()];
        match depth {
            ColorDepth::Direct => row.direct,
            ColorDepth::Indexed => row.indexed,
            ColorDepth::Sixteen => row.sixteen,
            ColorDepth::Monochrome => Color::Reset,
        }
    }
}

/// Meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Words on the selection. Everywhere else words have the terminal's own colour.
    Text,
    /// Times, receipts and labels.
    Dim,
    /// Keys, private notes, matches of a search.
    Accent,
    /// Ground of the selected row; `Color::Reset` reverses the row instead.
    Selection,
    Border,
    Customer,
    Ai,
    /// Messages from this desk.
    You,
    Colleague,
    /// Failures and those who need a person most.
    Urgent,
    /// Time that runs out.
    Soon,
    Good,
}

impl Role {
    pub const ALL: [Self; 12] = [
        Self::Text,
        Self::Dim,
        Self::Accent,
        Self::Selection,
        Self::Border,
        Self::Customer,
        Self::Ai,
        Self::You,
        Self::Colleague,
        Self::Urgent,
        Self::Soon,
        Self::Good,
    ];
    /// Roles that stand out from text.
    pub(crate) const STANDING_OUT: [Self; 7] =
        [Self::Accent, Self::Ai, Self::You, Self::Colleague, Self::Urgent, Self::Soon, Self::Good];

    const fn index(self) -> usize {
        self as usize
    }
}

/// Colours of one role: 24-bit, 256 and 16-colour column.
#[derive(Debug, Clone, Copy)]
struct ThemeRow {
    role: Role,
    direct: Color,
    indexed: Color,
    sixteen: Color,
}

type ThemeTable = [ThemeRow; Role::ALL.len()];

const fn designed(role: Role, direct: u32, indexed: u8, sixteen: Color) -> ThemeRow {
    ThemeRow { role, direct: Color::from_u32(direct), indexed: Color::Indexed(indexed), sixteen }
}

/// A role with a colour of the terminal's own in every column.
const fn own(role: Role, color: Color) -> ThemeRow {
    ThemeRow { role, direct: color, indexed: color, sixteen: color }
}

/// Customers have the terminal's own text colour, in bold: it is legible on every ground.
const DARK: ThemeTable = [
    designed(Role::Text, 0xd7dae0, 253, Color::White),
    designed(Role::Dim, 0x9ba2ae, 248, Color::Gray),
    designed(Role::Accent, 0x82aaff, 111, Color::Cyan),
    designed(Role::Selection, 0x323846, 237, Color::Reset),
    designed(Role::Border, 0x707784, 243, Color::DarkGray),
    own(Role::Customer, Color::Reset),
    designed(Role::Ai, 0x6bd6d0, 80, Color::LightCyan),
    designed(Role::You, 0xa5d075, 150, Color::LightGreen),
    designed(Role::Colleague, 0xd69ae0, 176, Color::LightMagenta),
    designed(Role::Urgent, 0xff7b82, 210, Color::LightRed),
    designed(Role::Soon, 0xe6c07b, 221, Color::LightYellow),
    designed(Role::Good, 0x7fd88f, 114, Color::Green),
];

const LIGHT: ThemeTable = [
    designed(Role::Text, 0x24292f, 235, Color::Black),
    designed(Role::Dim, 0x5a616b, 59, Color::DarkGray),
    designed(Role::Accent, 0x1f5fc4, 26, Color::Blue),
    designed(Role::Selection, 0xdfe4ec, 254, Color::Reset),
    designed(Role::Border, 0x868d97, 245, Color::DarkGray),
    own(Role::Customer, Color::Reset),
    designed(Role::Ai, 0x0b6a74, 23, Color::Cyan),
    designed(Role::You, 0x3b6b12, 22, Color::Green),
    designed(Role::Colleague, 0x8a3a9e, 91, Color::Magenta),
    designed(Role::Urgent, 0xa01038, 125, Color::Red),
    designed(Role::Soon, 0x885b00, 94, Color::Yellow),
    designed(Role::Good, 0x1a6b3c, 22, Color::Green),
];

/// Dim text and borders have the terminal's own text colour: in several colour schemes the grey of the
/// sixteen is the ground.
const TERMINAL: ThemeTable = [
    own(Role::Text, Color::Reset),
    own(Role::Dim, Color::Reset),
    own(Role::Accent, Color::Cyan),
    own(Role::Selection, Color::Reset),
    own(Role::Border, Color::Reset),
    own(Role::Customer, Color::Reset),
    own(Role::Ai, Color::Cyan),
    own(Role::You, Color::Green),
    own(Role::Colleague, Color::Magenta),
    own(Role::Urgent, Color::Red),
    own(Role::Soon, Color::Yellow),
    own(Role::Good, Color::Green),
];

// Each table has its rows in the order of the roles.
const _: () = {
    let tables = [&DARK, &LIGHT, &TERMINAL];
    let mut table = 0;
    while table < tables.len() {
        let mut place = 0;
        while place < Role::ALL.len() {
            assert!(tables[table][place].role.index() == place);
            assert!(Role::ALL[place].index() == place);
            place += 1;
        }
        table += 1;
    }
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

    /// Colours of the roles of the designed themes where they are the same on every terminal.
    fn designed() -> impl Iterator<Item = (ThemeName, ColorDepth)> {
        [ThemeName::Dark, ThemeName::Light]
            .into_iter()
            .flat_map(|name| [ColorDepth::Direct, ColorDepth::Indexed].map(|depth| (name, depth)))
    }

    /// Usual grounds of terminals that a theme is for, the first of them that of the pictures in the book.
    fn usual_grounds(name: ThemeName) -> Vec<Color> {
        let grounds: &[u32] = match name {
            ThemeName::Light => &[0xfafafa, 0xffffff, 0xfdf6e3],
            _ => &[0x16181d, 0x000000, 0x1e1e1e, 0x282a36],
        };
        grounds.iter().map(|ground| Color::from_u32(*ground)).collect()
    }

    #[test]
    fn contrast_is_that_of_the_web_guidelines() {
        let white = Color::Rgb(255, 255, 255);
        for (color, expected) in [
            (Color::Rgb(0, 0, 0), 21.0),
            (Color::Rgb(0x77, 0x77, 0x77), 4.48),
            (Color::Indexed(196), 4.0),
            (Color::Indexed(255), 1.16),
        ] {
            assert!((contrast(color, white) - expected).abs() < 0.01, "{color:?}");
        }
    }

    #[test]
    fn designed_themes_have_enough_contrast_on_usual_grounds_and_on_the_selection() {
        for (name, depth) in designed() {
            let selection = name.color(Role::Selection, depth);
            let grounds = usual_grounds(name);
            let usual = grounds[0];
            let places = || grounds.iter().copied().chain([selection]);
            for role in Role::ALL {
                let color = name.color(role, depth);
                let (least, grounds): (f64, Vec<Color>) = match role {
                    Role::Customer => {
                        assert_eq!(color, Color::Reset, "the terminal's own");
                        continue;
                    }
                    Role::Selection => (MIN_SELECTION_CONTRAST, vec![usual]),
                    Role::Border => (MIN_BORDER_CONTRAST, grounds.clone()),
                    _ => (MIN_WORD_CONTRAST, places().collect()),
                };
                for ground in grounds {
                    let found = contrast(color, ground);
                    assert!(found >= least, "{role:?} of {name:?} in {depth:?} on {ground:?}: {found:.2}");
                }
            }
        }
    }

    #[test]
    fn dim_text_is_fainter_than_other_text() {
        for (name, depth) in designed() {
            for ground in usual_grounds(name).into_iter().chain([name.color(Role::Selection, depth)]) {
                let [dim, text] =
                    [Role::Dim, Role::Text].map(|role| contrast(name.color(role, depth), ground));
                assert!(dim < text, "{name:?}: {dim:.2} and {text:.2}");
            }
        }
    }

    #[test]
    fn urgent_and_soon_differ_for_colour_blind_eyes() {
        let [(_, all_cones), _, (_, deuteranopia), _] = EYES;
        let (red, green) = (Color::Rgb(0xaa, 0x44, 0x22), Color::Rgb(0x68, 0x68, 0x22));
        assert!(distance(red, green, all_cones) > 14.0);
        assert!(distance(red, green, deuteranopia) < MIN_DISTANCE);
        for (name, depth) in designed() {
            for (eyes, matrix) in EYES {
                let [urgent, soon] = [Role::Urgent, Role::Soon].map(|role| name.color(role, depth));
                let found = distance(urgent, soon, matrix);
                assert!(found >= MIN_DISTANCE, "{name:?} in {depth:?} with {eyes}: {found:.1}");
            }
        }
    }

    #[test]
    fn auto_is_the_theme_for_the_ground_that_colorfgbg_names() {
        for (name, on_dark, on_light) in [
            ("auto", "dark", "light"),
            ("dark", "dark", "dark"),
            ("light", "light", "light"),
            ("terminal", "terminal", "terminal"),
            ("mono", "mono", "mono"),
        ] {
            let theme = ThemeName::from_word(name).expect(name);
            assert_eq!(theme.resolve(None).word(), on_dark, "{name}");
            assert_eq!(theme.resolve(Some("15;0")).word(), on_dark, "{name}");
            assert_eq!(theme.resolve(Some("0;15")).word(), on_light, "{name}");
        }
        assert_eq!(ThemeName::ALL.len(), 5);
    }

    #[test]
    fn each_role_has_the_colour_of_its_column() {
        use ratatui::style::Color::{
            Black, Cyan, DarkGray, Gray, Green, LightCyan, LightGreen, LightMagenta, LightRed, LightYellow,
            Magenta, Red, Reset, White, Yellow,
        };
        let rgb = Color::from_u32;
        let index = Color::Indexed;
        let same = |color| [color; 3];
        let cases = [
            (Role::Text, [rgb(0xd7dae0), index(253), White], [rgb(0x24292f), index(235), Black], same(Reset)),
            (Role::Dim, [rgb(0x9ba2ae), index(248), Gray], [rgb(0x5a616b), index(59), DarkGray], same(Reset)),
            (
                Role::Accent,
                [rgb(0x82aaff), index(111), Cyan],
                [rgb(0x1f5fc4), index(26), Color::Blue],
                same(Cyan),
            ),
            (
                Role::Selection,
                [rgb(0x323846), index(237), Reset],
                [rgb(0xdfe4ec), index(254), Reset],
                same(Reset),
            ),
            (
                Role::Border,
                [rgb(0x707784), index(243), DarkGray],
                [rgb(0x868d97), index(245), DarkGray],
                same(Reset),
            ),
            (Role::Customer, same(Reset), same(Reset), same(Reset)),
            (Role::Ai, [rgb(0x6bd6d0), index(80), LightCyan], [rgb(0x0b6a74), index(23), Cyan], same(Cyan)),
            (
                Role::You,
                [rgb(0xa5d075), index(150), LightGreen],
                [rgb(0x3b6b12), index(22), Green],
                same(Green),
            ),
            (
                Role::Colleague,
                [rgb(0xd69ae0), index(176), LightMagenta],
                [rgb(0x8a3a9e), index(91), Magenta],
                same(Magenta),
            ),
            (
                Role::Urgent,
                [rgb(0xff7b82), index(210), LightRed],
                [rgb(0xa01038), index(125), Red],
                same(Red),
            ),
            (
                Role::Soon,
                [rgb(0xe6c07b), index(221), LightYellow],
                [rgb(0x885b00), index(94), Yellow],
                same(Yellow),
            ),
            (Role::Good, [rgb(0x7fd88f), index(114), Green], [rgb(0x1a6b3c), index(22), Green], same(Green)),
        ];
        assert_eq!(cases.map(|case| case.0), Role::ALL);
        let columns = [ColorDepth::Direct, ColorDepth::Indexed, ColorDepth::Sixteen];
        for (role, dark, light, terminal) in cases {
            for (name, expected) in
                [(ThemeName::Dark, dark), (ThemeName::Light, light), (ThemeName::Terminal, terminal)]
            {
                assert_eq!(columns.map(|depth| name.color(role, depth)), expected, "{role:?} of {name:?}");
                assert_eq!(name.color(role, ColorDepth::Monochrome), Reset, "{role:?} of {name:?}");
            }
            assert_eq!(columns.map(|depth| ThemeName::Mono.color(role, depth)), [Reset; 3], "{role:?}");
        }
    }
}
