//! Merges list pages and single reads of conversations into the cache.

use rusqlite::{Connection, named_params, params};

use crate::changed::parse_last_change;
use crate::meta::{self, MetaChange};
use crate::rows::conversation::{
    automation_word, escalation_text, parse_automation, parse_closed_at, parse_pause_origin, window_word,
    with_parameters,
};
use crate::{Snapshot, Store, StoreError, facts};
use model::conversations::{
    Automation, Conversation, ConversationStatus, Escalation, PauseOrigin, ServiceWindow,
};
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, only_cell, read_row};

/// Effect of a merged page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppliedConversations {
    pub inserted: usize,
    pub changed: usize,
    /// Rows taken over only in part, because this desk changed them while the answer was in flight.
    pub superseded: usize,
    /// True if the last row of the page was known and unchanged: in a list by newest activity all
    /// later rows are known too.
    pub ends_known: bool,
    /// Known conversations whose AI state has changed.
    pub switched: Vec<AiSwitch>,
}

/// Change of a conversation's AI state as the server reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AiSwitch {
    pub conversation: ConversationId,
    pub before: Automation,
    pub after: Automation,
    /// Origin of a pause.
    pub by: Option<PauseOrigin>,
}

impl AppliedConversations {
    pub fn has_changes(&self) -> bool {
        self.inserted + self.changed > 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergeResult {
    New,
    /// With the new AI state, if that has changed.
    Changed(Option<(Automation, Automation)>),
    Same,
}

impl Store {
    /// Merges a page in list order, together with its cursors. New rows of a `baseline` predate
    /// this desk: their first history raises no alert.
    pub async fn apply_conversations(
        &self,
        channel: &ChannelId,
        page: Vec<Conversation>,
        snapshot: Snapshot,
        baseline: bool,
        cursors: Vec<MetaChange>,
    ) -> Result<AppliedConversations, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let outdated: Vec<bool> = page
                    .iter()
                    .map(|conversation| cache.is_outdated(&channel, &conversation.id, snapshot))
                    .collect();
                let superseded: Vec<bool> = page
                    .iter()
                    .map(|conversation| cache.is_superseded(&channel, &conversation.id, snapshot))
                    .collect();
                let ids: Vec<_> = page.iter().map(|conversation| conversation.id.clone()).collect();
                let change = cache.connection.transaction()?;
                let held_back = outdated.iter().filter(|flag| **flag).count();
                let mut applied =
                    AppliedConversations { superseded: held_back, ..AppliedConversations::default() };
                for ((conversation, outdated), superseded) in page.into_iter().zip(outdated).zip(superseded) {
                    if superseded {
                        applied.ends_known = false;
                        continue;
                    }
                    let (id, by) = (conversation.id.clone(), conversation.paused_by.clone());
                    let fate = merge(&change, &channel, conversation, outdated, baseline)?;
                    applied.inserted += usize::from(fate == MergeResult::New);
                    applied.ends_known = fate == MergeResult::Same;
                    if let MergeResult::Changed(switched) = fate {
                        applied.changed += 1;
                        let switch = |(before, after)| AiSwitch { conversation: id, before, after, by };
                        applied.switched.extend(switched.map(switch));
                    }
                }
                meta::write(&change, &channel, &cursors)?;
                change.commit()?;
                ids.into_iter()
                    .for_each(|conversation_id| cache.record_applied(&channel, &conversation_id, snapshot));
                Ok(applied)
            })
            .await
    }

    /// Merges a single read, which unlike a list includes the automation state.
    pub async fn apply_conversation(
        &self,
        channel: &ChannelId,
        conversation: Conversation,
        snapshot: Snapshot,
    ) -> Result<AppliedConversations, StoreError> {
        self.apply_conversations(channel, vec![conversation], snapshot, false, Vec::new()).await
    }

    /// Returns conversations whose history lags behind the list: open ones first, then by newest
    /// activity.
    pub async fn lagging_conversations(
        &self,
        channel: &ChannelId,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                Ok(cache.connection.all(
                    "SELECT id FROM conversation WHERE channel = ?1 AND behind = 1
                     ORDER BY is_closed, sort_at DESC LIMIT ?2",
                    params![channel, limit],
                    only_cell,
                )?)
            })
            .await
    }

    /// Returns those of the `among` most recent open conversations whose automation state is
    /// unknown.
    pub async fn without_details(
        &self,
        channel: &ChannelId,
        among: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let unknown = automation_word(Automation::Unknown);
                Ok(cache.connection.all(
                    "SELECT id FROM (SELECT id, automation FROM conversation
                         WHERE channel = ?1 AND is_closed = 0 ORDER BY sort_at DESC, id DESC LIMIT ?2)
                     WHERE automation = ?3",
                    params![channel, among, unknown],
                    only_cell,
                )?)
            })
            .await
    }

    /// Marks a history as current until the list reports a change, because reading it was refused
    /// for good.
    pub async fn mark_history_caught_up(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .call_async(move |cache| {
                cache.connection.execute(
                    "UPDATE conversation SET behind = 0 WHERE channel = ?1 AND id = ?2",
                    params![channel, conversation],
                )?;
                Ok(())
            })
            .await
    }

    /// Stores the automation state from the answer to a switch.
    pub async fn set_automation(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        automation: Automation,
    ) -> Result<(), StoreError> {
        let word = automation_word(automation).to_owned();
        self.set_column(channel, conversation, "automation = :value, escalation = NULL", word).await
    }

    pub async fn set_closed(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let word = ConversationStatus::Closed.word().to_owned();
        self.set_column(channel, conversation, "status = :value, is_closed = 1", word).await
    }

    /// Records that a send was refused because the service window is closed.
    pub async fn set_window_closed(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let word = window_word(ServiceWindow::Closed).to_owned();
        self.set_column(channel, conversation, "service_window = :value", word).await
    }

    async fn set_column(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        assignment: &'static str,
        value: String,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .call_async(move |cache| {
                cache.record_local_write(&channel, &conversation);
                let sql =
                    format!("UPDATE conversation SET {assignment} WHERE channel = :channel AND id = :id");
                cache.connection.execute(
                    &sql,
                    named_params! { ":channel": channel.as_str(), ":id": conversation.as_str(), ":value": value },
                )?;
                Ok(())
            })
            .await
    }
}

