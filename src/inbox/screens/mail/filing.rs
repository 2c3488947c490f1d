//! Filing threads: read, star, archive, category. Each is one change for the
//! server and can be taken back by its opposite.

use crate::changes::Changes;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Intent};
use crate::features::undo::UndoTarget;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::screens::mail::bulk_filing::ThreadFiling;
use model::conversations::{ConversationRow, ConversationStatus};
use model::email::Thread;
use model::ids::ThreadId;
use model::outbox::Operation;
use model::outbox::content::{ThreadChange, ThreadPlace};

impl Changes {
    /// Archives the current thread, or all that are marked; or takes them out
    /// of the archive.
    pub(crate) fn archive(&mut self, desk: &Desk, context: &mut Context) {
        let open = |it: &ConversationRow| it.conversation.status != ConversationStatus::Closed;
        let Some(archived) = turned(desk, open) else { return };
        let words = if archived { "archived" } else { "back in the inbox" };
        self.file_chosen(ThreadFiling::Archived(archived), words, desk, context);
    }

    /// Marks the current thread, or all that are marked, as read or unread.
    pub(crate) fn toggle_read(&mut self, desk: &Desk, context: &mut Context) {
        let Some(read) = turned(desk, |it| !is_read(it)) else { return };
        let words = if read { "marked as read" } else { "marked as unread" };
        self.file_chosen(ThreadFiling::Read(read), words, desk, context);
    }

    /// Gives the current thread, or all that are marked, a star, or takes it
    /// away.
    pub(crate) fn toggle_star(&mut self, desk: &Desk, context: &mut Context) {
        let bare = |it: &ConversationRow| it.thread.as_ref().and_then(|it| it.is_starred) != Some(true);
        let Some(starred) = turned(desk, bare) else { return };
        let words = if starred { "starred" } else { "star taken away" };
        self.file_chosen(ThreadFiling::Starred(starred), words, desk, context);
    }

    /// Sets what the current thread is about, or all that are marked.
    pub(crate) fn set_category(&mut self, category: &str, desk: &Desk, context: &mut Context) {
        let words = format!("category {category}");
        self.file_chosen(ThreadFiling::Category(category.to_owned()), &words, desk, context);
    }

    /// Files what is marked, after the plan for many; else the current thread.
    fn file_chosen(&mut self, filing: ThreadFiling, words: &str, desk: &Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            return self.act_on_marked(BulkWish::File(filing), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.file(vec![row], words, &|_| filing.change(), desk, context);
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

/// Whether what is chosen has one that is to be turned; `None` if nothing is
/// chosen.
fn turned(desk: &Desk, is_to_be: impl Fn(&ConversationRow) -> bool) -> Option<bool> {
    if desk.acts_on_marks() {
        let list = desk.list();
        let mut marked = list.page.rows.iter().filter(|it| list.marks.contains(&it.key())).peekable();
        // Of marks that are not on screen nothing is known yet: the plan says whom it fits.
        return Some(marked.peek().is_none() || marked.any(is_to_be));
    }
    desk.current_conversation().map(is_to_be)
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
