//! Reads windows for the screen, on a connection of its own that never
//! writes. Each call is one transaction, so a window is of one moment.

use std::path::Path;

use rusqlite::{Connection, InterruptHandle};

use crate::email::rules;
use crate::files::{self, Paths};
use crate::{StoreError, account, drafts, filter, pauses, proposals, set_aside};
use disk::FileStatus;
use model::account::Account;
use model::attention::{AttentionAnswer, AttentionRequest};
use model::conversations::ConversationRow;
use model::digest::{Digest, DigestEntry};
use model::email::rules::{RulesPage, RulesQuery};
use model::ids::{ChannelId, ConversationId, MessageId, RowId};
use model::messages::HistoryPosition;
use model::outbox::ClockTimes;
use model::person::{PersonPage, PersonQuery};
use model::proposals::ProposalEntry;
use model::queries::{
    ConversationKey, ConversationPage, ConversationQuery, DeskQuery, Draft, DraftEntry, HistoryPage,
    HistoryQuery, NamedConversation, OutboxEntry, OutboxOutcome, OutboxPage, Pause, PausedEntry, RowQuestion,
    TabCounts,
};
use model::search::{ListedHit, SearchPage, SearchQuery};
use model::selector::{Candidate, Selector, Unresolved};
use model::service_levels::{LevelsQuery, LevelsReport};
use model::text::SafeText;
use model::time::{Timestamp, Zone};

mod attention;
pub(crate) mod conversations;
mod counts;
pub(crate) mod desk;
mod digest;
pub(crate) mod elsewhere;
mod finding;
mod history;
mod listed;
mod order;
mod person;
mod row_outcomes;
mod search;
mod service_levels;
mod shift;

/// A reading connection for one thread.
pub struct Reader {
    pub(crate) connection: Connection,
    drafts: drafts::DraftTexts,
    zone: Zone,
    /// Paths of the files, and the cache as it was opened.
    files: Option<(Paths, FileStatus)>,
}

impl Reader {
    pub(crate) fn new(
        connection: Connection,
        zone: &Zone,
        drafts: drafts::DraftTexts,
    ) -> rusqlite::Result<Self> {
        filter::install_days(&connection, zone)?;
        Ok(Self { connection, drafts, zone: zone.clone(), files: None })
    }

    /// Notes where its files are, so that it can follow them.
    pub(crate) fn with_paths(self, paths: Paths) -> Self {
        let standing = FileStatus::of(&paths.cache);
        Self { files: Some((paths, standing)), ..self }
    }

    /// Goes on with the cache that is at its path now, if the one it reads was
    /// deleted, moved or replaced. Keeps the old one while there is none.
    pub fn follow_cache(&mut self) {
        let Some((paths, standing)) = &self.files else { return };
        if standing.is_unchanged() {
            return;
        }
        let paths = paths.clone();
        let opened = files::open_reader(&paths)
            .and_then(|connection| Ok(Self::new(connection, &self.zone, self.drafts.clone())?));
        match opened {
            Ok(reader) => *self = reader.with_paths(paths),
            Err(error) => tracing::warn!(%error, "the cache that was replaced cannot be read yet"),
        }
    }

    /// The same connection, beside drafts that are being written.
    pub(crate) fn with_draft_texts(self, drafts: drafts::DraftTexts) -> Self {
        Self { drafts, ..self }
    }

    /// Has the cache made anew at the next start if a reading found it
    /// damaged.
    pub fn record_damage(&self, error: &StoreError) {
        if let (StoreError::Damaged(_), Some(file)) = (error, self.connection.path()) {
            set_aside::mark_cache_damaged(Path::new(file));
        }
    }

    /// A window of a tab's list.
    pub fn conversations(&self, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        conversations::load_window(&moment, query)
    }

    /// The newest activity of a conversation, by which lists are ordered.
    pub fn last_activity(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Timestamp>, StoreError> {
        conversations::last_activity(&self.connection, channel, conversation)
    }

    /// Conversations from the top of a tab's list down to a time whose history
    /// lags behind the list, open or closed ones or both.
    pub fn lagging_conversations(
        &self,
        channel: &ChannelId,
        closed: Option<bool>,
        down_to: Timestamp,
    ) -> Result<Vec<ConversationId>, StoreError> {
        conversations::lagging_conversations(&self.connection, channel, closed, down_to)
    }

    /// The newest messages of a history and its outbox rows.
    pub fn history(&self, query: &HistoryQuery) -> Result<HistoryPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        history::load_page(&moment, query)
    }

    /// The conversations the same person has in other tabs.
    pub fn other_conversations(&self, key: &ConversationKey) -> Result<Vec<ConversationKey>, StoreError> {
        elsewhere::load_other_conversations(&self.connection, key)
    }

