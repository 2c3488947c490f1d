//! Notes what was done and takes it back.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::features::macros::Macros;
use crate::features::undo::{Done, FRESH, UndoMethod, UndoTarget};
use crate::screens::broadcasts::BroadcastOrder;
use crate::screens::mail::filing;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::local::LocalChange;
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;

impl Changes {
    /// What was done from here, newest first, and why it cannot be taken
    /// back, if it cannot.
    pub fn done(&self, context: &Context) -> impl Iterator<Item = (&Done, Option<&'static str>)> {
        self.journal.done.iter().rev().map(|done| (done, self.way(done, context).err()))
    }

    /// Notes a change of what this desk keeps, with the change that brings
    /// back what was before.
    pub(crate) fn note_kept(
        &mut self,
        channel: &ChannelId,
        words: &str,
        before: LocalChange,
        context: &Context,
    ) {
        self.note_done(channel.clone(), words, UndoTarget::Keep(before), context);
    }

    pub(crate) fn note_done(&mut self, channel: ChannelId, words: &str, what: UndoTarget, context: &Context) {
        let group = self.journal.group();
        let words = SafeText::line(words);
        self.journal.record(Done { at: context.moment, group, channel, words, what, undone: false });
    }

    /// How something can be taken back, or why it cannot.
    fn way(&self, done: &Done, context: &Context) -> Result<UndoMethod, &'static str> {
        if done.undone {
            return Err("taken back");
        }
        if matches!(done.what, UndoTarget::Campaign(_, until) if until <= context.moment) {
            return Err("the first wave has left; the broadcasts stop the rest");
        }
        let UndoTarget::Rows(rows) = &done.what else { return Ok(UndoMethod::Here) };
        // The newest first: texts stand in the composer as they were written.
        let held = rows.iter().rev().filter(|row| self.held.iter().any(|held| held.row == row.id));
        let held: Vec<RowId> = held.map(|outbox_row| outbox_row.id.clone()).collect();
        if !held.is_empty() {
            return Ok(UndoMethod::Recall(held));
        }
        if rows.iter().all(|row| row.operation.inverse().is_some()) {
            return Ok(UndoMethod::Turn(rows.clone()));
        }
        if let Some(why) = self.never_left(rows) {
            return Err(why);
        }
        Err(rows.last().map_or("left", |row| row.operation.describe_irrevocable()))
    }

    /// The newest thing that `z` takes back. What has left blocks the way to
    /// older things on the server, not to what only this desk keeps.
    pub(crate) fn undoable(&self, context: &Context) -> Option<u64> {
        let mut passed = false;
        for done in self.journal.done.iter().rev().filter(|done| !done.undone) {
            match self.way(done, context) {
                Ok(UndoMethod::Turn(_)) if passed => (),
                Ok(UndoMethod::Here) if passed && context.moment.since(done.at) >= FRESH => (),
                Ok(_) => return Some(done.group),
                Err(_) => passed = true,
            }
        }
        None
    }

    /// Says once that something newer than this cannot be taken back any more,
    /// and what the key takes back instead.
    pub(crate) fn passed_over(&mut self, group: u64, desk: &Desk, context: &Context) -> Option<String> {
        let undone = |done: &&Done| !done.undone;
        let newest = self.journal.done.iter().rev().find(undone)?;
        let why = self.way(newest, context).err()?;
        if self.journal.passed == Some(newest.group) {
            return None;
        }
        let older = self.journal.done.iter().rev().find(|done| done.group == group && !done.undone)?;
        let words =
            format!("{}: {why} · {} again undoes: {}", newest.words, desk.undo_key(context), older.words);
        self.journal.passed = Some(newest.group);
        Some(words)
    }

    /// Why nothing of what was done with one key can be taken back any more,
    /// with what it was.
    pub(crate) fn is_past_undoing(&self, group: u64, context: &Context) -> Option<String> {
        let mut of_group = self.journal.done.iter().rev().filter(|done| done.group == group).peekable();
        if of_group.peek().is_none() {
            return Some("too long ago to be taken back".to_owned());
        }
        let mut open = of_group.filter(|group| !group.undone).peekable();
        let newest = *open.peek()?;
        let why = self.way(newest, context).err()?;
        open.all(|done| self.way(done, context).is_err()).then(|| format!("{}: {why}", newest.words))
    }

    /// The newest thing done to one conversation alone after all of a number,
    /// if it can be taken back.
    pub(crate) fn newest_of(&self, id: &ConversationId, after: u64, context: &Context) -> Option<&Done> {
        let newer = self.journal.done.iter().rev().filter(|done| done.group > after && !done.undone);
        newer.filter(|newer| newer.is_of(id)).find(|newer| self.way(newer, context).is_ok())
    }

    /// Whether the last star since then was given to a thread, not taken away.
    pub(crate) fn gave_star(&self, id: &ConversationId, after: u64) -> bool {
        let newer = self.journal.done.iter().rev().filter(|done| done.group > after && !done.undone);
        newer.filter(|newer| newer.is_of(id)).find_map(Done::starred) == Some(true)
    }

    /// The number of the newest mail that was sent from here in a thread.
    pub(crate) fn group_of_mail(&self, row: &ConversationRow, until: u64) -> Option<u64> {
        let done = self.journal.done.iter().rev().filter(|done| done.group <= until);
        done.filter(|done| done.mails(&row.channel, &row.conversation.id)).map(|done| done.group).next()
    }

    /// Whether that it cannot be taken back is said now for the first time.
    pub(crate) fn first_told_past(&mut self, group: u64) -> bool {
        self.journal.passed.replace(group) != Some(group)
    }

    /// Asks for the opposite of a pause, a hand-back or a change of tags.
    fn turn(&mut self, rows: &[OutboxRow], desk: &Desk, context: &mut Context) {
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
            context.say(match first.operation {
                Operation::SetAutomation { enabled: true } => "undone: the AI gets it back",
                Operation::SetAutomation { enabled: false } => "undone: the AI is paused again",
                _ => "undone: the tags are changed back",
            });
            self.queueing.quiet = true;
            context.push(FileWrite::Enqueue { intents, clears_draft: false });
        }
    }
}

