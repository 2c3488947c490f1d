//! The emoji a desk offers for a reaction, and the set the bot platform takes.
//!
//! Interface: Bot-chat channel, rule 4: the set is fixed but not listed, so
//! this is the list both sides start from.

use crate::account::Platform;

/// What the reaction picker offers.
const QUICK_REACTIONS: [&str; 8] = ["👍", "❤", "😂", "🙏", "😮", "😢", "🎉", "👎"];

/// The same where only a fixed set is taken.
const BOT_CHAT_QUICK_REACTIONS: [&str; 8] = ["👍", "❤", "🤣", "🙏", "😱", "😢", "🎉", "👎"];

/// What the picker offers on a platform.
pub fn quick_reactions(platform: Option<&Platform>) -> &'static [&'static str; 8] {
    if platform == Some(&Platform::Telegram) { &BOT_CHAT_QUICK_REACTIONS } else { &QUICK_REACTIONS }
}

/// Reactions the bot platform accepts, written as it lists them.
pub const BOT_CHAT_REACTIONS: [&str; 73] = [
    "👍",
    "👎",
    "❤",
    "🔥",
    "🥰",
    "👏",
    "😁",
    "🤔",
    "🤯",
    "😱",
    "🤬",
    "😢",
    "🎉",
    "🤩",
    "🤮",
    "💩",
    "🙏",
    "👌",
    "🕊",
    "🤡",
    "🥱",
    "🥴",
    "😍",
    "🐳",
    "❤\u{200d}🔥",
    "🌚",
    "🌭",
    "💯",
    "🤣",
    "⚡",
    "🍌",
    "🏆",
    "💔",
    "🤨",
    "😐",
    "🍓",
    "🍾",
    "💋",
    "🖕",
    "😈",
    "😴",
    "😭",
    "🤓",
    "👻",
    "👨\u{200d}💻",
    "👀",
    "🎃",
    "🙈",
    "😇",
    "😨",
    "🤝",
    "✍",
    "🤗",
    "🫡",
    "🎅",
    "🎄",
    "☃",
    "💅",
    "🤪",
    "🗿",
    "🆒",
    "💘",
    "🙉",
    "🦄",
    "😘",
    "💊",
    "🙊",
    "😎",
    "👾",
    "🤷\u{200d}♂",
    "🤷",
    "🤷\u{200d}♀",
    "😡",
];

/// Returns an emoji as the bot platform lists it, `None` for one that it does not
/// take. Variation selectors do not matter.
pub fn bot_chat_form(emoji: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace(['\u{fe0f}', '\u{fe0e}'], "");
    let wanted = plain(emoji);
    BOT_CHAT_REACTIONS.iter().find(|listed| plain(listed) == wanted).copied()
}

/// Returns true if the bot platform takes this emoji.
pub fn bot_chat_accepts(emoji: &str) -> bool {
    bot_chat_form(emoji).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_taken() {
        for emoji in quick_reactions(Some(&Platform::Telegram)) {
            assert!(bot_chat_accepts(emoji), "{emoji}");
        }
    }

    #[test]
    fn emoji_are_written_as_the_platform_lists_them() {
        let cases = [
            ("❤\u{fe0f}", Some("❤")),
            ("❤", Some("❤")),
            ("❤\u{fe0f}\u{200d}🔥", Some("❤\u{200d}🔥")),
            ("🕊\u{fe0f}", Some("🕊")),
            ("🤷\u{200d}♂\u{fe0f}", Some("🤷\u{200d}♂")),
            ("⚡\u{fe0e}", Some("⚡")),
            ("🚢", None),
            ("", None),
            ("\u{fe0f}", None),
        ];
        for (emoji, wanted) in cases {
            assert_eq!(bot_chat_form(emoji), wanted, "{}", emoji.escape_unicode());
        }
    }
}
