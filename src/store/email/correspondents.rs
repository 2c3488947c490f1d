//! Mail correspondents, for completing addresses.

use rusqlite::params;

use crate::{Reader, Store, StoreError};
use model::email::{Correspondent, addresses};
use model::ids::ChannelId;
use sqlite::{Queries, read_row};

impl Store {
    pub async fn apply_correspondents(
        &self,
        channel: &ChannelId,
        all: Vec<Correspondent>,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                for correspondent in &all {
                    change
                        .prepare_cached(
                            "INSERT OR REPLACE INTO correspondent
                                 (channel, folded, email, name, last_at, count, phone)
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                        )?
                        .execute(params![
                            channel,
                            addresses::normalize(correspondent.email.as_str()),
                            correspondent.email,
                            correspondent.name,
                            correspondent.last_at,
                            correspondent.count.and_then(|count| i64::try_from(count).ok()),
                            correspondent.phone
                        ])?;
                }
                Ok(())
            })
            .await
    }
}

impl Reader {
    /// Returns correspondents whose address or name contains a text, newest mail first.
    pub fn correspondents(
        &self,
        channel: &ChannelId,
        text: &str,
        limit: u32,
    ) -> Result<Vec<Correspondent>, StoreError> {
        let text = addresses::normalize(text);
        let sql = "SELECT email, name, last_at, count, phone FROM correspondent
             WHERE channel = ?1 AND (?2 = '' OR instr(folded, ?2) > 0 OR instr(lower(coalesce(name, '')), ?2) > 0)
             ORDER BY last_at DESC, folded LIMIT ?3";
        Ok(self.connection.all(sql, params![channel, text, limit], |row| {
            Ok(read_row!(row, Correspondent {
                email: line, name: optional_line, last_at, phone: optional_line;
                count: row.get::<Option<i64>>("count")?.and_then(|number| u64::try_from(number).ok())
            }))
        })?)
    }
}
