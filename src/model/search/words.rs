//! Splits a text into words, folded to ignore case and accents.

use std::ops::Range;

use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};
use unicode_width::UnicodeWidthChar;

use crate::search::Term;

/// Maximum number of characters kept per word; longer words match by prefix.
const MAX_WORD_CHARS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Letters and digits of a script with spaces between words.
    Spaced,
    /// A run of characters of a script without spaces.
    Run,
    Picture,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextWord {
    /// Without case and accents.
    pub folded: String,
    pub kind: WordKind,
    /// Byte range in the original text of each folded character.
    pub char_ranges: Vec<Range<usize>>,
}

impl TextWord {
    /// Returns the matches of a term as byte ranges of the text.
    pub fn find_term(&self, term: &Term) -> Vec<Range<usize>> {
        if self.kind != term.kind {
            return Vec::new();
        }
        let length = term.text.chars().count();
        let span = |first: usize| {
            let (from, last) =
                (self.char_ranges.get(first)?, self.char_ranges.get(first + length.checked_sub(1)?)?);
            Some(from.start..last.end)
        };
        match self.kind {
            WordKind::Run => self
                .folded
                .match_indices(&term.text)
                .filter_map(|(at, _)| span(self.folded[..at].chars().count()))
                .collect(),
            WordKind::Spaced if term.is_letter() && self.folded != term.text => Vec::new(),
            WordKind::Spaced | WordKind::Picture if self.folded.starts_with(&term.text) => {
                span(0).into_iter().collect()
            }
            WordKind::Spaced | WordKind::Picture => Vec::new(),
        }
    }
}

enum WordPart {
    Letter(WordKind),
    /// Belongs to the preceding character.
    Mark,
    Gap,
}

pub fn split_words(text: &str) -> Vec<TextWord> {
    let mut all: Vec<TextWord> = Vec::new();
    let mut open = false;
    for (at, character) in text.char_indices() {
        let bytes = at..at + character.len_utf8();
        match classify(character) {
            WordPart::Gap => open = false,
            WordPart::Mark => {
                if let (true, Some(word)) = (open, all.last_mut()) {
                    word.push_mark(character, bytes.end);
                }
            }
            WordPart::Letter(kind) => {
                let goes_on =
                    open && kind != WordKind::Picture && all.last().is_some_and(|word| word.kind == kind);
                if !goes_on {
                    all.push(TextWord { folded: String::new(), kind, char_ranges: Vec::new() });
                }
                open = true;
                if let Some(word) = all.last_mut() {
                    word.push(character, &bytes);
                }
            }
        }
    }
    all.retain(|word| !word.folded.is_empty());
    all
}

impl TextWord {
    fn push(&mut self, character: char, bytes: &Range<usize>) {
        if character.is_ascii() {
            return self.push_char(character.to_ascii_lowercase(), bytes);
        }
        for lower in base_char(character).to_lowercase().filter(|lowercase| !is_accent(*lowercase)) {
            self.push_char(lower, bytes);
        }
    }

    fn push_char(&mut self, character: char, bytes: &Range<usize>) {
        // Runs are matched at any position, so they are kept whole.
        if self.char_ranges.len() < MAX_WORD_CHARS || self.kind == WordKind::Run {
            self.folded.push(character);
            self.char_ranges.push(bytes.clone());
        }
    }

    /// Extends the range of the preceding character; marks that are not accents are part of the
    /// spelling.
    fn push_mark(&mut self, character: char, end: usize) {
        if let Some(last) = self.char_ranges.last_mut() {
            last.end = end;
            if self.kind == WordKind::Spaced && character.is_alphabetic() {
                let bytes = last.clone();
                self.push_char(character, &bytes);
            }
        }
    }
}

fn classify(character: char) -> WordPart {
    if character.is_ascii_alphanumeric() {
        return WordPart::Letter(WordKind::Spaced);
    }
    if character.is_ascii() {
        return WordPart::Gap;
    }
    match u32::from(character) {
        // Joiners, emoji variation selectors and skin tones.
        0x200c | 0x200d | 0xfe00..=0xfe0f | 0x1f3fb..=0x1f3ff => WordPart::Mark,
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17d3 | 0x3005..=0x3007 | 0x3041..=0x30ff => {
            classify_unspaced(character)
        }
        0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => {
            classify_unspaced(character)
        }
        0x203c | 0x2049 | 0x2190..=0x21ff | 0x2300..=0x23ff | 0x2600..=0x27bf | 0x2b00..=0x2bff => {
            WordPart::Letter(WordKind::Picture)
        }
        0x1f000..=0x1faff => WordPart::Letter(WordKind::Picture),
        _ if is_accent(character) || character.width() == Some(0) => WordPart::Mark,
        _ if character.is_alphanumeric() => WordPart::Letter(WordKind::Spaced),
        _ => WordPart::Gap,
    }
}

/// Letters, digits and vowel signs of a script without spaces; punctuation ends a run.
fn classify_unspaced(character: char) -> WordPart {
    if character.is_alphanumeric() || character.width() == Some(0) {
        WordPart::Letter(WordKind::Run)
    } else {
        WordPart::Gap
    }
}

/// Removes accents and converts full-width forms.
fn base_char(character: char) -> char {
    if let Some(narrow) = u32::from(character).checked_sub(0xfee0).filter(|code| (0x21..0x7f).contains(code))
    {
        return char::from_u32(narrow).unwrap_or(character);
    }
    if is_hangul(character) {
        return character;
    }
    let decomposition = CanonicalDecompositionBorrowed::new();
    let mut base = character;
    // Removes one accent per step; no character has more than a few.
    for _ in 0..4 {
        match decomposition.decompose(base) {
            Decomposed::Expansion(next, mark) if is_accent(mark) => base = next,
            Decomposed::Singleton(next) => base = next,
            _ => break,
        }
    }
    base
}

fn is_hangul(character: char) -> bool {
    matches!(u32::from(character), 0xac00..=0xd7a3)
}

/// Combining accents of Latin, Greek and Cyrillic.
fn is_accent(character: char) -> bool {
    matches!(u32::from(character), 0x0300..=0x036f)
}
