//! Stores private notes.

use inbox::event::Event;
use model::ids::{ChannelId, ConversationId, NoteId};
use model::time::Timestamp;
use store::Store;

/// Saves a note; if that fails, returns it to the inbox.
pub(super) fn save(
    store: &Store,
    channel: ChannelId,
    conversation: ConversationId,
    text: String,
    now: Timestamp,
) -> Event {
    match store.add_note(&channel, &conversation, &text, now) {
        Ok(note) => Event::NoteSaved(channel, conversation, note),
        Err(error) => {
            tracing::error!(%error, "a note could not be kept");
            Event::NoteNotSaved(channel, conversation, text, error.to_string())
        }
    }
}

pub(super) fn delete_note(
    store: &Store,
    channel: ChannelId,
    conversation: ConversationId,
    note: &NoteId,
) -> Event {
    match store.recall_note(note) {
        Ok(text) => Event::NoteTakenBack(channel, conversation, text),
        Err(error) => Event::WriteFailed {
            what: "taking the note back".to_owned(),
            why: error.to_string(),
            intents: Vec::new(),
        },
    }
}
