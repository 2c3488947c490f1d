//! Filing threads: read, star, archive, category. Each is one change for the
//! server and can be taken back by its opposite.

use crate::changes::Changes;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Intent};
use crate::features::undo::UndoTarget;
use model::conversations::{ConversationRow, ConversationStatus};
use model::email::Thread;
use model::ids::ThreadId;
use model::outbox::Operation;
use model::outbox::content::{ThreadChange, ThreadPlace};

impl Changes {
    /// Archives the current thread, or takes it out of the archive.
    pub(crate) fn archive(&mut self, desk: &Desk, context: &mut Context) {
        let Some(row) = desk.current_conversation().cloned() else { return };
        let archived = row.conversation.status != ConversationStatus::Closed;
        let words = if archived { "archived" } else { "back in the inbox" };
        self.file(vec![row], words, &move |_| place(archived), desk, context);
    }

    /// Marks the current thread as read or unread.
    pub(crate) fn toggle_read(&mut self, desk: &Desk, context: &mut Context) {
        let Some(row) = desk.current_conversation().cloned() else { return };
        let read = !is_read(&row);
        let words = if read { "marked as read" } else { "marked as unread" };
        self.file(vec![row], words, &move |_| read_change(read), desk, context);
    }

    /// Gives the current thread a star, or takes it away.
    pub(crate) fn toggle_star(&mut self, desk: &Desk, context: &mut Context) {
        let Some(row) = desk.current_conversation().cloned() else { return };
        let starred = !row.thread.as_ref().and_then(|it| it.is_starred).unwrap_or(false);
        let words = if starred { "starred" } else { "star taken away" };
        let change =
            move |_: &ConversationRow| ThreadChange { is_starred: Some(starred), ..ThreadChange::default() };
        self.file(vec![row], words, &change, desk, context);
    }

    /// Sets what the current thread is about.
    pub(crate) fn set_category(&mut self, category: &str, desk: &Desk, context: &mut Context) {
        let Some(row) = desk.current_conversation().cloned() else { return };
        let word = category.to_owned();
        let change = move |_: &ConversationRow| ThreadChange {
            category: Some(word.clone()),
            ..ThreadChange::default()
        };
        self.file(vec![row], &format!("category {category}"), &change, desk, context);
    }

    /// Changes threads in one step that one key takes back.
    pub(crate) fn file(
        &mut self,
        rows: Vec<ConversationRow>,
        words: &str,
        change: &dyn Fn(&ConversationRow) -> ThreadChange,
        desk: &Desk,
        context: &mut Context,
    ) {
        let pairs: Vec<(Intent, Intent)> = rows
            .iter()
            .filter_map(|row| {
                let change = change(row);
                let back = opposite(row, &change);
                Some((desk.filed(row, change)?, desk.filed(row, back)?))
            })
            .collect();
        let (intents, backs): (Vec<Intent>, Vec<Intent>) = pairs.into_iter().unzip();
        if intents.is_empty() {
            return;
        }
        let channel = desk.tab().channel.id.clone();
        let named = match rows.as_slice() {
            [one] => format!("{words} · {}", one.conversation.title()),
            many => format!("{words} · {} threads", many.len()),
        };
        self.note_done(channel, &named, UndoTarget::Filed(backs), context);
        context.say(format!("{named} · {} undoes", context.key_of(Command::Undo)));
        context.push(Effect::Enqueue { intents, clears_draft: false });
    }
}

impl Desk {
    /// An opened thread counts as read on the server, too.
    pub(crate) fn mark_read(&mut self, context: &mut Context) {
        let tab = self.tab();
        let Some(row) = tab.history.as_ref().and_then(|it| it.row.clone()) else { return };
        let unread = row.thread.as_ref().is_some_and(|it| it.is_read == Some(false));
        if !unread || !tab.is_mail() || tab.is_in_triage() || crate::conditions::tab_writable(tab).is_err() {
            return;
        }
        if let Some(intent) = self.filed(&row, ThreadChange { unasked: true, ..read_change(true) }) {
            context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    pub(crate) fn filed(&self, row: &ConversationRow, change: ThreadChange) -> Option<Intent> {
        let tab = self.tabs.iter().find(|it| it.channel.id == row.channel)?;
        if row.conversation.id.is_stand_in() {
            return None;
        }
        let thread = ThreadId::new(row.conversation.id.as_str());
        Some(Intent {
            channel: row.channel.clone(),
            platform: tab.platform()?.clone(),
            conversation: row.conversation.id.clone(),
            operation: Operation::ChangeThread { thread, change },
            hold: 0,
            seen: None,
            planned_at: None,
        })
    }
}

/// Sends the opposite of what was filed.
pub(crate) fn unfile(context: &mut Context, backs: &[Intent]) {
    context.push(Effect::Enqueue { intents: backs.to_vec(), clears_draft: false });
}

/// Whether the server counts a thread as read.
pub fn is_read(row: &ConversationRow) -> bool {
    row.thread.as_ref().and_then(|it| it.is_read).unwrap_or(true)
}

/// Into the archive or out of it.
pub fn place(archived: bool) -> ThreadChange {
    // Whoever puts a thread away has read it.
    let is_read = archived.then_some(true);
    ThreadChange { is_read, place: Some(ThreadPlace::Archived(archived)), ..ThreadChange::default() }
}

/// Read or unread.
pub fn read_change(read: bool) -> ThreadChange {
    ThreadChange { is_read: Some(read), ..ThreadChange::default() }
}

/// What brings a thread back to what it was before a change.
fn opposite(row: &ConversationRow, change: &ThreadChange) -> ThreadChange {
    let nothing = Thread::default();
    let before = row.thread.as_deref().unwrap_or(&nothing);
    let place = change.place.as_ref().map(|_| match &before.folder {
        Some(folder) if !before.is_archived() && folder.as_str() != "inbox" => {
            ThreadPlace::Folder(folder.to_string())
        }
        _ => ThreadPlace::Archived(row.conversation.status == ConversationStatus::Closed),
    });
    let text = |it: &Option<model::text::SafeText>, other: &str| {
        it.as_ref().map_or_else(|| other.to_owned(), ToString::to_string)
    };
    ThreadChange {
        is_read: change.is_read.map(|it| before.is_read.unwrap_or(!it)),
        is_starred: change.is_starred.map(|it| before.is_starred.unwrap_or(!it)),
        place,
        category: change.category.as_ref().map(|_| text(&before.category, "none")),
        priority: change.priority.as_ref().map(|_| text(&before.priority, "normal")),
        unasked: false,
    }
}
