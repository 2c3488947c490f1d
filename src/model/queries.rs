//! What a screen asks the store for, and what comes back. A result carries
//! its query: if that is no longer the current one, it is dropped.
//!
//! Everything is a window: cost follows the rows asked for, not the rows
//! stored.

use crate::attachments::ReplyAttachment;
use crate::conversations::ConversationRow;
use crate::filter::{ConversationFilter, Sort};
use crate::ids::{ChannelId, ConversationId, MessageId};
use crate::messages::{Message, MessageRow};
use crate::notes::PrivateNote;
use crate::outbox::OutboxRow;
use crate::text::SafeText;
use crate::time::Timestamp;

/// Names a conversation among those of all tabs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationKey {
    pub channel: ChannelId,
    pub conversation: ConversationId,
}

/// Where a window of a list lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// From the first row down.
    Top,
    /// From the last row up.
    Bottom,
    /// Half before and half after this row; from the top if it is gone.
    Around(ConversationKey),
}

/// Asks for a window of a conversation list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConversationQuery {
    /// The tab; `None` asks for all tabs.
    pub channel: Option<ChannelId>,
    pub filter: ConversationFilter,
    pub sort: Sort,
    /// The time that windows are reckoned with; does not matter otherwise.
    pub at: Timestamp,
    pub anchor: Anchor,
    /// Rows at most.
    pub limit: u32,
}

impl ConversationQuery {
    /// The first rows of a tab's list, newest activity first.
    pub fn first(channel: ChannelId, filter: ConversationFilter, limit: u32) -> Self {
        let (sort, at, anchor) = (Sort::Activity, Timestamp::default(), Anchor::Top);
        Self { channel: Some(channel), filter, sort, at, anchor, limit }
    }
}

/// Rows of a filter that are counted at most: more cost too much.
pub const MAX_COUNTED_ROWS: u32 = 1_000;

/// A window of a conversation list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConversationPage {
    pub rows: Vec<ConversationRow>,
    /// Whether nothing lies before the window.
    pub reaches_top: bool,
    /// Whether nothing lies after it.
    pub reaches_bottom: bool,
    /// Rows of the whole filter; `None` where there are [`COUNTED_ROWS`] or more.
    pub total: Option<u64>,
}

/// Asks for the newest rows of a history.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HistoryQuery {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Messages at most, counted from the newest.
    pub limit: u32,
}

/// The newest rows of a history and what is about to join it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryPage {
    /// The conversation's own row, fresh; `None` if it is gone.
    pub conversation: Option<ConversationRow>,
    /// Messages, oldest first; ordered by (created, id).
    pub messages: Vec<MessageRow>,
    /// Outbox rows of the conversation that are not done, oldest first.
    pub outbox: Vec<OutboxRow>,
    /// Private notes no older than the oldest message here, oldest first.
    pub notes: Vec<PrivateNote>,
    /// Whether the cache holds older messages than these.
    pub more_stored: bool,
    /// Whether the server may hold older messages than the cache.
    pub more_on_server: bool,
    /// The newest message this desk had seen before it was opened now.
    pub seen_until: Option<(Timestamp, MessageId)>,
}

/// A draft kept for one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// The text as typed.
    pub text: String,
    pub reply_to: Option<MessageId>,
    /// A private note that is not saved yet; never part of the text.
    pub note: String,
    /// What goes with the text.
    pub attachment: Option<ReplyAttachment>,
}

impl Draft {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.note.is_empty() && self.attachment.is_none()
    }
}

/// A pause of the AI made from this desk, until it is handed back or the
/// server says that it answers again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub conversation: ConversationId,
    /// Who paused it, as the desk named itself then; may be empty.
    pub owner: SafeText,
    pub since: Timestamp,
}

/// What became of a row of the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxOutcome {
    /// It has not left.
    Waiting,
    /// It is on its way, or it is not known whether it arrived.
    Sending,
    /// It waits for a person, and why.
    NeedsDecision(SafeText),
    /// The server has taken it.
    Done,
    /// It was taken back before it left.
    Recalled,
    /// It was given up, or another took its place.
    Dropped,
    /// The server refused it, and why; nothing of it waits.
    Refused(SafeText),
}

