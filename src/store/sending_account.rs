//! Account behind each channel: the one new rows are written for, and the credential for which it
//! was confirmed. Kept in the outbox, because the cache may be deleted. See
//! [`model::outbox::account`] for the rules.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::{ChannelId, RowId};
use model::outbox::SendingAccount;
use model::time::Timestamp;
use sqlite::{Queries, Row};

/// Fingerprints of this process's credentials, for the rows it queues. A temporary table.
const PROCESS_CREDENTIALS: &str = "CREATE TEMP TABLE process_credential (
     channel TEXT PRIMARY KEY, credential TEXT NOT NULL) STRICT, WITHOUT ROWID";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedAccount {
    /// Fingerprint of the credential it was confirmed for.
    pub credential: String,
    pub account: SendingAccount,
}

/// Effect of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmation {
    /// True if the channel had another account before.
    pub has_changed: bool,
    /// Stopped rows that may be sent again.
    pub released: usize,
}

pub(crate) fn install(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(PROCESS_CREDENTIALS)?)
}

/// Returns `None` for null and for unreadable text.
pub(crate) fn read_cell(row: &Row<'_>, name: &'static str) -> rusqlite::Result<Option<SendingAccount>> {
    let text: Option<&str> = row.optional_text(name)?;
    Ok(text.and_then(|text| serde_json::from_str(text).ok()))
}

fn to_cell(account: &SendingAccount) -> String {
    serde_json::json!(account).to_string()
}

fn find(connection: &Connection, channel: &ChannelId) -> Result<Option<ConfirmedAccount>, StoreError> {
    let sql = "SELECT credential, account FROM sending_account WHERE channel = ?1";
    let found = connection.first(sql, [channel.as_str()], |row| {
        let credential: String = row.get("credential")?;
        Ok(read_cell(row, "account")?.map(|account| ConfirmedAccount { credential, account }))
    })?;
    Ok(found.flatten())
}

impl Store {
    /// Sets the fingerprint of this process's credential for a channel. Returns at once; applies to
    /// rows queued later.
    pub fn record_credential(&self, channel: &ChannelId, credential: &str) {
        let (channel, credential) = (channel.clone(), credential.to_owned());
        let noted = self.outbox().run_in_background(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO temp.process_credential (channel, credential) VALUES (?1, ?2)",
                params![channel, credential],
            )?;
            Ok(())
        });
        // Rows without a credential stop for a person more often, but are not less safe.
        if let Err(error) = noted {
            tracing::error!(%error, "the credential of a channel could not be recorded");
        }
    }

    /// Returns the last confirmed account of a channel, from any process.
    pub async fn sending_account(&self, channel: &ChannelId) -> Result<Option<ConfirmedAccount>, StoreError> {
        let channel = channel.clone();
        self.outbox().call_async(move |connection| find(connection, &channel)).await
    }

    /// Stores the answer of `GET /account` for a credential. Rows with unknown account get this one
    /// if they were written or tried with the same credential; rows stopped because the tab had
    /// another account are released if this is theirs.
    pub async fn confirm_account(
        &self,
        channel: &ChannelId,
        credential: &str,
        account: SendingAccount,
        now: Timestamp,
    ) -> Result<Confirmation, StoreError> {
        let (channel, credential) = (channel.clone(), credential.to_owned());
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction()?;
                let before = find(&change, &channel)?;
                let told = ConfirmedAccount { credential, account };
                let filled = assign_account(&change, &channel, &told)?;
                let released = release_rows(&change, &channel, &told.account)?;
                let is_known = before.as_ref() == Some(&told);
                if !is_known {
                    change.execute(
                        "INSERT OR REPLACE INTO sending_account (channel, credential, account, confirmed_at)
                         VALUES (?1, ?2, ?3, ?4)",
                        params![channel, told.credential, to_cell(&told.account), now],
                    )?;
                }
                if !is_known || filled + released > 0 {
                    change.commit()?;
                }
                let moved = before.is_some_and(|before| !before.account.is_same(&told.account));
                Ok(Confirmation { has_changed: moved, released })
            })
            .await
    }

    /// Records the account offered to a person for a row written for another one.
    pub async fn record_offered_account(
        &self,
        row: &RowId,
        account: &SendingAccount,
    ) -> Result<(), StoreError> {
        let (row, account) = (row.clone(), to_cell(account));
        self.outbox()
            .call_async(move |connection| {
                connection
                    .execute("UPDATE outbox SET offered_account = ?2 WHERE id = ?1", params![row, account])?;
                Ok(())
            })
            .await
    }
}

/// Sets the account of rows and campaigns whose credential proves it.
fn assign_account(
    change: &Connection,
    channel: &ChannelId,
    told: &ConfirmedAccount,
) -> Result<usize, StoreError> {
    let mut filled = 0;
    for (table, proof) in [("outbox", "coalesce(attempted_as, written_as)"), ("campaign", "written_as")] {
        filled += change.execute(
            &format!(
                "UPDATE {table} SET written_for = ?3
                 WHERE channel = ?1 AND written_for IS NULL AND {proof} = ?2"
            ),
            params![channel, told.credential, to_cell(&told.account)],
        )?;
    }
    Ok(filled)
}

/// Releases rows that were stopped because of another account.
fn release_rows(
    change: &Connection,
    channel: &ChannelId,
    account: &SendingAccount,
) -> Result<usize, StoreError> {
    let sql = "SELECT id, written_for FROM outbox
         WHERE channel = ?1 AND state = 'stopped' AND stop = 'account' AND written_for IS NOT NULL";
    let held: Vec<(RowId, Option<SendingAccount>)> =
        change.all(sql, [channel.as_str()], |row| Ok((row.get("id")?, read_cell(row, "written_for")?)))?;
    let mut released = 0;
    for (row, written_for) in held {
        if written_for.is_some_and(|written| written.is_same(account)) {
            released += change.execute(
                "UPDATE outbox SET state = 'queued', stop = NULL, why = NULL, offered_account = NULL,
                     fence = fence + 1
                 WHERE id = ?1",
                [row.as_str()],
            )?;
        }
    }
    Ok(released)
}

/// Moves a row to the account offered to a person.
pub(crate) fn adopt_offered(change: &Connection, row: &RowId) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET written_for = coalesce(offered_account, written_for), offered_account = NULL
         WHERE id = ?1",
        [row.as_str()],
    )?;
    Ok(())
}

/// Gives a wave's row the account of its campaign, which is unknown for campaigns older than this
/// column.
pub(crate) fn follow_campaign(change: &Connection, row: &RowId, campaign: i64) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET (written_for, written_as) =
             (SELECT written_for, written_as FROM campaign WHERE number = ?2)
         WHERE id = ?1",
        params![row, campaign],
    )?;
    Ok(())
}
