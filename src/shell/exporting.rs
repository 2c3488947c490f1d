//! Exports a conversation to a new file, readable by its owner only.

use std::io::Write;

use model::ids::ConversationId;
use model::queries::{ConversationKey, HistoryQuery, TranscriptFormat};
use store::{Store, StoreError, transcript};

const MAX_MESSAGES: u32 = 1_000_000;

/// Exports a stored conversation. Returns the path, or an error text.
pub fn export(
    store: &Store,
    key: ConversationKey,
    name: &str,
    format: TranscriptFormat,
    file: &str,
) -> Result<String, String> {
    let failed = |why: String| format!("{file} was not written: {why}");
    let text = text(store, key, name, format).map_err(|error| failed(error.to_string()))?;
    let text = text.ok_or_else(|| failed("the conversation is no longer stored".to_owned()))?;
    write_new(&text, file)
}

/// Writes a text to a file that must not exist yet. Returns the path, or an error text.
pub fn write_new(text: &str, file: &str) -> Result<String, String> {
    let failed = |why: String| format!("{file} was not written: {why}");
    let written = disk::create(file.as_ref()).and_then(|mut create| create.write_all(text.as_bytes()));
    written.map_err(|error| failed(error.to_string()))?;
    let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.into());
    Ok(path.display().to_string())
}

fn text(
    store: &Store,
    key: ConversationKey,
    name: &str,
    format: TranscriptFormat,
) -> Result<Option<String>, StoreError> {
    let conversation: ConversationId = key.conversation;
    let query = HistoryQuery { channel: key.channel, conversation, limit: MAX_MESSAGES };
    let page = store.reader()?.history(&query)?;
    let Some(row) = page.conversation.clone() else { return Ok(None) };
    Ok(Some(transcript::format_history(format, name, &row, page, store.zone()) + "\n"))
}
