//! Brings a text back to where it was written.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent};
use crate::screens::composer::returned_texts::{DraftPlace, RecalledText, Returned};
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::phone::update as phone;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;

impl Changes {
    /// Puts what a person wrote back to where it was written, going there if
    /// it is awaited. False if it waits elsewhere.
    pub(crate) fn give_back(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        returned: Returned,
        kept: DraftPlace,
        desk: &mut Desk,
        context: &mut Context,
    ) -> bool {
        let awaited = self.touches.is_awaited();
        if awaited {
            desk.visit_written(channel, conversation, context);
            let tab = desk.tab_mut();
            tab.focus = Focus::Composer;
            if let Some(composer) = &mut tab.composer {
                composer.mode = if matches!(returned, Returned::Note(_)) {
                    ComposerMode::Note
                } else {
                    ComposerMode::Reply
                };
            }
        }
        let known = self.newest_draft(channel, conversation, context);
        // No answer of the store brings a mail along.
        let kept = if matches!(returned, Returned::Mail(_)) { DraftPlace::Nowhere } else { kept };
        let (text, lost) = desk.as_typed(channel, returned);
        let now = context.moment;
        let open = desk.tab_of(channel).and_then(|tab| tab.composer.as_mut());
        match open.filter(|composer| composer.conversation == *conversation) {
            Some(composer) if composer.is_loaded() || kept == DraftPlace::Nowhere => {
                composer.receive_draft(known);
                composer.take_back(text, now);
            }
            None if kept == DraftPlace::Nowhere => {
                let mut composer = Composer::new(conversation.clone());
                composer.receive_draft(known);
                composer.take_back(text, now);
                let draft = composer.take_unsaved().flatten();
                context.push(FileWrite::SaveDraft(channel.clone(), conversation.clone(), draft));
            }
            // A draft that is still to be read brings the text with it.
            _ => {}
        }
        if lost {
            context.warn("its files have to be attached again");
        }
        awaited
    }

    /// The draft of a conversation as memory knows it; `None` if there is
    /// none, or the disk knows it best.
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

    /// A write to this desk's own files failed: the texts go back to where
    /// they were written.
    pub(crate) fn write_failed(
        &mut self,
        what: &str,
        why: &str,
        intents: Vec<Intent>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if !intents.is_empty() {
            self.queueing.settle();
        }
        let mut elsewhere = false;
        for intent in intents.into_iter().rev() {
            phone::call_not_queued(context, &intent.operation);
            if let Some(returned) = Returned::of(&intent.operation) {
                let is_there = self.give_back(
                    &intent.channel,
                    &intent.conversation,
                    returned,
                    DraftPlace::Nowhere,
                    desk,
                    context,
                );
                elsewhere |= !is_there;
            }
        }
        context.warn(match elsewhere {
            true => format!("{what} failed: {why} · kept as draft"),
            false => format!("{what} failed: {why}"),
        });
    }
}

impl Desk {
    /// What comes back as a composer takes it, and whether files of it are
    /// lost.
    fn as_typed(&self, channel: &ChannelId, returned: Returned) -> (RecalledText, bool) {
        match returned {
            Returned::Answer(written) => (RecalledText::Answer(written), false),
            Returned::Note(text) => (RecalledText::Note(text), false),
            Returned::Mail(mail) => {
                let (written, lost) = self.as_written(channel, &mail);
                (RecalledText::Mail(Box::new(written)), lost)
            }
        }
    }
}
