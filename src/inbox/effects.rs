//! Everything the inbox can request, grouped by the part that performs it. Plain data.

use crate::intent::Intent;
use crate::outside::OutsideRequest;
use crate::screens::broadcasts;
use crate::screens::people::csv_import::ImportAction;
use model::attention::AttentionQuery;
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
use model::team::Activity;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Load {
    /// Rows around the selection of a list.
    Conversations(ConversationQuery),
    History(HistoryQuery),
    Counts(ChannelId),
    Draft(ChannelId, ConversationId),
    Account(ChannelId),
    Outbox(DeskQuery),
    /// One outbox row that needs a decision, as of a time.
    Question(RowId, Timestamp),
    Proposals(DeskQuery),
    /// Answers of the AI drawn for review (one in so many), as of a time.
    Reviews(DeskQuery, u32, Timestamp),
    Drafts(DeskQuery),
    /// Conversations with the same person in other tabs.
    SamePerson(ConversationKey),
    Card(ConversationKey),
    /// Pauses of a tab that this desk made, for handing all of them back.
    Pauses(ChannelId),
    People(PeopleQuery),
    Person(ChannelId, String),
    /// Account behind a mail key, with the names seen as folders and as categories.
    Mailbox(ChannelId),
    /// Correspondents whose name or address contains a text.
    Correspondents(ChannelId, String),
    /// Threads of a list for a triage.
    Triage(ConversationQuery),
    /// The newest rows of a history, read ahead.
    HistoryPrefetch(HistoryQuery),
    /// Rules of a mail tab with the threads they match.
    Rules(RulesQuery),
    Templates(ChannelId),
    /// Attachments that are already uploaded to the service.
    UploadedFiles(ChannelId),
    Spending,
    /// Tokens spent on the model since a day.
    ModelUsage(i64),
    /// Outbox rows that wait for credits.
    Unpaid,
    NeedsYou(AttentionQuery),
    /// Entries that became due since a time.
    Alarms(AttentionQuery, Timestamp),
    /// How fast customers were answered; hours are those of a zone.
    ServiceLevels(LevelsQuery, Zone),
    /// Barrier: completes after every earlier load has completed.
    Barrier(u64),
    ContactWays(PersonQuery),
    /// Draft-only conversations without a draft for their newest message, the open one first.
    DueDrafts(Vec<ChannelId>, Option<ConversationKey>, Timestamp),
    /// Conversations that need a person, in all tabs.
    NeedsPerson,
    /// Counts of these tabs, for the question before quitting.
    OpenWork(Vec<ChannelId>),
    MarkList(ConversationQuery, MarkMode),
    Marked(Vec<ConversationKey>),
    RowOutcomes(Vec<RowId>),
    /// Pauses made from this desk, for the question about long ones; holds their maximum number.
    PausedConversations(u32),
    /// Tags in use, up to a limit.
    Tags(u32),
    Search(SearchQuery),
    /// Rows of a view that match what is searched for.
    ViewMatches(ConversationQuery),
    /// Number of messages that are newer than a message.
    NewerMessages(ChannelId, ConversationId, MessageId),
    /// Names of the conversations with the newest activity.
    ConversationNames,
    /// Number of conversations each filter matches, in one tab or all.
    ViewCounts(Option<ChannelId>, Vec<ConversationFilter>, Timestamp),
    Lookup(Selector),
    Broadcasts(broadcasts::BroadcastQuery),
}

