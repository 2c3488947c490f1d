//! Proposals of assistants and the log of their calls. Proposals are kept apart from the outbox:
//! only [`Store::accept_reply`], called for a person's key press, turns one into rows.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::outbox::{self, NewRow};
use crate::reader::conversations::load_row;
use crate::reader::desk;
use crate::script_keys::{self, KeyUse, ScriptKey};
use crate::{Store, StoreError, drafts};
use model::ids::{ChannelId, ConversationId, ProposalId};
use model::messages::HistoryPosition;
use model::outbox::OutboxRow;
use model::proposals::{DeskProposal, ProposalEntry, ProposalVerdict, ProposedChange};
use model::queries::DeskQuery;
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, read_row};

pub const MAX_WAITING_PROPOSALS: u32 = 500;
/// Number of newest log entries kept.
const MAX_LOG_ENTRIES: i64 = 20_000;

/// Proposal before it has an id.
#[derive(Debug, Clone)]
pub struct NewProposal {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub proposer: SafeText,
    pub reason: SafeText,
    pub change: ProposedChange,
    /// Newest message the proposer could know.
    pub seen: Option<HistoryPosition>,
}

/// Log entry of an assistant's call, without content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantCall {
    pub at: Timestamp,
    /// Name the assistant gave itself.
    pub assistant: SafeText,
    /// Name of the tool, or kind of the proposed change that a person decided on.
    pub asked: String,
    /// Tab concerned; empty if none.
    pub channel: String,
    /// Conversation concerned; empty if none.
    pub conversation: String,
    pub outcome: String,
}

impl Store {
    /// Stores a proposal; returns `None` if the maximum is waiting already.
    pub fn insert_proposal(
        &self,
        new: NewProposal,
        now: Timestamp,
    ) -> Result<Option<DeskProposal>, StoreError> {
        let id = ProposalId::new(outbox::new_row_id(now, self.chance()).as_str());
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let waiting: u32 = change.scalar("SELECT count(*) FROM proposal", [])?;
            if waiting >= MAX_WAITING_PROPOSALS {
                return Ok(None);
            }
            let NewProposal { channel, conversation, proposer, reason, change: wanted, seen } = new;
            let kept =
                DeskProposal { id, channel, conversation, proposer, reason, change: wanted, seen, at: now };
            insert(&change, &kept)?;
            change.commit()?;
            Ok(Some(kept))
        })
    }

    /// Queues the rows of an accepted reply and removes the proposal in the same transaction.
    /// Returns `None`, and queues nothing, if the proposal is gone.
    pub fn accept_reply(
        &self,
        id: &ProposalId,
        rows: Vec<NewRow>,
        now: Timestamp,
    ) -> Result<Option<Vec<OutboxRow>>, StoreError> {
        self.accept_with_key(id, rows, None, now)
    }

    /// As [`Self::accept_reply`], with a script's key for the last row. Also returns `None` if the
    /// key is in use.
    pub fn accept_with_key(
        &self,
        id: &ProposalId,
        rows: Vec<NewRow>,
        key: Option<&ScriptKey>,
        now: Timestamp,
    ) -> Result<Option<Vec<OutboxRow>>, StoreError> {
        let (id, key, chance) = (id.clone(), key.cloned(), self.chance().clone());
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if settle_proposal(&change, &id, ProposalVerdict::Accepted, now)?.is_none() {
                return Ok(None);
            }
            let queued = rows.into_iter().map(|row| outbox::queue(&change, row, now, &chance));
            let mut queued = queued.collect::<Result<Vec<_>, StoreError>>()?;
            if let (Some(key), Some(last)) = (&key, queued.last_mut()) {
                if script_keys::key_use(&change, key)? != KeyUse::New {
                    return Ok(None);
                }
                script_keys::assign_key(&change, last, key, now)?;
            }
            change.commit()?;
            Ok(Some(queued))
        })
    }

    /// Removes a proposal a person decided on; `None` if it is gone. The text of an edited one
    /// becomes the draft in the same transaction.
    pub fn settle_proposal(
        &self,
        id: &ProposalId,
        verdict: ProposalVerdict,
        now: Timestamp,
    ) -> Result<Option<DeskProposal>, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken = settle_proposal(&change, &id, verdict, now)?;
            if let (ProposalVerdict::Edited, Some(DeskProposal { channel, conversation, change: wanted, .. })) =
                (verdict, &taken)
                && let ProposedChange::Reply { text } = wanted
            {
                drafts::prepend_text(&change, (channel, conversation), text, None, None)?;
            }
            change.commit()?;
            Ok(taken)
        })
    }

    pub fn restore_proposal(&self, proposal: DeskProposal) -> Result<(), StoreError> {
        self.outbox().call(move |connection| Ok(insert(connection, &proposal)?))
    }

    pub fn log_assistant_call(&self, call: AssistantCall) -> Result<(), StoreError> {
        self.outbox().change(move |change| {
            insert_log_entry(change, &call)?;
            change.execute(
                "DELETE FROM assistant_log WHERE number <= (SELECT max(number) FROM assistant_log) - ?1",
                [MAX_LOG_ENTRIES],
            )?;
            Ok(())
        })
    }

    /// Returns log entries, newest first.
    pub fn assistant_calls(&self, limit: u32) -> Result<Vec<AssistantCall>, StoreError> {
        self.outbox().call(move |connection| {
            let sql = "SELECT at, assistant, asked, channel, conversation, outcome FROM assistant_log
                 ORDER BY number DESC LIMIT ?1";
            Ok(connection.all(sql, [limit], |row| {
                Ok(read_row!(
                    row,
                    AssistantCall { at, assistant: line, asked, channel, conversation, outcome }
                ))
            })?)
        })
    }
}

