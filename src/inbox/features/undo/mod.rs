//! What was done from here, newest last, and taking it back: what is held,
//! what only this desk keeps, and what the interface can turn round.

pub(crate) mod fates;
#[cfg(test)]
pub(crate) mod tests;

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::macros::Macros;
use std::collections::{HashMap, VecDeque};

use crate::Inbox;
use crate::components::marks::Marks;
use crate::event::{Effect, Intent};
use crate::screens::broadcasts::BroadcastOrder;
use model::ids::{CampaignId, ChannelId, ConversationId, NoteId, RowId};
use model::local::Keep;
use model::macros::Macro;
use model::outbox::{Operation, OutboxRow};
use model::queries::OutboxFate;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};

/// Things remembered at most.
const REMEMBERED: usize = 200;

/// How long what only this desk keeps is taken back although something newer
/// has left: later nobody means it any more.
const FRESH: i64 = 5 * MINUTE;

/// One thing that was done from here.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// When.
    pub at: Timestamp,
    /// What was done with one key has one number.
    pub group: u64,
    /// The tab.
    pub channel: ChannelId,
    /// What was done, in words.
    pub words: SafeText,
    /// What taking it back takes.
    pub what: UndoTarget,
    /// Whether it was taken back.
    pub undone: bool,
}

impl Done {
    /// The thread that was filed, if it was one.
    pub(crate) fn filed(&self) -> Option<&ConversationId> {
        match &self.what {
            UndoTarget::Filed(intents) if intents.len() == 1 => intents.first().map(|it| &it.conversation),
            _ => None,
        }
    }

    /// Whether it gave a star, or took one away.
    pub(crate) fn is_star(&self) -> bool {
        let turns = |it: &Intent| matches!(&it.operation, Operation::ChangeThread { change, .. } if change.is_starred.is_some());
        matches!(&self.what, UndoTarget::Filed(backs) if backs.iter().any(turns))
    }
}

/// What taking something back takes.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoTarget {
    /// Rows of the outbox.
    Rows(Vec<OutboxRow>),
    /// The change that brings back what was kept before.
    Keep(Keep),
    /// The marks that were set before, and whether in the list over all tabs.
    Marks(Marks, bool),
    /// A private note, to be taken back into the composer.
    Note(ConversationId, NoteId),
    /// A draft that was thrown away.
    Discarded(ConversationId, String),
    /// Threads that were filed: what files them as they were.
    Filed(Vec<Intent>),
    /// A macro as it was before.
    Macro(char, Option<Macro>),
    /// A broadcast, held until then.
    Campaign(CampaignId, Timestamp),
}

/// How something can be taken back.
#[derive(Debug, Clone, PartialEq)]
enum UndoMethod {
    /// It has not left.
    Recall(Vec<RowId>),
    /// It has left, and the opposite can be asked for.
    Turn(Vec<OutboxRow>),
    /// Only this desk knows of it.
    Here,
}

/// What was done from here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    done: VecDeque<Done>,
    groups: u64,
    /// Whether what follows belongs to the group before it.
    joined: bool,
    /// What could not be taken back and was said so, by its number.
    passed: Option<u64>,
    /// What became of the rows, as of when the list was opened.
    fates: HashMap<RowId, OutboxFate>,
}

impl Journal {
    /// The number of the next thing done.
    pub(crate) fn group(&mut self) -> u64 {
        if !self.joined {
            self.groups += 1;
        }
        self.groups
    }

    /// From now on things belong together, or not any more.
    pub(crate) fn join(&mut self, joined: bool) {
        // Within a macro, what belongs together belongs to all of it.
        if joined && self.joined {
            return;
        }
        self.joined = false;
        if joined {
            self.group();
            self.joined = true;
        }
    }

    fn note(&mut self, done: Done) {
        if self.done.len() == REMEMBERED {
            self.done.pop_front();
        }
        self.done.push_back(done);
    }
}

impl Changes {
    /// What was done from here, newest first, and why it cannot be taken
    /// back, if it cannot.
    pub fn done(&self, context: &Context) -> impl Iterator<Item = (&Done, Option<&'static str>)> {
        self.journal.done.iter().rev().map(|it| (it, self.way(it, context).err()))
    }

    /// Notes a change of what this desk keeps, with the change that brings
    /// back what was before.
    pub(crate) fn note_kept(&mut self, channel: &ChannelId, words: &str, before: Keep, context: &Context) {
        self.note_done(channel.clone(), words, UndoTarget::Keep(before), context);
    }

