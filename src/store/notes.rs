use rusqlite::{Connection, params};

use crate::reader::conversations::load_row;
use crate::{Store, StoreError, drafts, outbox, team};
use model::ids::{ChannelId, ConversationId, NoteId};
use model::notes::PrivateNote;
use model::search::{NoteHit, SearchQuery, Snippet, Terms};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, read_row};

/// Maximum number of newest notes read per history.
const MAX_NOTES: u32 = 1_000;
const MAX_HITS: usize = 20;
/// Number of newest notes searched.
const MAX_SEARCHED_NOTES: u32 = 20_000;

impl Store {
    /// Stores a note and removes its draft.
    pub fn add_note(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        now: Timestamp,
    ) -> Result<PrivateNote, StoreError> {
        let (channel, conversation, text) = (channel.clone(), conversation.clone(), text.to_owned());
        let id = NoteId::new(outbox::new_row_id(now, self.chance()).as_str());
        let owner = self.owner().to_owned();
        self.outbox().change(move |change| {
            let note = insert(change, id, (&channel, &conversation), (&text, &owner), now)?;
            drafts::remove_draft_note(change, &channel, &conversation)?;
            Ok(note)
        })
    }

    /// Stores a note not written in the editor; keeps an unsaved one.
    pub fn insert_note(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        now: Timestamp,
    ) -> Result<PrivateNote, StoreError> {
        let (channel, conversation, text) = (channel.clone(), conversation.clone(), text.to_owned());
        let id = NoteId::new(outbox::new_row_id(now, self.chance()).as_str());
        let owner = self.owner().to_owned();
        self.outbox()
            .change(move |change| Ok(insert(change, id, (&channel, &conversation), (&text, &owner), now)?))
    }

    /// Turns a note back into a draft; returns its text, `None` if the note is gone.
    pub fn recall_note(&self, id: &NoteId) -> Result<Option<String>, StoreError> {
        let id = id.clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction()?;
            let found: Option<(_, _, String)> = change.first(
                "SELECT channel, conversation, text FROM note WHERE id = ?1",
                [id.as_str()],
                |row| Ok((row.get("channel")?, row.get("conversation")?, row.get("text")?)),
            )?;
            let Some((channel, conversation, text)) = found else { return Ok(None) };
            drafts::prepend_note(&change, &channel, &conversation, &text)?;
            team::share_note_deletion(&change, &channel, &conversation, &id)?;
            change.execute("DELETE FROM note WHERE id = ?1", [id.as_str()])?;
            change.commit()?;
            Ok(Some(text))
        })
    }
}

fn insert(
    connection: &Connection,
    id: NoteId,
    (channel, conversation): (&ChannelId, &ConversationId),
    (text, owner): (&str, &str),
    now: Timestamp,
) -> rusqlite::Result<PrivateNote> {
    connection.execute(
        "INSERT INTO note (id, channel, conversation, text, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![id, channel, conversation, text, now],
    )?;
    let is_shared = team::share_note(connection, channel, conversation, (&id, text, owner))?;
    let author = is_shared.then(|| SafeText::line(owner));
    Ok(PrivateNote { id, text: SafeText::block(text), at: now, author })
}

/// Selects the newest notes of a conversation since a time.
const SELECT_NEWEST: &str = "SELECT id, text, created_at, author FROM desk.note
     WHERE channel = ?1 AND conversation = ?2 AND created_at >= ?3 ORDER BY created_at DESC, number DESC LIMIT ?4";

/// Returns the notes of a conversation since a time, oldest first; expects the outbox attached as
/// `desk`.
pub(crate) fn list(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    since: Option<Timestamp>,
) -> Result<Vec<PrivateNote>, StoreError> {
    let since = since.map_or(i64::MIN, Timestamp::micros);
    let mut notes: Vec<_> =
        connection.all(SELECT_NEWEST, params![channel, conversation, since, MAX_NOTES], read)?;
    notes.reverse();
    Ok(notes)
}

/// Returns the newest notes of a conversation, newest first; expects the outbox attached as `desk`.
pub(crate) fn newest(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    limit: u32,
) -> Result<Vec<PrivateNote>, StoreError> {
    Ok(connection.all(SELECT_NEWEST, params![channel, conversation, i64::MIN, limit], read)?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<PrivateNote> {
    Ok(read_row!(row, PrivateNote { id, text: block, at = created_at, author: optional_line }))
}

/// Returns the newest notes that contain all words. Notes are few and have no index, so the newest
/// are scanned.
pub(crate) fn find(
    connection: &Connection,
    query: &SearchQuery,
    terms: &Terms,
) -> Result<Vec<NoteHit>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, text, created_at, author, channel, conversation FROM desk.note
         WHERE (?1 IS NULL OR channel = ?1) AND (?2 IS NULL OR conversation = ?2)
         ORDER BY number DESC LIMIT ?3",
    )?;
    let channel = query.channel.as_ref().map(ChannelId::as_str);
    let conversation = query.conversation.as_ref().map(ConversationId::as_str);
    let mut rows = statement.query(params![channel, conversation, MAX_SEARCHED_NOTES])?;
    let mut hits = Vec::new();
    while let Some(row) = rows.next()? {
        let row = &Row::new(row);
        let note = read(row)?;
        let Some(found) = terms.find(note.text.as_str()) else { continue };
        let (channel, conversation): (_, ConversationId) = (row.get("channel")?, row.get("conversation")?);
        let known = load_row(connection, &channel, &conversation)?;
        let title =
            known.map_or_else(|| SafeText::line(conversation.as_str()), |entry| entry.conversation.title());
        let snippet = Snippet::around_match(&note.text, &found);
        hits.push(NoteHit { channel, conversation, title, note: note.id, at: note.at, snippet });
        if hits.len() == MAX_HITS {
            break;
        }
    }
    Ok(hits)
}
