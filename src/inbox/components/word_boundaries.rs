//! Words of a text, for keys that go or delete by word.
//!
//! A word is a run of characters of one kind. Scripts that write no spaces have the boundaries of
//! Unicode instead: an ideograph, a run of Katakana.

use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Space,
    Punctuation,
    Letter,
    /// Letter of a script without spaces between words.
    Unspaced,
}

/// Treatment of marks such as `-` and `:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PunctuationMode {
    /// Words of their own, as in a text.
    Separate,
    /// Part of the word, as in a shell.
    PartOfWord,
}

fn character_kind(character: char, marks: PunctuationMode) -> CharacterKind {
    let is_unspaced = matches!(
        u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0xff66..=0xff9f | 0x20000..=0x3ffff
    );
    match character {
        _ if character.is_whitespace() => CharacterKind::Space,
        _ if is_unspaced => CharacterKind::Unspaced,
        _ if marks == PunctuationMode::Separate && character.is_ascii_punctuation() => {
            CharacterKind::Punctuation
        }
        _ => CharacterKind::Letter,
    }
}

/// Bytes back to the start of the last word, with the white space after it.
pub(crate) fn last_word_bytes(text: &str, marks: PunctuationMode) -> usize {
    let trimmed = text.trim_end();
    let Some(last) = trimmed.chars().next_back().map(|character| character_kind(character, marks)) else {
        return text.len();
    };
    let run = trimmed.trim_end_matches(|character| character_kind(character, marks) == last);
    let start = match last {
        CharacterKind::Unspaced => {
            let word = trimmed[run.len()..].split_word_bounds().next_back().map_or(0, str::len);
            trimmed.len() - word
        }
        _ => run.len(),
    };
    text.len() - start
}

pub(crate) fn first_word_bytes(text: &str, marks: PunctuationMode) -> usize {
    let Some(first) = text.chars().next().map(|character| character_kind(character, marks)) else { return 0 };
    let rest = text.trim_start_matches(|character| character_kind(character, marks) == first);
    let run = &text[..text.len() - rest.len()];
    match first {
        CharacterKind::Unspaced => run.split_word_bounds().next().map_or(0, str::len),
        _ => run.len(),
    }
}

pub(crate) fn delete_last_word(text: &mut String) {
    text.truncate(text.len() - last_word_bytes(text, PunctuationMode::PartOfWord));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_one_kind_and_ideographs() {
        // (text, its last word in a text, its last word in a line)
        let cases = [
            ("one two", "two", "two"),
            ("one two  ", "two  ", "two  "),
            ("one-two", "two", "one-two"),
            ("is:open", "open", "is:open"),
            ("wait...", "...", "wait..."),
            ("größer Übung", "Übung", "Übung"),
            ("don\u{2019}t", "don\u{2019}t", "don\u{2019}t"),
            ("请给我退款", "款", "款"),
            ("返金カード", "カード", "カード"),
            ("order 返金", "金", "金"),
            ("環境abc", "abc", "abc"),
            ("환불 주세요", "주세요", "주세요"),
            ("   ", "   ", "   "),
            ("", "", ""),
        ];
        for (text, last, in_line) in cases {
            assert_eq!(
                &text[text.len() - last_word_bytes(text, PunctuationMode::Separate)..],
                last,
                "{text:?}"
            );
            assert_eq!(
                &text[text.len() - last_word_bytes(text, PunctuationMode::PartOfWord)..],
                in_line,
                "{text:?}"
            );
        }
        for (text, first) in [("one two", "one"), (" two", " "), ("退款 ok", "退"), ("カード返", "カード")]
        {
            assert_eq!(&text[..first_word_bytes(text, PunctuationMode::Separate)], first, "{text:?}");
        }
    }
}
