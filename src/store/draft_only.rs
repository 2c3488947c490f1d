//! Draft-only conversations: the AI stays paused and prepares drafts for a person. The setting is
//! kept in the outbox file.

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

/// Maximum number of most recent open conversations examined.
const MAX_CHECKED_CONVERSATIONS: u32 = 200;
const CONVERSATIONS_PER_STEP: u32 = 20;
/// Maximum number of waiting conversations per tab examined for drafts.
const MAX_WAITING_CONVERSATIONS: u32 = 100;
const MAX_CONCURRENT_DRAFTS: usize = 3;
/// Time after which another process may start a draft that is not finished.
pub(crate) const DRAFT_TIMEOUT: i64 = 2 * MINUTE;

/// Steps that keep the AI paused in draft-only conversations of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DraftOnlyPlan {
    /// True if marks remain of a tab setting that was switched off.
    pub has_ended: bool,
    pub steps: Vec<DraftOnlyStep>,
}

/// Draft-only conversation that is not marked yet, or whose AI is on again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftOnlyStep {
    pub conversation: ConversationId,
    pub needs_pause: bool,
}

impl Store {
    /// Returns the steps that pause the AI in draft-only conversations: those of a draft-only tab,
    /// or those a person has chosen.
    pub async fn draft_only_plan(
        &self,
        channel: &ChannelId,
        whole_tab: bool,
    ) -> Result<DraftOnlyPlan, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| plan_steps(&cache.connection, &channel, whole_tab)).await
    }

    /// Marks a conversation as draft-only and queues the pause of its AI, unless a switch of the AI
    /// is queued already or a person has opted out.
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

    /// Deletes the marks of a tab setting that was switched off.
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
    /// Returns draft-only conversations whose newest customer message has no draft yet: the open
    /// one first, then by activity.
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

/// Conversations of a tab whose newest message is inbound and has no draft, finished or in
/// progress.
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

/// Sets a person's choice for a conversation, which overrides the tab's setting.
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

/// Ends draft-only mode because the AI is switched on.
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
