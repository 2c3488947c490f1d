//! Data for a shift handover: snoozed conversations that return soon, and claims per person.

use crate::reader::desk;
use crate::{Reader, StoreError};
use model::queries::{ConversationKey, SnoozedEntry};
use model::text::SafeText;
use model::time::Timestamp;
use rusqlite::params;
use sqlite::Queries;

impl Reader {
    /// Returns conversations whose snooze ends by a time, earliest first.
    pub fn snoozed(&self, until: Timestamp, limit: u32) -> Result<Vec<SnoozedEntry>, StoreError> {
        let sql = "SELECT channel, conversation, until FROM desk.snooze
             WHERE woken_at IS NULL AND until <= ?1 ORDER BY until, channel, conversation LIMIT ?2";
        let found: Vec<(ConversationKey, Timestamp)> =
            self.connection.all(sql, params![until, limit], |row| {
                let (channel, conversation) = (row.get("channel")?, row.get("conversation")?);
                Ok((ConversationKey { channel, conversation }, row.get("until")?))
            })?;
        let entry = |(key, until): (ConversationKey, Timestamp)| {
            let title = desk::conversation_title(&self.connection, &key.channel, &key.conversation)?;
            Ok(SnoozedEntry { key, title, until })
        };
        found.into_iter().map(entry).collect()
    }

    /// Returns the number of claimed conversations per person, most first.
    pub fn claims(&self, limit: u32) -> Result<Vec<(SafeText, u32)>, StoreError> {
        let sql = "SELECT agent, count(*) AS many FROM desk.claim GROUP BY agent ORDER BY many DESC, agent LIMIT ?1";
        Ok(self.connection.all(sql, [limit], |row| Ok((row.line("agent")?, row.get("many")?)))?)
    }
}
