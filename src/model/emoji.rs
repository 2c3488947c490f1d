//! Emoji by short name, limited to those with the same width on every terminal.

use unicode_width::UnicodeWidthStr;

/// Newest Unicode version whose emoji are offered; common terminals know their width.
const MAX_UNICODE_VERSION: u32 = 13;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emoji {
    pub glyph: &'static str,
    /// Without colons.
    pub short_name: &'static str,
    pub name: &'static str,
}

/// Returns emoji whose short name or name contains the query, prefix matches first.
pub fn search(query: &str) -> Vec<Emoji> {
    let query = query.to_lowercase();
    let mut found: Vec<(u8, Emoji)> =
        all_emoji().filter_map(|emoji| Some((rank(&emoji, &query)?, emoji))).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, emoji)| emoji).collect()
}

/// Sort rank for a query; `None` if it does not match.
fn rank(emoji: &Emoji, query: &str) -> Option<u8> {
    match () {
        () if emoji.short_name == query => Some(0),
        () if emoji.short_name.starts_with(query) => Some(1),
        () if emoji.short_name.contains(query) || emoji.name.contains(query) => Some(2),
        () => None,
    }
}

fn all_emoji() -> impl Iterator<Item = Emoji> {
    let sure = |emoji: &&'static emojis::Emoji| {
        let glyph = emoji.as_str();
        emoji.unicode_version().major() <= MAX_UNICODE_VERSION
            && glyph.chars().count() == 1
            && glyph.width() == 2
    };
    emojis::iter().filter(sure).filter_map(|emoji| {
        Some(Emoji { glyph: emoji.as_str(), short_name: emoji.shortcodes().next()?, name: emoji.name() })
    })
}

/// Returns the short name being typed at the end of a text, after a colon at the start of a word.
pub fn typed_short_name(before: &str) -> Option<&str> {
    let (head, short) = before.rsplit_once(':')?;
    let begins =
        head.chars().next_back().is_none_or(|character| !character.is_alphanumeric() && character != ':');
    let letters = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '+');
    (begins && short.len() >= 2 && short.chars().all(letters)).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_find_emoji_of_sure_width() {
        assert_eq!(search("bike").first().map(|emoji| emoji.glyph), Some("🚲"));
        assert!(search("smi").iter().any(|emoji| emoji.glyph == "😄"));
        assert!(search("").len() > 500, "the table is there");
        let unsure = ["❤️", "👨‍👩‍👧‍👦", "🇪🇸", "👍🏽"];
        assert!(all_emoji().all(|entry| !unsure.contains(&entry.glyph) && entry.glyph.width() == 2));
        assert!(search("no such thing").is_empty());
    }

    #[test]
    fn a_short_name_begins_a_word() {
        let cases = [
            ("nice :smi", Some("smi")),
            (":+1", Some("+1")),
            ("at 10:30", None),
            ("::smi", None),
            (":s", None),
        ];
        for (text, short) in cases {
            assert_eq!(typed_short_name(text), short, "{text}");
        }
    }
}
