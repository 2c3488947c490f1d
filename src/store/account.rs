use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::account::{Account, Environment, Platform};
use model::ids::ChannelId;
use sqlite::{Queries, Row, read_row};

impl Store {
    /// Stores the answer of `GET /account`; returns true if it changed.
    pub async fn apply_account(&self, channel: &ChannelId, account: Account) -> Result<bool, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                if read(&cache.connection, &channel)?.as_ref() == Some(&account) {
                    return Ok(false);
                }
                write(&cache.connection, &channel, &account)?;
                share_balance(&cache.connection, &channel, account.credits)?;
                Ok(true)
            })
            .await
    }

    pub async fn account(&self, channel: &ChannelId) -> Result<Option<Account>, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| read(&cache.connection, &channel)).await
    }

    /// Stores the balance from a send's answer for all channels of the workspace, which share it.
    pub async fn apply_credits(&self, channel: &ChannelId, credits: f64) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| share_balance(&cache.connection, &channel, credits)).await
    }
}

fn share_balance(connection: &Connection, channel: &ChannelId, credits: f64) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE account SET credits = ?2 WHERE workspace_id =
             (SELECT workspace_id FROM account WHERE channel = ?1)
         AND environment = (SELECT environment FROM account WHERE channel = ?1)",
        params![channel, credits],
    )?;
    Ok(())
}

fn write(connection: &Connection, channel: &ChannelId, account: &Account) -> Result<(), StoreError> {
    connection.execute(
        "INSERT OR REPLACE INTO account (channel, id, workspace_id, workspace_name, assistant_name,
             platform, environment, number, credits, messaging_tier, quality_rating, takes_buttons,
             takes_voice, takes_stickers, takes_contacts, takes_link_preview)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        params![
            channel,
            account.id,
            account.workspace_id,
            account.workspace_name,
            account.assistant_name,
            account.platform.word(),
            account.environment.word(),
            account.number,
            account.credits,
            account.messaging_tier,
            account.quality_rating,
            account.takes_buttons,
            account.takes_voice,
            account.takes_stickers,
            account.takes_contacts,
            account.takes_link_preview
        ],
    )?;
    Ok(())
}

pub(crate) fn read(connection: &Connection, channel: &ChannelId) -> Result<Option<Account>, StoreError> {
    Ok(connection.first(
        "SELECT id, workspace_id, workspace_name, assistant_name, platform, environment, number,
                credits, messaging_tier, quality_rating, takes_buttons, takes_voice, takes_stickers, takes_contacts,
                takes_link_preview
         FROM account WHERE channel = ?1",
        [channel.as_str()],
        account_from_row,
    )?)
}

fn account_from_row(row: &Row<'_>) -> rusqlite::Result<Account> {
    let environment = row.parse_word("environment", Environment::from_word)?;
    Ok(read_row!(row, Account {
        id, workspace_id, workspace_name: optional_line, assistant_name: optional_line, number: optional_line,
        credits, messaging_tier: optional_line, quality_rating: optional_line, takes_buttons,
        takes_voice, takes_stickers, takes_contacts, takes_link_preview;
        platform: row.parse_word("platform", Platform::from_word)?,
        environment: environment.unwrap_or(Environment::Live)
    }))
}
