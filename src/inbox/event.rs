//! Everything that can reach the inbox, and everything it can ask for. Both
//! are closed lists of plain data: what the inbox does can be compared, logged
//! and replayed.

use crate::keys::KeyPress;
use crate::keys::Pointer;
use crate::outside::Copied;
use crate::outside::{Answered, OutsideRequest};
use crate::screens::broadcasts;
use crate::screens::people::importing::{ImportAction, ImportResult};
use model::account::Account;
use model::attachments::ReplyAttachment;
use model::calls::Call;
use model::contacts::{ContactCard, PeoplePage, PeopleQuery, PersonDetail};
use model::conversations::ConversationRow;
use model::digest::{Absence, Digest};
use model::email::{Correspondent, MailAccount};
use model::fetches::Fetch;
use model::filter::ConversationFilter;
use model::ids::{ChannelId, ConversationId, MessageId, NoteId, ProposalId, RowId};
use model::local::Keep;
use model::macros::Macro;
use model::messages::Place;
use model::news::News;
use model::notes::PrivateNote;
use model::outbox::{OutboxRow, StopVerdict};
use model::proposals::{DeskProposal, ProposalEntry, ProposalVerdict};
use model::queries::{
    ConversationKey, ConversationPage, ConversationQuery, DeskQuery, Draft, DraftEntry, HistoryPage,
    HistoryQuery, NamedConversation, OutboxEntry, OutboxFate, OutboxPage, Pause, PausedEntry, TabCounts,
    TranscriptFormat,
};
use model::search::{SearchPage, SearchQuery};
use model::secret::Secret;
use model::selector::Selector;
use model::service_levels::{LevelsQuery, LevelsReport};
use model::spending::Spent;
use model::templates::Templates;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

pub use crate::intent::Intent;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// What was to be copied, and whether it was.
    Copied(String, Result<Copied, String>),
    /// The time has moved on. Comes before the events of a turn.
    Time(Timestamp),
    /// A key was pressed.
    Key(KeyPress),
    /// A line was entered in the plain mode.
    Line(String),
    /// The mouse did something.
    Pointer(Pointer),
    /// Text was pasted, as the terminal marked it.
    Paste(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The terminal window gained or lost the focus.
    Focus(bool),
    /// A load came back: what was asked for, and what it brought or why it
    /// could not be read.
    Loaded(Load, Result<Loaded, String>),
    /// The requests of the last while, newest first.
    Calls(Vec<Call>),
    /// The hands told something.
    News(News),
    /// Rows were put into the outbox.
    Enqueued(Vec<OutboxRow>),
    /// A row was taken back before anything left; `None`: it had left.
    Recalled(RowId, Option<Box<OutboxRow>>),
    /// A decision was carried out: the row as it was, if it still waited for one.
    Decided(RowId, StopVerdict, Option<Box<OutboxRow>>),
    /// A person decided over a proposal: as it was, if it still waited.
    ProposalSettled(ProposalVerdict, Option<Box<DeskProposal>>),
    /// A private note is on disk.
    NoteSaved(ChannelId, ConversationId, PrivateNote),
    /// A private note could not be kept; here it is, and why.
    NoteNotSaved(ChannelId, ConversationId, String, String),
    /// A private note was taken back: its text, unless it was gone.
    NoteTakenBack(ChannelId, ConversationId, Option<String>),
    /// What was asked of the world outside came back.
    Answered(Answered),
    /// The person's editor has ended: the text, or why there is none.
    Edited(Result<String, String>),
    /// The steps that add a channel key have ended, or why none was added.
    SetUp(Result<(), String>),
    /// A write to this desk's own files has ended, in one way or the other;
    /// writes end in the order they were asked for.
    Written,
    /// Somebody is here again who was away.
    Returned(Absence),
    /// A draft could not be kept; here it is.
    DraftNotSaved(ChannelId, ConversationId, Option<Draft>, String),
    /// What was ordered of a broadcast was carried out, or not.
    Campaign(broadcasts::BroadcastActionResult),
    /// Something was told of an import.
    Import(ImportResult),
    /// A conversation was written into a file, or why not.
    Exported(Result<String, String>),
    /// A write to this desk's own files failed.
    WriteFailed {
        what: String,
        why: String,
        /// What would otherwise be lost: the intents go back to the composer.
        intents: Vec<Intent>,
    },
}

