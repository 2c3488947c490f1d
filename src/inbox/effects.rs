//! Everything the inbox can ask for, by who does it: a closed list of plain
//! data.

use crate::intent::Intent;
use crate::outside::OutsideRequest;
use crate::screens::broadcasts;
use crate::screens::people::importing::ImportAction;
use model::attention::AttentionRequest;
use model::contacts::PeopleQuery;
use model::email::rules::RulesQuery;
use model::fetches::Fetch;
use model::filter::ConversationFilter;
use model::ids::{ChannelId, ConversationId, MessageId, NoteId, ProposalId, RowId};
use model::local::{Assignment, LocalChange};
use model::messages::HistoryPosition;
use model::outbox::StopVerdict;
use model::person::PersonQuery;
use model::proposals::{DeskProposal, ProposalVerdict};
use model::queries::{ConversationKey, ConversationQuery, DeskQuery, Draft, HistoryQuery, TranscriptFormat};
use model::reviews::{ReviewEntry, ReviewVerdict};
use model::search::SearchQuery;
use model::secret::Secret;
use model::selector::Selector;
use model::service_levels::LevelsQuery;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Load {
    /// A window of a list.
    Conversations(ConversationQuery),
    /// The newest rows of a history.
    History(HistoryQuery),
    /// A tab's counts.
    Counts(ChannelId),
    /// A conversation's draft.
    Draft(ChannelId, ConversationId),
    /// A tab's account.
    Account(ChannelId),
    /// Rows of the outbox.
    Outbox(DeskQuery),
    /// One row of the outbox, to be decided over now.
    Question(RowId, Timestamp),
    Proposals(DeskQuery),
    /// Answers of the AI that are looked over, one of so many, as of then.
    Reviews(DeskQuery, u32, Timestamp),
    Drafts(DeskQuery),
    /// Where the person of a conversation is in other tabs.
    Elsewhere(ConversationKey),
    /// What the card shows beside a conversation.
    Card(ConversationKey),
    /// The pauses of a tab made here, to hand all back.
    Pauses(ChannelId),
    /// People of a tab.
    People(PeopleQuery),
    /// The person with a number, to be edited.
    Person(ChannelId, String),
    /// The account behind a mail key, and the words seen as folders and
    /// categories.
    Mailbox(ChannelId),
    /// Correspondents in whose name or address a text stands.
    Correspondents(ChannelId, String),
    /// The threads of a list, to be gone through.
    Triage(ConversationQuery),
    /// The newest rows of a history that will be wanted soon.
    Ahead(HistoryQuery),
    /// The rules of a mail tab, and threads they are about.
    Rules(RulesQuery),
    /// A tab's templates.
    Templates(ChannelId),
    /// What lies at the service already.
    Shelf(ChannelId),
    Spent,
    /// What questions to the model took since a day.
    ModelUsage(i64),
    /// Rows of the outbox that wait for credits.
    Unpaid,
    /// What happened in these tabs since the latest absence began.
    Digest(Vec<ChannelId>),
    /// What needs a person.
    Attention(AttentionRequest),
    /// How fast customers were answered; hours are those of a zone.
    ServiceLevels(LevelsQuery, Zone),
    Macros,
    /// Nothing: it comes back when all that was asked for before it has.
    Echo(u64),
    /// The conversations and addresses of one person.
    ContactWays(PersonQuery),
    /// Draft-only conversations of these tabs without a draft for what was said
    /// last, the open one first.
    DueDrafts(Vec<ChannelId>, Option<ConversationKey>, Timestamp),
    /// Who needs a person, in a tab or in all.
    Needing(Option<ChannelId>),
    /// All conversations of a list, to be marked.
    Spread(ConversationQuery, Spread),
    /// The rows of marked conversations.
    Marked(Vec<ConversationKey>),
    /// What became of rows of the outbox.
    Fates(Vec<RowId>),
    /// The pauses made from here, so many at most.
    Paused(u32),
    /// Tags in use, so many at most.
    Tags(u32),
    /// Where words are found, in everything or in one conversation.
    Search(SearchQuery),
    /// How many messages back one is.
    Depth(ChannelId, ConversationId, MessageId),
    /// The names of the conversations with the newest activity.
    Names,
    /// How many conversations of a tab or of all each filter lets through.
    ViewCounts(Option<ChannelId>, Vec<ConversationFilter>, Timestamp),
    /// The conversation a person means by this text.
    Lookup(Selector),
    /// Something about broadcasts.
    Broadcasts(broadcasts::BroadcastQuery),
}

/// How the marks of a whole list are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    All,
    /// What was not marked before.
    Invert,
}

/// Something to be done outside the inbox, by who does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read from the store; answered by `Event::Loaded`.
    Load(Load),
    /// Change this desk's own files, in the order in which it was asked for.
    Write(FileWrite),
    /// Ask the world outside; answered by `Event::Answered`.
    Ask(OutsideRequest),
    /// Ask those who talk to the server.
    Sync(SyncOrder),
    /// Look a file of people through, import it, or stop; answered by
    /// `Event::Import`.
    Import(ImportAction),
    /// Ask the loop, which has the terminal.
    Terminal(TerminalOrder),
    /// Put a text into the log for someone to look at.
    Log(SafeText),
}

