//! Everything that can reach the inbox, as plain data that can be compared, logged and replayed.

use crate::keys::{KeyPress, Pointer};
use crate::outside::{CopyMethod, OutsideAnswer};
use crate::screens::broadcasts;
use crate::screens::people::csv_import::ImportResult;
use crate::settings::ChannelInfo;
use model::account::Account;
use model::attachments::ReplyAttachment;
use model::attention::Alarms;
use model::calls::Call;
use model::contacts::{ContactCard, PeoplePage, PeopleQuery, PersonDetail};
use model::conversations::ConversationRow;
use model::email::rules::{RulesPage, RulesQuery};
use model::email::{Correspondent, MailAccount};
use model::ids::{ChannelId, ConversationId, MessageId, NoteId, RowId};
use model::model_costs::ModelUsageRow;
use model::needs_you::NeedsYouPage;
use model::news::News;
use model::notes::PrivateNote;
use model::outbox::{OutboxRow, StopVerdict};
use model::person::{PersonPage, PersonQuery};
use model::proposals::{DeskProposal, ProposalEntry, ProposalVerdict};
use model::queries::{
    ConversationKey, ConversationPage, ConversationQuery, DeskQuery, Draft, DraftEntry, HistoryPage,
    HistoryQuery, NamedConversation, OutboxEntry, OutboxOutcome, OutboxPage, Pause, PausedEntry, RowQuestion,
    TabCounts,
};
use model::reviews::ReviewPage;
use model::search::{SearchPage, SearchQuery};
use model::service_levels::{LevelsQuery, LevelsReport};
use model::spending::Spent;
use model::suggestions::DueDraft;
use model::templates::Templates;
use model::text::SafeText;
use model::time::{ClockReading, Timestamp};

pub use crate::effects::{Effect, FileWrite, Load, MarkMode, SyncOrder, TerminalOrder};
pub use crate::intent::Intent;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Name of the copied text, and the result.
    Copied(String, Result<CopyMethod, String>),
    /// Precedes the other events of a loop iteration.
    Time(ClockReading),
    Key(KeyPress),
    /// A line entered in plain mode.
    Line(String),
    Pointer(Pointer),
    Paste(String),
    /// Text faster than a person types: its line breaks are Enter, its tabs Tab.
    Burst(String),
    /// Line break of a burst: Enter that sends nothing.
    LineBreak,
    InputDropped(DroppedInput),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The terminal window gained (true) or lost the focus.
    Focus(bool),
    Loaded(Load, Result<Loaded, String>),
    /// Newest requests, newest first.
    Calls(Vec<Call>),
    News(News),
    /// A channel was connected while the inbox runs.
    ChannelAdded(ChannelInfo),
    Enqueued(Vec<OutboxRow>),
    /// A row was withdrawn; `None` if it had been sent already.
    Recalled(RowId, Option<Box<OutboxRow>>),
    /// A decision was carried out; the row as it was, `None` if it needed none any more.
    Decided(RowId, StopVerdict, Option<Box<OutboxRow>>),
    /// A proposal was decided; as it was, `None` if it was closed already.
    ProposalSettled(ProposalVerdict, Option<Box<DeskProposal>>),
    NoteSaved(ChannelId, ConversationId, PrivateNote),
    /// A note of an act was stored, with the undo group of the act.
    NoteAdded(ChannelId, ConversationId, NoteId, u64),
    /// A private note could not be stored: text and error.
    NoteNotSaved(ChannelId, ConversationId, String, String),
    /// A private note was removed: its text, `None` if it was gone already.
    NoteRecalled(ChannelId, ConversationId, Option<String>),
    Answered(OutsideAnswer),
    /// The editor ended: the text or an error.
    Edited(Result<String, String>),
    /// Path of a recording.
    Recorded(Result<String, String>),
    SetUp(Result<(), String>),
    /// A write to this desk's files ended. Writes end in the order of their requests.
    Written,
    /// The person is back after an absence.
    Returned,
    /// Number of claims and pauses taken over on these channels.
    TakenOver(Vec<ChannelId>, usize),
    /// A draft could not be stored: text and error.
    DraftNotSaved(ChannelId, ConversationId, Option<Draft>, String),
    Campaign(broadcasts::CampaignActionResult),
    Import(ImportResult),
    /// A conversation was written into this file, or an error.
    Exported(Result<String, String>),
    WriteFailed {
        what: String,
        why: String,
        /// Intents that would be lost; they go back to the composer.
        intents: Vec<Intent>,
    },
}

