//! Reads windows for the screen, on a connection of its own that never
//! writes. Each call is one transaction, so a window is of one moment.
//!
//! Knows nothing of who draws.

use rusqlite::{Connection, InterruptHandle};

use crate::model::account::Account;
use crate::model::ids::{ChannelId, ConversationId, RowId};
use crate::model::queries::{
    ConversationKey, ConversationPage, ConversationQuery, DeskQuery, Draft, DraftEntry, HistoryPage,
    HistoryQuery, OutboxEntry, OutboxPage, Pause, TabCounts,
};
use crate::model::search::{SearchPage, SearchQuery};
use crate::store::{StoreError, account, drafts, pauses};

pub(crate) mod conversations;
mod counts;
mod desk;
mod elsewhere;
mod history;
mod order;
mod search;

/// A reading connection for one thread.
pub struct Reader {
    pub(crate) connection: Connection,
}

impl Reader {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// A window of a tab's list.
    ///
    /// # Errors
    /// When the database fails.
    pub fn conversations(&self, query: &ConversationQuery) -> Result<ConversationPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        conversations::window(&moment, query)
    }

    /// The newest messages of a history and its outbox rows.
    ///
    /// # Errors
    /// When the database fails.
    pub fn history(&self, query: &HistoryQuery) -> Result<HistoryPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        history::page(&moment, query)
    }

    /// The conversations the same person has in other tabs.
    ///
    /// # Errors
    /// When the database fails.
    pub fn elsewhere(&self, key: &ConversationKey) -> Result<Vec<ConversationKey>, StoreError> {
        elsewhere::of(&self.connection, key)
    }

    /// The draft kept for a conversation.
    ///
    /// # Errors
    /// When the database fails.
    pub fn draft(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Draft>, StoreError> {
        drafts::read(&self.connection, channel, conversation)
    }

    /// The pauses of a channel made from this desk, longest first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pauses(&self, channel: &ChannelId) -> Result<Vec<Pause>, StoreError> {
        pauses::list(&self.connection, "desk", channel)
    }

    /// What a tab's title counts.
    ///
    /// # Errors
    /// When the database fails.
    pub fn counts(&self, channel: &ChannelId) -> Result<TabCounts, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        counts::counts(&moment, channel)
    }

    /// The channel's account as last read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn account(&self, channel: &ChannelId) -> Result<Option<Account>, StoreError> {
        account::read(&self.connection, channel)
    }

    /// Messages and people in which all words typed are found.
    ///
    /// # Errors
    /// When the database fails, or [`StoreError::Interrupted`].
    pub fn search(&self, query: &SearchQuery) -> Result<SearchPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        search::page(&moment, query)
    }

    /// Rows of the outbox that are not done.
    ///
    /// # Errors
    /// When the database fails.
    pub fn outbox(&self, query: &DeskQuery) -> Result<OutboxPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::outbox(&moment, query)
    }

    /// One row of the outbox; `None` if it is done.
    ///
    /// # Errors
    /// When the database fails.
    pub fn entry(&self, id: &RowId) -> Result<Option<OutboxEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::entry(&moment, id)
    }

    /// Drafts, and whether there are more.
    ///
    /// # Errors
    /// When the database fails.
    pub fn drafts(&self, query: &DeskQuery) -> Result<(Vec<DraftEntry>, bool), StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        desk::drafts(&moment, query)
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
