//! Queries for the screen, on a read-only connection. Each call that runs several statements is one
//! transaction and so reads a single state.

use std::path::Path;

use rusqlite::{Connection, InterruptHandle};

use crate::email::rules;
use crate::files::{self, Paths};
use crate::{StoreError, account, drafts, filter, pauses, proposals, set_aside};
use disk::FileStatus;
use model::account::Account;
use model::attention::{Alarms, AttentionEntry, AttentionQuery};
use model::conversations::ConversationRow;
use model::digest::DigestEntry;
use model::email::rules::{RulesPage, RulesQuery};
use model::ids::{ChannelId, ConversationId, MessageId, RowId};
use model::messages::HistoryPosition;
use model::needs_you::NeedsYouPage;
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
pub(crate) mod digest;
pub(crate) mod elsewhere;
mod finding;
mod history;
mod listed;
mod needs_you;
mod order;
mod person;
mod row_outcomes;
mod search;
mod service_levels;
mod shift;

pub struct Reader {
    pub(crate) connection: Connection,
    drafts: drafts::DraftTexts,
    zone: Zone,
    /// Paths of the files, and the status of the cache when it was opened.
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

    pub(crate) fn with_paths(self, paths: Paths) -> Self {
        let standing = FileStatus::of(&paths.cache);
        Self { files: Some((paths, standing)), ..self }
    }

    /// Reopens the cache if its file was deleted, moved or replaced. Keeps the old one while there
    /// is no new one.
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

    pub(crate) fn with_draft_texts(self, drafts: drafts::DraftTexts) -> Self {
        Self { drafts, ..self }
    }

    /// Has the cache recreated at the next start if `error` says it is damaged.
    pub fn record_damage(&self, error: &StoreError) {
        if let (StoreError::Damaged(_), Some(file)) = (error, self.connection.path()) {
            set_aside::mark_cache_damaged(Path::new(file));
        }
    }

    pub fn conversations(&self, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        conversations::load_window(&moment, query)
    }

    /// Returns the last activity of a conversation, the sort key of lists.
    pub fn last_activity(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Timestamp>, StoreError> {
        conversations::last_activity(&self.connection, channel, conversation)
    }

    /// Returns conversations with activity since `down_to` whose history lags behind the list;
    /// `closed` restricts them to closed or open ones.
    pub fn lagging_conversations(
        &self,
        channel: &ChannelId,
        closed: Option<bool>,
        down_to: Timestamp,
    ) -> Result<Vec<ConversationId>, StoreError> {
        conversations::lagging_conversations(&self.connection, channel, closed, down_to)
    }

    pub fn history(&self, query: &HistoryQuery) -> Result<HistoryPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        history::load_page(&moment, query)
    }

    pub fn other_conversations(&self, key: &ConversationKey) -> Result<Vec<ConversationKey>, StoreError> {
        elsewhere::load_other_conversations(&self.connection, key)
    }

