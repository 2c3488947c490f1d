//! Finishing a conversation: one act that hands back to the AI, releases the claim and closes.
//!
//! The end differs by channel ([`Ending`]). What the server must do is held like a send and undone
//! with the rest. A conversation with an unanswered message or an unsent draft asks first.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::features::undo::Act;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::commands as composer;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan, by_channel};
use crate::screens::conversations::takeover::{check_finishable, has_ai_switch};
use crate::screens::mail::filing;
use crate::screens::mail::thread_filing::{ThreadFiling, undo_change};
use crate::screens::mail::triage::TriageDecision;
use crate::screens::mail::triage::update as triage;
use crate::tab::{Focus, Tab};
use crate::wrap;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::local::{Assignment, LocalChange};
use model::outbox::Operation;
use model::snooze::Snooze;
use std::rc::Rc;

const MAX_NAME_CELLS: usize = 40;

/// How the work on a conversation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The server closes the conversation.
    Close,
    /// The thread is archived.
    Archive,
    /// This desk hides it until the customer writes: the channel closes nothing.
    PutAway,
}

impl Ending {
    /// Past form, for notices.
    pub(crate) fn past_verb(self) -> &'static str {
        match self {
            Self::Close => "closed",
            Self::Archive => "archived",
            Self::PutAway => "put away until they write",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Archive => "archive",
            Self::PutAway => "put away",
        }
    }
}

pub(crate) fn ending(row: &ConversationRow) -> Ending {
    match row.thread {
        Some(_) => Ending::Archive,
        None if row.conversation.can_be_closed() => Ending::Close,
        None => Ending::PutAway,
    }
}

/// Work that a conversation still has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenWork {
    UnsentDraft,
    NoAnswer,
}

/// Finishes the current conversation; asks first if work is left.
pub(crate) fn finish_current(inbox: &mut Inbox) {
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    if ending(&row) == Ending::Archive && Tab::is_closed(&row) {
        return inbox.changes.toggle_filing(ThreadFiling::Archived, &inbox.desk, &mut inbox.context);
    }
    match inbox.changes.open_work(&row, &inbox.desk) {
        Some(work) => ask_before_finishing(inbox, row, work),
        None => finish_and_go_on(inbox, row),
    }
}

/// Archives the mail of a triage, which then shows the next; asks first if a draft is unsent.
pub(crate) fn finish_in_triage(inbox: &mut Inbox) {
    let Some(row) = inbox.desk.current_conversation().cloned() else { return };
    match inbox.changes.open_work(&row, &inbox.desk) {
        Some(work) => ask_before_finishing(inbox, row, work),
        None => archive_in_triage(inbox),
    }
}

fn archive_in_triage(inbox: &mut Inbox) {
    let (filing, what) = (ThreadFiling::Archived(true), TriageDecision::Archived);
    inbox.changes.file_in_triage(&filing, what, &mut inbox.desk, &mut inbox.context);
}

/// Finishes a conversation and asks for the most urgent one.
fn finish_and_go_on(inbox: &mut Inbox, row: ConversationRow) {
    let key = row.key();
    if check_finishable(&row).is_ok() {
        inbox.desk.urgency_walk.finished = Some(key);
        inbox.context.push(Effect::Load(Load::NeedsPerson));
    }
    inbox.changes.plan_bulk_action(BulkAction::Done, vec![row], &mut inbox.desk, &mut inbox.context);
}

fn ask_before_finishing(inbox: &mut Inbox, row: ConversationRow, work: OpenWork) {
    let name = row.conversation.title();
    let name = wrap::cut(name.as_str(), MAX_NAME_CELLS).to_owned();
    let (title, line) = match work {
        OpenWork::UnsentDraft => (format!("Unsent draft to {name}"), row.draft.clone().unwrap_or_default()),
        OpenWork::NoAnswer => (format!("No answer to {name}"), row.conversation.preview.clone()),
    };
    let mut lines = Vec::new();
    if !line.is_empty() {
        lines.push(DialogLine::dim(wrap::cut(line.as_str(), 200)));
    }
    if work == OpenWork::UnsentDraft {
        lines.push(DialogLine::plain("The draft is kept."));
    }
    let (verb, key) = (ending(&row).verb(), row.key());
    let is_in_triage = triage::is_deciding_in_triage(&inbox.desk);
    let question = Confirm::new(title, lines)
        .answer('d', format!("{verb} anyway"), move |inbox| match is_in_triage {
            true => archive_in_triage(inbox),
            false => finish_and_go_on(inbox, row),
        })
        .answer('r', "write", move |inbox| {
            if !is_in_triage {
                let (channel, conversation) = (&key.channel, &key.conversation);
                inbox.desk.open_conversation(channel, conversation, Focus::History, &mut inbox.context);
            }
            composer::write_answer(inbox, KeyPress::plain(KeyCode::Char('r')));
        });
    inbox.context.open(question.esc("stay"));
}

/// Asks before many conversations are finished of which some have work left.
pub(crate) fn ask_before_finishing_many(plan: BulkPlan, work: Vec<DialogLine>, context: &mut Context) {
    let plan = Rc::new(plan);
    let title = format!("Done with {} conversations", plan.apply.len());
    let question = Confirm::new(title, work).answer('d', "done anyway", move |inbox| {
        inbox.changes.run_plan(&plan, &mut inbox.desk, &mut inbox.context);
    });
    context.open(question.esc("stay"));
}

