//! Classifies characters by their effect on a terminal.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharacterClass {
    /// Drawn unchanged.
    Plain,
    /// Combines with the preceding character.
    Mark,
    /// ZWJ or ZWNJ: kept only where a script or an emoji needs it.
    Joiner,
    /// A space of another width, or a non-breaking one.
    Space,
    Break,
    /// Becomes spaces.
    Tab,
    /// C0, DEL and C1: becomes a picture.
    Control,
    /// A bidi control: becomes a badge with its code.
    Badge,
    /// Another invisible character: a run of them becomes one mark.
    Hidden,
    /// Private use, unassigned plane or noncharacter: becomes U+FFFD.
    Replaced,
}

pub(super) fn classify(character: char) -> CharacterClass {
    let code = u32::from(character);
    match code {
        0x20..=0x7e => CharacterClass::Plain,
        0x0a | 0x0d | 0x85 | 0x2028 | 0x2029 => CharacterClass::Break,
        0x09 => CharacterClass::Tab,
        0xa0 | 0x1680 | 0x2000..=0x200a | 0x202f | 0x205f => CharacterClass::Space,
        0x00..=0x1f | 0x7f..=0x9f => CharacterClass::Control,
        0x200c | 0x200d => CharacterClass::Joiner,
        0x061c | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069 => CharacterClass::Badge,
        _ if is_hidden(code) => CharacterClass::Hidden,
        _ if is_replaced(code) => CharacterClass::Replaced,
        _ if is_mark(character) => CharacterClass::Mark,
        _ => CharacterClass::Plain,
    }
}

/// Invisible and without meaning in a message: fillers, format controls, tags.
fn is_hidden(code: u32) -> bool {
    matches!(
        code,
        0x00ad
            | 0x034f
            | 0x115f
            | 0x1160
            | 0x17b4
            | 0x17b5
            | 0x180b..=0x180f
            | 0x200b
            | 0x2060..=0x2065
            | 0x206a..=0x206f
            | 0x2800
            | 0x3164
            | 0xfe00..=0xfe0d
            | 0xfeff
            | 0xffa0
            | 0xfff0..=0xfffb
            | 0x1bca0..=0x1bca3
            | 0x1d173..=0x1d17a
            | 0xe0000..=0xe0fff
    )
}

/// Private use, planes without assignments, noncharacters.
fn is_replaced(code: u32) -> bool {
    matches!(code, 0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0x40000..=0xdffff | 0xf0000..=0x10ffff)
        || code & 0xfffe == 0xfffe
        || matches!(code, 0x2fffe..=0x2ffff | 0x323b0..=0x3fffd | 0x2fa20..=0x2fffd)
}

/// True if the character has no width or extends the preceding cluster.
fn is_mark(character: char) -> bool {
    use unicode_segmentation::UnicodeSegmentation;
    use unicode_width::UnicodeWidthChar;
    if character.width() == Some(0) {
        return true;
    }
    // Spacing marks and modifiers have a width but extend the cluster: with a base they form one
    // grapheme.
    if u32::from(character) < 0x0300 {
        return false;
    }
    let mut pair = String::from("a");
    pair.push(character);
    pair.graphemes(true).count() == 1
}

/// Returns U+2400 and up for C0, a badge for C1.
pub(super) fn control_picture(character: char) -> String {
    let code = u32::from(character);
    let picture = match code {
        0x00..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        _ => None,
    };
    picture.map_or_else(|| format!("<U+{code:04X}>"), String::from)
}

/// True if a joiner after this character can have a meaning.
pub(super) fn allows_joiner(base: char) -> bool {
    is_emoji_like(base) || needs_joiner(base)
}

/// True if a joiner between these characters has a meaning.
pub(super) fn is_joined(before: char, after: char) -> bool {
    (is_emoji_like(before) && is_emoji_like(after)) || (needs_joiner(before) && needs_joiner(after))
}

/// Returns the letter of a regional indicator; two of them form a flag.
pub(super) fn regional_indicator(character: char) -> Option<char> {
    let place = u32::from(character).checked_sub(0x1f1e6).filter(|entry| *entry < 26)?;
    char::from_u32(u32::from('A') + place)
}

/// Pictographs and other members of emoji sequences.
fn is_emoji_like(character: char) -> bool {
    matches!(
        u32::from(character),
        0x2190..=0x2bff | 0x3030 | 0x303d | 0x3297 | 0x3299 | 0x1f000..=0x1faff | 0xa9 | 0xae
    )
}

/// Scripts whose spelling uses ZWJ or ZWNJ: Arabic, Syriac, and the Indic scripts to Khmer and
/// Mongolian.
fn needs_joiner(character: char) -> bool {
    matches!(u32::from(character), 0x0600..=0x08ff | 0x0900..=0x0dff | 0x1780..=0x18af | 0xfb50..=0xfdff | 0xfe70..=0xfeff)
}