/// What a load brought, with the query it answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Loaded {
    /// A window of a list.
    Conversations(ConversationQuery, ConversationPage),
    /// The newest rows of a history.
    History(HistoryQuery, Box<HistoryPage>),
    /// A tab's counts.
    Counts(ChannelId, TabCounts),
    /// A conversation's draft, if one is kept, and a text of it that another
    /// window wrote over.
    Draft(ChannelId, ConversationId, Option<Draft>, Option<String>),
    /// A tab's account as last read.
    Account(ChannelId, Option<Box<Account>>),
    /// Rows of the outbox.
    Outbox(DeskQuery, OutboxPage),
    /// One row of the outbox, to be decided over; `None` if it is done.
    Entry(Option<Box<OutboxEntry>>),
    /// Proposals, and whether there are more.
    Proposals(DeskQuery, Vec<ProposalEntry>, bool),
    /// Drafts, and whether there are more.
    Drafts(DeskQuery, Vec<DraftEntry>, bool),
    /// Where the same person is in other tabs.
    Elsewhere(ConversationKey, Vec<ConversationKey>),
    /// What the card shows beside a conversation.
    Card(ConversationKey, Box<ContactCard>),
    /// The pauses of a tab made here.
    Pauses(ChannelId, Vec<Pause>),
    /// All conversations of a list, to be marked, and whether there are more.
    Spread(ConversationQuery, Spread, Vec<ConversationKey>, bool),
    /// The rows of marked conversations.
    Marked(Vec<ConversationRow>),
    /// What became of rows of the outbox.
    Fates(Vec<(RowId, OutboxFate)>),
    /// The pauses made from here.
    Paused(Vec<PausedEntry>),
    /// Tags in use, the most used first.
    Tags(Vec<SafeText>),
    /// What lies at the service already.
    Shelf(ChannelId, Vec<ReplyAttachment>),
    /// What was spent from here, by tab.
    Spent(Vec<(ChannelId, Vec<Spent>)>),
    /// What waits for credits.
    Unpaid(Vec<OutboxEntry>),
    /// What happened since the latest absence began.
    Digest(Box<Digest>),
    /// How fast customers were answered.
    ServiceLevels(LevelsQuery, Box<LevelsReport>),
    Macros(Vec<Macro>),
    /// All that was asked for before it has come.
    Echo(u64),
    /// Who needs a person, in a tab or in all.
    Needing(Option<ChannelId>, Vec<ConversationRow>),
    /// People of a tab.
    People(PeopleQuery, PeoplePage),
    /// One of them, to be edited; `None` if it is gone.
    Person(ChannelId, String, Option<Box<PersonDetail>>),
    /// The account behind a mail key as last read, and the words seen as
    /// folders and categories.
    Mailbox(ChannelId, Option<Box<MailAccount>>, [Vec<String>; 2]),
    /// Correspondents in whose name or address a text stands.
    Correspondents(ChannelId, String, Vec<Correspondent>),
    /// The threads of a list, to be gone through.
    Triage(ConversationQuery, Vec<ConversationRow>),
    /// The newest rows of a history that will be wanted soon.
    Ahead(HistoryQuery, Box<HistoryPage>),
    /// A tab's templates.
    Templates(ChannelId, Templates),
    /// Where words were found.
    Search(SearchQuery, Box<SearchPage>),
    /// How many messages back one is; `None` if it is not stored.
    Depth(ChannelId, ConversationId, MessageId, Option<u32>),
    /// The names of the conversations with the newest activity.
    Names(Vec<NamedConversation>),
    /// How many each filter lets through; not told where they are too many.
    ViewCounts(Vec<Option<u64>>),
    /// The conversation a person meant, or why there is not one.
    Lookup(Result<ConversationKey, SafeText>),
    /// What was asked about broadcasts.
    Broadcasts(Box<broadcasts::BroadcastResult>),
}

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
    /// One row of the outbox, to be decided over.
    Entry(RowId),
    Proposals(DeskQuery),
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
    /// A tab's templates.
    Templates(ChannelId),
    /// What lies at the service already.
    Shelf(ChannelId),
    Spent,
    /// What waits for credits.
    Unpaid,
    /// What happened in these tabs since the latest absence began.
    Digest(Vec<ChannelId>),
    /// How fast customers were answered; hours are those of a zone.
    ServiceLevels(LevelsQuery, Zone),
    Macros,
    /// Nothing: it comes back when all that was asked for before it has.
    Echo(u64),
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

