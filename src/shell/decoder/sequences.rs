//! Meanings of bytes and complete sequences: keys with modifiers, clicks, paste marks, focus reports. Answers
//! to queries are ignored.

use inbox::keys::{KeyCode, KeyPress, Pointer};

/// Meaning of a complete sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Nothing,
    Key(KeyPress, Modifiers),
    Focus(bool),
    Pointer(Pointer),
    PasteBegins,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Modifiers {
    pub(super) shift: bool,
    pub(super) alt: bool,
    pub(super) ctrl: bool,
    /// Super, Hyper or Meta.
    pub(super) foreign: bool,
}

impl Modifiers {
    const SHIFT: Self = Self { shift: true, alt: false, ctrl: false, foreign: false };
    const CTRL: Self = Self { shift: false, alt: false, ctrl: true, foreign: false };

    /// Decodes the parameter: one plus a bit mask. Caps Lock and Num Lock are ignored.
    fn read(parameter: u32) -> Self {
        let bits = parameter.saturating_sub(1);
        let has = |bit: u32| bits & bit != 0;
        Self { shift: has(1), alt: has(2), ctrl: has(4), foreign: has(8 | 16 | 32) }
    }
}

/// Key sent as one byte below 0x80, other than ESC.
pub(super) fn plain(byte: u8, erase: u8) -> Option<KeyPress> {
    let press = match byte {
        b'\r' => KeyPress::plain(KeyCode::Enter),
        b'\t' => KeyPress::plain(KeyCode::Tab),
        0x7f => KeyPress::plain(KeyCode::Backspace),
        0x08 if erase == byte => KeyPress::plain(KeyCode::Backspace),
        // Terminals that send another byte for Backspace send this one for Ctrl-Backspace.
        0x08 => KeyPress { ctrl: true, ..KeyPress::plain(KeyCode::Backspace) },
        0 => KeyPress::ctrl(' '),
        0x01..=0x1a => KeyPress::ctrl(char::from(byte - 1 + b'a')),
        0x1f => KeyPress::ctrl('_'),
        0x1c..=0x1e => KeyPress::ctrl(char::from(byte - 0x1c + b'4')),
        0x1b => return None,
        _ => KeyPress::plain(KeyCode::Char(char::from(byte))),
    };
    Some(press)
}

/// Combines a key and modifiers; `None` with Super, Hyper or Meta.
pub(super) fn apply_modifiers(press: KeyPress, modifiers: Modifiers) -> Option<KeyPress> {
    let Modifiers { shift, alt, ctrl, foreign } = modifiers;
    let (ctrl, alt, shift) = (press.ctrl || ctrl, press.alt || alt, press.shift || shift);
    if foreign {
        return None;
    }
    let code = match press.code {
        // Aliases under the extended keyboard protocol for keys that other terminals send as one byte.
        KeyCode::Char('[') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Esc)),
        KeyCode::Char('i') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Tab)),
        KeyCode::Char('m') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Enter)),
        KeyCode::Char('-') if ctrl && shift => KeyCode::Char('_'),
        // Ctrl-_ is Ctrl-7 or Ctrl-/ on some layouts.
        KeyCode::Char('7' | '/') if ctrl => KeyCode::Char('_'),
        // Ctrl with a letter is one key, with or without Shift.
        KeyCode::Char(character) if ctrl => KeyCode::Char(character.to_ascii_lowercase()),
        KeyCode::Char(character) if shift => KeyCode::Char(upper(character)),
        KeyCode::Tab if shift => KeyCode::BackTab,
        code => code,
    };
    let keeps_shift = !matches!(
        code,
        KeyCode::Char(_) | KeyCode::BackTab | KeyCode::Backspace | KeyCode::Esc | KeyCode::Tab
    );
    Some(KeyPress { code, ctrl, alt, shift: shift && keeps_shift })
}

/// Upper case of a letter that some terminals send with a Shift modifier.
fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

/// Decodes a CSI sequence from its parameters and final byte.
pub(super) fn csi(body: &[u8], end: u8) -> Meaning {
    let Ok(body) = std::str::from_utf8(body) else { return Meaning::Nothing };
    match (body.as_bytes(), end) {
        (b"", b'I') => return Meaning::Focus(true),
        (b"", b'O') => return Meaning::Focus(false),
        (b"200", b'~') => return Meaning::PasteBegins,
        ([b'<', ..], b'M' | b'm') => return click(&body[1..], 0, end == b'm'),
        (_, b'M') => return click(body, 32, false),
        // Private sequences and those with other parameters are answers.
        _ if !body.bytes().all(|byte| byte.is_ascii_digit() || b";:".contains(&byte)) => {
            return Meaning::Nothing;
        }
        _ => (),
    }
    let fields: Vec<Vec<Option<u32>>> =
        body.split(';').map(|field| field.split(':').map(|part| part.parse().ok()).collect()).collect();
    let field = |at: usize, part: usize| fields.get(at).and_then(|field| field.get(part).copied().flatten());
    // A release is no key press.
    if field(1, 1) == Some(3) {
        return Meaning::Nothing;
    }
    let (first, modifiers) = (field(0, 0), Modifiers::read(field(1, 0).unwrap_or(1)));
    let found = match end {
        b'u' => first.and_then(|code| key_of_code(code, field(0, 1).filter(|_| modifiers.shift))),
        b'~' if first == Some(27) => {
            let code = field(2, 0).and_then(|code| key_of_code(code, None));
            return key(code.map(|code| (code, modifiers)));
        }
        b'~' => first.and_then(key_of_number),
        b'^' | b'$' | b'@' => {
            let modifiers = match end {
                b'^' => Modifiers::CTRL,
                b'$' => Modifiers::SHIFT,
                _ => Modifiers { shift: true, ..Modifiers::CTRL },
            };
            return key(first.and_then(key_of_number).map(|code| (code, modifiers)));
        }
        b'Z' => return key(Some((KeyCode::BackTab, modifiers))),
        // With parameters this is a cursor position report.
        b'R' if !body.is_empty() => None,
        b'a'..=b'd' if body.is_empty() => {
            return key(key_of_letter(end.to_ascii_uppercase()).map(|code| (code, Modifiers::SHIFT)));
        }
        _ => key_of_letter(end),
    };
    key(found.map(|code| (code, modifiers)))
}

