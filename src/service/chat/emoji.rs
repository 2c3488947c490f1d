//! Recognition of a single emoji, which a reaction on WhatsApp must be.

use unicode_segmentation::UnicodeSegmentation;

const JOINER: char = '\u{200d}';
const EMOJI_VARIATION: char = '\u{fe0f}';
const TEXT_VARIATION: char = '\u{fe0e}';
const KEYCAP: char = '\u{20e3}';

/// Returns true for exactly one emoji: one cluster of pictographs, a flag or a keycap. Letters, lone
/// modifiers and invisible characters are none.
pub fn is_single_emoji(text: &str) -> bool {
    text.graphemes(true).count() == 1 && (is_pictograph(text) || is_flag(text) || is_keycap(text))
}

/// Returns true for a pictograph with joiners, skin tones and tags.
fn is_pictograph(text: &str) -> bool {
    text.starts_with(is_emoji_base)
        && text.chars().all(|character| {
            is_emoji_base(character)
                || is_skin_tone(character)
                || is_tag(character)
                || matches!(character, JOINER | EMOJI_VARIATION | TEXT_VARIATION)
        })
}

/// Returns true for two regional indicators.
fn is_flag(text: &str) -> bool {
    text.chars().count() == 2
        && text.chars().all(|character| ('\u{1f1e6}'..='\u{1f1ff}').contains(&character))
}

/// Returns true for a digit, `#` or `*` in a keycap.
fn is_keycap(text: &str) -> bool {
    let key = text.strip_suffix(KEYCAP).map(|text| text.trim_end_matches(EMOJI_VARIATION));
    key.is_some_and(|entry| {
        entry.len() == 1 && entry.starts_with(|key: char| key.is_ascii_digit() || "#*".contains(key))
    })
}

fn is_skin_tone(character: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&character)
}

fn is_tag(character: char) -> bool {
    ('\u{e0020}'..='\u{e007f}').contains(&character)
}

/// Returns true for the Unicode blocks of emoji.
fn is_emoji_base(character: char) -> bool {
    matches!(character,
        '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21aa}'
        | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{27bf}' | '\u{2934}' | '\u{2935}'
        | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1f1e5}' | '\u{1f200}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_emoji_and_nothing_else() {
        for good in ["👍", "❤", "❤️", "👩🏽‍🚀", "🇪🇸", "1️⃣", "#⃣", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "👨‍👩‍👧‍👦", "©️", "☺︎"]
        {
            assert!(is_single_emoji(good), "{good}");
        }
        let bad = [
            "",
            "a",
            "1",
            "#",
            "!",
            " ",
            "ab",
            "👍👍",
            "👍a",
            "\u{200b}",
            "\u{202e}",
            "\u{200d}",
            "\u{fe0f}",
            "\u{301}",
            "👍\u{202e}",
            "👍\u{301}",
            "🏽",
            "🇪",
            "\n",
            "\u{20e3}",
            "\u{e0020}",
        ];
        for bad in bad {
            assert!(!is_single_emoji(bad), "{}", bad.escape_unicode());
        }
    }
}
