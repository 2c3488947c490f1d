//! Keys and their names. The shell translates the terminal's key events.

use std::fmt;

/// Key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character, already shifted: `P` rather than Shift and `p`.
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyPress {
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
    /// Shift, if it is not part of the character.
    pub shift: bool,
}

impl KeyPress {
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    pub const fn ctrl(character: char) -> Self {
        Self { code: KeyCode::Char(character), ctrl: true, alt: false, shift: false }
    }

    /// The character this key types into a text, if any.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.ctrl && !self.alt => Some(character),
            _ => None,
        }
    }

    /// Reads one name, such as `j`, `Ctrl-D`, `Enter` or `F1`.
    pub fn parse(name: &str) -> Option<Self> {
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = name;
        loop {
            if let Some(after) = rest.strip_prefix("Ctrl-") {
                (ctrl, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("Alt-") {
                (alt, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("Shift-").filter(|text| text.chars().count() > 1) {
                (shift, rest) = (true, after);
            } else {
                break;
            }
        }
        let code = match rest {
            "Tab" if shift => (KeyCode::BackTab, shift = false).0,
            _ => parse_code(rest)?,
        };
        let code = match code {
            KeyCode::Char(character) if ctrl => KeyCode::Char(character.to_ascii_lowercase()),
            other => other,
        };
        Some(Self { code, ctrl, alt, shift })
    }

    /// Reads a sequence of names separated by spaces, such as `g n`.
    pub fn parse_sequence(names: &str) -> Option<Vec<Self>> {
        names.split(' ').map(Self::parse).collect()
    }
}

fn parse_code(name: &str) -> Option<KeyCode> {
    let named = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Space" => KeyCode::Char(' '),
        _ => {
            let mut characters = name.chars();
            match (characters.next(), characters.as_str()) {
                (Some(character), "") => KeyCode::Char(character),
                (Some('F'), number) => {
                    KeyCode::F(number.parse().ok().filter(|byte| (1..=12).contains(byte))?)
                }
                _ => return None,
            }
        }
    };
    Some(named)
}

impl fmt::Display for KeyPress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            formatter.write_str("Ctrl-")?;
        }
        if self.alt {
            formatter.write_str("Alt-")?;
        }
        if self.shift {
            formatter.write_str("Shift-")?;
        }
        match self.code {
            KeyCode::Char(' ') => formatter.write_str("Space"),
            KeyCode::Char(character) if self.ctrl => write!(formatter, "{}", character.to_ascii_uppercase()),
            KeyCode::Char(character) => write!(formatter, "{character}"),
            KeyCode::BackTab => formatter.write_str("Shift-Tab"),
            KeyCode::PageUp => formatter.write_str("PgUp"),
            KeyCode::PageDown => formatter.write_str("PgDn"),
            KeyCode::F(number) => write!(formatter, "F{number}"),
            other => write!(formatter, "{other:?}"),
        }
    }
}

/// Mouse event with its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    Down(u16, u16),
    /// Press on a tab.
    Tab(usize),
    /// Press on the entry for all tabs.
    AllTabs,
    /// Movement with the button down.
    Drag(u16, u16),
    Up,
    /// Turn of the wheel over a cell: down is positive.
    Wheel(u16, u16, i8),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in [
            "j",
            "P",
            "+",
            "-",
            "?",
            "Ctrl-D",
            "Ctrl-_",
            "Shift-Tab",
            "Alt-Enter",
            "Shift-Enter",
            "F1",
            "Space",
            "PgUp",
            "Home",
        ] {
            let key = KeyPress::parse(name).unwrap_or_else(|| panic!("{name} does not parse"));
            assert_eq!(key.to_string(), name);
        }
        for bad in ["", "Ctrl-", "Enterr", "F13", "jj"] {
            assert_eq!(KeyPress::parse(bad), None, "{bad}");
        }
        assert_eq!(KeyPress::parse_sequence("g n").map(|sequence| sequence.len()), Some(2));
    }
}
