//! State of a conversation kept on this desk only: snooze, claim, tags, draft-only mode; and its
//! changes.

use crate::email::rules::MailRule;
use crate::ids::ConversationId;
use crate::snooze::Snooze;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalState {
    pub snooze: Option<Snooze>,
    pub claim: Option<Assignment>,
    /// In alphabetical order.
    pub tags: Vec<Tag>,
    /// Set in draft-only mode: the AI stays paused, and drafts are prepared instead.
    pub draft_only: Option<DraftReadiness>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftReadiness {
    /// No draft for the newest message.
    Missing,
    Ready,
}

impl LocalState {
    pub fn is_asleep(&self) -> bool {
        self.snooze.as_ref().is_some_and(Snooze::is_asleep)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub agent: SafeText,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub word: SafeText,
    pub location: TagLocation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagLocation {
    /// On this desk only.
    Local,
    /// In an outbox row, not yet accepted.
    Pending,
    /// Stored with the contact on the server.
    Server,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalChange {
    /// `None` ends the snooze.
    Snooze(Vec<(ConversationId, Option<Snooze>)>),
    /// Ends every snooze due at this time.
    Wake(Timestamp),
    /// `None` releases the claim.
    Claim(Vec<(ConversationId, Option<Assignment>)>),
    /// Replaces the tags kept on this desk only; other tags in the list are ignored.
    Tags(Vec<(ConversationId, Vec<Tag>)>),
    /// Switches draft-only mode.
    DraftOnly(Vec<(ConversationId, bool)>),
    /// Marks this many of the customer's newest messages as unseen; 0 marks all as seen.
    Unseen(Vec<(ConversationId, u32)>),
    /// Saves a mail rule, or deletes it if false.
    Rule(MailRule, bool),
    /// Extends pauses older than the first time; their lease restarts at the second.
    ExtendPauses(Timestamp, Timestamp),
    /// Moves the conversations whose place depends on the time. `lease` is the longest pause in
    /// microseconds, 0 for no limit.
    ApplyTime { now: Timestamp, lease: i64 },
}