/// A pause of the AI made from this desk, with what helps to end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedEntry {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    /// Its name, if the cache knows it.
    pub title: Option<SafeText>,
    /// Since when the customer waits.
    pub waiting_since: Option<Timestamp>,
    pub since: Timestamp,
    /// From when its lease counts: from then, or from when it was extended.
    pub counts_from: Timestamp,
    /// Whether the conversation is draft-only: its pause is no lease.
    pub draft_only: bool,
}

/// A conversation that was put aside until a time.
#[derive(Debug, Clone, PartialEq)]
pub struct SnoozedEntry {
    /// The conversation.
    pub key: ConversationKey,
    /// Its name.
    pub title: SafeText,
    /// When it comes back.
    pub until: Timestamp,
}

/// Asks for what this desk alone keeps: rows of the outbox, or drafts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeskQuery {
    /// Of one tab, or of all.
    pub channel: Option<ChannelId>,
    /// Rows at most.
    pub limit: u32,
}

/// A row of the outbox with what helps to decide over it.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxEntry {
    pub row: OutboxRow,
    /// Its recipient, or what it changes.
    pub title: SafeText,
    /// For a text that waits for a person: what others said since its writer
    /// looked, oldest first.
    pub newer_messages: Vec<Message>,
    /// For a text that may have been sent: the messages that could be it.
    pub candidates: Vec<Message>,
}

/// A row of the outbox a person is about to decide over.
#[derive(Debug, Clone, PartialEq)]
pub struct RowQuestion {
    pub entry: OutboxEntry,
    /// Whether trying it again takes a new key, as [`Stop::allows`] asks.
    ///
    /// [`Stop::allows`]: crate::outbox::Stop::allows
    pub is_key_expired: bool,
}

/// Rows of the outbox that are not done: those that ask a person first, then
/// in the order they were queued.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OutboxPage {
    pub entries: Vec<OutboxEntry>,
    pub more: bool,
}

/// A draft with the conversation it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftEntry {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    /// Since when its customer waits.
    pub waiting_since: Option<Timestamp>,
    pub text: SafeText,
    /// Whether only a private note was written.
    pub is_note: bool,
}

/// What a tab's title and the status line count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabCounts {
    /// Open conversations whose customer waits, plus stuck sends.
    pub needs_reply: u32,
    /// Since when the one waits that waits longest.
    pub waiting_since: Option<Timestamp>,
    /// Outbox rows on their way.
    pub outbox: u32,
    /// Outbox rows that wait for a person.
    pub stopped: u32,
    /// The conversation of each proposal that waits for a person.
    pub proposals: Vec<ConversationId>,
    /// Conversations whose AI this desk paused.
    pub paused_here: u32,
    /// Draft-only conversations.
    pub draft_only: u32,
    /// Broadcasts of which further waves are to leave.
    pub broadcasts: u32,
    /// Conversations that are nothing but a broadcast so far.
    pub broadcast_only: u32,
    /// Open conversations that were put aside.
    pub snoozed: u32,
    /// When the next of them comes back.
    pub next_wake: Option<Timestamp>,
    /// What is put aside until a time whatever the customer writes: no bell
    /// rings for it. Some of them, where there are very many.
    pub muted: Vec<ConversationId>,
    /// From when the oldest of the pauses counts that are leases.
    pub paused_since: Option<Timestamp>,
    /// Rows that stand in for conversations which could not be read.
    pub unreadable: u32,
    /// Threads of mails that are unread and were not put away, up to
    /// [`UNREAD_MOST`].
    pub unread_mail: u32,
}

/// Unread threads counted at most: counting must not grow with a mailbox.
pub const MAX_COUNTED_UNREAD: u32 = 1_000;

crate::words! {
    /// How a whole history is written into a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TranscriptFormat {
        /// For people to read.
        Text = "txt",
        /// The same in Markdown.
        Markdown = "md",
        /// One object: the conversation, its messages and notes.
        Json = "json",
    }
}

/// A conversation to be chosen by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedConversation {
    pub key: ConversationKey,
    pub title: SafeText,
    pub address: SafeText,
}
