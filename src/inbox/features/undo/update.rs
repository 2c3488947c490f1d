//! Adds to the journal and undoes its entries.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::features::undo::{Act, JournalEntry, MAX_LATE_UNDO_AGE, UndoMethod, UndoTarget};
use crate::keymap::update as keymap;
use crate::screens::broadcasts::CampaignAction;
use crate::screens::conversations::bulk_plan::BulkPlan;
use crate::screens::mail::filing;
use crate::screens::mail::review;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, NoteId, RowId};
use model::local::LocalChange;
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;

impl Changes {
    /// Journal entries, newest first, with the reason if they cannot be undone.
    pub fn journal_entries(
        &self,
        context: &Context,
    ) -> impl Iterator<Item = (&JournalEntry, Option<&'static str>)> {
        self.journal.entries.iter().rev().map(|done| (done, self.undo_method(done, context).err()))
    }

    /// Adds a local change with the change that restores the earlier state.
    pub(crate) fn record_local_change(
        &mut self,
        channel: &ChannelId,
        words: &str,
        before: LocalChange,
        context: &Context,
    ) {
        self.record_change(channel.clone(), words, UndoTarget::Local(before), context);
    }

    pub(crate) fn record_change(
        &mut self,
        channel: ChannelId,
        words: &str,
        what: UndoTarget,
        context: &Context,
    ) {
        let group = self.journal.next_group();
        let words = SafeText::line(words);
        self.journal.record(JournalEntry {
            at: context.moment,
            group,
            channel,
            description: words,
            target: what,
            undone: false,
        });
    }

    /// Adds an act of several parts under the group that its rows join.
    pub(crate) fn record_act(&mut self, plan: &BulkPlan, act: Act, context: &Context) {
        let channel = plan.apply.first().map(|row| row.channel.clone());
        let Some(channel) = channel else { return };
        self.record_change(channel, &plan.describe_done(), UndoTarget::Act(Box::new(act)), context);
    }

    /// The way to undo an entry, or the reason why it cannot be undone.
    fn undo_method(&self, done: &JournalEntry, context: &Context) -> Result<UndoMethod, &'static str> {
        if done.undone {
            return Err("undone");
        }
        if matches!(done.target, UndoTarget::Campaign(_, until) if until <= context.moment) {
            return Err("the first wave is sent; stop the rest in the broadcasts");
        }
        let rows = done.rows();
        if rows.is_empty() {
            return Ok(UndoMethod::RestoreLocal);
        }
        // Newest first, so that texts return to the composer in their order.
        let held = rows.iter().rev().filter(|row| self.held.iter().any(|held| held.row == row.id));
        let held: Vec<RowId> = held.map(|outbox_row| outbox_row.id.clone()).collect();
        if !held.is_empty() {
            return Ok(UndoMethod::Recall(held));
        }
        if rows.iter().all(|row| row.operation.inverse().is_some()) {
            return Ok(UndoMethod::Invert(rows.to_vec()));
        }
        if let Some(why) = self.unsent_reason(rows) {
            return Err(why);
        }
        Err(rows.last().map_or("sent", |row| row.operation.describe_irrevocable()))
    }

    /// Group to undo next. A sent change blocks older ones on the server but not local ones.
    pub(crate) fn next_undo_group(&self, context: &Context) -> Option<u64> {
        let mut passed = false;
        for done in self.journal.entries.iter().rev().filter(|done| !done.undone) {
            match self.undo_method(done, context) {
                Ok(UndoMethod::Invert(_)) if passed => (),
                Ok(UndoMethod::RestoreLocal)
                    if passed && context.moment.since(done.at) >= MAX_LATE_UNDO_AGE => {}
                Ok(_) => return Some(done.group),
                Err(_) => passed = true,
            }
        }
        None
    }

    /// Message, once per group, that a newer change cannot be undone any more and this one is.
    pub(crate) fn describe_passed_over(
        &mut self,
        group: u64,
        desk: &Desk,
        context: &Context,
    ) -> Option<String> {
        let undone = |done: &&JournalEntry| !done.undone;
        let newest = self.journal.entries.iter().rev().find(undone)?;
        let why = self.undo_method(newest, context).err()?;
        if self.journal.reported_group == Some(newest.group) {
            return None;
        }
        let older = self.journal.entries.iter().rev().find(|done| done.group == group && !done.undone)?;
        let words = format!(
            "{}: {why} · {}: {}",
            newest.description,
            keymap::undo_hint(desk, context),
            older.description
        );
        self.journal.reported_group = Some(newest.group);
        Some(words)
    }

    /// Reason why nothing of a group can be undone any more, with its description.
    pub(crate) fn irrevocable_reason(&self, group: u64, context: &Context) -> Option<String> {
        let mut of_group = self.journal.entries.iter().rev().filter(|done| done.group == group).peekable();
        if of_group.peek().is_none() {
            return Some("too old to undo".to_owned());
        }
        let mut open = of_group.filter(|group| !group.undone).peekable();
        let newest = *open.peek()?;
        let why = self.undo_method(newest, context).err()?;
        open.all(|done| self.undo_method(done, context).is_err())
            .then(|| format!("{}: {why}", newest.description))
    }

    /// Newest undoable entry after a group that concerns only this conversation.
    pub(crate) fn newest_undoable(
        &self,
        id: &ConversationId,
        after: u64,
        context: &Context,
    ) -> Option<&JournalEntry> {
        let newer = self.journal.entries.iter().rev().filter(|done| done.group > after && !done.undone);
        newer.filter(|newer| newer.concerns_only(id)).find(|newer| self.undo_method(newer, context).is_ok())
    }

    /// True if the newest star change after a group added the star.
    pub(crate) fn added_star(&self, id: &ConversationId, after: u64) -> bool {
        let newer = self.journal.entries.iter().rev().filter(|done| done.group > after && !done.undone);
        newer.filter(|newer| newer.concerns_only(id)).find_map(JournalEntry::star_change) == Some(true)
    }

    /// Group of the newest mail sent in a thread, up to a group.
    pub(crate) fn mail_group(&self, row: &ConversationRow, until: u64) -> Option<u64> {
        let done = self.journal.entries.iter().rev().filter(|done| done.group <= until);
        done.filter(|done| done.has_sent_mail(&row.channel, &row.conversation.id))
            .map(|done| done.group)
            .next()
    }

    /// True if it was not yet reported that the group cannot be undone.
    pub(crate) fn mark_reported(&mut self, group: u64) -> bool {
        self.journal.reported_group.replace(group) != Some(group)
    }

    /// Queues the opposite of a pause, a hand-back or a change of tags.
    fn queue_inverse(&mut self, rows: &[OutboxRow], desk: &Desk, context: &mut Context) {
        let intent = |row: &OutboxRow| {
            let operation = row.operation.inverse()?;
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
            Some(Intent {
                channel: row.channel.clone(),
                platform: tab.platform()?.clone(),
                conversation: ConversationId::new(row.lane.id()),
                operation,
                hold: 0,
                seen: None,
                planned_at: None,
            })
        };
        let intents: Vec<Intent> = rows.iter().filter_map(intent).collect();
        if let Some(first) = intents.first() {
            context.show_notice(match first.operation {
                Operation::SetAutomation { enabled: true } => "undone: handing back to the AI",
                Operation::SetAutomation { enabled: false } => "undone: pausing the AI again",
                _ => "undone: restoring the tags",
            });
            self.pending_groups.next_is_undo = true;
            context.push(FileWrite::Enqueue { intents, clears_draft: false });
        }
    }
}

