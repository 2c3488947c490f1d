//! What is known of the terminal's own colours.
//!
//! The shell asks the terminal and hands on what it tells.

use crate::contrast::Rgb;

/// Letters an answer has at most.
pub const LONGEST: usize = 40;

/// Terminals that know no more than sixteen: the consoles of kernels map what
/// they are sent to theirs. None of them tells what they are.
const FEW: [&str; 10] = ["", "dumb", "linux", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25", "sun"];

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
        } else if extent.is_some_and(|it| matches!(it.as_str(), "truecolor" | "24bit"))
            || term.ends_with("-direct")
        {
            Self::Direct
        } else {
            Self::Indexed
        }
    }
}

/// One of the colours a terminal tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorName {
    /// The ground nothing is drawn on.
    Ground,
    /// The letters that have no colour of their own.
    Letters,
    /// One of the first sixteen.
    Numbered(u8),
}

/// A colour the terminal told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColorReport {
    pub name: ColorName,
    pub color: Rgb,
}

impl ColorReport {
    /// Reads an answer without its first two and its last characters, such as
    /// `11;rgb:0000/2b2b/3636`.
    pub fn parse(answer: &str) -> Option<Self> {
        let (name, value) = match answer.split_once(';')? {
            ("10", value) => (ColorName::Letters, value),
            ("11", value) => (ColorName::Ground, value),
            ("4", rest) => {
                let (number, value) = rest.split_once(';')?;
                (ColorName::Numbered(number.parse().ok().filter(|it| *it < 16)?), value)
            }
            _ => return None,
        };
        Some(Self { name, color: color(value)? })
    }

    /// Whether a text may yet become an answer.
    pub fn may_begin_with(text: &str) -> bool {
        let begins = |it: &&str| it.starts_with(text) || text.starts_with(*it);
        let letters = |it: u8| it.is_ascii_hexdigit() || b";:/rgba".contains(&it);
        text.len() <= LONGEST && ["10;", "11;", "4;"].iter().any(begins) && text.bytes().all(letters)
    }
}

/// `rgb:` or `rgba:` and one to four hexadecimal digits a channel.
fn color(value: &str) -> Option<Rgb> {
    let channels = value.strip_prefix("rgb:").or_else(|| value.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(|it| {
        let digits = u32::try_from(it.len()).ok().filter(|it| (1..=4).contains(it))?;
        let most = 16_u32.pow(digits) - 1;
        let share = u32::from_str_radix(it, 16).ok()? * 255 + most / 2;
        u8::try_from(share / most).ok()
    });
    let mut next = || channels.next().flatten();
    Some(Rgb(next()?, next()?, next()?))
}

/// What a terminal told of its colours so far.
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
    /// A terminal that has told nothing.
    pub const UNKNOWN: Self =
        Self { depth: ColorDepth::Indexed, ground: None, letters: None, numbered: [None; 7] };

    /// Takes in what it told.
    pub fn receive(&mut self, report: ColorReport) {
        match report.name {
            ColorName::Ground => self.ground = Some(report.color),
            ColorName::Letters => self.letters = Some(report.color),
            ColorName::Numbered(number) => {
                if let Some(known) = self.numbered.get_mut(usize::from(number)) {
                    *known = Some(report.color);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_every_length_and_nothing_else_is() {
        let report = |name, color| Some(ColorReport { name, color });
        let cases = [
            ("11;rgb:0000/2b2b/3636", report(ColorName::Ground, Rgb(0, 0x2b, 0x36))),
            ("10;rgb:83/94/96", report(ColorName::Letters, Rgb(0x83, 0x94, 0x96))),
            ("11;rgba:ffff/ffff/ffff/8080", report(ColorName::Ground, Rgb::WHITE)),
            ("4;1;rgb:f/0/0", report(ColorName::Numbered(1), Rgb(255, 0, 0))),
            ("4;1;rgb:dcd/323/2f2", report(ColorName::Numbered(1), Rgb(0xdc, 0x32, 0x2f))),
            ("11;rgb:00/2b", None),
            ("11;rgb:000000/2b/36", None),
            ("11;rgb://", None),
            ("11;#002b36", None),
            ("4;16;rgb:0/0/0", None),
            ("12;rgb:0/0/0", None),
            ("", None),
        ];
        for (answer, expected) in cases {
            assert_eq!(ColorReport::parse(answer), expected, "{answer}");
        }
        for text in ["1", "11;rgb:0", "4", "4;1;rgb:"] {
            assert!(ColorReport::may_begin_with(text), "{text}");
        }
        for text in ["2", "12", "11;x", "1;", "11;rgb:0000/0000/0000/0000/0000/0000/0000"] {
            assert!(!ColorReport::may_begin_with(text), "{text}");
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
