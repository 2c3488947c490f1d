//! Credits spent from here, as reported by answers. In the cache, because it is informational.

use rusqlite::Connection;

use crate::reader::{Reader, desk};
use crate::{Store, StoreError, meta};
use model::ids::ChannelId;
use model::outbox::RowState;
use model::queries::OutboxEntry;
use model::spending::{self, Spent};
use model::stop_reasons::StopReason;
use model::time::Timestamp;
use sqlite::Queries;

/// Mark: spending ledger of a channel.
const SPENDING_MARK: &str = "spent";
const MAX_UNPAID_ROWS: u32 = 500;

impl Store {
    pub async fn record_spending(
        &self,
        channel: &ChannelId,
        action: &'static str,
        credits: f64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, day) = (channel.clone(), now.day_number(self.zone()));
        self.cache()
            .call_async(move |cache| {
                let mut all = load_ledger(&cache.connection, &channel)?;
                spending::record_spending(&mut all, day, action, credits);
                meta::write(&cache.connection, &channel, &[(SPENDING_MARK, Some(spending::to_lines(&all)))])
            })
            .await
    }
}

impl Reader {
    pub fn spending_by_channel(&self) -> Result<Vec<(ChannelId, Vec<Spent>)>, StoreError> {
        Ok(self.connection.all(
            "SELECT channel, value FROM meta WHERE name = ?1 ORDER BY channel",
            [SPENDING_MARK],
            |row| Ok((row.get("channel")?, row.parse_word("value", spending::parse_lines)?)),
        )?)
    }

    /// Returns the rows of all channels that wait for credits, in queue order.
    pub fn unpaid_rows(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let mut entries = desk::stopped(&moment, StopReason::Credits, MAX_UNPAID_ROWS)?;
        entries.retain(|entry| matches!(entry.row.state, RowState::Stopped(StopReason::Credits, _)));
        Ok(entries)
    }
}

fn load_ledger(connection: &Connection, channel: &ChannelId) -> Result<Vec<Spent>, StoreError> {
    Ok(meta::read(connection, channel, SPENDING_MARK)?
        .map(|text| spending::parse_lines(&text))
        .unwrap_or_default())
}