/// Reason why input was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DroppedInput {
    /// The read before it took too long.
    Late,
    /// The awaited read or macro was refused, or has opened a question.
    Stale,
    /// The mouse was clicked while input waits.
    Click,
}

/// Result of a load, with the query it answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Loaded {
    Conversations(ConversationQuery, ConversationPage),
    History(HistoryQuery, Box<HistoryPage>),
    Counts(ChannelId, TabCounts),
    /// The stored draft, and a text of it that another window overwrote.
    Draft(ChannelId, ConversationId, Option<Draft>, Option<String>),
    /// Account as last read.
    Account(ChannelId, Option<Box<Account>>),
    Outbox(DeskQuery, OutboxPage),
    /// `None` if the row needs no decision any more.
    Question(Option<Box<RowQuestion>>),
    /// True if there are more.
    Proposals(DeskQuery, Vec<ProposalEntry>, bool),
    Reviews(DeskQuery, ReviewPage),
    /// True if there are more.
    Drafts(DeskQuery, Vec<DraftEntry>, bool),
    SamePerson(ConversationKey, Vec<ConversationKey>),
    Card(ConversationKey, Box<ContactCard>),
    Pauses(ChannelId, Vec<Pause>),
    /// True if there are more.
    MarkList(ConversationQuery, MarkMode, Vec<ConversationKey>, bool),
    Marked(Vec<ConversationRow>),
    RowOutcomes(Vec<(RowId, OutboxOutcome)>),
    PausedConversations(Vec<PausedEntry>),
    /// The most used first.
    Tags(Vec<SafeText>),
    UploadedFiles(ChannelId, Vec<ReplyAttachment>),
    Spending(Vec<(ChannelId, Vec<Spent>)>),
    /// By day and tab.
    ModelUsage(Vec<ModelUsageRow>),
    Unpaid(Vec<OutboxEntry>),
    NeedsYou(Box<NeedsYouPage>),
    /// Alarms, and the time they were computed for.
    Alarms(Box<Alarms>, Timestamp),
    ServiceLevels(LevelsQuery, Box<LevelsReport>),
    Barrier(u64),
    ContactWays(PersonQuery, Box<PersonPage>),
    DueDrafts(Vec<DueDraft>),
    NeedsPerson(Vec<ConversationRow>),
    OpenWork(Vec<(ChannelId, TabCounts)>),
    ViewMatches(ConversationQuery, Vec<ConversationRow>),
    People(PeopleQuery, PeoplePage),
    /// `None` if the person is gone.
    Person(ChannelId, String, Option<Box<PersonDetail>>),
    /// The account as last read, and the names seen as folders and as categories.
    Mailbox(ChannelId, Option<Box<MailAccount>>, [Vec<String>; 2]),
    Correspondents(ChannelId, String, Vec<Correspondent>),
    Triage(ConversationQuery, Vec<ConversationRow>),
    HistoryPrefetch(HistoryQuery, Box<HistoryPage>),
    Rules(RulesQuery, Box<RulesPage>),
    Templates(ChannelId, Templates),
    Search(SearchQuery, Box<SearchPage>),
    /// `None` if the message is not stored.
    NewerMessages(ChannelId, ConversationId, MessageId, Option<u32>),
    ConversationNames(Vec<NamedConversation>),
    /// One count for each filter; `None` if there are too many to count.
    ViewCounts(Vec<Option<u64>>),
    Lookup(Result<ConversationKey, SafeText>),
    Broadcasts(Box<broadcasts::BroadcastResult>),
}
