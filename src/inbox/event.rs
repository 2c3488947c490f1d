//! Everything that can reach the inbox: a closed list of plain data, as
//! everything it can ask for is ([`effects`](crate::effects)). What the inbox
//! does can be compared, logged and replayed.

use crate::keys::{KeyPress, Pointer};
use crate::outside::{Answered, Copied};
use crate::screens::broadcasts;
use crate::screens::people::importing::ImportResult;
use model::account::Account;
use model::attachments::ReplyAttachment;
use model::attention::AttentionAnswer;
use model::calls::Call;
use model::contacts::{ContactCard, PeoplePage, PeopleQuery, PersonDetail};
use model::conversations::ConversationRow;
use model::digest::{Absence, Digest};
use model::email::rules::{RulesPage, RulesQuery};
use model::email::{Correspondent, MailAccount};
use model::ids::{ChannelId, ConversationId, MessageId, RowId};
use model::macros::Macro;
use model::model_costs::ModelUsageRow;
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
use model::time::ClockReading;

pub use crate::effects::{Effect, FileWrite, Load, Spread, SyncOrder, TerminalOrder};
pub use crate::intent::Intent;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// What was to be copied, and whether it was.
    Copied(String, Result<Copied, String>),
    /// The time has moved on. Comes before the events of a turn.
    Time(ClockReading),
    /// A key was pressed.
    Key(KeyPress),
    /// A line was entered in the plain mode.
    Line(String),
    /// The mouse did something.
    Pointer(Pointer),
    /// Text was pasted, as the terminal marked it.
    Paste(String),
    /// Text came faster than a person types: line breaks in it are Enter, tabs are Tab.
    Burst(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The terminal window gained or lost the focus.
    Focus(bool),
    /// A load came back: what was asked for, and what it brought or why it could not be read.
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
    /// So many claims and pauses became this person's, on these
    /// channels.
    TakenOver(Vec<ChannelId>, usize),
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
    /// A conversation's draft, if one is kept, and a text of it that another window wrote over.
    Draft(ChannelId, ConversationId, Option<Draft>, Option<String>),
    /// A tab's account as last read.
    Account(ChannelId, Option<Box<Account>>),
    /// Rows of the outbox.
    Outbox(DeskQuery, OutboxPage),
    /// One row of the outbox, to be decided over; `None` if it is done.
    Question(Option<Box<RowQuestion>>),
    /// Proposals, and whether there are more.
    Proposals(DeskQuery, Vec<ProposalEntry>, bool),
    /// Answers of the AI that are looked over.
    Reviews(DeskQuery, ReviewPage),
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
    Fates(Vec<(RowId, OutboxOutcome)>),
    /// The pauses made from here.
    Paused(Vec<PausedEntry>),
    /// Tags in use, the most used first.
    Tags(Vec<SafeText>),
    /// What lies at the service already.
    Shelf(ChannelId, Vec<ReplyAttachment>),
    /// What was spent from here, by tab.
    Spent(Vec<(ChannelId, Vec<Spent>)>),
    /// What questions to the model took, by day and tab.
    ModelUsage(Vec<ModelUsageRow>),
    /// Rows of the outbox that wait for credits.
    Unpaid(Vec<OutboxEntry>),
    /// What happened since the latest absence began.
    Digest(Box<Digest>),
    /// What needs a person.
    Attention(Box<AttentionAnswer>),
    /// How fast customers were answered.
    ServiceLevels(LevelsQuery, Box<LevelsReport>),
    Macros(Vec<Macro>),
    /// All that was asked for before it has come.
    Echo(u64),
    /// The conversations and addresses of one person.
    ContactWays(PersonQuery, Box<PersonPage>),
    /// What was read as of a time, and what the files can tell of it.
    /// Draft-only conversations without a draft for what was said last.
    DueDrafts(Vec<DueDraft>),
    /// Who needs a person, in a tab or in all.
    Needing(Option<ChannelId>, Vec<ConversationRow>),
    /// People of a tab.
    People(PeopleQuery, PeoplePage),
    /// One of them, to be edited; `None` if it is gone.
    Person(ChannelId, String, Option<Box<PersonDetail>>),
    /// The account behind a mail key as last read, and the words seen as folders and categories.
    Mailbox(ChannelId, Option<Box<MailAccount>>, [Vec<String>; 2]),
    /// Correspondents in whose name or address a text stands.
    Correspondents(ChannelId, String, Vec<Correspondent>),
    /// The threads of a list, to be gone through.
    Triage(ConversationQuery, Vec<ConversationRow>),
    /// The newest rows of a history that will be wanted soon.
    Ahead(HistoryQuery, Box<HistoryPage>),
    /// The rules of a mail tab, with the threads that were asked for.
    Rules(RulesQuery, Box<RulesPage>),
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
