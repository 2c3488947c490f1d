//! Length of a text as counted by its channel, and splitting of texts that are too long.

use unicode_segmentation::UnicodeSegmentation;

use crate::account::Platform;
use crate::bounds;
use crate::outbox::content::Markup;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLength {
    /// Characters as counted by the channel.
    pub length: usize,
    pub limit: usize,
    /// True if escapes make the length exceed the typed text.
    pub escaped: bool,
    /// SMS parts; `None` on other channels.
    pub segments: Option<usize>,
}

impl TextLength {
    /// Measures a text. On the bot channel without markup, returns the larger of two counts: the
    /// interface counts the text with `&`, `<` and `>` escaped, the platform counts UTF-16 units of
    /// the visible text.
    pub fn measure(platform: Option<&Platform>, markup: Option<Markup>, text: &str) -> Self {
        let typed = bounds::count_chars(text);
        let plain = Self { length: typed, limit: bounds::MAX_TEXT_CHARS, escaped: false, segments: None };
        match platform {
            Some(Platform::Telegram) if markup.is_none() => {
                let sent = typed + text.chars().map(escape_chars).sum::<usize>();
                // The platform counts UTF-16 units of the visible text.
                let length = sent.max(bounds::utf16_length(text));
                Self { length, escaped: sent > typed && length == sent, ..plain }
            }
            Some(Platform::Voip) => {
                Self { limit: bounds::MAX_SMS_CHARS, segments: Some(count_sms_segments(text)), ..plain }
            }
            _ => plain,
        }
    }

    pub fn is_over(self) -> bool {
        self.length > self.limit
    }

    /// True from four fifths of the limit.
    pub fn is_near(self) -> bool {
        self.length * 5 >= self.limit * 4
    }
}

/// Number of characters added by escaping.
fn escape_chars(character: char) -> usize {
    match character {
        '&' => 4,
        '<' | '>' => 3,
        _ => 0,
    }
}

/// GSM 7-bit alphabet without ASCII letters and digits.
const GSM_ALPHABET: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà";
/// GSM extension table; each character counts twice.
const GSM_EXTENSION: &str = "^{}\\[~]|€\u{c}";

/// Number of SMS parts. One part holds 160 characters of the 7-bit alphabet or 70 UTF-16 units;
/// with several parts each holds 153 or 67. No character is split.
pub fn count_sms_segments(text: &str) -> usize {
    let septets = |character: char| match character {
        character if character.is_ascii_alphanumeric() || GSM_ALPHABET.contains(character) => Some(1),
        character if GSM_EXTENSION.contains(character) => Some(2),
        _ => None,
    };
    match text.chars().map(septets).collect::<Option<Vec<_>>>() {
        Some(widths) => count_parts(&widths, 160, 153),
        None => count_parts(&text.chars().map(char::len_utf16).collect::<Vec<_>>(), 70, 67),
    }
}

fn count_parts(widths: &[usize], alone: usize, each: usize) -> usize {
    let whole: usize = widths.iter().sum();
    if whole <= alone {
        return whole.min(1);
    }
    let fill = |(count, used): (usize, usize), width: &usize| match used + width <= each {
        true => (count, used + width),
        false => (count + 1, *width),
    };
    widths.iter().fold((1, 0), fill).0
}

/// Splits a text into messages that fit, preferably at the end of a paragraph, line, sentence or
/// word.
pub fn split_text(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = first_part_end(rest, &fits);
        parts.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    parts
}

fn first_part_end(text: &str, fits: &impl Fn(&str) -> bool) -> usize {
    if fits(text) {
        return text.len();
    }
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(at, text)| at + text.len()).collect();
    let fitting = ends.partition_point(|end| fits(&text[..*end]));
    let most = ends.get(fitting.max(1) - 1).copied().unwrap_or(text.len());
    let window = &text[..most];
    // A break in the first half would produce many short messages.
    let late = |end: &usize| *end * 2 >= most;
    let after = |mark: &str| window.rfind(mark).map(|at| at + mark.len()).filter(late);
    let sentence = [". ", "! ", "? ", "。", "！", "？", "… "].into_iter().filter_map(after).max();
    after("\n\n").or_else(|| after("\n")).or(sentence).or_else(|| after(" ")).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_as_channels_count_them() {
        let chat = Some(Platform::Whatsapp);
        let bot = Some(Platform::Telegram);
        let cases = [
            (&chat, None, "a < b & c", 9, false),
            (&bot, None, "a < b & c", 16, true),
            (&bot, Some(Markup::Html), "a < b & c", 9, false),
            (&bot, None, "plain", 5, false),
            (&bot, None, "🚢🚢🚢", 6, false),
            (&bot, None, "🚢<", 5, true),
            (&chat, None, "🚢🚢🚢", 3, false),
            (&None, None, "自転車", 3, false),
        ];
        for (platform, markup, text, length, escaped) in cases {
            let count = TextLength::measure(platform.as_ref(), markup, text);
            assert_eq!((count.length, count.escaped), (length, escaped), "{text}");
        }
        let at = |length: usize| TextLength::measure(chat.as_ref(), None, &"x".repeat(length));
        assert!(!at(3276).is_near() && at(3277).is_near() && !at(4096).is_over() && at(4097).is_over());
    }

    #[test]
    fn parts_of_an_sms() {
        let cases = [
            ("", 0),
            (&*"a".repeat(160), 1),
            (&*"a".repeat(161), 2),
            (&*"a".repeat(306), 2),
            (&*"a".repeat(307), 3),
            (&*"€".repeat(80), 1),
            (&*"€".repeat(81), 2),
            (&*"自".repeat(70), 1),
            (&*"自".repeat(71), 2),
            (&*"🚲".repeat(35), 1),
            (&*"🚲".repeat(36), 2),
            // No part ends within a character.
            (&*"€".repeat(153), 3),
            (&*"🚲".repeat(67), 3),
        ];
        for (text, count) in cases {
            assert_eq!(
                count_sms_segments(text),
                count,
                "{} of {:?}",
                text.chars().count(),
                text.chars().next()
            );
        }
        assert_eq!(TextLength::measure(Some(&Platform::Voip), None, "hi").limit, bounds::MAX_SMS_CHARS);
    }

    #[test]
    fn what_is_too_long_falls_apart_at_its_seams() {
        let within = |most: usize| move |text: &str| bounds::count_chars(text) <= most;
        let cases: [(&str, usize, &[&str]); 7] = [
            ("short", 10, &["short"]),
            ("One two. Three four.", 12, &["One two.", "Three four."]),
            ("line one\nline two", 12, &["line one", "line two"]),
            ("a paragraph\n\nand one", 14, &["a paragraph", "and one"]),
            ("words that go on", 10, &["words", "that go on"]),
            ("自転車が壊れた", 3, &["自転車", "が壊れ", "た"]),
            ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 8, &["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]),
        ];
        for (text, most, parts) in cases {
            assert_eq!(split_text(text, within(most)), parts, "{text}");
        }
        // A cluster that does not fit is sent as its own message.
        assert_eq!(split_text("👨‍👩‍👧‍👦a", within(1)), ["👨‍👩‍👧‍👦", "a"]);
    }
}
