//! Number of colours of the terminal and brightness of its ground, by the environment. The terminal is not
//! asked.

/// Terminals without colours, or with a few that the sequences for sixteen colours do not select.
const MONOCHROME: [&str; 9] = ["", "dumb", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25", "sun"];
/// Terminal with sixteen colours.
const LINUX_CONSOLE: &str = "linux";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorDepth {
    Monochrome,
    /// Sixteen, which each colour scheme defines anew.
    Sixteen,
    /// 256, of which all but the first sixteen are the same everywhere.
    Indexed,
    /// Red, green and blue, 8 bits each.
    Direct,
}

impl ColorDepth {
    /// Reads the environment's `TERM` and `COLORTERM`.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let (term, extent) = (variable("TERM").unwrap_or_default(), variable("COLORTERM"));
        let family = term.split('-').next().unwrap_or_default();
        if MONOCHROME.contains(&family) {
            Self::Monochrome
        } else if family == LINUX_CONSOLE {
            Self::Sixteen
        } else if extent.is_some_and(|extent| matches!(extent.as_str(), "truecolor" | "24bit"))
            || term.ends_with("-direct")
        {
            Self::Direct
        } else {
            Self::Indexed
        }
    }
}

/// True if the value of `COLORFGBG` names a light ground: numbers of the sixteen colours, the last of which
/// is the ground.
pub(crate) fn is_light_ground(colorfgbg: &str) -> bool {
    let ground = colorfgbg.rsplit(';').next().and_then(|number| number.trim().parse::<u8>().ok());
    matches!(ground, Some(7 | 9..=15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colorfgbg_names_a_light_ground() {
        for (colorfgbg, light) in [
            ("0;15", true),
            ("0;default;15", true),
            ("0;7", true),
            ("0; 15 ", true),
            ("15", true),
            ("12;9", true),
            ("15;0", false),
            ("7;8", false),
            ("15;6", false),
            ("15;default", false),
            ("0;231", false),
            ("0;-1", false),
            ("0;15;", false),
            ("15;0x", false),
            ("", false),
        ] {
            assert_eq!(is_light_ground(colorfgbg), light, "{colorfgbg:?}");
        }
    }

    #[test]
    fn term_and_colorterm_give_the_number_of_colours() {
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
        assert_eq!(depth("linux", Some("truecolor")), ColorDepth::Sixteen);
        assert_eq!(depth("linux-16color", None), ColorDepth::Sixteen);
        for term in ["dumb", "vt220", "vt100-am", ""] {
            assert_eq!(depth(term, Some("truecolor")), ColorDepth::Monochrome, "{term}");
        }
    }
}
