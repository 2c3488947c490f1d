//! Queries a screen sends to the store, and their results. A result carries its query and is
//! dropped if that query is no longer current.
//!
//! Every result is a window: its cost grows with the rows requested, not with the rows stored.

use crate::attachments::ReplyAttachment;
use crate::conversations::ConversationRow;
use crate::filter::{ConversationFilter, Sort};
use crate::history_events::HistoryEvent;
use crate::ids::{ChannelId, ConversationId, MessageId};
use crate::messages::{Message, MessageRow};
use crate::notes::PrivateNote;
use crate::outbox::OutboxRow;
use crate::phone_entries::PhoneEntry;
use crate::queue::SectionCounts;
use crate::text::SafeText;
use crate::time::Timestamp;

/// Identifies a conversation across all tabs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationKey {
    pub channel: ChannelId,
    pub conversation: ConversationId,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Anchor {
    Top,
    Bottom,
    /// Half before and half after this row; from the top if the row no longer exists.
    Around(ConversationKey),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConversationQuery {
    /// `None` means all tabs.
    pub channel: Option<ChannelId>,
    pub filter: ConversationFilter,
    pub sort: Sort,
    /// Current time for tests on the service window; ignored by other queries.
    pub at: Timestamp,
    pub anchor: Anchor,
    pub limit: u32,
}

impl ConversationQuery {
    /// Returns the query for the first rows of a tab's list, newest activity first.
    pub fn first(channel: ChannelId, filter: ConversationFilter, limit: u32) -> Self {
        let (sort, at, anchor) = (Sort::Activity, Timestamp::default(), Anchor::Top);
        Self { channel: Some(channel), filter, sort, at, anchor, limit }
    }
}

/// Maximum number of rows counted for a filter; bounds the cost of counting.
pub const MAX_COUNTED_ROWS: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationPage {
    pub rows: Vec<ConversationRow>,
    pub reaches_top: bool,
    pub reaches_bottom: bool,
    /// Number of rows the filter matches; `None` from [`MAX_COUNTED_ROWS`] on.
    pub total: Option<u64>,
    /// Rows in each section, each at most [`MAX_COUNTED_ROWS`]; zero in other orders than that of the
    /// inbox.
    pub sections: SectionCounts,
    /// True if the list of the tab was not read from the server yet, so that no rows mean nothing.
    pub is_unread: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HistoryQuery {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Maximum number of messages, counted from the newest.
    pub limit: u32,
}

/// The newest rows of a history with the outbox rows and notes that belong to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryPage {
    /// Current row of the conversation; `None` if it no longer exists.
    pub conversation: Option<ConversationRow>,
    /// Oldest first, ordered by (created, id).
    pub messages: Vec<MessageRow>,
    /// Unfinished outbox rows of the conversation, oldest first.
    pub outbox: Vec<OutboxRow>,
    /// Private notes no older than the oldest message of this page, oldest first.
    pub notes: Vec<PrivateNote>,
    /// Events no older than the oldest message of this page, oldest first.
    pub events: Vec<HistoryEvent>,
    /// Calls and texts known only from the list of a phone channel, oldest first.
    pub listed: Vec<PhoneEntry>,
    /// True if the cache holds older messages.
    pub more_stored: bool,
    /// True if the server may hold messages older than the cached ones.
    pub more_on_server: bool,
    /// Newest message that had been seen on this desk before the conversation was opened.
    pub seen_until: Option<(Timestamp, MessageId)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    pub text: String,
    pub reply_to: Option<MessageId>,
    /// Private note that is not saved yet; never sent.
    pub note: String,
    /// In sending order.
    pub attachments: Vec<ReplyAttachment>,
}

impl Draft {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.note.is_empty() && self.attachments.is_empty()
    }
}

