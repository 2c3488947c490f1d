//! What needs a person, of all tabs in one order of urgency.

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, RowId};
use crate::outbox::OutboxRow;
use crate::proposals::ProposalEntry;
use crate::queries::{ConversationKey, PausedEntry};
use crate::targets::ResponseTargets;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::waves::Campaign;

/// Asks for all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionQuery {
    /// In these channels.
    pub channels: Vec<ChannelId>,
    /// The time now.
    pub now: Timestamp,
    /// How long a pause of the AI may go on; 0: as long as it likes.
    pub lease: i64,
    /// How soon customers shall be answered, by channel.
    pub targets: Vec<(ChannelId, ResponseTargets)>,
}

/// What is asked of what needs a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttentionAsk {
    /// The list.
    List(AttentionQuery),
    /// What rings, since a time.
    Alarms(AttentionQuery, Timestamp),
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum AttentionAnswer {
    /// The most urgent first, and whether there is more.
    List(Vec<AttentionEntry>, bool),
    /// What rings, as of a time.
    Alarms(Alarms, Timestamp),
}

/// What has become due by this desk's own clock, and what will.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Alarms {
    /// What became due since the time that was asked about.
    pub rung: Vec<AttentionEntry>,
    /// Hand-backs after which the AI stays silent.
    pub silent: u32,
    /// Answers whose target is near.
    pub near: u32,
    /// Answers whose target was missed.
    pub missed: u32,
    /// When something becomes due next.
    pub next: Option<Timestamp>,
}

impl Alarms {
    /// Something becomes due then.
    pub fn comes(&mut self, at: Timestamp) {
        self.next = Some(self.next.map_or(at, |time| time.min(at)));
    }
}

/// One thing that needs a person.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionEntry {
    /// The tab.
    pub channel: ChannelId,
    /// The conversation or broadcast, in words.
    pub title: SafeText,
    /// Why.
    pub reason: AttentionReason,
}

/// Why something needs a person, the most urgent first.
#[derive(Debug, Clone, PartialEq)]
pub enum AttentionReason {
    /// A row of the outbox was stopped and asks.
    Stopped(Box<OutboxRow>),
    /// The AI did not wake up after it was handed back.
    Silent(Box<ConversationRow>),
    /// The AI asks for a person.
    Asks(Box<ConversationRow>),
    /// The target of an answer is near, or was missed.
    Target(Box<ConversationRow>),
    /// A pause made from here has gone on for long.
    PauseOver(Box<PausedEntry>),
    /// The AI answers, and there is trouble with it.
    Fails(Box<ConversationRow>),
    /// A broadcast was stopped between two waves.
    Waves(Box<Campaign>),
    /// An assistant proposes something.
    Proposed(Box<ProposalEntry>),
}

/// What names an entry while the list changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttentionName {
    /// A row of the outbox.
    Row(RowId),
    /// Something of a conversation, by the place of its reason.
    Conversation(u8, ConversationKey),
    /// A broadcast or a proposal, by its id.
    Other(u8, String),
}

impl AttentionEntry {
    /// What names it.
    pub fn name(&self) -> AttentionName {
        let kind = self.reason.kind();
        match &self.reason {
            AttentionReason::Stopped(row) => AttentionName::Row(row.id.clone()),
            AttentionReason::Waves(it) => AttentionName::Other(kind, it.id.to_string()),
            AttentionReason::Proposed(it) => AttentionName::Other(kind, it.proposal.id.to_string()),
            AttentionReason::Silent(_)
            | AttentionReason::Asks(_)
            | AttentionReason::Target(_)
            | AttentionReason::PauseOver(_)
            | AttentionReason::Fails(_) => match self.conversation() {
                Some(key) => AttentionName::Conversation(kind, key),
                None => AttentionName::Other(kind, String::new()),
            },
        }
    }

    /// The conversation it is about, if it is about one.
    pub fn conversation(&self) -> Option<ConversationKey> {
        let conversation = match &self.reason {
            AttentionReason::Stopped(row) => row.lane.conversation()?.clone(),
            AttentionReason::Silent(row)
            | AttentionReason::Asks(row)
            | AttentionReason::Target(row)
            | AttentionReason::Fails(row) => row.conversation.id.clone(),
            AttentionReason::PauseOver(it) => it.conversation.clone(),
            AttentionReason::Proposed(it) => it.proposal.conversation.clone(),
            AttentionReason::Waves(_) => return None,
        };
        Some(ConversationKey { channel: self.channel.clone(), conversation })
    }

    /// Since when it needs one.
    pub fn since(&self) -> Option<Timestamp> {
        match &self.reason {
            AttentionReason::Stopped(row) => row.first_attempt_at.or(Some(row.created_at)),
            AttentionReason::Silent(row) => row.asked_ai_at,
            AttentionReason::Asks(row) | AttentionReason::Fails(row) => {
                row.waiting_since.or(row.conversation.last_message_at)
            }
            AttentionReason::Target(row) => row.waiting_since,
            AttentionReason::PauseOver(it) => Some(it.since),
            AttentionReason::Waves(it) => Some(it.made_at),
            AttentionReason::Proposed(it) => Some(it.proposal.at),
        }
    }
}

impl AttentionReason {
    /// The place of its kind, the most urgent first. A pause under which nobody
    /// waits can wait, too.
    fn kind(&self) -> u8 {
        match self {
            Self::Stopped(_) => 0,
            Self::Silent(_) => 1,
            Self::Asks(_) => 2,
            Self::PauseOver(it) if it.waiting_since.is_some() => 4,
            Self::Target(_) => 5,
            Self::Fails(_) => 6,
            Self::Waves(_) => 7,
            Self::PauseOver(_) => 8,
            Self::Proposed(_) => 9,
        }
    }

    /// Whether it is about an AI that does not cope.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Asks(_) | Self::Fails(_))
    }

    /// How bad it is among those of its kind; greater is worse.
    fn weight(&self, now: Timestamp) -> u32 {
        match self {
            Self::Fails(row) => row.trouble_score(now),
            _ => 0,
        }
    }
}

/// Puts the most urgent first: by kind, then by how bad it is, then by how
/// long it has been so.
pub fn by_urgency(entries: &mut [AttentionEntry], now: Timestamp) {
    entries.sort_by_key(|entry| {
        (
            entry.reason.kind(),
            std::cmp::Reverse(entry.reason.weight(now)),
            entry.since(),
            entry.title.to_string(),
        )
    });
}