/// Notes rows that were put into the outbox together.
pub(crate) fn note_rows(inbox: &mut Inbox, group: u64, rows: &[OutboxRow]) {
    let Some(first) = rows.first() else { return };
    let last = rows.last().unwrap_or(first);
    let verb = last.operation.describe_done();
    let words = match rows.len() {
        1 => format!("{verb} · {}", inbox.desk.name_of_row(first)),
        _ if rows.iter().all(|row| row.lane == first.lane) => {
            let mut verbs: Vec<&str> = rows.iter().map(|row| row.operation.describe_done()).collect();
            verbs.dedup();
            let name = inbox.desk.name_of_row(first);
            format!("{} · {name}", verbs.join(", "))
        }
        many => format!("{verb} · {many} conversations"),
    };
    let words = SafeText::line(&words);
    let what = UndoTarget::Rows(rows.to_vec());
    inbox.changes.journal.record(Done {
        at: inbox.context.moment,
        group,
        channel: first.channel.clone(),
        words,
        what,
        undone: false,
    });
}

/// Takes back what was done with one key.
pub(crate) fn undo_group(inbox: &mut Inbox, group: u64) {
    let places: Vec<usize> = (0..inbox.changes.journal.done.len())
        .rev()
        .filter(|number| inbox.changes.journal.done[*number].group == group)
        .collect();
    for place in places {
        let done = inbox.changes.journal.done[place].clone();
        let way = inbox.changes.way(&done, &inbox.context);
        if let (Ok(_), Some(id)) = (&way, done.conversation()) {
            inbox.desk.list_mut().expect_back(&id, inbox.context.moment);
        }
        match way {
            Err(_) => continue,
            Ok(UndoMethod::Recall(rows)) => {
                inbox.changes.held.retain(|held| !rows.contains(&held.row));
                inbox.context.push_all(rows.into_iter().map(FileWrite::Recall));
                continue;
            }
            Ok(UndoMethod::Turn(rows)) => inbox.changes.turn(&rows, &inbox.desk, &mut inbox.context),
            Ok(UndoMethod::Here) => {
                inbox.features.macros.bring_back(&done, &mut inbox.desk, &mut inbox.context)
            }
        }
        inbox.changes.journal.done[place].undone = true;
    }
}

impl Desk {
    /// How a conversation is called, as far as the tabs know.
    pub(crate) fn name_of(&self, channel: &ChannelId, conversation: Option<&ConversationId>) -> String {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == *channel);
        let row = tab.zip(conversation).and_then(|(tab, id)| {
            let rows = tab.list.page.rows.iter();
            let open = tab.history.iter().filter_map(|history| history.row.as_ref());
            rows.chain(open).find(|row| row.conversation.id == *id)
        });
        row.map_or_else(|| "a conversation".to_owned(), |row| row.conversation.title().to_string())
    }

    /// The contact a row is about, as far as the tabs know.
    fn name_of_row(&self, row: &OutboxRow) -> String {
        let (Operation::ChangeTags { .. }, Some(phone)) = (&row.operation, row.operation.recipient()) else {
            if let model::outbox::Lane::Contact(phone) = &row.lane {
                return phone.clone();
            }
            return self.name_of(&row.channel, row.lane.conversation());
        };
        let rows = self.tabs.iter().flat_map(|tab| &tab.list.page.rows);
        let known = rows.filter(|conversation_row| conversation_row.channel == row.channel);
        let mut known =
            known.filter(|conversation_row| conversation_row.conversation.address.as_deref() == Some(phone));
        known.next().map_or_else(
            || phone.to_owned(),
            |conversation_row| conversation_row.conversation.title().to_string(),
        )
    }
}

impl Macros {
    fn bring_back(&mut self, done: &Done, desk: &mut Desk, context: &mut Context) {
        match &done.what {
            UndoTarget::Discarded(conversation, text) => {
                desk.undiscard(&done.channel, conversation, text, context);
            }
            UndoTarget::Filed(backs) => filing::unfile(context, backs),
            UndoTarget::Keep(keep) => context.push(FileWrite::Keep(done.channel.clone(), keep.clone())),
            UndoTarget::Marks(marks, true) => desk.all.marks = marks.clone(),
            UndoTarget::Marks(marks, false) => {
                if let Some(tab) = desk.tab_of(&done.channel) {
                    tab.list.marks = marks.clone();
                }
            }
            UndoTarget::Note(conversation, note) => {
                let (channel, conversation) = (done.channel.clone(), conversation.clone());
                return context.push(FileWrite::TakeNoteBack(channel, conversation, note.clone()));
            }
            UndoTarget::Macro(letter, before) => self.set_macro(*letter, before.clone(), context),
            UndoTarget::Proposal(it) => context.push(FileWrite::RestoreProposal(it.clone())),
            UndoTarget::Review(it) => {
                let agent = context.settings.agent.clone();
                context.push(FileWrite::Review(it.clone(), None, agent));
            }
            UndoTarget::Campaign(id, _) => {
                return context.push(FileWrite::Campaign(BroadcastOrder::Recall(id.clone())));
            }
            UndoTarget::Rows(_) => (),
        }
        context.say(format!("undone: {}", done.words));
    }
}
