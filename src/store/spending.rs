//! What was spent from here, as far as answers told. In the cache: it is for
//! information only.

use rusqlite::Connection;

use crate::reader::{Reader, desk};
use crate::{Store, StoreError, meta};
use model::ids::ChannelId;
use model::outbox::RowState;
use model::queries::OutboxEntry;
use model::spending::{self, Spent};
use model::stops::Stop;
use model::time::Timestamp;
use sqlite::Queries;

/// The ledger of a channel.
const SPENT: &str = "spent";
/// Rows that wait for credits read at most.
const UNPAID: u32 = 500;

impl Store {
    /// Notes what one action cost.
    pub async fn note_spent(
        &self,
        channel: &ChannelId,
        action: &'static str,
        credits: f64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, day) = (channel.clone(), now.day_number(self.zone()));
        self.cache()
            .later(move |cache| {
                let mut all = ledger(&cache.connection, &channel)?;
                spending::note(&mut all, day, action, credits);
                meta::write(&cache.connection, &channel, &[(SPENT, Some(spending::write(&all)))])
            })
            .await
    }
}

impl Reader {
    /// What was spent from here, by channel.
    pub fn spent(&self) -> Result<Vec<(ChannelId, Vec<Spent>)>, StoreError> {
        Ok(self.connection.all(
            "SELECT channel, value FROM meta WHERE name = ?1 ORDER BY channel",
            [SPENT],
            |row| Ok((row.get("channel")?, row.word("value", spending::read)?)),
        )?)
    }

    /// The rows of all channels that wait for credits, in the order they were
    /// written.
    pub fn unpaid(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let mut entries = desk::stopped(&moment, Stop::Credits, UNPAID)?;
        entries.retain(|entry| matches!(entry.row.state, RowState::Stopped(Stop::Credits, _)));
        Ok(entries)
    }
}

fn ledger(connection: &Connection, channel: &ChannelId) -> Result<Vec<Spent>, StoreError> {
    Ok(meta::read(connection, channel, SPENT)?.map(|text| spending::read(&text)).unwrap_or_default())
}
