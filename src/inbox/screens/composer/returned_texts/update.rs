use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent};
use crate::screens::composer::returned_texts::{DraftStorage, RecalledText, ReturnedText};
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::mail::review;
use crate::screens::mail::writing::update as writing;
use crate::screens::phone::update as phone;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;

impl Changes {
    /// Returns a text to its conversation. False if it waits there unopened.
    pub(crate) fn return_text(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        returned: ReturnedText,
        kept: DraftStorage,
        desk: &mut Desk,
        context: &mut Context,
    ) -> bool {
        let awaited = self.restore_tracker.is_restore_expected();
        if awaited {
            writing::open_draft(desk, channel, conversation, context);
            let tab = desk.tab_mut();
            tab.focus = Focus::Composer;
            if let Some(composer) = &mut tab.composer {
                composer.mode = if matches!(returned, ReturnedText::Note(_)) {
                    ComposerMode::Note
                } else {
                    ComposerMode::Reply
                };
            }
        }
        let known = self.newest_draft(channel, conversation, context);
        // The store returns no draft for a mail.
        let kept = if matches!(returned, ReturnedText::Mail(_)) { DraftStorage::MemoryOnly } else { kept };
        let (text, lost) = to_recalled(desk, channel, returned);
        let now = context.moment;
        let tab = desk.tab_of(channel);
        let has_no_mail = tab.as_ref().is_some_and(|tab| tab.has_no_mail());
        let open = tab.and_then(|tab| tab.composer.as_mut());
        match open.filter(|composer| composer.conversation == *conversation) {
            Some(composer) if composer.is_loaded() || kept == DraftStorage::MemoryOnly => {
                composer.receive_draft(known);
                composer.restore_recalled(text, now);
            }
            None if kept == DraftStorage::MemoryOnly => {
                let mut composer = Composer { has_no_mail, ..Composer::new(conversation.clone()) };
                composer.receive_draft(known);
                composer.restore_recalled(text, now);
                let draft = composer.take_unsaved().flatten();
                context.push(FileWrite::SaveDraft(channel.clone(), conversation.clone(), draft));
            }
            // The draft that is still being read contains the text.
            _ => {}
        }
        if lost {
            context.show_warning("its files have to be attached again");
        }
        awaited
    }

    /// Draft as known in memory; `None` if empty or only on disk.
    fn newest_draft(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        context: &Context,
    ) -> Option<Draft> {
        let pending = context.effects.iter().rev().find_map(|effect| {
            let Effect::Write(FileWrite::SaveDraft(of, at, draft)) = effect else { return None };
            (of == channel && at == conversation).then(|| draft.clone())
        });
        pending.or_else(|| self.draft_in_memory(channel, conversation)).flatten()
    }

    /// Returns the texts of a failed write to where they were written.
    pub(crate) fn restore_failed_write(
        &mut self,
        what: &str,
        why: &str,
        intents: Vec<Intent>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if !intents.is_empty() {
            self.pending_groups.remove_oldest();
        }
        let mut elsewhere = false;
        for intent in intents.into_iter().rev() {
            phone::reopen_call_form(context, &intent.operation);
            if let Some(returned) = ReturnedText::of(&intent.operation) {
                let is_there = self.return_text(
                    &intent.channel,
                    &intent.conversation,
                    returned,
                    DraftStorage::MemoryOnly,
                    desk,
                    context,
                );
                elsewhere |= !is_there;
            }
        }
        context.show_warning(match elsewhere {
            true => format!("{what} failed: {why} · kept as draft"),
            false => format!("{what} failed: {why}"),
        });
    }
}

/// Converts a returned text for the composer; true if attachments were lost.
fn to_recalled(desk: &Desk, channel: &ChannelId, returned: ReturnedText) -> (RecalledText, bool) {
    match returned {
        ReturnedText::Reply(written) => (RecalledText::Reply(written), false),
        ReturnedText::Note(text) => (RecalledText::Note(text), false),
        ReturnedText::Mail(mail) => {
            let (written, lost) = review::written_form(desk, channel, &mail);
            (RecalledText::Mail(Box::new(written)), lost)
        }
    }
}
