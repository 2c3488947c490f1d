//! Emoji for reactions, and the fixed set that the bot platform accepts. The interface does not
//! list that set, so client and service share this one.

use crate::account::Platform;

const QUICK_REACTIONS: [&str; 8] = ["👍", "❤", "😂", "🙏", "😮", "😢", "🎉", "👎"];

/// Alternatives for the bot platform.
const BOT_CHAT_QUICK_REACTIONS: [&str; 8] = ["👍", "❤", "🤣", "🙏", "😱", "😢", "🎉", "👎"];

pub fn quick_reactions(platform: Option<&Platform>) -> &'static [&'static str; 8] {
    if platform == Some(&Platform::Telegram) { &BOT_CHAT_QUICK_REACTIONS } else { &QUICK_REACTIONS }
}

/// Reactions accepted by the bot platform, in its spelling.
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

/// Returns an emoji in the bot platform's spelling, ignoring variation selectors; `None` if it is
/// not accepted.
pub fn bot_chat_form(emoji: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace(['\u{fe0f}', '\u{fe0e}'], "");
    let wanted = plain(emoji);
    BOT_CHAT_REACTIONS.iter().find(|listed| plain(listed) == wanted).copied()
}

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
