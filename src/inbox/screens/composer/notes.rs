//! Private notes: written in the composer, stored on this desk, shown in the history. They never
//! reach the outbox.

use crate::Inbox;
use crate::actions;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::FileWrite;
use crate::features::undo::UndoTarget;
use crate::features::undo::update as undo;
use crate::screens::composer::ComposerMode;
use crate::screens::composer::returned_texts::{DraftStorage, ReturnedText};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::notes::PrivateNote;

pub(crate) fn write_note(desk: &mut Desk, context: &mut Context) {
    let is_open = actions::open(desk, Focus::Composer, context);
    if let Some(composer) = desk.tab_mut().composer.as_mut().filter(|_| is_open) {
        composer.mode = ComposerMode::Note;
    }
}

/// Switches between reply and note; each keeps its text.
pub(crate) fn switch_mode(desk: &mut Desk) {
    if let Some(composer) = &mut desk.tab_mut().composer {
        composer.mode = match composer.mode {
            ComposerMode::Reply => ComposerMode::Note,
            ComposerMode::Note => ComposerMode::Reply,
        };
    }
}

pub(crate) fn save_note(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab_mut();
    let channel = tab.channel.id.clone();
    let Some(composer) = tab.composer.as_mut() else { return };
    if composer.is_blank() {
        return context
            .show_warning(context.fill_in_keys("the note is empty; {switch-mode} back to the reply"));
    }
    let (conversation, text) = (composer.conversation.clone(), composer.text());
    composer.clear_note();
    if let Some(history) = &mut tab.history {
        history.follow_newest();
    }
    tab.focus = Focus::History;
    context.push(FileWrite::SaveNote(channel, conversation, text));
}

/// Reports a stored note and records its undo.
pub(crate) fn report_note_saved(
    inbox: &mut Inbox,
    channel: ChannelId,
    conversation: ConversationId,
    note: PrivateNote,
) {
    let words = match note.author {
        Some(_) => "note shared with the team; nothing was sent · {undo} undo",
        None => "note kept on this desk; nothing was sent · {undo} undo",
    };
    inbox.context.show_notice(inbox.context.fill_in_keys(words));
    inbox.history_changed(channel.clone(), &conversation);
    let words = format!("note · {}", undo::conversation_name(&inbox.desk, &channel, Some(&conversation)));
    inbox.changes.record_change(channel, &words, UndoTarget::Note(conversation, note.id), &inbox.context);
}

/// Puts an undone note back into the composer; `text` is `None` if the note was gone.
pub(crate) fn restore_undone_note(
    inbox: &mut Inbox,
    channel: ChannelId,
    conversation: &ConversationId,
    text: Option<&str>,
) {
    let Some(text) = text else { return inbox.context.show_warning("the note is already deleted") };
    let is_there = inbox.changes.return_text(
        &channel,
        conversation,
        ReturnedText::Note(text.to_owned()),
        DraftStorage::Stored,
        &mut inbox.desk,
        &mut inbox.context,
    );
    inbox.context.show_notice(match is_there {
        true => "the note is back in the composer; Enter keeps it".to_owned(),
        false => inbox.context.fill_in_keys("the note is back as a draft · {go-to-drafts}"),
    });
    inbox.history_changed(channel, conversation);
}

impl Changes {
    /// Puts a note that could not be stored back into the composer.
    pub(crate) fn restore_unsaved_note(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        why: &str,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let note = ReturnedText::Note(text.to_owned());
        let is_there = self.return_text(channel, conversation, note, DraftStorage::MemoryOnly, desk, context);
        context.show_warning(match is_there {
            true => format!("note not saved: {why}; Enter tries again"),
            false => format!("note not saved: {why} · still a draft"),
        });
    }
}