    /// The newest of what was said with a person on every channel.
    ///
    /// # Errors
    /// When the database fails.
    pub fn person_page(&self, query: &PersonQuery) -> Result<PersonPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        person::page(&moment, query)
    }

    /// The draft kept for a conversation.
    pub fn draft(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Draft>, StoreError> {
        let draft = drafts::read(&self.connection, channel, conversation)?;
        self.drafts.record_read(channel, conversation, draft.as_ref());
        Ok(draft)
    }

    /// A text of a draft that another window wrote over.
    pub fn draft_set_aside(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<String>, StoreError> {
        drafts::text_set_aside(&self.connection, channel, conversation)
    }

    /// The pauses of a channel made from this desk, longest first.
    pub fn pauses(&self, channel: &ChannelId) -> Result<Vec<Pause>, StoreError> {
        pauses::list(&self.connection, "desk", channel)
    }

    /// What a tab's title counts.
    pub fn counts(&self, channel: &ChannelId) -> Result<TabCounts, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        counts::load_counts(&moment, channel)
    }

    /// The channel's account as last read.
    pub fn account(&self, channel: &ChannelId) -> Result<Option<Account>, StoreError> {
        account::read(&self.connection, channel)
    }

    /// Messages and people in which all words typed are found.
    ///
    /// # Errors
    /// When the database fails, or [`StoreError::Interrupted`].
    pub fn search(&self, query: &SearchQuery) -> Result<SearchPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        search::load_page(&moment, query)
    }

    /// Threads of mails and conversations of a phone in whose subject or
    /// newest text all words typed are found.
    pub fn search_listed(&self, query: &SearchQuery) -> Result<Vec<ListedHit>, StoreError> {
        listed::find_listed(&self.connection, query)
    }

    /// The names of the conversations with the newest activity.
    pub fn names(&self) -> Result<Vec<NamedConversation>, StoreError> {
        finding::load_names(&self.connection)
    }

    /// The conversations that may be meant by what a person typed; of one
    /// channel, or of all.
    pub fn candidates(
        &self,
        selector: &Selector,
        channel: Option<&ChannelId>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        finding::find_candidates(&moment, selector, channel)
    }

    /// The one conversation a person means by what they type on the screen.
    pub fn resolve(&self, who: &Selector) -> Result<Result<ConversationKey, Unresolved>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        finding::resolve(&moment, who)
    }

    /// How many messages back one is; `None` if it is not stored.
    pub fn count_from_newest(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        message: &MessageId,
    ) -> Result<Option<u32>, StoreError> {
        finding::count_from_newest(&self.connection, channel, conversation, message)
    }

    /// Rows of the outbox that are not done.
    pub fn outbox(&self, query: &DeskQuery) -> Result<OutboxPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_outbox(&moment, query)
    }

    /// One row of the outbox; `None` if it is done.
    pub fn outbox_entry(&self, id: &RowId) -> Result<Option<OutboxEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_entry(&moment, id)
    }

    /// One row of the outbox with what decides which answers are taken now;
    /// `None` if it is done.
    pub fn outbox_question(
        &self,
        id: &RowId,
        now: impl Into<ClockTimes>,
    ) -> Result<Option<RowQuestion>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_question(&moment, id, &now.into())
    }

    /// Drafts, and whether there are more.
    pub fn drafts(&self, query: &DeskQuery) -> Result<(Vec<DraftEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_drafts(&moment, query)
    }

    /// What assistants propose, oldest first, and whether there is more.
    pub fn proposals(&self, query: &DeskQuery) -> Result<(Vec<ProposalEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        proposals::list(&moment, query)
    }

    /// The rules of a mail tab, with the threads that are asked for.
    ///
    /// # Errors
    /// When the database fails.
    pub fn rules(&self, query: &RulesQuery) -> Result<RulesPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        rules::page(&moment, query)
    }

    /// The newest stored message of a conversation.
    pub fn newest_message(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<HistoryPosition>, StoreError> {
        proposals::newest_position(&self.connection, channel, conversation)
    }

    /// What became of rows of the outbox.
    pub fn row_outcomes(&self, rows: &[RowId]) -> Result<Vec<(RowId, OutboxOutcome)>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::load_outcomes(&moment, rows)
    }

    /// The rows of these conversations, as far as they are known.
    pub fn conversation_rows(
        &self,
        conversations: &[ConversationKey],
    ) -> Result<Vec<ConversationRow>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::load_rows(&moment, conversations)
    }

    /// Tags in use anywhere, the most used first.
    pub fn used_tags(&self, limit: u32) -> Result<Vec<SafeText>, StoreError> {
        row_outcomes::used_tags(&self.connection, limit)
    }

    /// The pauses made from this desk, oldest first.
    pub fn paused_entries(&self, limit: u32) -> Result<Vec<PausedEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::paused_entries(&moment, limit)
    }

    /// Texts written here that turned out since not to have arrived.
    pub fn undelivered(&self, since: Timestamp) -> Result<Vec<DigestEntry>, StoreError> {
        digest::undelivered(&self.connection, since)
    }

    /// What happened in these channels since the latest absence began.
    pub fn digest(&self, channels: &[ChannelId]) -> Result<Digest, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        digest::digest(&moment, channels)
    }

    /// What needs a person.
    ///
    /// # Errors
    /// When the database fails.
    pub fn attention(&self, ask: &AttentionRequest) -> Result<AttentionAnswer, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        attention::answer_request(&moment, ask)
    }

    /// How fast customers were answered; hours are those of a zone.
    pub fn service_levels(&self, query: &LevelsQuery, zone: &Zone) -> Result<LevelsReport, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        service_levels::measure(&moment, query, zone)
    }

    /// A handle with which another thread ends a search that is under way.
    pub fn interrupt(&self) -> Interrupt {
        Interrupt(self.connection.get_interrupt_handle())
    }
}

/// Ends what a [`Reader`] is doing, from any thread: a search whose words
/// have changed meanwhile.
pub struct Interrupt(InterruptHandle);

impl Interrupt {
    /// Ends it; does nothing if nothing is under way.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}
