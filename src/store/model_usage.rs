//! Model usage by day and tab, shared by all processes of a data folder. The maximum a request can
//! use is reserved before it is sent, so that concurrent requests cannot exceed a day's caps.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Reader, Store, StoreError};
use model::ids::ChannelId;
use model::model_costs::{ModelCaps, ModelCost, ModelUsage, ModelUsageRow};
use sqlite::{Queries, Row, read_row};

const HISTORY_LIMIT_DAYS: i64 = 400;

impl Store {
    /// Reserves the maximum usage of a request, or returns the reason why the day's caps forbid it.
    ///
    /// # Errors
    /// When the database fails; nothing is reserved and the request must not be sent.
    pub fn reserve_usage(
        &self,
        day: i64,
        channel: &ChannelId,
        most: &ModelUsage,
        caps: &ModelCaps,
    ) -> Result<Result<(), String>, StoreError> {
        let (channel, most, caps) = (channel.clone(), *most, *caps);
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let before = usage_of_tab(&change, day, &channel)?;
            let allowed = caps.check(&total_usage(&change, day)?, &before, &most);
            if allowed.is_ok() {
                write(&change, day, &channel, 1, &before.plus(&most))?;
                change.execute("DELETE FROM model_usage WHERE day < ?1", [day - HISTORY_LIMIT_DAYS])?;
                change.commit()?;
            }
            Ok(allowed)
        })
    }

    /// Replaces a reservation by the actual usage; returns the day's total. If this fails the
    /// reservation stays counted.
    pub fn settle_usage(
        &self,
        day: i64,
        channel: &ChannelId,
        most: &ModelUsage,
        taken: &ModelUsage,
    ) -> Result<ModelUsage, StoreError> {
        let (channel, most, taken) = (channel.clone(), *most, *taken);
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let counted = usage_of_tab(&change, day, &channel)?;
            let without = ModelUsage {
                tokens_in: counted.tokens_in.saturating_sub(most.tokens_in),
                tokens_out: counted.tokens_out.saturating_sub(most.tokens_out),
                cost: ModelCost(counted.cost.0.saturating_sub(most.cost.0)),
            };
            write(&change, day, &channel, 0, &without.plus(&taken))?;
            let total = total_usage(&change, day)?;
            change.commit()?;
            Ok(total)
        })
    }
}

impl Reader {
    /// Returns the usage since a day, newest day first.
    pub fn model_usage(&self, since: i64) -> Result<Vec<ModelUsageRow>, StoreError> {
        let sql = "SELECT day, channel, asked, tokens_in, tokens_out, cost FROM desk.model_usage
             WHERE day >= ?1 ORDER BY day DESC, channel";
        Ok(self.connection.all(sql, [since], |row| {
            let (usage, asked) = (usage_from_row(row)?, read_number(row, "asked")?);
            Ok(read_row!(row, ModelUsageRow { day, channel; asked, usage }))
        })?)
    }
}

fn usage_from_row(row: &Row<'_>) -> rusqlite::Result<ModelUsage> {
    Ok(ModelUsage {
        tokens_in: read_number(row, "tokens_in")?,
        tokens_out: read_number(row, "tokens_out")?,
        cost: ModelCost(read_number(row, "cost")?),
    })
}

/// SQLite integers are signed.
fn read_number(row: &Row<'_>, name: &'static str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<i64>(name)?).unwrap_or(0))
}

fn to_sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn usage_of_day(connection: &Connection, day: i64) -> rusqlite::Result<Vec<(ChannelId, ModelUsage)>> {
    let sql = "SELECT channel, tokens_in, tokens_out, cost FROM model_usage WHERE day = ?1";
    connection.all(sql, [day], |row| Ok((row.get("channel")?, usage_from_row(row)?)))
}

fn total_usage(connection: &Connection, day: i64) -> rusqlite::Result<ModelUsage> {
    Ok(usage_of_day(connection, day)?
        .iter()
        .fold(ModelUsage::default(), |all, (_, model_usage)| all.plus(model_usage)))
}

fn usage_of_tab(connection: &Connection, day: i64, channel: &ChannelId) -> rusqlite::Result<ModelUsage> {
    let found = usage_of_day(connection, day)?.into_iter().find(|pair| pair.0 == *channel);
    Ok(found.map(|entry| entry.1).unwrap_or_default())
}

fn write(
    connection: &Connection,
    day: i64,
    channel: &ChannelId,
    asked: i64,
    usage: &ModelUsage,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO model_usage (day, channel, asked, tokens_in, tokens_out, cost) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET asked = asked + ?3, tokens_in = ?4, tokens_out = ?5, cost = ?6",
        params![day, channel, asked, to_sql_integer(usage.tokens_in), to_sql_integer(usage.tokens_out), to_sql_integer(usage.cost.0)],
    )?;
    Ok(())
}