/// Adds rows that were queued together. Returns true if they belong to an act that was undone
/// meanwhile: what is held of them must be withdrawn.
pub(crate) fn record_rows(inbox: &mut Inbox, group: u64, rows: &[OutboxRow]) -> bool {
    let Some(first) = rows.first() else { return false };
    if let Some(act) = inbox.changes.journal.complete_act(group, rows) {
        let is_undone = act.undone;
        if is_undone {
            let now = inbox.context.now;
            let left: Vec<OutboxRow> =
                rows.iter().filter(|row| row.remaining_hold(now).is_none()).cloned().collect();
            inbox.changes.queue_inverse(&left, &inbox.desk, &mut inbox.context);
        }
        return is_undone;
    }
    let last = rows.last().unwrap_or(first);
    let verb = last.operation.describe_done();
    let words = match rows.len() {
        1 => format!("{verb} · {}", row_name(&inbox.desk, first)),
        _ if rows.iter().all(|row| row.lane == first.lane) => {
            let mut verbs: Vec<&str> = rows.iter().map(|row| row.operation.describe_done()).collect();
            verbs.dedup();
            let name = row_name(&inbox.desk, first);
            format!("{} · {name}", verbs.join(", "))
        }
        many => format!("{verb} · {many} conversations"),
    };
    let words = SafeText::line(&words);
    let what = UndoTarget::Rows(rows.to_vec());
    inbox.changes.journal.record(JournalEntry {
        at: inbox.context.moment,
        group,
        channel: first.channel.clone(),
        description: words,
        target: what,
        undone: false,
    });
    false
}

/// Adds a note to the act that it belongs to; deletes it if the act was undone meanwhile.
pub(crate) fn record_note(
    inbox: &mut Inbox,
    channel: ChannelId,
    conversation: ConversationId,
    note: NoteId,
    group: u64,
) {
    inbox.history_changed(channel.clone(), &conversation);
    let entries = inbox.changes.journal.entries.iter_mut();
    let mut acts = entries.filter(|entry| entry.group == group).filter_map(|entry| match &mut entry.target {
        UndoTarget::Act(act) => Some((entry.undone, act)),
        _ => None,
    });
    match acts.next() {
        Some((true, _)) => inbox.context.push(FileWrite::ChangeNote(channel, conversation, note, None)),
        Some((false, act)) => act.notes.push((channel, conversation, note)),
        None => (),
    }
}