    pub(crate) fn note_done(&mut self, channel: ChannelId, words: &str, what: UndoTarget, context: &Context) {
        let group = self.journal.group();
        let words = SafeText::line(words);
        self.journal.note(Done { at: context.now, group, channel, words, what, undone: false });
    }

    /// A row was taken back, by whichever key.
    pub(crate) fn note_recalled(&mut self, row: &RowId) {
        for done in &mut self.journal.done {
            if let UndoTarget::Rows(rows) = &mut done.what
                && rows.iter().any(|it| it.id == *row)
            {
                if rows.len() == 1 {
                    done.undone = true;
                } else {
                    rows.retain(|it| it.id != *row);
                }
            }
        }
    }

    /// How something can be taken back, or why it cannot.
    fn way(&self, done: &Done, context: &Context) -> Result<UndoMethod, &'static str> {
        if done.undone {
            return Err("taken back");
        }
        if matches!(done.what, UndoTarget::Campaign(_, until) if until <= context.now) {
            return Err("the first wave has left; the broadcasts stop the rest");
        }
        let UndoTarget::Rows(rows) = &done.what else { return Ok(UndoMethod::Here) };
        // The newest first: texts stand in the composer as they were written.
        let held = rows.iter().rev().filter(|row| self.held.iter().any(|it| it.row == row.id));
        let held: Vec<RowId> = held.map(|it| it.id.clone()).collect();
        if !held.is_empty() {
            return Ok(UndoMethod::Recall(held));
        }
        if rows.iter().all(|it| opposite(&it.operation).is_some()) {
            return Ok(UndoMethod::Turn(rows.clone()));
        }
        if let Some(why) = self.never_left(rows) {
            return Err(why);
        }
        Err(match rows.last().map(|it| &it.operation) {
            Some(Operation::Close) => "left; it cannot be reopened",
            Some(it) if it.speaks() || matches!(it, Operation::SendMail(_)) => "left; it cannot be unsent",
            Some(Operation::React { emoji, .. }) if emoji.is_empty() => "left; react to the message anew",
            Some(Operation::React { .. }) => "left; - on the message removes it",
            _ => "left",
        })
    }

    /// The newest thing that `z` takes back. What has left blocks the way to
    /// older things on the server, not to what only this desk keeps.
    pub(crate) fn undoable(&self, context: &Context) -> Option<u64> {
        let mut passed = false;
        for done in self.journal.done.iter().rev().filter(|it| !it.undone) {
            match self.way(done, context) {
                Ok(UndoMethod::Turn(_)) if passed => (),
                Ok(UndoMethod::Here) if passed && context.now.since(done.at) >= FRESH => (),
                Ok(_) => return Some(done.group),
                Err(_) => passed = true,
            }
        }
        None
    }

    /// Says once that something newer than this cannot be taken back any more,
    /// and what the key takes back instead.
    pub(crate) fn passed_over(&mut self, group: u64, desk: &Desk, context: &Context) -> Option<String> {
        let undone = |it: &&Done| !it.undone;
        let newest = self.journal.done.iter().rev().find(undone)?;
        let why = self.way(newest, context).err()?;
        if self.journal.passed == Some(newest.group) {
            return None;
        }
        let older = self.journal.done.iter().rev().find(|it| it.group == group && !it.undone)?;
        let words =
            format!("{}: {why} · {} again undoes: {}", newest.words, desk.undo_key(context), older.words);
        self.journal.passed = Some(newest.group);
        Some(words)
    }

    /// Asks for the opposite of a pause, a hand-back or a change of tags.
    fn turn(&mut self, rows: &[OutboxRow], desk: &Desk, context: &mut Context) {
        let intent = |row: &OutboxRow| {
            let operation = opposite(&row.operation)?;
            let tab = desk.tabs.iter().find(|it| it.channel.id == row.channel)?;
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
            context.push(Effect::Enqueue { intents, clears_draft: false });
        }
    }
}

