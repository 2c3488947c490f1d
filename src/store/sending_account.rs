//! The account behind each channel as rows depend on it: what new rows are
//! written for, and what is known of the key they would leave with.
//!
//! Kept with the outbox, because the cache may be deleted. See
//! [`model::outbox::account`] for the rule.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::{ChannelId, RowId};
use model::outbox::SendingAccount;
use model::time::Timestamp;
use sqlite::{Queries, Row};

/// Prints of the credentials that this process has, for the rows it queues.
/// They are forgotten with the connection.
const PROCESS_CREDENTIALS: &str = "CREATE TEMP TABLE process_credential (
     channel TEXT PRIMARY KEY, credential TEXT NOT NULL) STRICT, WITHOUT ROWID";

/// What a channel's account was confirmed to be, and for which credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedAccount {
    /// The credential's print.
    pub credential: String,
    pub account: SendingAccount,
}

/// What a confirmation changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmation {
    /// True if the channel had another account before.
    pub has_changed: bool,
    /// Rows that asked and may leave again.
    pub released: usize,
}

/// Prepares the writing connection of the outbox.
pub(crate) fn install(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(PROCESS_CREDENTIALS)?)
}

/// Reads an account from a cell; `None` for null, or for what is not readable.
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
    /// Notes which credential, as a print, this process has for a channel.
    /// Returns at once; whatever is queued later is written with it.
    pub fn record_credential(&self, channel: &ChannelId, credential: &str) {
        let (channel, credential) = (channel.clone(), credential.to_owned());
        let noted = self.outbox().run_in_background(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO temp.process_credential (channel, credential) VALUES (?1, ?2)",
                params![channel, credential],
            )?;
            Ok(())
        });
        // Rows without it ask a person more often, and leave no less safely.
        if let Err(error) = noted {
            tracing::error!(%error, "the credential of a channel could not be noted");
        }
    }

    /// The account of a channel as it was confirmed last, whichever process did.
    pub async fn sending_account(&self, channel: &ChannelId) -> Result<Option<ConfirmedAccount>, StoreError> {
        let channel = channel.clone();
        self.outbox().call_async(move |connection| find(connection, &channel)).await
    }

    /// Keeps what `GET /account` told to a credential. Rows whose account was
    /// not known get it where they were written or tried with this very
    /// credential, and rows that asked because the tab belonged to another
    /// account wait no more where it is theirs again.
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

    /// Notes which account a person is asked about for a row that does not
    /// belong to it.
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

/// Gives rows and broadcasts of an unknown account the one that is proved.
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

/// Lets rows leave that asked because of another account.
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

/// Makes a row one of the account that a person was asked about.
pub(crate) fn adopt_offered(change: &Connection, row: &RowId) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET written_for = coalesce(offered_account, written_for), offered_account = NULL
         WHERE id = ?1",
        [row.as_str()],
    )?;
    Ok(())
}

/// Makes the row of a wave one of the account its broadcast was planned for, which is
/// unknown for a broadcast from before accounts were kept.
pub(crate) fn follow_campaign(change: &Connection, row: &RowId, campaign: i64) -> Result<(), StoreError> {
    change.execute(
        "UPDATE outbox SET (written_for, written_as) =
             (SELECT written_for, written_as FROM campaign WHERE number = ?2)
         WHERE id = ?1",
        params![row, campaign],
    )?;
    Ok(())
}
