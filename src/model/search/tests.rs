//! Search in many scripts.

use crate::search::{Snippet, Terms, WordKind, split_words};
use crate::text::SafeText;

fn folded(text: &str) -> Vec<String> {
    split_words(text).into_iter().map(|text_word| text_word.folded).collect()
}

#[test]
fn cuts_and_folds() {
    let cases: [(&str, &[&str]); 16] = [
        ("Hello, World! order #1041", &["hello", "world", "order", "1041"]),
        ("+34 600-111", &["34", "600", "111"]),
        ("CAFÉ cafe\u{301} Ångström", &["cafe", "cafe", "angstrom"]),
        ("Nguyễn Thị Hương", &["nguyen", "thi", "huong"]),
        ("ΆΡΓΟΣ", &["αργοσ"]),
        ("İstanbul", &["istanbul"]),
        ("Ёлка", &["елка"]),
        ("김서연 와", &["김서연", "와"]),
        ("東京都です。42円", &["東京都です", "42", "円"]),
        ("ｆｕｌｌ", &["full"]),
        ("ขอบคุณครับ", &["ขอบคุณครับ"]),
        ("हिन्दी भाषा", &["हिनदी", "भाषा"]),
        ("ok 👍🏽👍 done", &["ok", "👍", "👍", "done"]),
        ("don't", &["don", "t"]),
        ("مرحبا", &["مرحبا"]),
        (" \u{1}\u{200d}… ", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(folded(text), expected, "{text}");
    }
    let word = &split_words(&"x".repeat(100))[0];
    assert_eq!((word.folded.len(), word.kind), (40, WordKind::Spaced));
}

fn matched_parts<'a>(question: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let ranges = Terms::parse(question).find(text)?;
    Some(ranges.into_iter().map(|range| &text[range]).collect())
}

#[test]
fn finds_by_the_beginning_of_words() {
    assert_eq!(matched_parts("ord", "My Order, orders"), Some(vec!["Ord", "ord"]));
    assert_eq!(matched_parts("der", "order"), None);
    assert_eq!(matched_parts("cafe", "un cafe\u{301}!"), Some(vec!["cafe\u{301}"]));
    assert_eq!(matched_parts("ORDER whe", "where is my order"), Some(vec!["whe", "order"]));
    assert_eq!(matched_parts("order lost", "where is my order"), None);
    assert_eq!(matched_parts("京都", "東京都庁 京都"), Some(vec!["京都", "京都"]));
    assert_eq!(matched_parts("京庁", "東京都庁"), None);
    assert_eq!(matched_parts("👍", "👍🏽 ok"), Some(vec!["👍🏽"]));
    assert_eq!(matched_parts("a ab", "abc"), Some(vec!["ab"]));
    assert_eq!(matched_parts("a", "abc, a b"), Some(vec!["a"]));
    assert_eq!(matched_parts("order i", "order"), Some(vec!["order"]));
}

#[test]
fn a_snippet_is_cut_around_what_was_found() {
    let long = format!("{} the order is late\nagain {}", "word ".repeat(40), "more ".repeat(60));
    let text = SafeText::block(&long);
    let snippet = Snippet::around_match(&text, &Terms::parse("order").find(text.as_str()).unwrap());
    let line = snippet.text.as_str();
    assert!(line.starts_with('…') && line.ends_with('…') && !line.contains('\n'), "{line}");
    assert_eq!(&line[snippet.marks[0].clone()], "order");
    assert!(line.chars().count() <= 162, "{line}");
    let whole = Snippet::around_match(&SafeText::block("short"), std::slice::from_ref(&(0..5)));
    assert_eq!(whole.text.as_str(), "short");
    assert!(whole.marks.iter().eq([&(0..5)]));
    assert_eq!(Snippet::around_match(&SafeText::default(), &[]), Snippet::default());
}

#[test]
fn hostile_text_neither_panics_nor_loses_its_bounds() {
    let texts = ["\u{301}\u{301}a", "👨\u{200d}👩\u{200d}👧", "a\u{fe0f}", "ﷺ", "ẞß", "\u{1e9b}\u{323}", "𝒜"];
    for text in texts {
        for word in split_words(text) {
            assert_eq!(word.char_ranges.len(), word.folded.chars().count(), "{text}");
            for range in word.char_ranges {
                assert!(text.get(range).is_some(), "{text}");
            }
        }
        let _ = Terms::parse(text).find(text);
    }
    assert!(Terms::parse("\"( AND NOT * ^ : -").iter().all(|term| term.text == "and" || term.text == "not"));
}
