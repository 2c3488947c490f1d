//! One line of text being typed: filter, search, command line. Edits with the keys of shells.

use unicode_segmentation::UnicodeSegmentation;

use crate::components::word_boundaries::{self, PunctuationMode};
use crate::keys::{KeyCode, KeyPress};

const MAX_LINE_BYTES: usize = 2_048;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextLine {
    text: String,
    /// In bytes, at a character boundary.
    cursor: usize,
    /// Byte from which the text is a previous one, replaced by the next typed character.
    replaceable_from: Option<usize>,
}

impl TextLine {
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, replaceable_from: None }
    }

    /// A line with the previous text, of which the part from a byte on is replaced by the next
    /// typed character. Any other key keeps it.
    pub fn with_replaceable(text: impl Into<String>, from: usize) -> Self {
        let line = Self::new(text);
        Self { replaceable_from: (from < line.text.len()).then_some(from), ..line }
    }

    /// Start of the part the next character replaces.
    pub fn replaced_from(&self) -> usize {
        self.replaceable_from.unwrap_or(self.text.len())
    }

    pub fn restore_previous(&mut self) {
        self.replaceable_from = None;
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    pub fn after(&self) -> &str {
        &self.text[self.cursor..]
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn set(&mut self, text: impl Into<String>) {
        *self = Self::new(text);
    }

    /// Adds text at the cursor; line breaks and control characters become spaces.
    pub fn insert(&mut self, text: &str) {
        if let Some(from) = self.replaceable_from.take() {
            self.text.truncate(from);
            self.cursor = from;
        }
        for character in text.chars() {
            if self.text.len() + character.len_utf8() > MAX_LINE_BYTES {
                return;
            }
            let character = if character.is_control() { ' ' } else { character };
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
    }

    /// Handles a key; returns false if it has no meaning in a line.
    pub fn key(&mut self, key: KeyPress) -> bool {
        if let Some(character) = key.typed() {
            self.insert(character.encode_utf8(&mut [0; 4]));
            return true;
        }
        self.restore_previous();
        let plain = !key.ctrl && !key.alt;
        match key.code {
            KeyCode::Left if plain => self.cursor -= self.cluster_bytes_before(),
            KeyCode::Right if plain => self.cursor += self.cluster_bytes_after(),
            KeyCode::Left => self.cursor -= self.word_bytes_before(),
            KeyCode::Right => self.cursor += self.word_bytes_after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Char('a') if key.ctrl => self.cursor = 0,
            KeyCode::Char('e') if key.ctrl => self.cursor = self.text.len(),
            KeyCode::Backspace if plain => self.cut_before(self.cluster_bytes_before()),
            KeyCode::Backspace => self.cut_before(self.word_bytes_before()),
            KeyCode::Delete => self.cut_after(self.cluster_bytes_after()),
            KeyCode::Char('h') if key.ctrl => self.cut_before(self.cluster_bytes_before()),
            KeyCode::Char('w') if key.ctrl => self.cut_before(self.word_bytes_before()),
            KeyCode::Char('u') if key.ctrl => self.cut_before(self.cursor),
            KeyCode::Char('k') if key.ctrl => self.text.truncate(self.cursor),
            _ => return false,
        }
        true
    }

    fn cluster_bytes_before(&self) -> usize {
        self.before().graphemes(true).next_back().map_or(0, str::len)
    }

    fn cluster_bytes_after(&self) -> usize {
        self.after().graphemes(true).next().map_or(0, str::len)
    }

    /// Bytes back to the start of the word before the cursor.
    fn word_bytes_before(&self) -> usize {
        word_boundaries::last_word_bytes(self.before(), PunctuationMode::PartOfWord)
    }

    fn word_bytes_after(&self) -> usize {
        let rest = self.after();
        let skipped = rest.len() - rest.trim_start().len();
        skipped + word_boundaries::first_word_bytes(&rest[skipped..], PunctuationMode::PartOfWord)
    }

    fn cut_before(&mut self, bytes: usize) {
        let start = self.cursor - bytes;
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn cut_after(&mut self, bytes: usize) {
        self.text.replace_range(self.cursor..self.cursor + bytes, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_by_what_people_see() {
        // (keys, before the cursor, after it)
        let cases = [
            ("a b c", "a b c", ""),
            ("ab <Left>x", "abx", " "),
            ("ab👨‍👩‍👧<Backspace>", "ab", ""),
            ("ab👨‍👩‍👧c<Left><Left>", "ab", "👨‍👩‍👧c"),
            ("one two  <Ctrl-W>", "one ", ""),
            ("one two<Ctrl-W><Ctrl-W><Ctrl-W>", "", ""),
            ("one two<Ctrl-Backspace>", "one ", ""),
            ("one two<Alt-Backspace><Backspace>", "one", ""),
            ("请给我退款<Ctrl-W>", "请给我退", ""),
            ("请给我<Home><Ctrl-Right>", "请", "给我"),
            ("one\u{a0}two<Ctrl-W>", "one\u{a0}", ""),
            ("one two<Ctrl-Left><Ctrl-K>", "one ", ""),
            ("one two<Ctrl-A><Ctrl-Right>", "one", " two"),
            ("one<Home><Delete>O", "O", "ne"),
            ("one<Ctrl-U>", "", ""),
            ("<Backspace><Delete><Left><Right><Ctrl-W>", "", ""),
        ];
        for (keys, before, after) in cases {
            let mut line = TextLine::default();
            let mut rest = keys;
            while let Some(character) = rest.chars().next() {
                let (key, length) = match rest.split_once('>') {
                    Some((name, _)) if character == '<' => {
                        (KeyPress::parse(&name[1..]).expect("a key"), name.len() + 1)
                    }
                    _ => (KeyPress::plain(KeyCode::Char(character)), character.len_utf8()),
                };
                assert!(line.key(key), "{keys}");
                rest = &rest[length..];
            }
            assert_eq!((line.before(), line.after()), (before, after), "{keys}");
        }
    }

    #[test]
    fn what_is_typed_first_replaces_the_text_of_before() {
        // (keys, resulting text)
        let cases = [
            ("x", "pipe x"),
            ("Backspace x", "pipe jx"),
            ("End x", "pipe jqx"),
            ("Left x", "pipe jxq"),
            ("Ctrl-A x", "xpipe jq"),
        ];
        for (keys, expected) in cases {
            let mut line = TextLine::with_replaceable("pipe jq", 5);
            assert_eq!(&line.text()[line.replaced_from()..], "jq");
            for key in KeyPress::parse_sequence(keys).expect("keys") {
                line.key(key);
            }
            assert_eq!((line.text(), line.replaced_from()), (expected, expected.len()), "{keys}");
        }
        assert_eq!(TextLine::with_replaceable("", 0), TextLine::default());
    }

    #[test]
    fn it_is_one_line_and_bounded() {
        let mut line = TextLine::default();
        line.insert("two\nlines\u{1b}");
        assert_eq!(line.text(), "two lines ");
        line.insert(&"ü".repeat(MAX_LINE_BYTES));
        assert!(line.text().len() <= MAX_LINE_BYTES);
        assert!(!line.key(KeyPress::plain(KeyCode::Enter)));
    }
}
