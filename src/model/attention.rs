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
pub enum AttentionRequest {
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
    pub fired: Vec<AttentionEntry>,
    /// Hand-backs after which the AI stays silent.
    pub unanswered: u32,
    /// Answers whose target is near.
    pub near: u32,
    /// Answers whose target was missed.
    pub missed: u32,
    /// When something becomes due next.
    pub next: Option<Timestamp>,
}

impl Alarms {
    /// Something becomes due then.
    pub fn schedule_at(&mut self, at: Timestamp) {
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
    AiSilent(Box<ConversationRow>),
    /// The AI asks for a person.
    AiEscalated(Box<ConversationRow>),
    /// The target of an answer is near, or was missed.
    TargetNear(Box<ConversationRow>),
    /// A pause made from here has gone on for long.
    PauseExpired(Box<PausedEntry>),
    /// The AI answers, and there is trouble with it.
    AiInTrouble(Box<ConversationRow>),
    /// A broadcast was stopped between two waves.
    CampaignPaused(Box<Campaign>),
    /// An assistant proposes something.
    Proposed(Box<ProposalEntry>),
}

/// What names an entry while the list changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttentionId {
    /// A row of the outbox.
    Row(RowId),
    /// Something of a conversation, by the place of its reason.
    Conversation(u8, ConversationKey),
    /// A broadcast or a proposal, by its id.
    Other(u8, String),
}

impl AttentionEntry {
    /// What names it.
    pub fn id(&self) -> AttentionId {
        let kind = self.reason.kind_rank();
        match &self.reason {
            AttentionReason::Stopped(row) => AttentionId::Row(row.id.clone()),
            AttentionReason::CampaignPaused(it) => AttentionId::Other(kind, it.id.to_string()),
            AttentionReason::Proposed(it) => AttentionId::Other(kind, it.proposal.id.to_string()),
            AttentionReason::AiSilent(_)
            | AttentionReason::AiEscalated(_)
            | AttentionReason::TargetNear(_)
            | AttentionReason::PauseExpired(_)
            | AttentionReason::AiInTrouble(_) => match self.conversation() {
                Some(key) => AttentionId::Conversation(kind, key),
                None => AttentionId::Other(kind, String::new()),
            },
        }
    }

    /// The conversation it is about, if it is about one.
    pub fn conversation(&self) -> Option<ConversationKey> {
        let conversation = match &self.reason {
            AttentionReason::Stopped(row) => row.lane.conversation()?.clone(),
            AttentionReason::AiSilent(row)
            | AttentionReason::AiEscalated(row)
            | AttentionReason::TargetNear(row)
            | AttentionReason::AiInTrouble(row) => row.conversation.id.clone(),
            AttentionReason::PauseExpired(it) => it.conversation.clone(),
            AttentionReason::Proposed(it) => it.proposal.conversation.clone(),
            AttentionReason::CampaignPaused(_) => return None,
        };
        Some(ConversationKey { channel: self.channel.clone(), conversation })
    }

    /// Since when it needs one.
    pub fn since(&self) -> Option<Timestamp> {
        match &self.reason {
            AttentionReason::Stopped(row) => row.first_attempt_at.or(Some(row.created_at)),
            AttentionReason::AiSilent(row) => row.ai_asked_at,
            AttentionReason::AiEscalated(row) | AttentionReason::AiInTrouble(row) => {
                row.waiting_since.or(row.conversation.last_message_at)
            }
            AttentionReason::TargetNear(row) => row.waiting_since,
            AttentionReason::PauseExpired(it) => Some(it.since),
            AttentionReason::CampaignPaused(it) => Some(it.created_at),
            AttentionReason::Proposed(it) => Some(it.proposal.at),
        }
    }
}

impl AttentionReason {
    /// The place of its kind, the most urgent first. A pause under which nobody
    /// waits can wait, too.
    fn kind_rank(&self) -> u8 {
        match self {
            Self::Stopped(_) => 0,
            Self::AiSilent(_) => 1,
            Self::AiEscalated(_) => 2,
            Self::PauseExpired(it) if it.waiting_since.is_some() => 4,
            Self::TargetNear(_) => 5,
            Self::AiInTrouble(_) => 6,
            Self::CampaignPaused(_) => 7,
            Self::PauseExpired(_) => 8,
            Self::Proposed(_) => 9,
        }
    }

    /// Whether it is about an AI that does not cope.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::AiSilent(_) | Self::AiEscalated(_) | Self::AiInTrouble(_))
    }

    /// How bad it is among those of its kind; greater is worse.
    fn severity(&self, now: Timestamp) -> u32 {
        match self {
            Self::AiInTrouble(row) => row.trouble_score(now),
            _ => 0,
        }
    }
}

/// Puts the most urgent first: by kind, then by how bad it is, then by how
/// long it has been so.
pub fn sort_by_urgency(entries: &mut [AttentionEntry], now: Timestamp) {
    entries.sort_by_key(|entry| {
        (
            entry.reason.kind_rank(),
            std::cmp::Reverse(entry.reason.severity(now)),
            entry.since(),
            entry.title.to_string(),
        )
    });
}
