use proptest::prelude::*;

use super::oracle::{acting_chars, first_acting};
use super::*;

#[test]
fn every_space_is_a_space() {
    for space in ['\u{a0}', '\u{202f}', '\u{2009}', '\u{205f}'] {
        assert_eq!(SafeText::line(&format!("15{space}€")).as_str(), "15 €");
    }
}

#[test]
fn reveals_what_would_act() {
    let cases = [
        ("hello\u{1b}[2Jgone", "hello␛[2Jgone"),
        ("a\u{9b}2Jb", "a<U+009B>2Jb"),
        ("invoice_\u{202e}fdp.exe", "invoice_<U+202E>fdp.exe"),
        ("a\r\nb\rc\u{2028}d\u{85}e", "a\nb\nc\nd\ne"),
        ("a\tb", "a    b"),
        ("a\u{7f}b\0", "a␡b␀"),
        ("ban\u{ad}k", "ban⍰k"),
        ("a\u{200b}\u{2060}\u{feff}b", "a⍰b"),
        ("\u{e0b0}\u{fdd0}", "\u{fffd}\u{fffd}"),
        ("\u{301}abc", "◌\u{301}abc"),
        ("\u{1b}\u{301}[2J", "␛◌\u{301}[2J"),
    ];
    for (outside, safe) in cases {
        assert_eq!(SafeText::block(outside).as_str(), safe, "{}", outside.escape_debug());
    }
}

#[test]
fn keeps_the_writing_of_the_world() {
    let cases = [
        "שלום abc 123",
        "لا لا",
        "می‌خواهم",
        "👨‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ 🏳️‍🌈",
        "ខ្មែរ",
        "क्‍ष नमस्ते",
        "e\u{301}a\u{308}",
        "ｶﾞｷﾞ 自転車",
    ];
    for text in cases {
        assert_eq!(SafeText::block(text).as_str(), text);
    }
}

#[test]
fn a_name_is_never_empty_or_two_lines() {
    assert_eq!(SafeText::line("Bob\nAdmin").as_str(), "Bob⏎Admin");
    for hidden in ["\u{200b}\u{200c}\u{200d}\u{2060}", "\u{3164}", "\u{2800}\u{2800}", "\n"] {
        assert!(
            SafeText::line(hidden).as_str().chars().any(|character| !character.is_whitespace()),
            "{hidden:?}"
        );
    }
    assert_eq!(SafeText::optional_line(Some("  ")), None);
}

#[test]
fn floods_are_capped() {
    let zalgo = format!("a{}b", "\u{301}".repeat(1_000_000));
    let safe = SafeText::block(&zalgo);
    assert!(safe.as_str().len() < 100, "{}", safe.as_str().len());
    let eight = "\u{301}".repeat(MAX_MARKS_PER_BASE);
    let nine = format!("a{eight}\u{301}b");
    assert_eq!(SafeText::block(&nine.repeat(2)).as_str(), format!("a{eight}b").repeat(2));
    let blank = "\n".repeat(1_000_000);
    assert!(SafeText::block(&blank).as_str().len() < 64);
    let long = "x".repeat(1_000_000);
    assert!(SafeText::block(&long).as_str().len() <= MAX_CHARS + 16);
}

#[test]
fn what_leaves_acts_on_nothing() {
    for (outside, leaves) in HOSTILE_TEXTS {
        assert_eq!(escape_unseen(outside), *leaves, "{}", outside.escape_debug());
        assert!(!is_plain(outside), "no id: {}", outside.escape_debug());
    }
    for id in ["conv_1", "ana@shop.example", "+34 600 111 222", "зоя@пример.example", "e\u{301}", ""]
    {
        assert!(is_plain(id), "{id:?}");
    }
}

#[test]
fn half_a_flag_is_spelled_out() {
    let cases = [
        ("\u{1f1f5}", "[P]"),
        ("\u{1f1f5}\u{1f1f9}", "\u{1f1f5}\u{1f1f9}"),
        ("\u{1f1f5}\u{1f1f9}\u{1f1e7}", "\u{1f1f5}\u{1f1f9}[B]"),
        ("a\u{1f1e6}b\u{1f1ff}", "a[A]b[Z]"),
        ("\u{1f1f5}\u{200b}\u{1f1f9}", "[P]⍰[T]"),
        ("\u{1f1f5}\u{301}x", "[P]x"),
        ("\u{1f1f5}\u{200d}\u{1f1f9}", "[P][T]"),
    ];
    for (outside, safe) in cases {
        assert_eq!(SafeText::line(outside).as_str(), safe, "{}", outside.escape_debug());
        assert_eq!(SafeText::line(safe).as_str(), safe, "safe text is safe");
    }
}

#[test]
fn pasted_text_keeps_words_and_drops_controls() {
    assert_eq!(clean_pasted("a\r\nb\tc\u{1b}[2J\u{202e}d"), "a\nb c[2Jd");
}

#[test]
fn what_acts_is_shown_and_pasted_text_is_free_of_it() {
    for character in acting_chars().filter(|character| !"\t\n\r\u{85}\u{2028}\u{2029}".contains(*character)) {
        let safe = SafeText::block(&format!("a{character}b"));
        let code = u32::from(character);
        let shown = match code {
            0..=0x1f => char::from_u32(0x2400 + code).expect("a picture").to_string(),
            0x7f => "␡".to_owned(),
            _ => format!("<U+{code:04X}>"),
        };
        assert_eq!(safe.as_str(), format!("a{shown}b"), "U+{code:04X}");
        assert_eq!(first_acting(&clean_pasted(&format!("a{character}b")), &['\n']), None, "U+{code:04X}");
    }
}

#[test]
fn no_character_acts_in_any_place() {
    for character in (0..=0x10_ffff).filter_map(char::from_u32) {
        for text in [character.to_string(), format!("a{character}b"), format!("👩\u{200d}{character}\u{301}")]
        {
            let safe = SafeText::block(&text);
            assert_eq!(first_acting(safe.as_str(), &['\n']), None, "U+{:04X}", u32::from(character));
            let safe = SafeText::line(&text);
            assert_eq!(first_acting(safe.as_str(), &[]), None, "U+{:04X}", u32::from(character));
        }
    }
}

proptest! {
    #![proptest_config(randomized::config(256))]

    #[test]
    fn cleaning_is_safe_and_idempotent(text in any::<String>()) {
        let once = SafeText::block(&text);
        prop_assert_eq!(first_acting(once.as_str(), &['\n']), None);
        prop_assert_eq!(first_acting(SafeText::line(&text).as_str(), &[]), None);
        prop_assert_eq!(SafeText::block(once.as_str()), once.clone());
        for cluster in once.as_str().graphemes(true) {
            prop_assert!(cluster.len() <= MAX_CLUSTER_BYTES + HIDDEN_MARK.len());
        }
    }
}