/// Columns that decide if a new read differs from the stored row.
struct StoredConversation {
    number: i64,
    message_count: i64,
    last_message_at: Option<Timestamp>,
    status: String,
    automation: String,
    escalation: Option<String>,
    raw: String,
    listed: [Option<String>; 6],
}

const SELECT_STORED: &str = "SELECT number, message_count, last_message_at, status, automation,
     address, name, username, email, service_window, referral_headline, escalation, raw
     FROM conversation WHERE channel = ?1 AND id = ?2";

fn stored_from_row(row: &Row<'_>) -> rusqlite::Result<StoredConversation> {
    let listed = ["address", "name", "username", "email", "service_window", "referral_headline"];
    let mut known = read_row!(row, StoredConversation {
        number, message_count, last_message_at, status, automation, escalation, raw; listed: Default::default()
    });
    for (cell, name) in known.listed.iter_mut().zip(listed) {
        *cell = row.get(name)?;
    }
    Ok(known)
}

fn merge(
    connection: &Connection,
    channel: &ChannelId,
    mut conversation: Conversation,
    outdated: bool,
    baseline: bool,
) -> Result<MergeResult, StoreError> {
    let known = connection.first(SELECT_STORED, params![channel, conversation.id], stored_from_row)?;
    let Some(known) = known else {
        let number = insert(connection, channel, &conversation, baseline)?;
        facts::refresh(connection, number)?;
        return Ok(MergeResult::New);
    };
    if outdated {
        conversation.status = ConversationStatus::from_word(&known.status);
        conversation.automation = parse_automation(&known.automation);
    }
    if outdated || conversation.escalation == Escalation::Unknown {
        let why = known.escalation.as_deref().map(SafeText::line);
        conversation.escalation = why.map_or(Escalation::None, Escalation::Requested);
    }
    if conversation.automation == Automation::Unknown {
        // Lists omit the automation state; the last single read still applies.
        conversation.automation = parse_automation(&known.automation);
    }
    let moved = known.message_count != i64::try_from(conversation.message_count).unwrap_or(i64::MAX)
        || known.last_message_at != conversation.last_message_at
        || parse_last_change(&known.raw) != parse_last_change(&conversation.raw);
    if !moved && is_same(&known, &conversation) {
        return Ok(MergeResult::Same);
    }
    update(connection, known.number, &conversation, moved)?;
    facts::refresh(connection, known.number)?;
    let told = Some(conversation.automation);
    let before = parse_automation(&known.automation);
    let switched = told.filter(|after| *after != before).map(|after| (before, after));
    Ok(MergeResult::Changed(switched))
}

