//! Messages and their delivery, one shape for every chat channel.
//!
//! Interface: Resources, Message; States and transitions, Message status.

use crate::email::MailMessage;
use crate::ids::{ConversationId, MessageId};
use crate::text::SafeText;
use crate::time::Timestamp;

/// A message's place in its history. A time of 0 and an empty id come before
/// every message.
pub type HistoryPosition = (Timestamp, MessageId);

crate::words! {
    /// Which way a message went.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Direction {
        /// From the customer.
        Inbound = "inbound",
        /// To the customer.
        Outbound = "outbound",
    }
}

/// Who spoke. Derived from direction and `senderType`, never from a name the
/// customer chose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Sender {
    Customer,
    /// The AI.
    Ai,
    /// A send through the interface: this desk's, or another holder's of a key.
    Api,
    /// A broadcast that this desk knows: it answers nobody.
    Broadcast,
    /// A person working elsewhere.
    Human,
    /// A word this version does not know.
    Unknown(SafeText),
}

impl Sender {
    /// Derives the sender; the interface shows only `api`, so other words are
    /// read by what they say and kept when they say nothing known.
    pub fn from_words(direction: Direction, sender_type: &str) -> Self {
        if direction == Direction::Inbound {
            return Self::Customer;
        }
        match sender_type.to_ascii_lowercase().as_str() {
            "api" => Self::Api,
            "ai" | "assistant" | "bot" | "automation" => Self::Ai,
            "human" | "agent" | "user" | "dashboard" | "operator" => Self::Human,
            _ => Self::Unknown(SafeText::line(sender_type)),
        }
    }
}

/// What a person calls senders of this word, whatever the server calls them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SenderAliases(Vec<(String, SafeText)>);

impl SenderAliases {
    /// Words and what they are called.
    pub fn new(all: impl IntoIterator<Item = (String, String)>) -> Self {
        let one = |(word, name): (String, String)| (word.to_lowercase(), SafeText::line(&name));
        Self(all.into_iter().map(one).collect())
    }

    /// What a sender is called, if a person said so. A customer is called by
    /// their own name.
    pub fn get(&self, sender: &Sender) -> Option<&SafeText> {
        let word = match sender {
            Sender::Customer => return None,
            Sender::Ai => "ai".to_owned(),
            Sender::Api => "api".to_owned(),
            Sender::Broadcast => "broadcast".to_owned(),
            Sender::Human => "human".to_owned(),
            Sender::Unknown(word) => word.as_str().to_lowercase(),
        };
        self.0.iter().find(|pair| pair.0 == word).map(|pair| &pair.1)
    }
}

crate::words! {
    /// How far an outbound message has come; a lattice: it never goes back.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum DeliveryStatus {
        /// Accepted by the platform.
        Sent = "sent",
        /// On the device.
        Delivered = "delivered",
        /// Seen by the customer.
        Read = "read",
        /// Not sent or not delivered.
        Failed = "failed",
        ..Other
    }
}

impl DeliveryStatus {
    /// Merges a newly read state into a known one: sent < delivered < read,
    /// and failed overrides only sent; anything overrides an unknown word.
    #[must_use]
    pub fn merge(self, incoming: Self) -> Self {
        fn rank(state: &DeliveryStatus) -> u8 {
            match state {
                DeliveryStatus::Other(_) => 0,
                DeliveryStatus::Sent => 1,
                DeliveryStatus::Failed => 2,
                DeliveryStatus::Delivered => 3,
                DeliveryStatus::Read => 4,
            }
        }
        if rank(&incoming) >= rank(&self) { incoming } else { self }
    }
}

/// One message as the server last told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub id: MessageId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The platform's id, if the server gave one.
    pub platform_id: Option<String>,
    pub direction: Direction,
    pub sender: Sender,
    /// The text, safe to draw. For media without text this is empty.
    pub content: SafeText,
    /// `text`, `image`, … as it came.
    pub content_type: String,
    /// Where the media lives, if any; never fetched unasked.
    pub media_url: Option<SafeText>,
    /// How far it has come.
    pub delivery: DeliveryStatus,
    /// When the server took it in; `None` if unreadable.
    pub created_at: Option<Timestamp>,
    /// Time of sending, where it is told and was earlier.
    pub sent_at: Option<Timestamp>,
    /// When it reached the device.
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    /// The message this one quotes, if the server told.
    pub quotes: Option<MessageId>,
    /// Whether this item could not be read and only stands in for it.
    pub unreadable: bool,
    /// The item as it came, for the raw view.
    pub raw: String,
}

