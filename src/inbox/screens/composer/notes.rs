//! Private notes: written in the composer, kept by this desk, shown in the
//! history. They have no way to the outbox.

use crate::Inbox;
use crate::event::Effect;
use crate::features::undo::UndoTarget;
use crate::screens::composer::ComposerMode;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::notes::PrivateNote;

impl Inbox {
    /// Goes into the composer to write a private note.
    pub(crate) fn write_note(&mut self) {
        self.open(Focus::Composer);
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.mode = ComposerMode::Note;
        }
    }

    /// Changes between an answer and a private note; each keeps its text.
    pub(crate) fn switch_mode(&mut self) {
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.mode = match composer.mode {
                ComposerMode::Reply => ComposerMode::Note,
                ComposerMode::Note => ComposerMode::Reply,
            };
        }
    }

    /// Keeps the note at hand.
    pub(crate) fn save_note(&mut self) {
        let tab = self.tab_mut();
        let channel = tab.channel.id.clone();
        let Some(composer) = tab.composer.as_mut() else { return };
        if composer.is_blank() {
            return self.warn(self.keyed("the note is empty; {switch-mode} goes back to the answer"));
        }
        let (conversation, text) = (composer.conversation.clone(), composer.text());
        composer.clear_note();
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        tab.focus = Focus::History;
        self.context.push(Effect::SaveNote(channel, conversation, text));
    }

    /// A note is on disk.
    pub(crate) fn note_saved(&mut self, channel: ChannelId, conversation: ConversationId, note: PrivateNote) {
        self.say(self.keyed("note kept on this desk; nothing was sent · {undo} takes it back"));
        self.history_changed(channel.clone(), &conversation);
        let words = format!("note · {}", self.name_of(&channel, Some(&conversation)));
        self.note_done(channel, &words, UndoTarget::Note(conversation, note.id));
    }

    /// The disk did not take a note: it goes back to where it was written.
    pub(crate) fn note_not_saved(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        why: &str,
    ) {
        let note = Returned::Note(text.to_owned());
        let at_hand = self.give_back(channel, conversation, note, DraftPlace::Nowhere);
        self.warn(match at_hand {
            true => format!("the note is not on disk, only here: {why}; Enter tries again"),
            false => format!("note not kept: {why} · still a draft"),
        });
    }

    /// A note was taken back, unless it was gone.
    pub(crate) fn note_taken_back(
        &mut self,
        channel: ChannelId,
        conversation: &ConversationId,
        text: Option<&str>,
    ) {
        let Some(text) = text else { return self.warn("that note is gone already") };
        let at_hand =
            self.give_back(&channel, conversation, Returned::Note(text.to_owned()), DraftPlace::AsDraft);
        self.say(match at_hand {
            true => "the note is back in the composer; Enter keeps it".to_owned(),
            false => self.keyed("the note is back as a draft · {go-to-drafts}"),
        });
        self.history_changed(channel, conversation);
    }
}
