//! Colours of the terminal, as far as the environment tells them. The terminal is not asked.

use crate::contrast::Rgb;

/// Terminals that know no more than sixteen: the consoles of kernels map what
/// they are sent to theirs. None of them tells what they are.
const FEW: [&str; 10] = ["", "dumb", "linux", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25", "sun"];

/// A ground and letters in whose place most light terminals have lighter and darker ones.
const LIGHT_GROUND: Rgb = Rgb(0xee, 0xe8, 0xd5);
const LIGHT_LETTERS: Rgb = Rgb(0x28, 0x2c, 0x34);
/// The same for dark terminals.
const DARK_GROUND: Rgb = Rgb(0x2e, 0x34, 0x40);
const DARK_LETTERS: Rgb = Rgb(0xd8, 0xde, 0xe9);

/// How a terminal takes colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorDepth {
    /// None, or sixteen that are another set in each theme.
    Few,
    /// 256, of which all but sixteen are the same everywhere.
    Indexed,
    /// Red, green and blue.
    Direct,
}

impl ColorDepth {
    /// By the environment's `TERM` and `COLORTERM`.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let (term, extent) = (variable("TERM").unwrap_or_default(), variable("COLORTERM"));
        if FEW.contains(&term.split('-').next().unwrap_or_default()) {
            Self::Few
        } else if extent.is_some_and(|extent| matches!(extent.as_str(), "truecolor" | "24bit"))
            || term.ends_with("-direct")
        {
            Self::Direct
        } else {
            Self::Indexed
        }
    }
}

/// Colours of a terminal as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalColors {
    pub depth: ColorDepth,
    /// The ground nothing is drawn on.
    pub ground: Option<Rgb>,
    /// The letters that have no colour of their own.
    pub letters: Option<Rgb>,
    /// The first seven of its sixteen.
    pub numbered: [Option<Rgb>; 7],
}

impl TerminalColors {
    /// A terminal of which nothing is known.
    pub const UNKNOWN: Self =
        Self { depth: ColorDepth::Indexed, ground: None, letters: None, numbered: [None; 7] };

    /// By the environment's `TERM`, `COLORTERM` and `COLORFGBG`.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let known = variable("COLORFGBG").and_then(|colors| is_light(&colors));
        let (letters, ground) = match known {
            Some(true) => (Some(LIGHT_LETTERS), Some(LIGHT_GROUND)),
            Some(false) => (Some(DARK_LETTERS), Some(DARK_GROUND)),
            None => (None, None),
        };
        Self { depth: ColorDepth::of(variable), ground, letters, ..Self::UNKNOWN }
    }

    /// True if the ground is known to be light.
    pub fn is_light(&self) -> bool {
        self.ground.is_some_and(|ground| ground.luminance() > 0.5)
    }
}

/// True if the ground is light by `COLORFGBG`: numbers of the sixteen colours, the last of which is the
/// ground.
fn is_light(colors: &str) -> Option<bool> {
    match colors.rsplit(';').next()?.trim().parse::<u8>().ok()? {
        0..=6 | 8 => Some(false),
        7 | 9..=15 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_whether_the_ground_is_light() {
        let ground = |colors: Option<&str>| {
            let known = TerminalColors::of(|name| match name {
                "TERM" => Some("xterm-256color".to_owned()),
                "COLORFGBG" => colors.map(str::to_owned),
                _ => None,
            });
            known.ground.map(|_| known.is_light())
        };
        for (colors, light) in [
            (None, None),
            (Some("15;0"), Some(false)),
            (Some("7;8"), Some(false)),
            (Some("0;15"), Some(true)),
            (Some("0;default;15"), Some(true)),
            (Some("0;7"), Some(true)),
            (Some("15;default"), None),
            (Some("0;231"), None),
            (Some(""), None),
        ] {
            assert_eq!(ground(colors), light, "{colors:?}");
        }
    }

    #[test]
    fn the_environment_says_how_colours_are_taken() {
        let depth = |term: &str, extent: Option<&str>| {
            ColorDepth::of(|name| match name {
                "TERM" => Some(term.to_owned()),
                _ => extent.map(str::to_owned),
            })
        };
        assert_eq!(depth("xterm-256color", Some("truecolor")), ColorDepth::Direct);
        assert_eq!(depth("xterm-direct", None), ColorDepth::Direct);
        assert_eq!(depth("tmux-256color", None), ColorDepth::Indexed);
        assert_eq!(depth("xterm", Some("yes")), ColorDepth::Indexed);
        assert_eq!(depth("vte-256color", None), ColorDepth::Indexed);
        for term in ["linux", "dumb", "vt220", ""] {
            assert_eq!(depth(term, Some("truecolor")), ColorDepth::Few, "{term}");
        }
    }
}