/// Pause of the AI made from this desk. Ends when the conversation is handed back or the server
/// reports that the AI answers again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub conversation: ConversationId,
    /// Name of the desk's user at that time; may be empty.
    pub owner: SafeText,
    pub since: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxOutcome {
    Waiting,
    /// In flight, or of unknown outcome.
    Sending,
    /// Waits for a person; holds the reason.
    NeedsDecision(SafeText),
    Done,
    /// Undone before it was sent.
    Recalled,
    /// Abandoned by a person, or replaced by another row.
    Dropped,
    /// Refused by the server; holds the reason. Nothing is left to retry.
    Refused(SafeText),
}

/// Entry of the list of pauses made from this desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedEntry {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: Option<SafeText>,
    /// Name of the desk's user at that time; may be empty.
    pub owner: SafeText,
    pub waiting_since: Option<Timestamp>,
    pub since: Timestamp,
    /// Start of the pause lease: the time of the pause or of its last extension.
    pub counts_from: Timestamp,
    /// True if the conversation is draft-only; its pause is not a lease and does not lapse.
    pub draft_only: bool,
}

impl PausedEntry {
    pub fn key(&self) -> ConversationKey {
        ConversationKey { channel: self.channel.clone(), conversation: self.conversation.clone() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SnoozedEntry {
    pub key: ConversationKey,
    pub title: SafeText,
    pub until: Timestamp,
}

/// Query for data that only this desk holds: outbox rows or drafts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeskQuery {
    pub channel: Option<ChannelId>,
    pub limit: u32,
}

/// Outbox row with the context a person needs to decide about it.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxEntry {
    pub row: OutboxRow,
    pub title: SafeText,
    /// For a text that needs a decision: messages by others since its author last looked, oldest
    /// first.
    pub newer_messages: Vec<Message>,
    /// For a text of unknown outcome: messages in the history that could be it.
    pub candidates: Vec<Message>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RowQuestion {
    pub entry: OutboxEntry,
    /// True if a retry needs a new idempotency key, see
    /// [`StopReason::allows`](crate::outbox::StopReason::allows).
    pub is_key_expired: bool,
}

/// Unfinished outbox rows: those that need a decision first, then in queue order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OutboxPage {
    pub entries: Vec<OutboxEntry>,
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftEntry {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    pub waiting_since: Option<Timestamp>,
    pub text: SafeText,
    /// True if the draft holds a private note only.
    pub is_note: bool,
}

/// Counts shown in a tab's title and the status line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabCounts {
    /// True once the list was read from the server; it may be empty.
    pub list_was_read: bool,
    /// Conversations in the section of those who need a person.
    pub needs_reply: u32,
    /// Start of the longest current wait.
    pub waiting_since: Option<Timestamp>,
    /// Outbox rows in progress.
    pub outbox: u32,
    pub stopped: u32,
    /// Conversation of each proposal that needs a decision.
    pub proposals: Vec<ConversationId>,
    pub paused_here: u32,
    pub draft_only: u32,
    /// Campaigns with waves still to be sent.
    pub broadcasts: u32,
    /// Conversations that consist of a broadcast only.
    pub broadcast_only: u32,
    pub snoozed: u32,
    /// Earliest time at which a snoozed conversation returns.
    pub next_wake: Option<Timestamp>,
    /// Conversations snoozed even against new messages; they do not ring. Incomplete if there are
    /// very many.
    pub muted: Vec<ConversationId>,
    /// Earliest lease start among the pauses that are leases.
    pub paused_since: Option<Timestamp>,
    /// Placeholder rows of conversations that could not be parsed.
    pub unreadable: u32,
    /// Unread mail threads that are not archived, at most [`MAX_COUNTED_UNREAD`].
    pub unread_mail: u32,
}

/// Maximum number of unread threads counted; bounds the cost for large mailboxes.
pub const MAX_COUNTED_UNREAD: u32 = 1_000;

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TranscriptFormat {
        Text = "txt",
        Markdown = "md",
        /// One object with the conversation, its messages and notes.
        Json = "json",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedConversation {
    pub key: ConversationKey,
    pub title: SafeText,
    pub address: SafeText,
}
