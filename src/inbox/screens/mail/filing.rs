//! Filing threads: read, star, archive, category. Each is one change for the
//! server and can be taken back by its opposite.

use crate::changes::Changes;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::features::undo::UndoTarget;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::screens::mail::thread_filing::{ThreadFiling, opposite, read_change};
use model::conversations::ConversationRow;
use model::ids::ThreadId;
use model::outbox::Operation;
use model::outbox::content::ThreadChange;

impl Changes {
    /// Files the current thread, or all that are marked, one way or back: the
    /// way one of them is not filed yet.
    pub(crate) fn toggle_filing(
        &mut self,
        way: fn(bool) -> ThreadFiling,
        desk: &Desk,
        context: &mut Context,
    ) {
        if let Some(on) = is_to_be(&way(true), desk) {
            self.file_chosen(way(on), desk, context);
        }
    }

    /// Files what is marked, after the plan for many; else the current thread.
    pub(crate) fn file_chosen(&mut self, filing: ThreadFiling, desk: &Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            return self.act_on_marked(BulkWish::File(filing), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.file(vec![row], &filing.notice(), &|row| filing.change(row), desk, context);
    }

    /// Changes threads in one step that one key takes back: its number, unless
    /// there is nothing to change.
    pub(crate) fn file(
        &mut self,
        rows: Vec<ConversationRow>,
        words: &str,
        change: &dyn Fn(&ConversationRow) -> ThreadChange,
        desk: &Desk,
        context: &mut Context,
    ) -> Option<u64> {
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
            return None;
        }
        let channel = desk.tab().channel.id.clone();
        let named = match rows.as_slice() {
            [one] => format!("{words} · {}", one.conversation.title()),
            many => format!("{words} · {} threads", many.len()),
        };
        self.note_done(channel, &named, UndoTarget::Filed(backs), context);
        context.say(format!("{named} · {} undoes", context.key_of(Command::Undo)));
        context.push(FileWrite::Enqueue { intents, clears_draft: false });
        Some(self.journal.newest())
    }
}

impl Desk {
    /// An opened thread counts as read on the server, too.
    pub(crate) fn mark_read(&mut self, context: &mut Context) {
        let tab = self.tab();
        let Some(row) = tab.history.as_ref().and_then(|history| history.row.clone()) else { return };
        let unread = row.thread.as_ref().is_some_and(|thread| thread.is_read == Some(false));
        if !unread || !tab.is_mail() || tab.is_in_triage() || crate::conditions::tab_writable(tab).is_err() {
            return;
        }
        if let Some(intent) = self.filed(&row, ThreadChange { unasked: true, ..read_change(true) }) {
            context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    pub(crate) fn filed(&self, row: &ConversationRow, change: ThreadChange) -> Option<Intent> {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
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

/// Whether one of the chosen threads is not filed so yet; `None` if none is
/// chosen.
fn is_to_be(filing: &ThreadFiling, desk: &Desk) -> Option<bool> {
    let fits = |conversation_row: &ConversationRow| filing.fits(conversation_row).is_ok();
    if desk.acts_on_marks() {
        let list = desk.list();
        let mut marked = list.page.rows.iter().filter(|row| list.marks.contains(&row.key())).peekable();
        // Marked rows outside the window are not loaded: the plan tells which of them it fits.
        return Some(marked.peek().is_none() || marked.any(fits));
    }
    desk.current_conversation().map(fits)
}

/// Sends the opposite of what was filed.
pub(crate) fn unfile(context: &mut Context, backs: &[Intent]) {
    context.push(FileWrite::Enqueue { intents: backs.to_vec(), clears_draft: false });
}
