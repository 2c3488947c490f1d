//! Account of a channel key: workspace, platform, environment, balance (`GET /account`).

use crate::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Business chat: conversations, templates, a 24-hour service window.
    Whatsapp,
    /// Bot chat: no service window, no templates, no pause.
    Telegram,
    Email,
    Voip,
    /// Has no operations in this interface.
    Web,
    /// Unknown word, unparsed.
    Other(String),
}

impl Platform {
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

    /// True if this desk can list and answer conversations of the platform.
    pub fn has_conversations(&self) -> bool {
        self.has_histories() || *self == Self::Voip
    }

    /// True if the interface returns the messages of a conversation. For calls and SMS it lists
    /// only that they exist.
    pub fn has_histories(&self) -> bool {
        self.is_chat() || *self == Self::Email
    }

    /// True if conversations are answered with chat messages rather than mails.
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Whatsapp | Self::Telegram)
    }

    /// True if the key can read and change contacts; only business chat has them.
    pub fn has_contacts(&self) -> bool {
        matches!(self, Self::Whatsapp)
    }

    /// True if the server sends webhooks: for chats and mail.
    pub fn has_webhooks(&self) -> bool {
        self.has_histories()
    }

    /// True if the AI can be paused and conversations closed; business chat only.
    pub fn can_take_over(&self) -> bool {
        matches!(self, Self::Whatsapp)
    }
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Environment {
        /// Real messages, real credits.
        Live = "live",
        /// Validates like live, sends nothing, costs nothing.
        Test = "test",
    }
}

impl Environment {
    pub fn label(self) -> &'static str {
        match self {
            Self::Live => "LIVE",
            Self::Test => "TEST",
        }
    }

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
    /// True if no number is connected, so that nothing can be sent. The interface reports a number
    /// for business chat only.
    pub fn is_unconnected(&self) -> bool {
        self.platform == Platform::Whatsapp && self.number.is_none()
    }
}

/// Import of messages or mails from before the channel was connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierImport {
    /// Number imported so far.
    pub filed: u64,
    /// True if none waits to be imported.
    pub is_finished: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    pub id: String,
    /// Tabs of the same workspace share one balance.
    pub workspace_id: String,
    pub workspace_name: Option<SafeText>,
    pub assistant_name: Option<SafeText>,
    pub platform: Platform,
    pub environment: Environment,
    /// The connected number; business chat only.
    pub number: Option<SafeText>,
    /// May be fractional.
    pub credits: f64,
    /// As reported by the platform operator.
    pub messaging_tier: Option<SafeText>,
    /// As reported by the platform operator.
    pub quality_rating: Option<SafeText>,
    /// True if a message on bot-chat can have buttons, which is an extension of the service.
    pub takes_buttons: bool,
    /// True if audio can be sent as a voice note, which is an extension of the service.
    pub takes_voice: bool,
    /// True if a picture can be sent as a sticker, which is an extension of the service.
    pub takes_stickers: bool,
    /// True if a contact card can be sent, which is an extension of the service.
    pub takes_contacts: bool,
    /// True if the link preview of a text can be switched, which is an extension of the service.
    pub takes_link_preview: bool,
}