pub(crate) fn undo_group(inbox: &mut Inbox, group: u64) {
    let places: Vec<usize> = (0..inbox.changes.journal.entries.len())
        .rev()
        .filter(|number| inbox.changes.journal.entries[*number].group == group)
        .collect();
    for place in places {
        let done = inbox.changes.journal.entries[place].clone();
        let way = inbox.changes.undo_method(&done, &inbox.context);
        if let (Ok(_), Some(id)) = (&way, done.conversation()) {
            inbox.desk.list_mut().expect_return(&id, inbox.context.moment);
        }
        match way {
            Err(_) => continue,
            Ok(UndoMethod::Recall(rows)) => {
                inbox.changes.held.retain(|held| !rows.contains(&held.row));
                inbox.context.push_all(rows.into_iter().map(FileWrite::Recall));
                if !matches!(done.target, UndoTarget::Act(_)) {
                    continue;
                }
                restore_local(&done, &mut inbox.desk, &mut inbox.context);
            }
            Ok(UndoMethod::Invert(rows)) => {
                inbox.changes.queue_inverse(&rows, &inbox.desk, &mut inbox.context);
                if matches!(done.target, UndoTarget::Act(_)) {
                    restore_local(&done, &mut inbox.desk, &mut inbox.context);
                }
            }
            Ok(UndoMethod::RestoreLocal) => restore_local(&done, &mut inbox.desk, &mut inbox.context),
        }
        inbox.changes.journal.entries[place].undone = true;
    }
}

pub(crate) fn conversation_name(
    desk: &Desk,
    channel: &ChannelId,
    conversation: Option<&ConversationId>,
) -> String {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    let row = tab.zip(conversation).and_then(|(tab, id)| {
        let rows = tab.list.page.rows.iter();
        let open = tab.history.iter().filter_map(|history| history.row.as_ref());
        rows.chain(open).find(|row| row.conversation.id == *id)
    });
    row.map_or_else(|| "a conversation".to_owned(), |row| row.conversation.title().to_string())
}

fn row_name(desk: &Desk, row: &OutboxRow) -> String {
    let (Operation::ChangeTags { .. }, Some(phone)) = (&row.operation, row.operation.recipient()) else {
        if let model::outbox::Lane::Contact(phone) = &row.lane {
            return phone.clone();
        }
        return conversation_name(desk, &row.channel, row.lane.conversation());
    };
    let rows = desk.tabs.iter().flat_map(|tab| &tab.list.page.rows);
    let known = rows.filter(|conversation_row| conversation_row.channel == row.channel);
    let mut known =
        known.filter(|conversation_row| conversation_row.conversation.address.as_deref() == Some(phone));
    known.next().map_or_else(
        || phone.to_owned(),
        |conversation_row| conversation_row.conversation.title().to_string(),
    )
}

fn restore_local(done: &JournalEntry, desk: &mut Desk, context: &mut Context) {
    match &done.target {
        UndoTarget::DiscardedDraft(conversation, text) => {
            review::restore_discarded(desk, &done.channel, conversation, text, context);
        }
        UndoTarget::Filed(backs) => filing::enqueue_undo(context, backs),
        UndoTarget::Act(act) => {
            context.push_all(
                act.local.iter().map(|(channel, keep)| FileWrite::ChangeLocal(channel.clone(), keep.clone())),
            );
            let notes = act.notes.iter().cloned();
            context.push_all(notes.map(|(channel, conversation, note)| {
                FileWrite::ChangeNote(channel, conversation, note, None)
            }));
            if !act.filed.is_empty() {
                filing::enqueue_undo(context, &act.filed);
            }
        }
        UndoTarget::Local(keep) => context.push(FileWrite::ChangeLocal(done.channel.clone(), keep.clone())),
        UndoTarget::Marks(marks, true) => desk.all_tabs_list.marks = marks.clone(),
        UndoTarget::Marks(marks, false) => {
            if let Some(tab) = desk.tab_of(&done.channel) {
                tab.list.marks = marks.clone();
            }
        }
        UndoTarget::Note(conversation, note) => {
            let (channel, conversation) = (done.channel.clone(), conversation.clone());
            return context.push(FileWrite::RecallNote(channel, conversation, note.clone()));
        }
        UndoTarget::Proposal(proposal) => context.push(FileWrite::RestoreProposal(proposal.clone())),
        UndoTarget::Review(review) => {
            let agent = context.settings.agent.clone();
            context.push(FileWrite::Review(review.clone(), None, agent));
        }
        UndoTarget::Campaign(id, _) => {
            return context.push(FileWrite::Campaign(CampaignAction::Recall(id.clone())));
        }
        UndoTarget::Rows(_) => (),
    }
    context.show_notice(format!("undone: {}", done.description));
}