/// How `Load::MarkList` sets the marks of a whole list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkMode {
    All,
    /// Mark the conversations that were not marked.
    Invert,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Answered by `Event::Loaded`.
    Load(Load),
    /// Changes of this desk's files, carried out in the order of the requests.
    Write(FileWrite),
    /// Answered by `Event::Answered`.
    Request(OutsideRequest),
    Sync(SyncOrder),
    /// Answered by `Event::Import`.
    Import(ImportAction),
    Terminal(TerminalOrder),
    Log(SafeText),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileWrite {
    /// `None` forgets the draft.
    SaveDraft(ChannelId, ConversationId, Option<Draft>),
    SaveNote(ChannelId, ConversationId, String),
    RecallNote(ChannelId, ConversationId, NoteId),
    /// Adds a note that belongs to the act of an undo group. Answered by `Event::NoteAdded`.
    AddNote {
        channel: ChannelId,
        conversation: ConversationId,
        text: String,
        group: u64,
    },
    /// Replaces the text of a note; `None` deletes it.
    ChangeNote(ChannelId, ConversationId, NoteId, Option<String>),
    /// Adds rows to the outbox in one transaction; clears the draft with it if asked to.
    Enqueue {
        /// In the order they are sent.
        intents: Vec<Intent>,
        clears_draft: bool,
    },
    /// Adds rows to the outbox in place of a proposed reply, if that is still open.
    SendProposal(ProposalId, Vec<Intent>),
    /// Removes a decided proposal. Answered by `Event::ProposalSettled`.
    SettleProposal(ProposalId, ProposalVerdict),
    RestoreProposal(Box<DeskProposal>),
    /// Stores the review of an AI answer; `None` removes it.
    Review(Box<ReviewEntry>, Option<ReviewVerdict>, SafeText),
    /// Adds the registration of a webhook to the outbox. Only its bytes hold the secret.
    RegisterWebhook {
        intent: Box<Intent>,
        secret: Option<Secret>,
    },
    /// Withdraws a row if no byte of it has left.
    Recall(RowId),
    SendNow(RowId),
    /// Decides about a stopped row; the position is the newest message the person saw.
    Decide(RowId, StopVerdict, Option<HistoryPosition>),
    MarkSeen(ChannelId, ConversationId, (Timestamp, MessageId)),
    /// Changes the marks only this desk keeps.
    ChangeLocal(ChannelId, LocalChange),
    /// Records that somebody is at the desk. Answered by `Event::Returned` if nobody was for this
    /// many microseconds.
    RecordPresence(i64),
    /// Takes over the claims and pauses of one colleague, or of all, on these channels. Answered by
    /// `Event::TakenOver`.
    TakeOver(Vec<ChannelId>, Assignment, Option<SafeText>),
    /// Writes a conversation into a new file. Answered by `Event::Exported`.
    Export {
        key: ConversationKey,
        /// Name of the conversation's tab.
        name: String,
        format: TranscriptFormat,
        file: String,
    },
    /// Answered by `Event::Campaign`.
    Campaign(broadcasts::CampaignAction),
}

impl FileWrite {
    /// True if the screen waits for the write; `Event::Written` reports its end.
    pub fn is_awaited(&self) -> bool {
        !matches!(self, Self::RecordPresence(_) | Self::Export { .. })
    }

    /// True for a write that may add changes for the team.
    pub fn wakes_team(&self) -> bool {
        matches!(
            self,
            Self::SaveNote(..)
                | Self::AddNote { .. }
                | Self::ChangeNote(..)
                | Self::RecallNote(..)
                | Self::ChangeLocal(..)
                | Self::TakeOver(..)
        )
    }

    /// True if the write may make an outbox row due.
    pub fn wakes_outbox(&self) -> bool {
        !matches!(
            self,
            Self::SaveDraft(..)
                | Self::SaveNote(..)
                | Self::AddNote { .. }
                | Self::MarkSeen(..)
                | Self::ChangeLocal(..)
                | Self::TakeOver(..)
                | Self::Review(..)
                | Self::RecordPresence(_)
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncOrder {
    /// Conversation on screen, which is polled first.
    Watch(ChannelId, Option<ConversationId>),
    FetchOlder(ChannelId, ConversationId),
    /// Reads the newest requests. Answered by `Event::Calls`.
    ReadCalls,
    /// Answered by news.
    Fetch(ChannelId, Fetch),
    Refresh(ChannelId),
    /// Tells the team what the person does in the conversation on screen, with the end of the hold of a reply.
    SetActivity(Activity, Option<Timestamp>),
    /// Reads who is in the team and what each has. Answered by `News::People`.
    ReadPeople,
    /// Reads what each person of the team did since a time. Answered by `News::TeamStatistics`.
    ReadTeamStatistics {
        since: Timestamp,
    },
    /// Sends changes for the team soon.
    SendTeamChanges,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalOrder {
    /// Adds a channel key in a dialog that has the terminal. Answered by `Event::SetUp`.
    SetUp,
    /// Opens a text in the person's editor. Answered by `Event::Edited`.
    Edit(String),
    /// Runs a command of the person that records a voice note. Answered by `Event::Recorded`.
    Record(Vec<String>),
    /// Turns mouse reporting on or off.
    ReadMouse(bool),
    Bell,
    /// Shows a desktop notification: sender and place.
    Notify(SafeText, SafeText),
    /// Opens a link the person has confirmed.
    OpenLink(String),
    /// Copies a text to the clipboard; the second is its name. Answered by `Event::Copied`.
    Copy(String, String),
    /// Text for plain mode, which draws nothing.
    ReadOut(String),
    Redraw,
    Suspend,
    Quit,
    /// Quits; a background process sends the rest of the outbox.
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
