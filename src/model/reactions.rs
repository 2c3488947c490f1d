//! The emoji a desk offers for a reaction, and the set the bot platform takes.
//!
//! Interface: Bot-chat channel, rule 4: the set is fixed but not listed, so
//! this is the list both sides start from.

use crate::account::Platform;

/// What the reaction picker offers.
const QUICK: [&str; 8] = ["👍", "❤", "😂", "🙏", "😮", "😢", "🎉", "👎"];

/// The same where only a fixed set is taken.
const QUICK_BOT_CHAT: [&str; 8] = ["👍", "❤", "🤣", "🙏", "😱", "😢", "🎉", "👎"];

/// What the picker offers on a platform.
pub fn quick(platform: Option<&Platform>) -> &'static [&'static str; 8] {
    if platform == Some(&Platform::Telegram) { &QUICK_BOT_CHAT } else { &QUICK }
}

/// Reactions the bot platform accepts.
pub const BOT_CHAT: [&str; 40] = [
    "👍", "👎", "❤", "🔥", "🥰", "👏", "😁", "🤔", "🤯", "😱", "🤬", "😢", "🎉", "🤩", "🤮", "💩", "🙏",
    "👌", "🕊", "🤡", "🥱", "🥴", "😍", "🐳", "🌚", "💯", "🤣", "⚡", "🍌", "🏆", "💔", "😐", "🍓", "🍾",
    "💋", "😴", "😭", "🤓", "👻", "👀",
];

/// Whether the bot platform takes this emoji; variation selectors do not
/// matter.
pub fn bot_chat_accepts(emoji: &str) -> bool {
    let plain = emoji.replace('\u{fe0f}', "");
    BOT_CHAT.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_taken() {
        for emoji in quick(Some(&Platform::Telegram)) {
            assert!(bot_chat_accepts(emoji), "{emoji}");
        }
    }
}
