//! Private notes: written in the composer, kept by this desk, shown in the
//! history. They have no way to the outbox.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::FileWrite;
use crate::features::undo::UndoTarget;
use crate::screens::composer::ComposerMode;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::notes::PrivateNote;

impl Desk {
    /// Goes into the composer to write a private note.
    pub(crate) fn write_note(&mut self, context: &mut Context) {
        let is_open = self.open(Focus::Composer, context);
        if let Some(composer) = self.tab_mut().composer.as_mut().filter(|_| is_open) {
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

    /// Keeps the current note.
    pub(crate) fn save_note(&mut self, context: &mut Context) {
        let tab = self.tab_mut();
        let channel = tab.channel.id.clone();
        let Some(composer) = tab.composer.as_mut() else { return };
        if composer.is_blank() {
            return context.warn(context.keyed("the note is empty; {switch-mode} goes back to the answer"));
        }
        let (conversation, text) = (composer.conversation.clone(), composer.text());
        composer.clear_note();
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        tab.focus = Focus::History;
        context.push(FileWrite::SaveNote(channel, conversation, text));
    }
}

/// A note is on disk.
pub(crate) fn note_saved(
    inbox: &mut Inbox,
    channel: ChannelId,
    conversation: ConversationId,
    note: PrivateNote,
) {
    inbox.context.say(inbox.context.keyed("note kept on this desk; nothing was sent · {undo} takes it back"));
    inbox.history_changed(channel.clone(), &conversation);
    let words = format!("note · {}", inbox.desk.name_of(&channel, Some(&conversation)));
    inbox.changes.note_done(channel, &words, UndoTarget::Note(conversation, note.id), &inbox.context);
}

/// A note was taken back, unless it was gone.
pub(crate) fn note_taken_back(
    inbox: &mut Inbox,
    channel: ChannelId,
    conversation: &ConversationId,
    text: Option<&str>,
) {
    let Some(text) = text else { return inbox.context.warn("that note is gone already") };
    let is_there = inbox.changes.give_back(
        &channel,
        conversation,
        Returned::Note(text.to_owned()),
        DraftPlace::AsDraft,
        &mut inbox.desk,
        &mut inbox.context,
    );
    inbox.context.say(match is_there {
        true => "the note is back in the composer; Enter keeps it".to_owned(),
        false => inbox.context.keyed("the note is back as a draft · {go-to-drafts}"),
    });
    inbox.history_changed(channel, conversation);
}

impl Changes {
    /// The disk did not take a note: it goes back to where it was written.
    pub(crate) fn note_not_saved(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        why: &str,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let note = Returned::Note(text.to_owned());
        let is_there = self.give_back(channel, conversation, note, DraftPlace::Nowhere, desk, context);
        context.warn(match is_there {
            true => format!("the note is not on disk, only here: {why}; Enter tries again"),
            false => format!("note not kept: {why} · still a draft"),
        });
    }
}
