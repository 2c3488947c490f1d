//! Draft-only conversations: the AI stays paused, and a draft of an answer is
//! made ready for a person. Which they are is kept in the outbox's file.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::outbox::{self, NewRow};
use crate::reader::conversations::load_row;
use crate::reader::desk;
use crate::stand_ins::STAND_IN_PATTERN;
use crate::{Reader, Store, StoreError};
use model::conversations::Automation;
use model::ids::{ChannelId, ConversationId};
use model::outbox::OutboxRow;
use model::queries::ConversationKey;
use model::suggestions::{DueDraft, MAX_MESSAGES};
use model::time::{MINUTE, Timestamp};
use sqlite::Queries;

use crate::rows::conversation::parse_automation;

/// Open conversations with the newest activity that are looked at.
const MAX_CHECKED_CONVERSATIONS: u32 = 200;
/// Conversations of which a step takes care.
const CONVERSATIONS_PER_STEP: u32 = 20;
/// Conversations whose customers wait that are looked at for drafts, by tab.
const MAX_WAITING_CONVERSATIONS: u32 = 100;
/// Drafts that are made ready at once.
const MAX_CONCURRENT_DRAFTS: usize = 3;
/// How long somebody may take to make one before another begins.
pub(crate) const DRAFT_TIMEOUT: i64 = 2 * MINUTE;

/// What is to be done in a tab so that the AI is paused where only drafts are
/// wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DraftOnlyPlan {
    /// Whether something was noted for the whole tab that is so no longer.
    pub has_ended: bool,
    /// What is to be done in single conversations.
    pub steps: Vec<DraftOnlyStep>,
}

/// A conversation of a draft-only tab that is not noted yet, or one whose AI is
/// on again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftOnlyStep {
    /// Which.
    pub conversation: ConversationId,
    /// Whether the AI is to be paused.
    pub needs_pause: bool,
}

impl Store {
    /// What is to be done so that the AI is paused where only drafts are
    /// wanted: in a whole tab, or where a person said so.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn draft_only_plan(
        &self,
        channel: &ChannelId,
        whole_tab: bool,
    ) -> Result<DraftOnlyPlan, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| plan_steps(&cache.connection, &channel, whole_tab)).await
    }

    /// Notes a draft-only conversation and queues the pause of its AI, unless a
    /// switch of it is on its way already or a person said otherwise meanwhile.
    ///
    /// # Errors
    /// When the database fails; then nothing was changed.
    pub async fn mark_draft_only(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        pause: Option<NewRow>,
        now: Timestamp,
    ) -> Result<Option<OutboxRow>, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        let chance = self.chance().clone();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                change.execute(
                    "INSERT OR IGNORE INTO draft_only (channel, conversation, is_on, by_tab) VALUES (?1, ?2, 1, 1)",
                    params![channel, conversation],
                )?;
                let wants: bool = change.scalar(
                    "SELECT (SELECT is_on FROM draft_only WHERE channel = ?1 AND conversation = ?2)
                         AND NOT EXISTS (SELECT 1 FROM outbox WHERE channel = ?1 AND conversation = ?2
                             AND operation IN ('pause', 'resume'))",
                    params![channel, conversation],
                )?;
                let row = pause.filter(|_| wants);
                let queued = row.map(|row| outbox::queue(&change, row, now, &chance)).transpose()?;
                change.commit()?;
                Ok(queued)
            })
            .await
    }

    /// Forgets what a tab's setting noted that does not hold any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_draft_only_tab(&self, channel: &ChannelId) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let sql = "DELETE FROM draft_only WHERE channel = ?1 AND by_tab = 1";
                connection.execute(sql, [channel.as_str()])?;
                Ok(())
            })
            .await
    }
}

impl Reader {
    /// Draft-only conversations whose customers wrote what no draft was made
    /// for yet: the open one, and those with the newest activity.
    ///
    /// # Errors
    /// When the database fails.
    pub fn due_drafts(
        &self,
        channels: &[ChannelId],
        open: Option<&ConversationKey>,
        now: Timestamp,
    ) -> Result<Vec<DueDraft>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let mut due: Vec<ConversationKey> = Vec::new();
        for channel in channels {
            let open = open
                .filter(|conversation_key| conversation_key.channel == *channel)
                .map(|conversation_key| conversation_key.conversation.as_str());
            let found: Vec<_> = moment.all(
                SELECT_DUE,
                params![channel, open, MAX_WAITING_CONVERSATIONS, now.plus(-DRAFT_TIMEOUT)],
                |row| Ok(ConversationKey { channel: channel.clone(), conversation: row.get("id")? }),
            )?;
            due.extend(found);
        }
        due.sort_by_key(|due| open != Some(due));
        due.truncate(MAX_CONCURRENT_DRAFTS);
        due.iter().filter_map(|entry| due_draft(&moment, entry).transpose()).collect()
    }
}