const PROPOSAL_COLUMNS: &str = "id, channel, conversation, proposer, reason, change, seen_at, seen_id, at";

fn change_to_json(change: &ProposedChange) -> String {
    serde_json::to_string(change).unwrap_or_default()
}

fn insert(connection: &Connection, proposal: &DeskProposal) -> rusqlite::Result<()> {
    let (seen_at, seen_id) = proposal.seen.clone().unzip();
    let sql = format!(
        "INSERT OR IGNORE INTO proposal ({PROPOSAL_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    connection.execute(
        &sql,
        params![
            proposal.id,
            proposal.channel,
            proposal.conversation,
            proposal.proposer,
            proposal.reason,
            change_to_json(&proposal.change),
            seen_at,
            seen_id,
            proposal.at
        ],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<DeskProposal> {
    let change = serde_json::from_str(row.text("change")?)
        .map_err(|error| row.unreadable("change", format!("a proposal cannot be read: {error}")))?;
    Ok(read_row!(row, DeskProposal {
        id, channel, conversation, proposer: line, reason: block, at;
        change,
        seen: row.get::<Option<Timestamp>>("seen_at")?.zip(row.get("seen_id")?)
    }))
}

fn settle_proposal(
    connection: &Connection,
    id: &ProposalId,
    verdict: ProposalVerdict,
    now: Timestamp,
) -> Result<Option<DeskProposal>, StoreError> {
    let sql = format!("DELETE FROM proposal WHERE id = ?1 RETURNING {PROPOSAL_COLUMNS}");
    let Some(taken) = connection.first(&sql, params![id], read)? else { return Ok(None) };
    insert_log_entry(
        connection,
        &AssistantCall {
            at: now,
            assistant: taken.proposer.clone(),
            asked: taken.change.word().to_owned(),
            channel: taken.channel.to_string(),
            conversation: taken.conversation.to_string(),
            outcome: format!("{} by a person", verdict.word()),
        },
    )?;
    Ok(Some(taken))
}

fn insert_log_entry(connection: &Connection, call: &AssistantCall) -> rusqlite::Result<()> {
    let AssistantCall { at, assistant, asked, channel, conversation, outcome } = call;
    connection.execute(
        "INSERT INTO assistant_log (at, assistant, asked, channel, conversation, outcome)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![at, assistant, asked, channel, conversation, outcome],
    )?;
    Ok(())
}

/// Returns proposals, oldest first, and true if there are more. Expects the outbox attached as
/// `desk`.
pub(crate) fn list(
    connection: &Connection,
    query: &DeskQuery,
) -> Result<(Vec<ProposalEntry>, bool), StoreError> {
    let sql = format!(
        "SELECT {PROPOSAL_COLUMNS} FROM desk.proposal WHERE ?1 IS NULL OR channel = ?1 ORDER BY number LIMIT ?2"
    );
    let channel = query.channel.as_ref().map(ChannelId::as_str);
    let rows: Vec<_> = connection.all(&sql, params![channel, i64::from(query.limit) + 1], read)?;
    let (rows, more) = desk::truncate_rows(rows, query.limit);
    let entries = rows.into_iter().map(|row| entry(connection, row)).collect::<Result<_, _>>()?;
    Ok((entries, more))
}

fn entry(connection: &Connection, proposal: DeskProposal) -> Result<ProposalEntry, StoreError> {
    let (channel, conversation) = (&proposal.channel, &proposal.conversation);
    let seen = proposal.seen.clone().unwrap_or_default();
    Ok(ProposalEntry {
        title: desk::conversation_title(connection, channel, conversation)?,
        row: load_row(connection, channel, conversation)?,
        since: desk::messages_after(connection, channel, conversation, &seen, "")?,
        proposal,
    })
}

pub(crate) fn newest_position(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<HistoryPosition>, StoreError> {
    let sql = "SELECT m.sort_at, m.id FROM message m JOIN conversation c ON c.number = m.conversation
         WHERE c.channel = ?1 AND c.id = ?2 ORDER BY m.sort_at DESC, m.id DESC LIMIT 1";
    Ok(connection
        .first(sql, params![channel, conversation], |row| Ok((row.get("sort_at")?, row.get("id")?)))?)
}
