//! State of a conversation that a team shares, and changes of this desk that wait to be shared.

use crate::ids::{ChannelId, ConversationId, NoteId};
use crate::text::SafeText;
use crate::time::{SECOND, Timestamp};

/// End under which a snooze until the customer writes is shared: 1 January 9999.
pub const UNTIL_REPLY: Timestamp = Timestamp::from_micros(253_370_764_800_000_000);
/// Maximum number of people whose presence a desk keeps.
pub const MAX_PRESENT: usize = 200;

/// Claim, tags, snooze and notes of a conversation at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedState {
    pub conversation: ConversationId,
    pub claim: Option<SharedClaim>,
    pub tags: Vec<SafeText>,
    pub snooze: Option<SharedSnooze>,
    /// Oldest first.
    pub notes: Vec<SharedNote>,
    pub changed_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedClaim {
    pub agent: SafeText,
    pub at: Timestamp,
    /// Grows with each claim and each release.
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedSnooze {
    /// [`UNTIL_REPLY`] if only a reply ends it.
    pub until: Timestamp,
    pub note: Option<SafeText>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedNote {
    pub id: NoteId,
    pub author: SafeText,
    pub text: SafeText,
    /// Names of the people named with `@name`.
    pub mentions: Vec<SafeText>,
    pub at: Timestamp,
    pub edited_at: Option<Timestamp>,
}

/// A part of a [`SharedState`] that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedPart {
    Claim(Option<SharedClaim>),
    /// `None` if the note was deleted.
    Note(NoteId, Option<SharedNote>),
    Tags(Vec<SafeText>),
    /// With the time of the change.
    Snooze(Option<SharedSnooze>, Timestamp),
    State(Box<SharedState>),
}

/// A change made at this desk that the service has not accepted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamChange {
    /// Order in which changes are sent.
    pub number: i64,
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Id of the conversation at the service. Differs from the local id only on phone channels,
    /// where that is the customer's number.
    pub shared_id: ConversationId,
    pub action: TeamAction,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeamAction {
    Claim {
        /// Person who gets the conversation.
        agent: SafeText,
        /// Version on which the change is based; `None` if nobody had it.
        version: Option<i64>,
        /// Takes over another person's claim.
        force: bool,
    },
    Release {
        version: Option<i64>,
    },
    AddNote {
        id: NoteId,
        text: String,
    },
    EditNote {
        id: NoteId,
        text: String,
    },
    DeleteNote {
        id: NoteId,
    },
    Tags(Vec<String>),
    /// `None` ends the snooze.
    Snooze(Option<SharedSnooze>),
}

/// A change of a shared canned reply that the service has not accepted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyChange {
    pub name: String,
    /// `None` deletes the reply.
    pub text: Option<String>,
    /// Order in which changes are sent.
    pub number: i64,
}

/// Answer of the service to a [`TeamChange`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeamAnswer {
    Changed(SharedPart),
    /// Present claim of somebody else; `None` if nobody has the conversation.
    Claimed(Option<SharedClaim>),
}

/// Consequences of shared state that was stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppliedShared {
    /// Conversations whose local view changed.
    pub changed: Vec<(ChannelId, ConversationId)>,
    /// Conversations of this desk's person that somebody else has now.
    pub lost: Vec<(ChannelId, ConversationId, SafeText)>,
    /// New notes of others that name this desk's person, with their author.
    pub mentions: Vec<(ChannelId, ConversationId, SafeText)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamPerson {
    pub name: SafeText,
    /// Time of the last write or presence.
    pub seen_at: Timestamp,
    /// Number of claims, also of those that `held` leaves out.
    pub claim_count: u32,
    /// Customers of the newest claims.
    pub held: Vec<SafeText>,
}

/// Work of the people of a team in a period, as the service counted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamStatistics {
    /// Inclusive.
    pub since: Timestamp,
    /// Exclusive.
    pub until: Timestamp,
    /// By name, removed people last.
    pub people: Vec<PersonStatistics>,
}

/// Work of a person in a period, and the conversations they have now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonStatistics {
    pub name: SafeText,
    pub is_removed: bool,
    /// Conversations taken or given by a colleague.
    pub taken: i64,
    /// Messages and mails sent.
    pub answers: i64,
    /// Number of customers' waits that the person's answers ended.
    pub waits: i64,
    /// Median of these waits, in microseconds.
    pub median: Option<i64>,
    /// 90th percentile of these waits, in microseconds.
    pub p90: Option<i64>,
    /// Conversations closed, archived or handed back.
    pub done: i64,
    pub handed_back: i64,
    /// Conversations the person has now.
    pub claim_count: i64,
}

impl PersonStatistics {
    /// Returns the name, marked if the person was removed.
    pub fn label(&self) -> String {
        if self.is_removed { format!("{} (removed)", self.name) } else { self.name.to_string() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Activity {
    Looking,
    Typing,
    /// A reply is held or on its way.
    Sending,
}

/// A colleague who is here, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    pub person: SafeText,
    /// `None` if the person has no conversation open.
    pub conversation: Option<ConversationId>,
    pub activity: Activity,
    /// End of the hold of a reply.
    pub leaves_at: Option<Timestamp>,
}

impl Presence {
    /// Phrase for the open conversation: `Ana is typing`.
    pub fn describe(&self, now: Timestamp) -> String {
        match (self.activity, self.remaining_hold(now)) {
            (Activity::Looking, _) => format!("{} is looking", self.person),
            (Activity::Typing, _) => format!("{} is typing", self.person),
            (Activity::Sending, None) => format!("{} is sending a reply", self.person),
            (Activity::Sending, Some(left)) => {
                format!("{}'s reply leaves in {} s", self.person, left.div_ceil(SECOND.unsigned_abs()))
            }
        }
    }

    /// Verb of the activity for a row; empty for looking.
    pub const fn activity_word(&self) -> &'static str {
        match self.activity {
            Activity::Looking => "",
            Activity::Typing => "types",
            Activity::Sending => "replies",
        }
    }

    /// Remaining hold of a reply, in microseconds.
    pub fn remaining_hold(&self, now: Timestamp) -> Option<u64> {
        let left = self.leaves_at?.since(now);
        u64::try_from(left).ok().filter(|left| *left > 0)
    }
}
