//! Kinds of channel the service supports.

use model::account::Platform;

model::words! {
    /// Kind of a channel. Closed, so that every rule has to decide for each kind.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Channel {
        /// Chat with phone numbers.
        Whatsapp = "whatsapp",
        /// Chat with a bot.
        Telegram = "telegram",
        Email = "email",
        Voip = "voip",
    }
}

impl Channel {
    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Whatsapp => "WhatsApp",
            Self::Telegram => "Telegram",
            Self::Email => "Email",
            Self::Voip => "Phone",
        }
    }

    /// Returns the platform that `getAccount` names for this kind.
    pub const fn platform(self) -> Platform {
        match self {
            Self::Whatsapp => Platform::Whatsapp,
            Self::Telegram => Platform::Telegram,
            Self::Email => Platform::Email,
            Self::Voip => Platform::Voip,
        }
    }
}
