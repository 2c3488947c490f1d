//! Suggestion of a known word for a mistyped one.

/// Returns the known word with the smallest edit distance, if it is close enough.
pub fn nearest_word<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let ranked = known.iter().map(|entry| (edit_distance(word, entry), *entry));
    let (steps, found) = ranked.min_by_key(|(steps, _)| *steps)?;
    (steps <= found.len().max(word.len()).div_ceil(3)).then_some(found)
}

/// Levenshtein distance.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, from) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, to) in other.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["pause_on_reply", "undo_seconds"];
        assert_eq!(nearest_word("pasue_on_reply", &known), Some("pause_on_reply"));
        assert_eq!(nearest_word("undo_second", &known), Some("undo_seconds"));
        assert_eq!(nearest_word("zzzzzzzzzzzzzzzzzzzzzzzzzzzz", &known), None);
        assert_eq!(nearest_word("clsoe", &["tab", "close", "sort"]), Some("close"));
        assert_eq!(nearest_word("foo", &["tab", "view", "sort"]), None, "half of it is not enough");
    }
}
