//! Reference list of characters that affect a terminal, taken from the standards and independent of
//! the code under test: C0 and C1 of ISO 6429, line and paragraph separators, and `Bidi_Control` of
//! Unicode.

/// Inclusive ranges.
const ACTING_RANGES: [(char, char); 7] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2066}', '\u{2069}'),
];

pub fn acting_chars() -> impl Iterator<Item = char> {
    ACTING_RANGES.into_iter().flat_map(|(first, last)| first..=last)
}

/// Returns the first such character of a text that is not in `allowed`.
pub fn first_acting(text: &str, allowed: &[char]) -> Option<char> {
    let acts =
        |character: &char| ACTING_RANGES.iter().any(|(first, last)| (first..=last).contains(&character));
    text.chars().filter(|character| !allowed.contains(character)).find(acts)
}
