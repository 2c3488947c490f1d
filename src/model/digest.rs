//! What happened while nobody was at this desk.

use crate::conversations::ConversationRow;
use crate::ids::ChannelId;
use crate::queries::ConversationKey;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::waves::Campaign;

/// A time in which nobody was at any window of this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// When somebody was here last.
    pub from: Timestamp,
    pub until: Timestamp,
}

/// What happened since the latest absence began, the most important first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Digest {
    /// That absence; `None` if there was none yet.
    pub absence: Option<Absence>,
    pub entries: Vec<DigestEntry>,
    pub more: bool,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct DigestEntry {
    pub channel: ChannelId,
    /// The conversation or broadcast, in words.
    pub title: SafeText,
    pub fact: DigestFact,
    /// Where it is looked into.
    pub place: DigestPlace,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum DigestFact {
    /// A customer wrote and waits, or the AI asks for a person.
    Waits(Box<ConversationRow>),
    /// The AI answers, and there is trouble with it.
    Fails(Box<ConversationRow>),
    /// The AI was paused from this desk.
    Paused {
        /// The author; may be empty.
        by: SafeText,
        at: Timestamp,
    },
    /// A broadcast was paused between two waves, or came to its end.
    Waves(Box<Campaign>),
    /// A text written here was sent and did not arrive.
    Undelivered(SafeText),
    /// What was to leave waits for a person.
    Asks {
        what: SafeText,
        why: SafeText,
    },
    GivenUp {
        operation: SafeText,
        why: SafeText,
    },
    Left {
        operation: SafeText,
    },
}

/// Where something is looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DigestPlace {
    Conversation(ConversationKey),
    /// On the page of the outbox.
    Outbox,
    /// On the page of broadcasts.
    Broadcasts,
    /// Nowhere: it is over.
    Nowhere,
}