/// Those of a tab whose newest message is the customer's and of which nothing
/// was made, nor is being made.
const SELECT_DUE: &str = "SELECT c.id FROM (
        SELECT number FROM (SELECT number FROM conversation WHERE channel = ?1 AND needs = 1
            ORDER BY sort_at DESC, id DESC LIMIT ?3)
        UNION SELECT number FROM conversation WHERE channel = ?1 AND id = ?2) n
    JOIN conversation c ON c.number = n.number
    JOIN desk.draft_only d ON d.channel = c.channel AND d.conversation = c.id AND d.is_on = 1
    JOIN message m ON m.conversation = c.number AND m.id = (
        SELECT l.id FROM message l WHERE l.conversation = c.number ORDER BY l.sort_at DESC, l.id DESC LIMIT 1)
    WHERE m.inbound = 1 AND c.is_closed = 0 AND NOT EXISTS (
        SELECT 1 FROM suggestion s WHERE s.conversation = c.number AND s.kind = 'draft' AND s.message = m.id
            AND (s.made IS NOT NULL OR s.begun_at > ?4))
    ORDER BY c.sort_at DESC, c.id DESC LIMIT 3";

fn due_draft(connection: &Connection, key: &ConversationKey) -> Result<Option<DueDraft>, StoreError> {
    let Some(row) = load_row(connection, &key.channel, &key.conversation)? else { return Ok(None) };
    let contact = crate::contacts::contact_of_row(connection, &row)?;
    let messages = desk::newest_messages(connection, &key.channel, &key.conversation, MAX_MESSAGES)?;
    Ok(Some(DueDraft { row, messages, contact }))
}

fn plan_steps(
    connection: &Connection,
    channel: &ChannelId,
    whole_tab: bool,
) -> Result<DraftOnlyPlan, StoreError> {
    let is_noted = |by_tab: &str| {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM desk.draft_only WHERE channel = ?1 AND is_on = 1 AND by_tab {by_tab})"
        );
        connection.scalar::<bool>(&sql, [channel.as_str()])
    };
    let has_ended = !whole_tab && is_noted("= 1")?;
    if !whole_tab && !is_noted("= 0")? {
        return Ok(DraftOnlyPlan { has_ended, steps: Vec::new() });
    }
    let sql = format!(
        "SELECT c.id, c.automation FROM (SELECT number FROM conversation
                 WHERE channel = ?1 AND is_closed = 0 ORDER BY sort_at DESC, id DESC LIMIT {MAX_CHECKED_CONVERSATIONS}) n
             JOIN conversation c ON c.number = n.number
             LEFT JOIN desk.draft_only d ON d.channel = c.channel AND d.conversation = c.id
         WHERE coalesce(d.is_on, ?2) = 1 AND c.id NOT GLOB '{STAND_IN_PATTERN}'
             AND (d.is_on IS NULL OR (c.automation = 'on' AND c.waiting_since IS NOT NULL))
             AND NOT EXISTS (SELECT 1 FROM desk.outbox o WHERE o.channel = c.channel
                 AND o.conversation = c.id AND o.operation IN ('pause', 'resume'))
         ORDER BY c.sort_at DESC, c.id DESC LIMIT {CONVERSATIONS_PER_STEP}"
    );
    let steps: Vec<_> = connection.all(&sql, params![channel, whole_tab], |row| {
        let automation = row.parse_word("automation", parse_automation)?;
        let pauses = matches!(automation, Automation::On | Automation::Unknown);
        Ok(DraftOnlyStep { conversation: row.get("id")?, needs_pause: pauses })
    })?;
    Ok(DraftOnlyPlan { has_ended, steps })
}

/// Whether tabs or people said that only drafts are wanted.
pub(crate) fn set_mark(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    is_on: bool,
) -> rusqlite::Result<()> {
    change
        .prepare_cached(
            "INSERT OR REPLACE INTO draft_only (channel, conversation, is_on, by_tab) VALUES (?1, ?2, ?3, 0)",
        )?
        .execute(params![channel, conversation, is_on])?;
    Ok(())
}

/// The AI is handed back: drafts alone are no longer wanted.
pub(crate) fn hand_back(
    change: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE draft_only SET is_on = 0, by_tab = 0 WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    Ok(())
}
