//! Words of a text, for keys that go or delete by word.
//!
//! A word is a run of characters of one kind. Scripts that write no spaces have the boundaries of
//! Unicode instead: an ideograph, a run of Katakana.

use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Space,
    Mark,
    Letter,
    /// A letter of a script without spaces between words.
    Unspaced,
}

/// How marks such as `-` and `:` divide words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    /// They are words of their own, as in a text.
    Divide,
    /// They belong to the word, as in a line of a shell.
    Belong,
}

fn kind(character: char, marks: Marks) -> CharacterKind {
    let is_unspaced = matches!(
        u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0xff66..=0xff9f | 0x20000..=0x3ffff
    );
    match character {
        _ if character.is_whitespace() => CharacterKind::Space,
        _ if is_unspaced => CharacterKind::Unspaced,
        _ if marks == Marks::Divide && character.is_ascii_punctuation() => CharacterKind::Mark,
        _ => CharacterKind::Letter,
    }
}

/// Bytes from the end of a text back to the start of its last word, with white space behind the word.
pub(crate) fn back(text: &str, marks: Marks) -> usize {
    let trimmed = text.trim_end();
    let Some(last) = trimmed.chars().next_back().map(|character| kind(character, marks)) else {
        return text.len();
    };
    let run = trimmed.trim_end_matches(|character| kind(character, marks) == last);
    let start = match last {
        CharacterKind::Unspaced => {
            let word = trimmed[run.len()..].split_word_bounds().next_back().map_or(0, str::len);
            trimmed.len() - word
        }
        _ => run.len(),
    };
    text.len() - start
}

/// Bytes of the word at the start of a text.
pub(crate) fn word(text: &str, marks: Marks) -> usize {
    let Some(first) = text.chars().next().map(|character| kind(character, marks)) else { return 0 };
    let rest = text.trim_start_matches(|character| kind(character, marks) == first);
    let run = &text[..text.len() - rest.len()];
    match first {
        CharacterKind::Unspaced => run.split_word_bounds().next().map_or(0, str::len),
        _ => run.len(),
    }
}

/// Deletes the last word of a text.
pub(crate) fn delete_last(text: &mut String) {
    text.truncate(text.len() - back(text, Marks::Belong));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_one_kind_and_ideographs() {
        // (text, its last word in a text, the same in a line)
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
            assert_eq!(&text[text.len() - back(text, Marks::Divide)..], last, "{text:?}");
            assert_eq!(&text[text.len() - back(text, Marks::Belong)..], in_line, "{text:?}");
        }
        for (text, first) in [("one two", "one"), (" two", " "), ("退款 ok", "退"), ("カード返", "カード")]
        {
            assert_eq!(&text[..word(text, Marks::Divide)], first, "{text:?}");
        }
    }
}
