//! What a channel key drives: its workspace, platform, environment, balance.
//!
//! Interface: Resources, Account.

use crate::text::SafeText;

/// The platform behind a key. A word that is not known is kept as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Business chat: conversations, templates, a 24-hour service window.
    Whatsapp,
    /// The bot channel: no window, no templates, no pause.
    Telegram,
    Email,
    /// Voice and SMS.
    Voip,
    /// Has no operations in this interface.
    Web,
    /// A platform word this version does not know.
    Other(String),
}

impl Platform {
    /// Reads the interface's enum word.
    pub fn from_word(word: &str) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "WHATSAPP" => Self::Whatsapp,
            "TELEGRAM" => Self::Telegram,
            "EMAIL" => Self::Email,
            "VOIP" => Self::Voip,
            "WEB" => Self::Web,
            _ => Self::Other(word.to_owned()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Self::Whatsapp => "WHATSAPP",
            Self::Telegram => "TELEGRAM",
            Self::Email => "EMAIL",
            Self::Voip => "VOIP",
            Self::Web => "WEB",
            Self::Other(word) => word,
        }
    }

    /// What people call the channel.
    pub fn label(&self) -> &str {
        match self {
            Self::Whatsapp => "business chat",
            Self::Telegram => "bot-chat",
            Self::Email => "email",
            Self::Voip => "voice and SMS",
            Self::Web => "web",
            Self::Other(_) => "an unknown channel",
        }
    }

    /// Whether this platform has conversations this desk can list and answer.
    pub fn has_conversations(&self) -> bool {
        self.has_histories() || *self == Self::Voip
    }

    /// Whether what was said in a conversation can be read: of calls and SMS
    /// the interface lists only that there are some.
    pub fn has_histories(&self) -> bool {
        self.is_chat() || *self == Self::Email
    }

    /// Whether conversations are chats: answered with messages, not mails.
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Whatsapp | Self::Telegram)
    }

    /// Whether the server keeps contacts this key can read and change
    /// (interface, Contacts: those with a phone number of business chat).
    pub fn has_contacts(&self) -> bool {
        matches!(self, Self::Whatsapp)
    }

    /// Whether the server tells others of what happens here (interface,
    /// Webhooks: chats, and mail under a path of its own).
    pub fn has_webhooks(&self) -> bool {
        self.has_histories()
    }

    /// Whether the AI can be paused and conversations closed (interface,
    /// Conversations: only the business chat channel has these operations).
    pub fn can_take_over(&self) -> bool {
        matches!(self, Self::Whatsapp)
    }
}

crate::words! {
    /// Whether a key really sends. Inferred from the key's prefix by the service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Environment {
        /// Real messages, real credits.
        Live = "live",
        /// Validates like live, sends nothing, costs nothing.
        Test = "test",
    }
}

impl Environment {
    /// The word on screen, always visible beside what it concerns.
    pub fn label(self) -> &'static str {
        match self {
            Self::Live => "LIVE",
            Self::Test => "TEST",
        }
    }

    /// What a key's prefix says of its environment (interface, Authentication 2).
    pub fn from_key(key: &str) -> Option<Self> {
        if key.starts_with("svc_live_") {
            Some(Self::Live)
        } else if key.starts_with("svc_test_") {
            Some(Self::Test)
        } else {
            None
        }
    }
}

impl Account {
    /// Whether nothing can be sent as no number is connected. Only of business
    /// chat does the interface tell a number.
    pub fn is_unconnected(&self) -> bool {
        self.platform == Platform::Whatsapp && self.number.is_none()
    }
}

/// The account behind a channel key, as `GET /account` tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    pub id: String,
    /// Shared by the tabs of one workspace: they draw on one balance.
    pub workspace_id: String,
    /// The workspace's name, if it has one.
    pub workspace_name: Option<SafeText>,
    /// The assistant's name, if it has one.
    pub assistant_name: Option<SafeText>,
    pub platform: Platform,
    pub environment: Environment,
    /// The connected number; business chat only.
    pub number: Option<SafeText>,
    /// Credits, which may be fractional on the wire.
    pub credits: f64,
    /// From the platform operator, if it reports one.
    pub messaging_tier: Option<SafeText>,
    /// From the platform operator, if it reports one.
    pub quality_rating: Option<SafeText>,
}
