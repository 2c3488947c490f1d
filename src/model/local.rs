//! What this desk keeps of a conversation beside the server's word: that it
//! was put aside, who has claimed it, its tags, that it is draft-only. And the changes of that.

use crate::email::rules::MailRule;
use crate::ids::ConversationId;
use crate::snooze::Snooze;
use crate::text::SafeText;
use crate::time::Timestamp;

/// What is kept of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalState {
    /// Whether it was put aside.
    pub snooze: Option<Snooze>,
    /// Who takes care of it.
    pub claim: Option<Assignment>,
    /// Its tags, in the order of the alphabet.
    pub tags: Vec<Tag>,
    /// Whether the AI stays paused and drafts are made ready in its place, and
    /// how the draft stands.
    pub draft_only: Option<DraftReadiness>,
}

/// How the draft of a draft-only conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftReadiness {
    /// There is none for what was said last.
    Missing,
    /// It is ready.
    Ready,
}

impl LocalState {
    /// Whether it is put aside and nothing has brought it back.
    pub fn is_asleep(&self) -> bool {
        self.snooze.as_ref().is_some_and(Snooze::is_asleep)
    }
}

/// Who takes care of a conversation, as this desk noted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub agent: SafeText,
    pub at: Timestamp,
}

/// A tag on a conversation's customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub word: SafeText,
    pub location: TagLocation,
}

/// Where a tag is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagLocation {
    /// On this desk only.
    Local,
    /// On its way to the server.
    Pending,
    /// With the server's contact.
    Server,
}

/// A change of what is kept of a tab's conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalChange {
    /// Puts aside, or with `None` brings back.
    Snooze(Vec<(ConversationId, Option<Snooze>)>),
    /// Brings back all whose time has come by then.
    Wake(Timestamp),
    /// Claims, or with `None` releases.
    Claim(Vec<(ConversationId, Option<Assignment>)>),
    /// Sets all tags that only this desk keeps; others among them are left
    /// out.
    Tags(Vec<(ConversationId, Vec<Tag>)>),
    /// Keeps the AI paused and makes drafts ready in its place, or no longer.
    DraftOnly(Vec<(ConversationId, bool)>),
    /// Makes so many of the customer's newest messages unseen; with 0 all are
    /// seen.
    Unseen(Vec<(ConversationId, u32)>),
    /// A rule for mail as it shall be, or that it shall be no more.
    Rule(MailRule, bool),
    /// The pauses made from here that are older than the first time go on:
    /// their age counts from the second.
    ExtendPauses(Timestamp, Timestamp),
}
