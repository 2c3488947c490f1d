//! Proposals of an external assistant: a reply or an action that a person accepts or drops. A
//! proposal is not an outbox row and cannot be sent by itself.

use serde::{Deserialize, Serialize};

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, ConversationId, ProposalId};
use crate::messages::{HistoryPosition, Message};
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProposedChange {
    Reply {
        text: String,
    },
    Pause,
    HandBack,
    Close,
    /// The time starts when a person accepts.
    Snooze {
        minutes: u32,
    },
    Tag {
        word: String,
    },
}

impl ProposedChange {
    pub fn summary(&self) -> SafeText {
        match self {
            Self::Reply { text } => SafeText::block(text),
            Self::Pause => SafeText::line("Pause the AI"),
            Self::HandBack => SafeText::line("Hand back to the AI"),
            Self::Close => SafeText::line("Close the conversation"),
            Self::Snooze { minutes } => SafeText::line(&format!("Snooze for {minutes} min")),
            Self::Tag { word } => SafeText::line(&format!("Add the tag {word}")),
        }
    }

    /// Word for columns and the log.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Reply { .. } => "reply",
            Self::Pause => "pause",
            Self::HandBack => "hand back",
            Self::Close => "close",
            Self::Snooze { .. } => "snooze",
            Self::Tag { .. } => "tag",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskProposal {
    pub id: ProposalId,
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Name stated by the assistant.
    pub proposer: SafeText,
    pub reason: SafeText,
    pub change: ProposedChange,
    /// Newest message the assistant could know.
    pub seen: Option<HistoryPosition>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProposalEntry {
    pub proposal: DeskProposal,
    pub title: SafeText,
    /// `None` if the conversation is no longer known.
    pub row: Option<ConversationRow>,
    /// Newest messages since the proposal, oldest first.
    pub since: Vec<Message>,
}

impl ProposalEntry {
    pub fn is_stale(&self) -> bool {
        !self.since.is_empty()
    }

    /// Newest message a person has seen after viewing this entry.
    pub fn known_position(&self) -> Option<HistoryPosition> {
        let newest = self.since.last().and_then(|message| Some((message.created_at?, message.id.clone())));
        newest.or_else(|| self.proposal.seen.clone())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalVerdict {
    /// Carried out, or its text sent.
    Accepted,
    Edited,
    Dropped,
}

impl ProposalVerdict {
    /// Word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Edited => "edited",
            Self::Dropped => "dropped",
        }
    }
}