/// A change of this desk's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileWrite {
    /// Keep or forget a draft.
    SaveDraft(ChannelId, ConversationId, Option<Draft>),
    /// Keep a private note.
    SaveNote(ChannelId, ConversationId, String),
    /// Take a private note back.
    TakeNoteBack(ChannelId, ConversationId, NoteId),
    /// Put these into the outbox in one transaction, and forget the draft of
    /// the conversation with it if they carry its text.
    Enqueue {
        /// In the order they shall leave.
        intents: Vec<Intent>,
        /// Whether the draft is spent.
        clears_draft: bool,
    },
    /// Put these into the outbox in place of a proposed reply, if that still
    /// waits.
    SendProposed(ProposalId, Vec<Intent>),
    /// Take a proposal away that a person decided over; answered by
    /// `Event::ProposalSettled`.
    SettleProposal(ProposalId, ProposalVerdict),
    /// Put a dropped proposal back.
    RestoreProposal(Box<DeskProposal>),
    /// Keep what somebody says of an answer of the AI, or take it back.
    Review(Box<ReviewEntry>, Option<ReviewVerdict>, SafeText),
    /// Put a webhook into the outbox, with the secret its bytes alone hold.
    Register {
        intent: Box<Intent>,
        /// What deliveries are signed with.
        secret: Option<Secret>,
    },
    /// Take a row back, if nothing has left.
    Recall(RowId),
    /// End a row's hold.
    SendNow(RowId),
    /// Carry out what a person says about a stopped row, who has seen the
    /// conversation up to there.
    Decide(RowId, StopVerdict, Option<HistoryPosition>),
    /// The person has seen everything up to here.
    MarkSeen(ChannelId, ConversationId, (Timestamp, MessageId)),
    /// Change what this desk keeps of a tab's conversations.
    Keep(ChannelId, LocalChange),
    /// Keep the steps of a macro, or forget them.
    SaveMacro(char, Option<String>),
    /// Note that somebody is here; `Event::Returned` answers if nobody was
    /// for so many microseconds.
    NotePresence(i64),
    /// Take over what others, or one of them, have on these channels; answered
    /// by `Event::TakenOver`.
    TakeOver(Vec<ChannelId>, Assignment, Option<SafeText>),
    /// Write a conversation into a file that is not there yet; answered by
    /// `Event::Exported`.
    Export {
        key: ConversationKey,
        /// What its tab is called.
        name: String,
        format: TranscriptFormat,
        file: String,
    },
    /// Do something to a broadcast; answered by `Event::Campaign`.
    Campaign(broadcasts::BroadcastOrder),
}

impl FileWrite {
    /// Whether the screen waits for it; `Event::Written` tells its end.
    pub fn is_awaited(&self) -> bool {
        !matches!(self, Self::NotePresence(_) | Self::Export { .. })
    }

    /// Whether a row of the outbox may be due because of it.
    pub fn wakes_outbox(&self) -> bool {
        !matches!(
            self,
            Self::SaveDraft(..)
                | Self::SaveNote(..)
                | Self::MarkSeen(..)
                | Self::Keep(..)
                | Self::TakeOver(..)
                | Self::Review(..)
                | Self::NotePresence(_)
        )
    }
}

/// What those who talk to the server are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncOrder {
    /// What is on screen now, so that it is polled first.
    Watch(ChannelId, Option<ConversationId>),
    /// Ask the server for the page before the oldest message.
    FetchOlder(ChannelId, ConversationId),
    /// Read the requests of the last while; answered by `Event::Calls`.
    ReadCalls,
    /// Ask the server for what a screen shows; answered by news.
    Fetch(ChannelId, Fetch),
    /// Poll everything of this tab now.
    Refresh(ChannelId),
}

/// What the loop does with the terminal and the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalOrder {
    /// Add a channel key, step by step, on the lent terminal; answered by
    /// `Event::SetUp`.
    SetUp,
    /// Edit a text in the person's editor; answered by `Event::Edited`.
    Edit(String),
    /// Read the mouse, or leave it to the terminal.
    ReadMouse(bool),
    /// Ring.
    Bell,
    /// Tell a person who does not look at the terminal: who writes, and where.
    Notify(SafeText, SafeText),
    /// Open a link outside, which the person has agreed to.
    OpenOutside(String),
    /// Put a text where the person can paste it from, and what it is called;
    /// answered by `Event::Copied`.
    Copy(String, String),
    /// Read a text out where nothing is drawn.
    ReadOut(String),
    /// Draw everything anew.
    Redraw,
    /// Stop the process as job control does, and come back.
    Suspend,
    /// Leave, giving the terminal back.
    Quit,
    /// The same, and send what is still to leave in the background.
    QuitToBackground,
}

impl Effect {
    pub(crate) fn as_write(&self) -> Option<&FileWrite> {
        if let Self::Write(write) = self { Some(write) } else { None }
    }
}

impl From<FileWrite> for Effect {
    fn from(write: FileWrite) -> Self {
        Self::Write(write)
    }
}

impl From<SyncOrder> for Effect {
    fn from(order: SyncOrder) -> Self {
        Self::Sync(order)
    }
}

impl From<TerminalOrder> for Effect {
    fn from(order: TerminalOrder) -> Self {
        Self::Terminal(order)
    }
}
