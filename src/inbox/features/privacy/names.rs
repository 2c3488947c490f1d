//! Names to be hidden: what counts as a name in a text, and where one stands
//! in a line of the screen.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::wrap;

/// Letters from which a word of a name is hidden by itself.
const LETTERS: usize = 3;
/// Words that stand in names and in every other text.
const SMALL: &[&str] = &[
    "the", "and", "for", "you", "are", "was", "not", "but", "our", "all", "any", "new", "one", "two", "von",
    "van", "der", "den", "dem", "des", "del", "dos", "das", "los", "las", "les", "und", "con", "por", "com",
    "mit", "bin", "ibn", "bei", "aan", "het", "een", "que", "per", "sur", "san", "inc", "ltd", "llc", "shop",
    "store", "team", "group", "company", "customer", "support", "service", "mail", "info", "unknown",
];

/// The names, found by their first letter.
#[derive(Debug, Default)]
pub struct NameIndex {
    by_first: HashMap<String, Vec<Vec<String>>>,
}

impl NameIndex {
    /// Takes in a name: the whole of it, and each of its words that tells
    /// something by itself.
    pub fn add(&mut self, name: &str) {
        let name = name.trim();
        self.keep(name);
        let words = name
            .split_whitespace()
            .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()));
        for word in words.filter(|word| tells(word)) {
            self.keep(word);
        }
    }

    /// Takes in a name that stands as one word only, however short.
    pub fn add_word(&mut self, word: &str) {
        if !SMALL.contains(&word.to_lowercase().as_str()) {
            self.keep(word);
        }
    }

    /// Takes in a user name, which stands with and without its sign.
    pub fn add_user(&mut self, user: &str) {
        let user = user.trim_start_matches('@');
        self.keep(&format!("@{user}"));
        self.add(user);
    }

    fn keep(&mut self, text: &str) {
        // One letter alone tells of nobody, and is a key.
        if wrap::cells(text) < 2
            || !text.chars().any(|character| character.is_alphanumeric() || !character.is_ascii())
        {
            return;
        }
        let letters: Vec<String> = text.graphemes(true).map(str::to_owned).collect();
        let Some(first) = letters.first() else { return };
        let all = self.by_first.entry(first.clone()).or_default();
        if !all.contains(&letters) {
            all.push(letters);
        }
    }

    /// Cells the longest name takes that stands at the start of these; a cut
    /// one counts as far as it stands.
    pub fn find(&self, symbols: &[&str]) -> Option<usize> {
        let all = self.by_first.get(*symbols.first()?)?;
        all.iter().filter_map(|texts| named(symbols, texts)).max()
    }
}

/// Whether a word of a name is hidden wherever it stands.
fn tells(word: &str) -> bool {
    let letters = word.chars().filter(|character| character.is_alphanumeric()).count();
    letters >= LETTERS && !SMALL.contains(&word.to_lowercase().as_str())
}

/// Whether a symbol goes on with a word.
pub fn is_letter(symbol: &str) -> bool {
    symbol.chars().any(|character| character.is_alphanumeric() || character == '@' || character == '_')
}

/// Cells a name takes here, whole or cut with an ellipsis.
fn named(symbols: &[&str], name: &[String]) -> Option<usize> {
    let (mut at, mut matched) = (0, 0);
    for letter in name {
        if symbols.get(at) != Some(&letter.as_str()) {
            break;
        }
        matched += 1;
        // A wide letter takes the cell after it, too, which holds nothing.
        at += wrap::cells(letter).max(1);
    }
    let next = symbols.get(at).copied().unwrap_or(" ");
    let whole = matched == name.len() && !is_letter(next);
    let cut = matched > 0 && matched < name.len() && matches!(next, "…" | ".");
    (whole || cut).then_some(at.min(symbols.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_hidden_whole_and_by_the_words_that_tell_something() {
        let cases: &[(&str, &str, Option<usize>)] = &[
            ("Maria de la Cruz", "Maria de la Cruz writes", Some(16)),
            ("Maria de la Cruz", "Maria writes", Some(5)),
            ("Maria de la Cruz", "de la", None),
            ("Maria de la Cruz", "la", None),
            ("Maria de la Cruz", "Maria de l…", Some(10)),
            ("Books & Co", "& ", None),
            ("Books & Co", "Co", None),
            ("Books & Co", "Books & Co", Some(10)),
            ("The Corner Shop", "The shop", None),
            ("The Corner Shop", "Corner", Some(6)),
            ("Bo Li", "Bo", None),
            ("Bo Li", "Bo Li", Some(5)),
            ("Bo", "Bo", Some(2)),
            ("(Ann)", "Ann", Some(3)),
            ("Ann", "Anna", None),
            ("J", "J", None),
            ("&", "&", None),
        ];
        for (name, line, expected) in cases {
            let mut names = NameIndex::default();
            names.add(name);
            let symbols: Vec<&str> = line.graphemes(true).collect();
            assert_eq!(names.find(&symbols), *expected, "{name:?} in {line:?}");
        }
        let mut names = NameIndex::default();
        names.add_user("ana_b");
        assert_eq!(names.find(&["@", "a", "n", "a", "_", "b"]), Some(6));
        names.add_word("Jo");
        names.add_word("the");
        assert_eq!((names.find(&["J", "o", " "]), names.find(&["t", "h", "e"])), (Some(2), None));
    }
}
