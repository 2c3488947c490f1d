//! The four kinds of channel this service has.

use model::account::Platform;

model::words! {
    /// One kind of channel; closed, so that every rule says what it means for
    /// each of them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Channel {
        /// Business chat.
        Whatsapp = "whatsapp",
        /// Bot-chat.
        Telegram = "telegram",
        Email = "email",
        /// Voice and SMS.
        Voip = "voip",
    }
}

impl Channel {
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
