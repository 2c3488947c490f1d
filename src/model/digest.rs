//! Digest of events during an absence.

use crate::conversations::ConversationRow;
use crate::ids::ChannelId;
use crate::outbox::OutboxRow;
use crate::queries::ConversationKey;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::waves::{Campaign, CampaignPhase};

/// A period in which nobody used this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// Time of the last activity.
    pub from: Timestamp,
    pub until: Timestamp,
}

/// Events since the start of the latest absence, most important first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Digest {
    /// `None` if there was no absence yet.
    pub absence: Option<Absence>,
    pub entries: Vec<DigestEntry>,
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DigestEntry {
    pub channel: ChannelId,
    pub title: SafeText,
    pub fact: DigestFact,
    pub place: DigestPlace,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DigestFact {
    /// A customer waits, or the AI asks for a person.
    Waits(Box<ConversationRow>),
    /// The AI answers, but its trouble score is high.
    Fails(Box<ConversationRow>),
    Paused {
        /// Name of the user; may be empty.
        by: SafeText,
        at: Timestamp,
    },
    /// A campaign was paused between waves or has finished.
    Waves(Box<Campaign>),
    /// A text sent from here was not delivered.
    Undelivered(SafeText),
    /// An outbox row needs a decision.
    Asks(Box<OutboxRow>),
    GivenUp {
        operation: SafeText,
        why: SafeText,
    },
    Left {
        operation: SafeText,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DigestPlace {
    Conversation(ConversationKey),
    Outbox,
    Broadcasts,
    /// No details available.
    Nowhere,
}

/// Identifies an entry across updates of the digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestId {
    channel: ChannelId,
    title: SafeText,
    place: DigestPlace,
    fact: String,
}

impl DigestEntry {
    pub fn id(&self) -> DigestId {
        let fact = match &self.fact {
            DigestFact::Waits(_) => "waits".to_owned(),
            DigestFact::Fails(_) => "fails".to_owned(),
            DigestFact::Paused { .. } => "paused".to_owned(),
            DigestFact::Waves(campaign) => format!("waves {}", campaign.id),
            DigestFact::Undelivered(text) => format!("undelivered {text}"),
            DigestFact::Asks(row) => format!("asks {}", row.id),
            DigestFact::GivenUp { operation, why } => format!("given up {operation} {why}"),
            DigestFact::Left { operation } => format!("left {operation}"),
        };
        let (channel, title, place) = (self.channel.clone(), self.title.clone(), self.place.clone());
        DigestId { channel, title, place, fact }
    }
}

impl DigestFact {
    pub fn needs_person(&self) -> bool {
        match self {
            Self::Waits(_) | Self::Asks(_) | Self::Undelivered(_) => true,
            Self::Waves(campaign) => campaign.phase == CampaignPhase::Paused,
            Self::Fails(_) | Self::Paused { .. } | Self::GivenUp { .. } | Self::Left { .. } => false,
        }
    }
}