/// Something to be done outside the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read from the store; answered by [`Event::Loaded`].
    Load(Load),
    /// Keep or forget a draft.
    SaveDraft(ChannelId, ConversationId, Option<Draft>),
    /// Keep a private note.
    SaveNote(ChannelId, ConversationId, String),
    /// Take a private note back.
    TakeNoteBack(ChannelId, ConversationId, NoteId),
    /// Ask the world outside; answered by [`Event::Answered`].
    Ask(OutsideRequest),
    /// Add a channel key, step by step, on the lent terminal; answered by
    /// [`Event::SetUp`].
    SetUp,
    /// Edit a text in the person's editor; answered by [`Event::Edited`].
    Edit(String),
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
    /// [`Event::ProposalSettled`].
    SettleProposal(ProposalId, ProposalVerdict),
    /// Put a dropped proposal back.
    RestoreProposal(Box<DeskProposal>),
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
    Decide(RowId, StopVerdict, Option<Place>),
    /// The person has seen everything up to here.
    MarkSeen(ChannelId, ConversationId, (Timestamp, MessageId)),
    /// Change what this desk keeps of a tab's conversations.
    Keep(ChannelId, Keep),
    /// Keep the steps of a macro, or forget them.
    SaveMacro(char, Option<String>),
    /// Note that somebody is here; [`Event::Returned`] answers if nobody was
    /// for so many microseconds.
    NotePresence(i64),
    /// What is on screen now, so that it is polled first.
    Watch(ChannelId, Option<ConversationId>),
    /// Ask the server for the page before the oldest message.
    FetchOlder(ChannelId, ConversationId),
    /// Read the requests of the last while; answered by [`Event::Calls`].
    ReadCalls,
    /// Ask the server for what a screen shows; answered by news.
    Fetch(ChannelId, Fetch),
    /// Poll everything of this tab now.
    Refresh(ChannelId),
    /// Read the mouse, or leave it to the terminal.
    ReadMouse(bool),
    /// Ring.
    Bell,
    /// Tell a person who does not look at the terminal: who writes, and where.
    Notify(SafeText, SafeText),
    /// Open a link outside, which the person has agreed to.
    OpenOutside(String),
    /// Put a text where the person can paste it from, and what it is called;
    /// answered by [`Event::Copied`].
    Copy(String, String),
    /// Write a conversation into a file that is not there yet; answered by
    /// [`Event::Exported`].
    Export {
        key: ConversationKey,
        /// What its tab is called.
        name: String,
        format: TranscriptFormat,
        file: String,
    },
    /// Look a file of people through, import it, or stop; answered by
    /// [`Event::Import`].
    Import(ImportAction),
    /// Do something to a broadcast; answered by [`Event::Campaign`].
    Campaign(broadcasts::BroadcastOrder),
    /// Draw everything anew.
    Redraw,
    /// Stop the process as job control does, and come back.
    Suspend,
    /// Leave, giving the terminal back.
    Quit,
    /// The same, and send what is still to leave in the background.
    QuitToBackground,
    /// Put a text into the log for someone to look at.
    Log(SafeText),
}
