//! The four kinds of channel this service has.

use model::account::Platform;

/// One kind of channel; closed, so that every rule says what it means for
/// each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// Business chat.
    Whatsapp,
    /// Bot-chat.
    Telegram,
    Email,
    /// Voice and SMS.
    Voip,
}

impl Channel {
    /// All of them, in the order they are made and shown.
    pub const ALL: [Self; 4] = [Self::Whatsapp, Self::Telegram, Self::Email, Self::Voip];

    /// The word of the ready file, `/dev` bodies and the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Whatsapp => "whatsapp",
            Self::Telegram => "telegram",
            Self::Email => "email",
            Self::Voip => "voip",
        }
    }

    /// Reads [`Channel::word`].
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// The model's word for it, which `GET /account` tells.
    pub const fn platform(self) -> Platform {
        match self {
            Self::Whatsapp => Platform::Whatsapp,
            Self::Telegram => Platform::Telegram,
            Self::Email => Platform::Email,
            Self::Voip => Platform::Voip,
        }
    }
}