/// Notes rows that were put into the outbox together.
pub(crate) fn note_rows(inbox: &mut Inbox, group: u64, rows: &[OutboxRow]) {
    let Some(first) = rows.first() else { return };
    let last = rows.last().unwrap_or(first);
    let verb = verb(&last.operation);
    let words = match rows.len() {
        1 => format!("{verb} · {}", inbox.desk.name_of_row(first)),
        _ if rows.iter().all(|it| it.lane == first.lane) => {
            let mut verbs: Vec<&str> = rows.iter().map(|it| self::verb(&it.operation)).collect();
            verbs.dedup();
            let name = inbox.desk.name_of_row(first);
            format!("{} · {name}", verbs.join(", "))
        }
        many => format!("{verb} · {many} conversations"),
    };
    let words = SafeText::line(&words);
    let what = UndoTarget::Rows(rows.to_vec());
    inbox.changes.journal.note(Done {
        at: inbox.context.now,
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
        .filter(|it| inbox.changes.journal.done[*it].group == group)
        .collect();
    for place in places {
        let done = inbox.changes.journal.done[place].clone();
        match inbox.changes.way(&done, &inbox.context) {
            Err(_) => continue,
            Ok(UndoMethod::Recall(rows)) => {
                inbox.changes.held.retain(|it| !rows.contains(&it.row));
                inbox.context.effects.extend(rows.into_iter().map(Effect::Recall));
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
        let tab = self.tabs.iter().find(|it| it.channel.id == *channel);
        let row = tab.zip(conversation).and_then(|(tab, id)| {
            let rows = tab.list.page.rows.iter();
            let open = tab.history.iter().filter_map(|it| it.row.as_ref());
            rows.chain(open).find(|it| it.conversation.id == *id)
        });
        row.map_or_else(|| "a conversation".to_owned(), |it| it.conversation.title().to_string())
    }

    /// Whom a row is about, as far as the tabs know.
    fn name_of_row(&self, row: &OutboxRow) -> String {
        let (Operation::ChangeTags { .. }, Some(phone)) = (&row.operation, row.operation.recipient()) else {
            if let model::outbox::Lane::Contact(phone) = &row.lane {
                return phone.clone();
            }
            return self.name_of(&row.channel, row.lane.conversation());
        };
        let rows = self.tabs.iter().flat_map(|it| &it.list.page.rows);
        let known = rows.filter(|it| it.channel == row.channel);
        let mut known = known.filter(|it| it.conversation.address.as_deref() == Some(phone));
        known.next().map_or_else(|| phone.to_owned(), |it| it.conversation.title().to_string())
    }
}

impl Macros {
    fn bring_back(&mut self, done: &Done, desk: &mut Desk, context: &mut Context) {
        match &done.what {
            UndoTarget::Discarded(conversation, text) => {
                desk.undiscard(&done.channel, conversation, text, context);
            }
            UndoTarget::Filed(backs) => context.unfile(backs),
            UndoTarget::Keep(keep) => context.push(Effect::Keep(done.channel.clone(), keep.clone())),
            UndoTarget::Marks(marks, true) => desk.all.marks = marks.clone(),
            UndoTarget::Marks(marks, false) => {
                if let Some(tab) = desk.tab_of(&done.channel) {
                    tab.list.marks = marks.clone();
                }
            }
            UndoTarget::Note(conversation, note) => {
                let (channel, conversation) = (done.channel.clone(), conversation.clone());
                return context.push(Effect::TakeNoteBack(channel, conversation, note.clone()));
            }
            UndoTarget::Macro(letter, before) => self.set_macro(*letter, before.clone(), context),
            UndoTarget::Campaign(id, _) => {
                return context.push(Effect::Campaign(BroadcastOrder::Recall(id.clone())));
            }
            UndoTarget::Rows(_) => (),
        }
        context.say(format!("undone: {}", done.words));
    }
}

/// What turns an operation round after it has left.
fn opposite(operation: &Operation) -> Option<Operation> {
    match operation {
        Operation::SetAutomation { enabled } => Some(Operation::SetAutomation { enabled: !enabled }),
        Operation::ChangeTags { phone, add, remove } => {
            Some(Operation::ChangeTags { phone: phone.clone(), add: remove.clone(), remove: add.clone() })
        }
        _ => None,
    }
}

/// What an operation did, in words.
fn verb(operation: &Operation) -> &'static str {
    match operation {
        Operation::SetAutomation { enabled: false } => "paused the AI",
        Operation::SetAutomation { enabled: true } => "handed back",
        Operation::Close => "closed",
        Operation::SendMail(_) => "sent a mail",
        Operation::React { emoji, .. } if emoji.is_empty() => "removed a reaction",
        Operation::React { .. } => "reacted",
        Operation::SaveContact(_) | Operation::ChangeContact(_) => "changed the contact",
        Operation::DeleteContact { .. } => "deleted the contact",
        Operation::ChangeTags { .. } => "changed the tags",
        it if it.speaks() => "sent a message",
        _ => "changed something",
    }
}