fn key(found: Option<(KeyCode, Modifiers)>) -> Meaning {
    found.map_or(Meaning::Nothing, |(code, modifiers)| Meaning::Key(KeyPress::plain(code), modifiers))
}

/// Decodes `ESC O`, an old modifier in digits, and a byte.
pub(super) fn ss3(body: &[u8], end: u8) -> Meaning {
    let digits = std::str::from_utf8(body).ok().and_then(|text| text.parse().ok());
    let modifiers = Modifiers::read(digits.unwrap_or(1));
    let code = match end {
        b'a'..=b'd' => {
            return key(key_of_letter(end.to_ascii_uppercase()).map(|code| (code, Modifiers::CTRL)));
        }
        b'M' => Some(KeyCode::Enter),
        b'I' => Some(KeyCode::Tab),
        b' ' => Some(KeyCode::Char(' ')),
        b'X' => Some(KeyCode::Char('=')),
        // The keypad.
        b'j'..=b'y' => Some(KeyCode::Char(char::from(end - b'j' + b'*'))),
        _ => key_of_letter(end),
    };
    key(code.map(|code| (code, modifiers)))
}

/// Decodes `ESC [ [` and a byte, as the Linux console sends it.
pub(super) fn console(end: u8) -> Meaning {
    let number = end.checked_sub(b'A').filter(|number| *number < 5);
    key(number.map(|number| (KeyCode::F(number + 1), Modifiers::default())))
}

fn key_of_letter(end: u8) -> Option<KeyCode> {
    Some(match end {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(end - b'P' + 1),
        _ => return None,
    })
}

fn key_of_number(number: u32) -> Option<KeyCode> {
    let function =
        |first: u32, place: u32| u8::try_from(place - first).ok().map(|place| KeyCode::F(place + 1));
    match number {
        1 | 7 => Some(KeyCode::Home),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(11, number),
        17..=21 => function(12, number),
        23..=24 => function(13, number),
        _ => None,
    }
}

/// Key of a code of the kitty keyboard protocol; `shifted` is the character with Shift, if reported.
fn key_of_code(code: u32, shifted: Option<u32>) -> Option<KeyCode> {
    Some(match code {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57399..=57408 => KeyCode::Char(char::from_digit(code - 57399, 10)?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57426 => KeyCode::Delete,
        // Keys without a character: Caps Lock, media keys, modifiers.
        57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(shifted.unwrap_or(code)).filter(|found| !found.is_control())?),
    })
}

/// Decodes a click from button, column and row as text; `offset` is subtracted from the button.
fn click(body: &str, offset: u32, released: bool) -> Meaning {
    let mut fields = body.split(';').map(|field| field.parse::<u32>().ok());
    let mut next = || fields.next().flatten();
    let (Some(button), Some(column), Some(row)) = (next(), next(), next()) else { return Meaning::Nothing };
    button.checked_sub(offset).map_or(Meaning::Nothing, |button| pointer(button, column, row, released))
}

/// Decodes a click in the oldest encoding: three bytes, each offset by 32.
pub(super) fn parse_old_click(body: &[u8]) -> Meaning {
    let [button, column, row] = body else { return Meaning::Nothing };
    let less = |byte: u8| u32::from(byte).checked_sub(32);
    match (less(*button), less(*column), less(*row)) {
        (Some(button), Some(column), Some(row)) => pointer(button, column, row, false),
        _ => Meaning::Nothing,
    }
}

/// Columns and rows count from 1. Only the left button and the wheel are used.
fn pointer(button: u32, column: u32, row: u32, released: bool) -> Meaning {
    let cell = |place: u32| u16::try_from(place.saturating_sub(1)).ok();
    let (Some(x), Some(y)) = (cell(column), cell(row)) else { return Meaning::Nothing };
    let number = (button & 0b11) | ((button & 0b1100_0000) >> 4);
    let moves = button & 0b10_0000 != 0;
    let found = match (number, moves, released) {
        (0, false, false) => Pointer::Down(x, y),
        (0, false, true) | (3, false, false) => Pointer::Up,
        (0, true, false) => Pointer::Drag(x, y),
        (4, false, false) => Pointer::Wheel(x, y, -1),
        (5, false, false) => Pointer::Wheel(x, y, 1),
        _ => return Meaning::Nothing,
    };
    Meaning::Pointer(found)
}

/// True if a byte can follow this introducer in anything a terminal sends.
pub(super) fn may_begin(introducer: u8, byte: u8) -> bool {
    match introducer {
        b'[' => matches!(byte, b'0'..=b'?' | b'[' | b'a'..=b'd' | b'Z') || b"ABCDEFHIMOPQRS".contains(&byte),
        b'O' => {
            matches!(byte, b'0'..=b'9' | b'A'..=b'F' | b'H' | b'I' | b'M' | b'P'..=b'S' | b'X' | b'a'..=b'd' | b'j'..=b'y')
        }
        b']' => byte.is_ascii_digit() || b"lLI".contains(&byte),
        b'P' => byte.is_ascii_digit() || b"!$+=>|".contains(&byte),
        b'_' => byte.is_ascii_alphabetic(),
        _ => byte.is_ascii_graphic(),
    }
}
