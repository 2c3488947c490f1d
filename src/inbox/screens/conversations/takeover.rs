//! Taking a conversation over, and the conditions for taking and finishing it.
//!
//! Taking is one act: it pauses the AI where the channel has a switch, and claims the conversation
//! for the agent, or for a colleague with a note. One undo takes back all of it.

use crate::changes::Changes;
use crate::command::Reason;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::features::undo::Act;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkPlan, by_channel};
use crate::screens::conversations::done::{self, Ending};
use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::local::{Assignment, LocalChange};
use model::outbox::Operation;
use model::text::SafeText;

pub(crate) fn check_takeable(row: &ConversationRow) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this conversation could not be read".into());
    }
    match row.thread {
        None if row.close_pending => Err("closing · {undo} undo".into()),
        None if Tab::is_closed(row) => Err("closed; the customer's next message reopens it".into()),
        _ => Ok(()),
    }
}

/// True if the AI has a switch here that pauses it; for mail it is a setting of the account.
pub(crate) fn has_ai_switch(row: &ConversationRow) -> bool {
    row.thread.is_none() && row.conversation.has_automation_switch()
}

/// True if the AI must be paused for a person to have the conversation alone.
pub(crate) fn needs_pause(row: &ConversationRow) -> bool {
    has_ai_switch(row) && Tab::ai_may_answer(row)
}

/// True if the agent has claimed the conversation and the AI does not answer in it.
pub(crate) fn is_taken(row: &ConversationRow, agent: &SafeText) -> bool {
    row.local.claim.as_ref().is_some_and(|claim| claim.agent == *agent) && !needs_pause(row)
}

pub(crate) fn check_closable(row: &ConversationRow) -> Result<(), Reason> {
    if !row.conversation.can_be_closed() && !row.conversation.id.is_stand_in() {
        return Err("conversations on this channel cannot be closed".into());
    }
    check_finishable(row)
}

pub(crate) fn check_finishable(row: &ConversationRow) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this conversation could not be read".into());
    }
    if row.close_pending {
        return Err("already closing".into());
    }
    if Tab::is_closed(row) {
        return Err("already closed".into());
    }
    let waits_for_reply = row.local.snooze.as_ref().is_some_and(|snooze| snooze.until.is_none());
    if done::ending(row) == Ending::PutAway && waits_for_reply && row.local.is_asleep() {
        return Err("already put away until they write".into());
    }
    Ok(())
}

impl Changes {
    /// Pauses the AI and claims the conversations of a plan for an agent, as one act.
    pub(crate) fn apply_take(
        &mut self,
        plan: &BulkPlan,
        agent: &SafeText,
        note: Option<&str>,
        desk: &Desk,
        context: &mut Context,
    ) {
        let paused: Vec<&ConversationRow> = plan.apply.iter().filter(|row| needs_pause(row)).collect();
        let intents: Vec<Intent> = paused
            .into_iter()
            .filter_map(|row| {
                bulk_actions::intent_for(desk, row, Operation::SetAutomation { enabled: false }, 0)
            })
            .collect();
        let claim = Assignment { agent: agent.clone(), at: context.now };
        let mut local = Vec::new();
        for (channel, rows) in by_channel(&plan.apply) {
            let wanted = rows.iter().map(|row| (row.conversation.id.clone(), Some(claim.clone())));
            let wanted = LocalChange::Claim(wanted.collect());
            let before = rows.iter().map(|row| (row.conversation.id.clone(), row.local.claim.clone()));
            local.push((channel.clone(), LocalChange::Claim(before.collect())));
            context.push(FileWrite::ChangeLocal(channel, wanted));
        }
        self.record_act(plan, Act::new(!intents.is_empty(), local), context);
        if let Some(note) = note {
            let group = self.journal.newest_group();
            for row in &plan.apply {
                let (channel, conversation) = (row.channel.clone(), row.conversation.id.clone());
                context.push(FileWrite::AddNote { channel, conversation, text: note.to_owned(), group });
            }
        }
        if !intents.is_empty() {
            context.push(FileWrite::Enqueue { intents, clears_draft: false });
        }
    }
}
