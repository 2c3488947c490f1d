//! Similarity of short texts: the share of common words.

use crate::trouble::phrases::FoldedText;

/// Share of common words from which two texts count as the same.
const MIN_SIMILARITY: f64 = 0.6;
/// Minimum number of words of a compared text; a repeated `ok` means nothing.
const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 40;

/// Hashes of the distinct words of a text, sorted.
#[derive(Debug)]
struct WordHashes {
    words: Vec<u64>,
    /// Hashes of words with a digit.
    numbers: Vec<u64>,
}

/// Size of the largest group of texts similar to one of them, including that one.
pub fn count_most_similar(texts: &[FoldedText]) -> usize {
    let mut sets: Vec<WordHashes> = texts.iter().map(hash_words).collect();
    sets.retain(|set| set.words.len() >= MIN_WORDS);
    // Each text is similar to itself.
    let mut alike = vec![1; sets.len()];
    for (at, one) in sets.iter().enumerate() {
        for (other_at, other) in sets.iter().enumerate().skip(at + 1) {
            if are_similar(one, other) {
                alike[at] += 1;
                alike[other_at] += 1;
            }
        }
    }
    alike.into_iter().max().unwrap_or(0)
}

fn are_similar(one: &WordHashes, other: &WordHashes) -> bool {
    // Small numbers: no loss of precision.
    let share = |few: usize, of: usize| few as f64 / of as f64;
    let (short, long) = (one.words.len().min(other.words.len()), one.words.len().max(other.words.len()));
    if share(short, long) < MIN_SIMILARITY || have_different_numbers(one, other) {
        return false;
    }
    let common = count_common(&one.words, &other.words);
    share(common, short + long - common) >= MIN_SIMILARITY
}

/// True if both texts contain numbers but none in common: 26 inch tyres are not 28 inch tyres.
fn have_different_numbers(one: &WordHashes, other: &WordHashes) -> bool {
    let both = !one.numbers.is_empty() && !other.numbers.is_empty();
    both && count_common(&one.numbers, &other.numbers) == 0
}

fn count_common(one: &[u64], other: &[u64]) -> usize {
    let (mut at, mut found) = (0, 0);
    for hash in one {
        at += other[at..].iter().take_while(|that| *that < hash).count();
        found += usize::from(other.get(at) == Some(hash));
    }
    found
}

fn hash_words(text: &FoldedText) -> WordHashes {
    let mut pieces = WordHashes { words: Vec::with_capacity(MAX_WORDS), numbers: Vec::new() };
    for word in text.word_bytes().take(MAX_WORDS) {
        let word_text = if word.is_ascii() { "" } else { str::from_utf8(word).unwrap_or_default() };
        if word_text.chars().any(is_unspaced) {
            let bounds = word_text.char_indices().map(|(at, _)| at).chain([word.len()]);
            let bounds: Vec<usize> = bounds.collect();
            bounds.windows(3).for_each(|window| pieces.add(&word[window[0]..window[2]]));
        } else {
            pieces.add(word);
        }
    }
    for list in [&mut pieces.words, &mut pieces.numbers] {
        list.sort_unstable();
        list.dedup();
    }
    pieces
}

impl WordHashes {
    fn add(&mut self, piece: &[u8]) {
        // FNV-1a; collisions are harmless here.
        let (mut number, mut has_digit) = (0xcbf2_9ce4_8422_2325, false);
        for byte in piece {
            number = (number ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            has_digit |= byte.is_ascii_digit();
        }
        self.words.push(number);
        if has_digit {
            self.numbers.push(number);
        }
    }
}

fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character), 0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff)
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
            let plain: Vec<FoldedText> = texts.iter().map(|text| FoldedText::fold(text)).collect();
            assert_eq!(count_most_similar(&plain), times, "{texts:?}");
        }
    }
}