impl Changes {
    /// Lines about the work that is left where many conversations are finished; none otherwise.
    pub(crate) fn open_work_lines(&self, plan: &BulkPlan, desk: &Desk) -> Vec<DialogLine> {
        if plan.action != BulkAction::Done || plan.apply.len() < 2 {
            return Vec::new();
        }
        let work: Vec<OpenWork> = plan.apply.iter().filter_map(|row| self.open_work(row, desk)).collect();
        let count = |wanted: OpenWork| work.iter().filter(|found| **found == wanted).count();
        [(count(OpenWork::NoAnswer), "without an answer"), (count(OpenWork::UnsentDraft), "with a draft")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| DialogLine::plain(format!("{count} of {} {what}", plan.apply.len())))
            .collect()
    }

    /// Returns what is left to do in a conversation, as far as this desk knows.
    fn open_work(&self, row: &ConversationRow, desk: &Desk) -> Option<OpenWork> {
        if self.has_unsent_draft(row, desk) {
            return Some(OpenWork::UnsentDraft);
        }
        // Most mail wants no answer.
        let waiting =
            row.waiting_since.or(row.last_word_on_phone()).filter(|_| ending(row) != Ending::Archive)?;
        (!self.has_answered_since(row, waiting)).then_some(OpenWork::NoAnswer)
    }

    fn has_unsent_draft(&self, row: &ConversationRow, desk: &Desk) -> bool {
        let id = &row.conversation.id;
        let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel);
        let open = tab.and_then(|tab| tab.composer.as_ref()).filter(|composer| composer.conversation == *id);
        if let Some(composer) = open.filter(|composer| composer.is_loaded()) {
            return composer.has_reply();
        }
        let in_memory = self.draft_in_memory(&row.channel, id).map(|draft| draft.is_some());
        in_memory.unwrap_or(row.draft.is_some())
    }

    /// Finishes the conversations of a plan, as one act.
    pub(crate) fn apply_done(&mut self, plan: &BulkPlan, hold: i64, desk: &Desk, context: &mut Context) {
        let (mut intents, mut filed) = (Vec::new(), Vec::new());
        for row in &plan.apply {
            match ending(row) {
                Ending::Archive => {
                    let change = ThreadFiling::Archived(true).to_change(row);
                    let back = undo_change(row, &change);
                    intents.extend(filing::filing_intent(desk, row, change));
                    filed.extend(filing::filing_intent(desk, row, back));
                }
                Ending::Close => {
                    intents.extend(hand_back_intent(row, hold, desk));
                    intents.extend(bulk_actions::intent_for(desk, row, Operation::Close, hold));
                }
                Ending::PutAway => intents.extend(hand_back_intent(row, hold, desk)),
            }
        }
        let mut local = Vec::new();
        for (channel, rows) in by_channel(&plan.apply) {
            local.extend(release_claims(&channel, &rows, context));
            local.extend(put_away(&channel, &rows, context));
        }
        // Filed threads are undone by their own changes.
        let awaits_rows = intents.len() > filed.len();
        self.record_act(plan, Act { filed, ..Act::new(awaits_rows, local) }, context);
        let (files, others): (Vec<Intent>, Vec<Intent>) = intents
            .into_iter()
            .partition(|intent| matches!(intent.operation, Operation::ChangeThread { .. }));
        for intents in [others, files] {
            if !intents.is_empty() {
                context.push(FileWrite::Enqueue { intents, clears_draft: false });
            }
        }
    }
}

/// The change that lets the AI answer again where a person had paused it.
fn hand_back_intent(row: &ConversationRow, hold: i64, desk: &Desk) -> Option<Intent> {
    let is_off = has_ai_switch(row) && !Tab::ai_may_answer(row) && row.local.draft_only.is_none();
    is_off
        .then(|| bulk_actions::intent_for(desk, row, Operation::SetAutomation { enabled: true }, hold))
        .flatten()
}

/// Releases claims; returns the change that restores them.
fn release_claims(
    channel: &model::ids::ChannelId,
    rows: &[&ConversationRow],
    context: &mut Context,
) -> Option<(model::ids::ChannelId, LocalChange)> {
    let before: Vec<(ConversationId, Option<Assignment>)> = rows
        .iter()
        .filter(|row| row.local.claim.is_some())
        .map(|row| (row.conversation.id.clone(), row.local.claim.clone()))
        .collect();
    if before.is_empty() {
        return None;
    }
    let released = before.iter().map(|(id, _)| (id.clone(), None)).collect();
    context.push(FileWrite::ChangeLocal(channel.clone(), LocalChange::Claim(released)));
    Some((channel.clone(), LocalChange::Claim(before)))
}

/// Hides until the customer writes what cannot be closed; returns the change that shows it again.
fn put_away(
    channel: &model::ids::ChannelId,
    rows: &[&ConversationRow],
    context: &mut Context,
) -> Option<(model::ids::ChannelId, LocalChange)> {
    let away: Vec<&&ConversationRow> = rows.iter().filter(|row| ending(row) == Ending::PutAway).collect();
    if away.is_empty() {
        return None;
    }
    let snooze = |row: &ConversationRow| Snooze::new(None, false, row.last_inbound_at, context.now);
    let wanted = away.iter().map(|row| (row.conversation.id.clone(), Some(snooze(row)))).collect();
    let before = away.iter().map(|row| (row.conversation.id.clone(), row.local.snooze.clone())).collect();
    context.push(FileWrite::ChangeLocal(channel.clone(), LocalChange::Snooze(wanted)));
    Some((channel.clone(), LocalChange::Snooze(before)))
}
