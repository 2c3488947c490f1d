//! Entries that need a person, across all tabs, in order of urgency.

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, RowId};
use crate::outbox::OutboxRow;
use crate::proposals::ProposalEntry;
use crate::queries::{ConversationKey, PausedEntry};
use crate::targets::ResponseTargets;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::waves::Campaign;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionQuery {
    pub channels: Vec<ChannelId>,
    pub now: Timestamp,
    /// Maximum length of an AI pause in microseconds; 0 means no limit.
    pub lease: i64,
    pub targets: Vec<(ChannelId, ResponseTargets)>,
}

/// Entries that become due by the desk's clock.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Alarms {
    pub fired: Vec<AttentionEntry>,
    /// Hand-backs after which the AI did not answer.
    pub unanswered: u32,
    /// Answers close to their target.
    pub near: u32,
    /// Answers past their target.
    pub missed: u32,
    /// Channels with conversations whose place in the inbox depends on the time and has changed.
    pub moved: Vec<ChannelId>,
    pub next: Option<Timestamp>,
}

impl Alarms {
    /// Moves the next alarm to `at` if that is earlier.
    pub fn schedule_at(&mut self, at: Timestamp) {
        self.next = Some(self.next.map_or(at, |time| time.min(at)));
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct AttentionEntry {
    pub channel: ChannelId,
    pub title: SafeText,
    pub reason: AttentionReason,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AttentionReason {
    /// An outbox row needs a decision.
    Stopped(Box<OutboxRow>),
    /// The AI has not answered after a hand-back.
    AiSilent(Box<ConversationRow>),
    AiEscalated(Box<ConversationRow>),
    /// The response target is close or missed.
    TargetNear(Box<ConversationRow>),
    /// A pause made from this desk has exceeded its lease.
    PauseExpired(Box<PausedEntry>),
    /// The AI answers, but its trouble score is high.
    AiInTrouble(Box<ConversationRow>),
    CampaignPaused(Box<Campaign>),
    Proposed(Box<ProposalEntry>),
}

/// Identifies an entry across updates of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttentionId {
    Row(RowId),
    /// Rank of the reason, and the conversation.
    Conversation(u8, ConversationKey),
    /// Rank of the reason, and the id of the broadcast or proposal.
    Other(u8, String),
}

impl AttentionEntry {
    pub fn id(&self) -> AttentionId {
        let kind = self.reason.kind_rank();
        match &self.reason {
            AttentionReason::Stopped(row) => AttentionId::Row(row.id.clone()),
            AttentionReason::CampaignPaused(campaign) => AttentionId::Other(kind, campaign.id.to_string()),
            AttentionReason::Proposed(entry) => AttentionId::Other(kind, entry.proposal.id.to_string()),
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

    pub fn conversation(&self) -> Option<ConversationKey> {
        let conversation = match &self.reason {
            AttentionReason::Stopped(row) => row.lane.conversation()?.clone(),
            AttentionReason::AiSilent(row)
            | AttentionReason::AiEscalated(row)
            | AttentionReason::TargetNear(row)
            | AttentionReason::AiInTrouble(row) => row.conversation.id.clone(),
            AttentionReason::PauseExpired(pause) => pause.conversation.clone(),
            AttentionReason::Proposed(entry) => entry.proposal.conversation.clone(),
            AttentionReason::CampaignPaused(_) => return None,
        };
        Some(ConversationKey { channel: self.channel.clone(), conversation })
    }

    pub fn since(&self) -> Option<Timestamp> {
        match &self.reason {
            AttentionReason::Stopped(row) => row.first_attempt_at.or(Some(row.created_at)),
            AttentionReason::AiSilent(row) => row.ai_asked_at,
            AttentionReason::AiEscalated(row) | AttentionReason::AiInTrouble(row) => {
                row.waiting_since.or(row.conversation.last_message_at)
            }
            AttentionReason::TargetNear(row) => row.waiting_since,
            AttentionReason::PauseExpired(pause) => Some(pause.since),
            AttentionReason::CampaignPaused(campaign) => Some(campaign.created_at),
            AttentionReason::Proposed(entry) => Some(entry.proposal.at),
        }
    }
}

impl AttentionReason {
    /// Sort rank, 0 is most urgent. An expired pause ranks lower if no customer waits.
    fn kind_rank(&self) -> u8 {
        match self {
            Self::Stopped(_) => 0,
            Self::AiSilent(_) => 1,
            Self::AiEscalated(_) => 2,
            Self::PauseExpired(pause) if pause.waiting_since.is_some() => 4,
            Self::TargetNear(_) => 5,
            Self::AiInTrouble(_) => 6,
            Self::CampaignPaused(_) => 7,
            Self::PauseExpired(_) => 8,
            Self::Proposed(_) => 9,
        }
    }

    /// True if the AI is silent, in trouble, or asks for a person.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::AiSilent(_) | Self::AiEscalated(_) | Self::AiInTrouble(_))
    }

    /// Severity among entries of the same kind; greater is worse.
    fn severity(&self, now: Timestamp) -> u32 {
        match self {
            Self::AiInTrouble(row) => row.trouble_score(now),
            _ => 0,
        }
    }
}

/// Sorts by kind, then severity, then age.
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
