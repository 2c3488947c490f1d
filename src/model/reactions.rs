//! The emoji a desk offers for a reaction, and the set the bot platform takes.
//!
//! Knows nothing of who reacted. Interface: Bot-chat channel, rule 4: the set
//! is fixed but not listed, so this is the list both sides start from.

/// What the reaction picker offers first.
pub const QUICK: [&str; 8] = ["👍", "❤", "😂", "🙏", "😮", "😢", "🎉", "👎"];

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