impl Message {
    /// What stands for a message of which only the id is known.
    pub fn stand_in(id: MessageId, conversation: ConversationId) -> Self {
        Self {
            id,
            conversation,
            platform_id: None,
            direction: Direction::Inbound,
            sender: Sender::Customer,
            content: SafeText::default(),
            content_type: "text".to_owned(),
            media_url: None,
            delivery: DeliveryStatus::Other(String::new()),
            created_at: None,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            quotes: None,
            unreadable: false,
            raw: String::new(),
        }
    }
}

/// One line of a history: a message with what this desk remembers of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    pub message: Message,
    /// Whether this desk sent it.
    pub sent_here: bool,
    /// This desk's reaction; the interface does not show anyone else's.
    pub reaction: Option<String>,
    /// A reaction that is on its way; an empty text removes it.
    pub reaction_pending: Option<String>,
    /// What only a mail has.
    pub mail: Option<Box<MailMessage>>,
    /// What the server told of its file beside the address.
    pub media: MessageFileInfo,
    /// What a model made of it for the person who reads.
    pub generated: Vec<GeneratedText>,
    /// How its author has changed it.
    pub change: ContentChange,
}

/// How the author of a message has changed it after it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentChange {
    pub edited_at: Option<Timestamp>,
    /// When it was taken back.
    pub withdrawn_at: Option<Timestamp>,
    /// Its earlier contents, the latest first.
    pub former: Vec<FormerContent>,
}

/// An earlier content of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerContent {
    pub content: SafeText,
    pub until: Option<Timestamp>,
}

impl ContentChange {
    /// Returns the last change in one word, and when it was.
    pub fn last_change(&self) -> Option<(&'static str, Timestamp)> {
        let withdrawn = self.withdrawn_at.map(|at| ("withdrawn", at));
        withdrawn.or(self.edited_at.map(|at| ("edited", at)))
    }
}

impl MessageRow {
    /// Time at which it was written: as its sender says where it is a mail, else
    /// when the server took it in.
    pub fn written_at(&self) -> Option<Timestamp> {
        let told = self.mail.as_ref().and_then(|letter| letter.sent_at);
        told.or(self.message.created_at)
    }
}

/// A text that a model made of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedText {
    /// What it is.
    pub kind: GeneratedTextKind,
    /// The text.
    pub text: SafeText,
}

/// What a model makes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedTextKind {
    /// It in the person's own language.
    Translation,
    /// What is said in a voice note.
    Transcript,
}

impl GeneratedTextKind {
    /// What stands before it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Translation => "Translated: ",
            Self::Transcript => "Transcript: ",
        }
    }
}

/// What a server may tell of a message's file; the interface names none of
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageFileInfo {
    pub mime: Option<SafeText>,
    pub name: Option<SafeText>,
    /// Its bytes.
    pub size: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_never_goes_back() {
        use DeliveryStatus::{Delivered, Failed, Read, Sent};
        let cases = [
            (Sent, Delivered, Delivered),
            (Delivered, Sent, Delivered),
            (Read, Delivered, Read),
            (Sent, Failed, Failed),
            (Delivered, Failed, Delivered),
            (Failed, Sent, Failed),
            (DeliveryStatus::Other("queued".into()), Sent, Sent),
        ];
        for (known, incoming, merged) in cases {
            assert_eq!(known.clone().merge(incoming.clone()), merged, "{known:?} + {incoming:?}");
        }
    }

    #[test]
    fn senders_come_from_direction_first() {
        assert_eq!(Sender::from_words(Direction::Inbound, "api"), Sender::Customer);
        assert_eq!(Sender::from_words(Direction::Outbound, "API"), Sender::Api);
        assert_eq!(Sender::from_words(Direction::Outbound, "assistant"), Sender::Ai);
        let odd = Sender::from_words(Direction::Outbound, "flow\u{1b}[2J");
        assert_eq!(odd, Sender::Unknown(SafeText::line("flow\u{1b}[2J")));
    }
}
