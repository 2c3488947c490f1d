//! What an assistant outside this desk proposes: a reply or an action that a
//! person decides over. It is no row of the outbox and cannot leave.

use serde::{Deserialize, Serialize};

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, ConversationId, ProposalId};
use crate::messages::{HistoryPosition, Message};
use crate::text::SafeText;
use crate::time::Timestamp;

/// What would be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProposedChange {
    Reply {
        text: String,
    },
    Pause,
    HandBack,
    Close,
    /// Put it aside for so many minutes from when a person agrees.
    Snooze {
        minutes: u32,
    },
    Tag {
        word: String,
    },
}

impl ProposedChange {
    /// What it would do, in words.
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

    /// One word for a column and the log.
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

/// A proposal that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskProposal {
    /// Its name on this desk.
    pub id: ProposalId,
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Who proposed it, by the name it gave itself.
    pub proposer: SafeText,
    /// Why, in its own words.
    pub reason: SafeText,
    pub change: ProposedChange,
    /// The newest message its maker could know.
    pub seen: Option<HistoryPosition>,
    pub at: Timestamp,
}

/// A proposal as a page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalEntry {
    pub proposal: DeskProposal,
    pub title: SafeText,
    /// The conversation's row; `None` if it is not known any more.
    pub row: Option<ConversationRow>,
    /// What was said since it was made: the newest few, oldest first.
    pub since: Vec<Message>,
}

impl ProposalEntry {
    /// Whether somebody wrote after it was made.
    pub fn is_stale(&self) -> bool {
        !self.since.is_empty()
    }

    /// The newest message a person knows of who looked at it on the page.
    pub fn known_position(&self) -> Option<HistoryPosition> {
        let newest = self.since.last().and_then(|message| Some((message.created_at?, message.id.clone())));
        newest.or_else(|| self.proposal.seen.clone())
    }
}

/// What a person said to a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalVerdict {
    /// It was done, or its text sent.
    Accepted,
    /// Its text went into the composer.
    Edited,
    Dropped,
}

impl ProposalVerdict {
    /// The word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Edited => "edited",
            Self::Dropped => "dropped",
        }
    }
}
