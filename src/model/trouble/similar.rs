//! How alike short texts are: the share of words two of them have in common.
//!
//! Knows nothing of languages: words are runs of letters and digits, and
//! scripts without spaces are compared by pairs of characters.

use std::collections::BTreeSet;

/// From this share of common words on two texts say the same.
const ALIKE: f64 = 0.6;
/// Words a text needs to be compared: `ok` twice says nothing.
const LEAST: usize = 2;
/// Words of a text that are compared.
const MOST: usize = 40;

/// How many of these say the same as the one that is repeated most.
pub fn most_alike(texts: &[&str]) -> usize {
    let sets: Vec<BTreeSet<String>> = texts.iter().map(|it| pieces(it)).collect();
    let alike = |one: &BTreeSet<String>| sets.iter().filter(|other| share(one, other) >= ALIKE).count();
    sets.iter().filter(|it| it.len() >= LEAST).map(alike).max().unwrap_or(0)
}

/// Words in common, of all words of both.
fn share(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    if one.len() < LEAST || other.len() < LEAST || are_of_other_numbers(one, other) {
        return 0.0;
    }
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    // Few words and small numbers: no precision is lost.
    f64::from(u32::try_from(common).unwrap_or(0)) / f64::from(u32::try_from(all).unwrap_or(1))
}

/// Whether both name numbers and none is the same: tyres of 26 inch are not
/// tyres of 28.
fn are_of_other_numbers(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let numbers = |it: &BTreeSet<String>| -> BTreeSet<String> {
        it.iter().filter(|it| it.contains(|it: char| it.is_ascii_digit())).cloned().collect()
    };
    let (one, other) = (numbers(one), numbers(other));
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

fn pieces(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let mut pieces = BTreeSet::new();
    for word in words.take(MOST) {
        let characters: Vec<char> = word.chars().collect();
        if characters.iter().any(|it| is_unspaced(*it)) {
            pieces.extend(characters.windows(2).map(|it| it.iter().collect::<String>()));
        } else {
            pieces.insert(word.to_owned());
        }
    }
    pieces
}

/// Whether a character is of a script that puts no spaces between words.
fn is_unspaced(it: char) -> bool {
    matches!(u32::from(it), 0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions() {
        let cases: [(&[&str], usize); 8] = [
            (&[], 0),
            (&["Where is my order?"], 1),
            (&["Where is my order?", "where is my order 1041??"], 2),
            (&["Where is my order?", "I want a refund", "WHERE IS MY ORDER"], 2),
            (&["ok", "ok", "ok"], 0),
            (&["我的订单在哪里", "请问我的订单在哪里"], 2),
            (&["Do you have 26 inch tyres", "do you have 28 inch tyres"], 1),
            (&["I bought a red bike", "I bought a bell for it last week"], 1),
        ];
        for (texts, times) in cases {
            assert_eq!(most_alike(texts), times, "{texts:?}");
        }
    }
}
