//! What a terminal acts on, by the standards' own lists and not by what the
//! product makes of it: C0 and C1 of ISO 6429, the line and paragraph
//! separators and the `Bidi_Control` property of Unicode. Tests hold texts on
//! their way out against it.

/// First and last character of each range that acts.
const ACTING_RANGES: [(char, char); 7] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2066}', '\u{2069}'),
];

/// All characters that act.
pub fn acting_chars() -> impl Iterator<Item = char> {
    ACTING_RANGES.into_iter().flat_map(|(first, last)| first..=last)
}

/// The first character of a text that acts, but for these.
pub fn first_acting(text: &str, allowed: &[char]) -> Option<char> {
    let acts =
        |character: &char| ACTING_RANGES.iter().any(|(first, last)| (first..=last).contains(&character));
    text.chars().filter(|character| !allowed.contains(character)).find(acts)
}