    /// Returns the conversations of a person across all channels.
    pub fn person_page(&self, query: &PersonQuery) -> Result<PersonPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        person::page(&moment, query)
    }

    pub fn draft(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Draft>, StoreError> {
        let draft = drafts::read(&self.connection, channel, conversation)?;
        self.drafts.record_read(channel, conversation, draft.as_ref());
        Ok(draft)
    }

    /// Returns the text of a draft that another window has overwritten.
    pub fn draft_set_aside(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<String>, StoreError> {
        drafts::text_set_aside(&self.connection, channel, conversation)
    }

    /// Returns the AI pauses of a channel made from this desk, longest first.
    pub fn pauses(&self, channel: &ChannelId) -> Result<Vec<Pause>, StoreError> {
        pauses::list(&self.connection, "desk", channel)
    }

    pub fn counts(&self, channel: &ChannelId) -> Result<TabCounts, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        counts::load_counts(&moment, channel)
    }

    pub fn account(&self, channel: &ChannelId) -> Result<Option<Account>, StoreError> {
        account::read(&self.connection, channel)
    }

    /// Returns messages and people that match all words.
    ///
    /// # Errors
    /// [`StoreError::Interrupted`] if ended by an [`Interrupt`].
    pub fn search(&self, query: &SearchQuery) -> Result<SearchPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        search::load_page(&moment, query)
    }

    /// Returns mail threads and phone conversations whose subject or newest text matches all words.
    pub fn search_listed(&self, query: &SearchQuery) -> Result<Vec<ListedHit>, StoreError> {
        listed::find_listed(&self.connection, query)
    }

    pub fn names(&self) -> Result<Vec<NamedConversation>, StoreError> {
        finding::load_names(&self.connection)
    }

    /// Returns the conversations that match a selector, in one channel or in all.
    pub fn candidates(
        &self,
        selector: &Selector,
        channel: Option<&ChannelId>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        finding::find_candidates(&moment, selector, channel)
    }

    /// Resolves a selector typed on the screen to exactly one conversation.
    pub fn resolve(&self, who: &Selector) -> Result<Result<ConversationKey, Unresolved>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        finding::resolve(&moment, who)
    }

    /// Returns the position of a message counted from the newest one, which is 1; `None` if it is
    /// not stored.
    pub fn count_from_newest(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        message: &MessageId,
    ) -> Result<Option<u32>, StoreError> {
        finding::count_from_newest(&self.connection, channel, conversation, message)
    }

    pub fn outbox(&self, query: &DeskQuery) -> Result<OutboxPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_outbox(&moment, query)
    }

    /// Returns a row of the outbox; `None` if it is done.
    pub fn outbox_entry(&self, id: &RowId) -> Result<Option<OutboxEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_entry(&moment, id)
    }

    /// Returns a row with the facts that decide which verdicts are allowed now; `None` if it is
    /// done.
    pub fn outbox_question(
        &self,
        id: &RowId,
        now: impl Into<ClockTimes>,
    ) -> Result<Option<RowQuestion>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_question(&moment, id, &now.into())
    }

    /// Returns drafts, and true if there are more.
    pub fn drafts(&self, query: &DeskQuery) -> Result<(Vec<DraftEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::load_drafts(&moment, query)
    }

    /// Returns proposals, oldest first, and true if there are more.
    pub fn proposals(&self, query: &DeskQuery) -> Result<(Vec<ProposalEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        proposals::list(&moment, query)
    }

    pub fn rules(&self, query: &RulesQuery) -> Result<RulesPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        rules::page(&moment, query)
    }

    pub fn newest_message(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<HistoryPosition>, StoreError> {
        proposals::newest_position(&self.connection, channel, conversation)
    }

    pub fn row_outcomes(&self, rows: &[RowId]) -> Result<Vec<(RowId, OutboxOutcome)>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::load_outcomes(&moment, rows)
    }

    pub fn conversation_rows(
        &self,
        conversations: &[ConversationKey],
    ) -> Result<Vec<ConversationRow>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::load_rows(&moment, conversations)
    }

    /// Returns all tags, most used first.
    pub fn used_tags(&self, limit: u32) -> Result<Vec<SafeText>, StoreError> {
        row_outcomes::used_tags(&self.connection, limit)
    }

    /// Returns the AI pauses made from this desk, oldest first.
    pub fn paused_entries(&self, limit: u32) -> Result<Vec<PausedEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        row_outcomes::paused_entries(&moment, limit)
    }

    /// Returns texts sent from here that failed to arrive since a time.
    pub fn undelivered(&self, since: Timestamp) -> Result<Vec<DigestEntry>, StoreError> {
        digest::undelivered(&self.connection, since)
    }

    pub fn needs_you(&self, query: &AttentionQuery) -> Result<NeedsYouPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        needs_you::load_page(&moment, query)
    }

    /// Returns entries that need a person, most urgent first, and true if there are more.
    pub fn attention(&self, query: &AttentionQuery) -> Result<(Vec<AttentionEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        attention::list(&moment, query)
    }

    pub fn alarms(&self, query: &AttentionQuery, since: Timestamp) -> Result<Alarms, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        attention::alarms(&moment, query, since)
    }

    /// Returns how fast customers were answered; hours are those of `zone`.
    pub fn service_levels(&self, query: &LevelsQuery, zone: &Zone) -> Result<LevelsReport, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        service_levels::measure(&moment, query, zone)
    }

    pub fn interrupt(&self) -> Interrupt {
        Interrupt(self.connection.get_interrupt_handle())
    }
}

/// Ends the running query of a [`Reader`] from any thread, such as a search whose words have
/// changed.
pub struct Interrupt(InterruptHandle);

impl Interrupt {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}
