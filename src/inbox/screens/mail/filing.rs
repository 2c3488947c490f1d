//! Filing threads. Each is one change on the server, undone by its opposite.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::features::undo::UndoTarget;
use crate::keymap::update as keymap;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::BulkAction;
use crate::screens::mail::thread_filing::{ThreadFiling, read_change, undo_change};
use model::conversations::ConversationRow;
use model::ids::ThreadId;
use model::outbox::Operation;
use model::outbox::content::ThreadChange;

impl Changes {
    /// Toggles the filing of the current or marked threads: on if at least one lacks it.
    pub(crate) fn toggle_filing(
        &mut self,
        way: fn(bool) -> ThreadFiling,
        desk: &Desk,
        context: &mut Context,
    ) {
        if let Some(on) = is_filing_needed(&way(true), desk) {
            self.file_chosen(way(on), desk, context);
        }
    }

    /// Files the marked threads as a bulk action, else the current thread.
    pub(crate) fn file_chosen(&mut self, filing: ThreadFiling, desk: &Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            return self.act_on_marked(BulkAction::File(filing), desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        self.file_threads(vec![row], &filing.notice(), &|row| filing.to_change(row), desk, context);
    }

    /// Files threads as one undo step. Returns its group, or `None` if nothing changed.
    pub(crate) fn file_threads(
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
                let back = undo_change(row, &change);
                Some((filing_intent(desk, row, change)?, filing_intent(desk, row, back)?))
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
        self.record_change(channel, &named, UndoTarget::Filed(backs), context);
        context.show_notice(format!("{named} · {}", keymap::undo_hint(desk, context)));
        context.push(FileWrite::Enqueue { intents, clears_draft: false });
        Some(self.journal.newest_group())
    }
}

pub(crate) fn mark_read(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab();
    let Some(row) = tab.history.as_ref().and_then(|history| history.row.clone()) else { return };
    let unread = row.thread.as_ref().is_some_and(|thread| thread.is_read == Some(false));
    if !unread || !tab.is_mail() || tab.is_in_triage() || crate::conditions::check_tab_writable(tab).is_err()
    {
        return;
    }
    if let Some(intent) = filing_intent(desk, &row, ThreadChange { unasked: true, ..read_change(true) }) {
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    }
}

pub(crate) fn filing_intent(desk: &Desk, row: &ConversationRow, change: ThreadChange) -> Option<Intent> {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
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

/// True if at least one chosen thread lacks this filing; `None` if none is chosen.
fn is_filing_needed(filing: &ThreadFiling, desk: &Desk) -> Option<bool> {
    let fits = |conversation_row: &ConversationRow| filing.check_applicable(conversation_row).is_ok();
    if bulk_actions::acts_on_marks(desk) {
        let list = desk.list();
        let mut marked = list.page.rows.iter().filter(|row| list.marks.contains(&row.key())).peekable();
        // The plan checks marked rows outside the window.
        return Some(marked.peek().is_none() || marked.any(fits));
    }
    desk.current_conversation().map(fits)
}

pub(crate) fn enqueue_undo(context: &mut Context, backs: &[Intent]) {
    context.push(FileWrite::Enqueue { intents: backs.to_vec(), clears_draft: false });
}
