//! Texts that come back to where they were written: a person took them back,
//! or the disk did not take them.
//!
//! A disk can take seconds to say so, and by then the person may be writing to
//! somebody else. What comes back takes the keyboard only if nothing was
//! pressed since the key that sent it or asked for it; otherwise it waits in
//! the composer or the draft of its conversation.

use crate::Inbox;
use crate::event::{Effect, Intent};
use crate::screens::composer::{ComposedReply, Composer, ComposerMode};
use crate::tab::Focus;
use model::email::compose::WrittenMail;
use model::ids::{ChannelId, ConversationId};
use model::outbox::Operation;
use model::outbox::content::Mail;
use model::queries::Draft;
use model::time::Timestamp;

/// Where a text that comes back is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DraftPlace {
    /// In the draft of its conversation.
    AsDraft,
    /// Only here.
    Nowhere,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Returned {
    /// An answer.
    Answer(ComposedReply),
    /// A private note.
    Note(String),
    /// A mail as it was put together.
    Mail(Box<Mail>),
}

impl Returned {
    /// What of an operation was written by a person; `None` where nothing was.
    pub(crate) fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::SendMail(mail) => Some(Self::Mail(mail.clone())),
            _ => ComposedReply::of(operation).map(Self::Answer),
        }
    }
}

/// The keys, pastes and clicks there were, and the last that sent or asked
/// for something that may come back.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    count: u64,
    awaited: u64,
}

impl Touches {
    /// A key, a paste or a click came, with these effects.
    pub(crate) fn note<'a>(&mut self, effects: impl IntoIterator<Item = &'a Effect>) {
        self.count += 1;
        if effects.into_iter().any(can_come_back) {
            self.awaited = self.count;
        }
    }

    /// Whether nothing came since.
    fn is_awaited(&self) -> bool {
        self.awaited == self.count
    }
}

fn can_come_back(effect: &Effect) -> bool {
    use Effect as E;
    matches!(effect, E::Enqueue { .. } | E::Recall(_) | E::Decide(..) | E::SaveNote(..) | E::TakeNoteBack(..))
}

impl Inbox {
    /// Puts what a person wrote back to where it was written, going there if
    /// it is awaited. False if it waits elsewhere.
    pub(crate) fn give_back(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        returned: Returned,
        kept: DraftPlace,
    ) -> bool {
        let awaited = self.touches.is_awaited();
        if awaited {
            self.visit_written(channel, conversation);
            let tab = self.tab_mut();
            tab.focus = Focus::Composer;
            if let Some(composer) = &mut tab.composer {
                composer.mode = if matches!(returned, Returned::Note(_)) {
                    ComposerMode::Note
                } else {
                    ComposerMode::Reply
                };
            }
        }
        let known = self.newest_draft(channel, conversation);
        // No answer of the store brings a mail along.
        let kept = if matches!(returned, Returned::Mail(_)) { DraftPlace::Nowhere } else { kept };
        let (text, lost) = self.as_typed(channel, returned);
        let now = self.context.now;
        let open = self.tab_of(channel).and_then(|it| it.composer.as_mut());
        match open.filter(|it| it.conversation == *conversation) {
            Some(composer) if composer.is_loaded() || kept == DraftPlace::Nowhere => {
                composer.receive_draft(known);
                composer.take_back(text, now);
            }
            None if kept == DraftPlace::Nowhere => {
                let mut composer = Composer::new(conversation.clone());
                composer.receive_draft(known);
                composer.take_back(text, now);
                let draft = composer.take_unsaved().flatten();
                self.context.push(Effect::SaveDraft(channel.clone(), conversation.clone(), draft));
            }
            // A draft that is still to be read brings the text with it.
            _ => {}
        }
        if lost {
            self.warn("its files have to be attached again");
        }
        awaited
    }

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

    /// The draft of a conversation as memory knows it; `None` if there is
    /// none, or the disk knows it best.
    fn newest_draft(&self, channel: &ChannelId, conversation: &ConversationId) -> Option<Draft> {
        let pending = self.context.effects.iter().rev().find_map(|it| {
            let Effect::SaveDraft(of, at, draft) = it else { return None };
            (of == channel && at == conversation).then(|| draft.clone())
        });
        pending.or_else(|| self.draft_in_memory(channel, conversation)).flatten()
    }

    /// A write to this desk's own files failed: the texts go back to where
    /// they were written.
    pub(crate) fn write_failed(&mut self, what: &str, why: &str, intents: Vec<Intent>) {
        if !intents.is_empty() {
            self.queueing.settle();
        }
        let mut elsewhere = false;
        for intent in intents.into_iter().rev() {
            self.call_not_queued(&intent.operation);
            if let Some(returned) = Returned::of(&intent.operation) {
                let at_hand =
                    self.give_back(&intent.channel, &intent.conversation, returned, DraftPlace::Nowhere);
                elsewhere |= !at_hand;
            }
        }
        self.warn(match elsewhere {
            true => format!("{what} failed: {why} · kept as draft"),
            false => format!("{what} failed: {why}"),
        });
    }
}

/// What comes back, as it was typed.
enum RecalledText {
    Answer(ComposedReply),
    Note(String),
    Mail(Box<WrittenMail>),
}

impl Composer {
    fn take_back(&mut self, text: RecalledText, now: Timestamp) {
        match text {
            RecalledText::Answer(written) => self.restore(written, now),
            RecalledText::Note(text) => self.restore_note(&text, now),
            RecalledText::Mail(written) => self.restore_mail(*written, now),
        }
    }

    /// Puts a mail back that was not sent. Where another was begun meanwhile,
    /// its text goes before that one's.
    fn restore_mail(&mut self, written: WrittenMail, now: Timestamp) {
        self.receive_draft(None);
        if self.is_mail_blank() {
            let mode = std::mem::take(&mut self.mode);
            self.begin_mail(written, now);
            if let Some(head) = &mut self.head {
                head.touched = true;
            }
            self.mode = mode;
        } else {
            self.restore(ComposedReply { text: written.body, ..ComposedReply::default() }, now);
        }
    }
}
