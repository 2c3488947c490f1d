//! Cached results generated from messages: prepared drafts, summaries, translations, transcripts.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::draft_only::DRAFT_TIMEOUT;
use crate::{Store, StoreError};
use model::ids::MessageId;
use model::messages::{GeneratedText, GeneratedTextKind};
use model::queries::ConversationKey;
use model::suggestions::Suggestion;
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

const SELECT_NUMBER: &str = "(SELECT number FROM conversation WHERE channel = ?1 AND id = ?2)";

impl Store {
    /// Claims the generation for a message. Returns false if it is done, in progress elsewhere, or
    /// the conversation is gone.
    pub fn begin_suggestion(
        &self,
        key: &ConversationKey,
        kind: &str,
        message: &MessageId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (key, kind, message) = (key.clone(), kind.to_owned(), message.clone());
        self.cache().call(move |cache| {
            let sql = format!(
                "INSERT INTO suggestion (conversation, kind, message, begun_at)
                     SELECT number, ?3, ?4, ?5 FROM conversation WHERE channel = ?1 AND id = ?2
                 ON CONFLICT DO UPDATE SET begun_at = excluded.begun_at
                     WHERE made IS NULL AND begun_at <= excluded.begun_at - {DRAFT_TIMEOUT}"
            );
            let begun =
                cache.connection.execute(&sql, params![key.channel, key.conversation, kind, message, now])?;
            Ok(begun > 0)
        })
    }

    /// Stores the result for a message or its error. Only the newest draft and summary of a
    /// conversation is kept.
    pub fn store_suggestion(
        &self,
        key: &ConversationKey,
        kind: &str,
        message: &MessageId,
        made: &Result<Suggestion, String>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (key, kind, message) = (key.clone(), kind.to_owned(), message.clone());
        let made = serde_json::to_string(made).unwrap_or_default();
        self.cache().call(move |cache| {
            let change = cache.connection.transaction()?;
            if kind == "draft" || kind.starts_with("summary") {
                let sql =
                    format!("DELETE FROM suggestion WHERE conversation = {SELECT_NUMBER} AND kind = ?3");
                change.execute(&sql, params![key.channel, key.conversation, kind])?;
            }
            change.execute(
                "INSERT OR REPLACE INTO suggestion (conversation, kind, message, begun_at, made)
                     SELECT number, ?3, ?4, ?5, ?6 FROM conversation WHERE channel = ?1 AND id = ?2",
                params![key.channel, key.conversation, kind, message, now, made],
            )?;
            change.commit()?;
            Ok(())
        })
    }

    pub fn stored_suggestion(
        &self,
        key: &ConversationKey,
        kind: &str,
        message: &MessageId,
    ) -> Result<Option<Suggestion>, StoreError> {
        let (key, kind, message) = (key.clone(), kind.to_owned(), message.clone());
        self.cache().call(move |cache| {
            let sql = format!(
                "SELECT made FROM suggestion
                 WHERE conversation = {SELECT_NUMBER} AND kind = ?3 AND message = ?4 AND is_ready"
            );
            let bound = params![key.channel, key.conversation, kind, message];
            let made: Option<String> = cache.connection.first(&sql, bound, only_cell)?;
            Ok(made.and_then(|text| read(&text)))
        })
    }
}

/// Returns the transcripts and translations of a conversation's messages.
pub(crate) fn generated_texts(
    connection: &Connection,
    conversation: i64,
) -> Result<HashMap<MessageId, Vec<GeneratedText>>, StoreError> {
    let sql = "SELECT message, kind, made FROM suggestion WHERE conversation = ?1 AND is_ready
         AND (kind = 'transcript' OR kind GLOB 'translation *') ORDER BY kind";
    let rows: Vec<(MessageId, String, String)> = connection
        .all(sql, [conversation], |row| Ok((row.get("message")?, row.get("kind")?, row.get("made")?)))?;
    let mut made: HashMap<MessageId, Vec<GeneratedText>> = HashMap::new();
    for (message, kind, text) in rows {
        let Some(found) = read(&text) else { continue };
        let lines: Vec<&str> = found.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let kind =
            if kind == "transcript" { GeneratedTextKind::Transcript } else { GeneratedTextKind::Translation };
        let text = SafeText::block(&lines.join("\n"));
        made.entry(message).or_default().push(GeneratedText { kind, text });
    }
    Ok(made)
}

fn read(made: &str) -> Option<Suggestion> {
    serde_json::from_str::<Result<Suggestion, String>>(made).ok()?.ok()
}