fn is_same(known: &StoredConversation, conversation: &Conversation) -> bool {
    let headline = conversation.referral.as_ref().and_then(|referral| referral.headline.as_ref());
    let listed = [
        conversation.address.as_deref(),
        conversation.name.as_ref().map(SafeText::as_str),
        conversation.username.as_ref().map(SafeText::as_str),
        conversation.email.as_ref().map(SafeText::as_str),
        Some(window_word(conversation.window)),
        headline.map(model::text::SafeText::as_str),
    ];
    known.status == conversation.status.word()
        && known.automation == automation_word(conversation.automation)
        && parse_closed_at(&known.status, &known.raw) == conversation.closed_at
        && parse_pause_origin(&known.raw) == parse_pause_origin(&conversation.raw)
        && known.escalation.as_deref() == escalation_text(&conversation.escalation)
        && known.listed.iter().map(Option::as_deref).eq(listed)
}

pub(crate) fn insert(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &Conversation,
    quiet: bool,
) -> Result<i64, StoreError> {
    let channel = channel.as_str();
    with_parameters(conversation, |columns| {
        let mut all = columns.to_vec();
        all.push((":channel", &channel));
        all.push((":quiet", &quiet));
        connection
            .prepare_cached(
                "INSERT INTO conversation (channel, id, sort_at, status, is_closed, address, name, username,
                     email, message_count, preview, last_message_at, created_at, first_message_at, has_referral,
                     referral_type, referral_headline, referral_body, referral_url, service_window,
                     automation, raw, escalation, quiet)
                 VALUES (:channel, :id, coalesce(:last_message_at, :created_at, 0), :status, :is_closed,
                     :address, :name, :username, :email, :message_count, :preview, :last_message_at,
                     :created_at, :first_message_at, :has_referral, :referral_type, :referral_headline, :referral_body,
                     :referral_url, :service_window, :automation, :raw, :escalation, :quiet)",
            )?
            .execute(all.as_slice())
    })?;
    Ok(connection.last_insert_rowid())
}

fn update(
    connection: &Connection,
    number: i64,
    conversation: &Conversation,
    moved: bool,
) -> Result<(), StoreError> {
    with_parameters(conversation, |columns| {
        let mut all: Vec<_> = columns.iter().filter(|(name, _)| *name != ":id").copied().collect();
        all.push((":number", &number));
        all.push((":moved", &moved));
        connection
            .prepare_cached(
                "UPDATE conversation SET status = :status, is_closed = :is_closed, address = :address,
                     name = :name, username = :username, email = :email, message_count = :message_count,
                     preview = :preview, last_message_at = :last_message_at, created_at = :created_at,
                     first_message_at = :first_message_at,
                     has_referral = :has_referral, referral_type = :referral_type,
                     referral_headline = :referral_headline, referral_body = :referral_body,
                     referral_url = :referral_url, service_window = :service_window,
                     automation = :automation, raw = :raw, escalation = :escalation, behind = behind OR :moved
                 WHERE number = :number",
            )?
            .execute(all.as_slice())
    })?;
    Ok(())
}
