//! Canned replies that a team shares: as the service last listed them, and with the changes of this desk.
//!
//! A change of this desk waits in the row of its reply until the service has answered; a listing of the service leaves
//! such a row alone. Of two changes of one reply the later one is sent.

use rusqlite::params;

use crate::{Store, StoreError};
use model::replies::SharedReply;
use model::team::ReplyChange;
use model::text::SafeText;
use sqlite::{Queries, Row, read_row};

/// SQL for the number of the next change.
const NEXT: &str = "(SELECT coalesce(max(pending), 0) + 1 FROM team_reply)";

impl Store {
    /// Returns the shared replies by name. Blocks.
    pub fn shared_replies(&self) -> Result<Vec<SharedReply>, StoreError> {
        self.outbox().call(|connection| {
            let sql = "SELECT name, text, author FROM team_reply WHERE text IS NOT NULL ORDER BY name";
            Ok(connection.all(sql, [], read_reply)?)
        })
    }

    /// Shares a reply, or removes a shared one. Returns false if there was none to remove. Blocks.
    pub fn change_shared_reply(&self, name: &str, text: Option<&str>) -> Result<bool, StoreError> {
        let (name, text) = (name.to_owned(), text.map(str::to_owned));
        let owner = self.owner().to_owned();
        self.outbox().change(move |change| {
            let Some(text) = text else {
                let sql = format!(
                    "UPDATE team_reply SET text = NULL, author = ?2, pending = {NEXT}
                     WHERE name = ?1 AND text IS NOT NULL"
                );
                return Ok(change.execute(&sql, params![name, owner])? > 0);
            };
            let sql = format!(
                "INSERT INTO team_reply (name, text, author, pending) VALUES (?1, ?2, ?3, {NEXT})
                 ON CONFLICT DO UPDATE SET text = excluded.text, author = excluded.author, pending = excluded.pending"
            );
            change.execute(&sql, params![name, text, owner])?;
            Ok(true)
        })
    }

    /// Returns the oldest change that the service has not accepted yet.
    pub async fn next_reply_change(&self) -> Result<Option<ReplyChange>, StoreError> {
        self.outbox()
            .call_async(|connection| {
                let sql =
                    "SELECT name, text, pending FROM team_reply WHERE pending > 0 ORDER BY pending LIMIT 1";
                Ok(connection.first(sql, [], |row| {
                    Ok(ReplyChange {
                        name: row.get("name")?,
                        text: row.get("text")?,
                        number: row.get("pending")?,
                    })
                })?)
            })
            .await
    }

    /// Records the answer to a change. A refused one is forgotten: the replies have to be read again.
    pub async fn settle_reply_change(
        &self,
        settled: ReplyChange,
        is_accepted: bool,
    ) -> Result<(), StoreError> {
        self.outbox()
            .change_async(move |change| {
                let remove =
                    "DELETE FROM team_reply WHERE name = ?1 AND pending = ?2 AND (text IS NULL OR ?3 = 0)";
                change.execute(remove, params![settled.name, settled.number, is_accepted])?;
                let keep = "UPDATE team_reply SET pending = 0 WHERE name = ?1 AND pending = ?2";
                change.execute(keep, params![settled.name, settled.number])?;
                Ok(())
            })
            .await
    }

    /// Replaces the replies by those that the service lists, except the ones with a change that waits. Returns true
    /// if anything changed.
    pub async fn apply_shared_replies(&self, listed: Vec<SharedReply>) -> Result<bool, StoreError> {
        self.outbox()
            .change_async(move |change| {
                let known: Vec<SharedReply> = change.all(
                    "SELECT name, text, author FROM team_reply WHERE pending = 0 AND text IS NOT NULL",
                    [],
                    read_reply,
                )?;
                let mut changes = 0;
                for gone in known.iter().filter(|reply| !listed.iter().any(|other| other.name == reply.name))
                {
                    let sql = "DELETE FROM team_reply WHERE name = ?1 AND pending = 0";
                    changes += change.execute(sql, [&gone.name])?;
                }
                for reply in &listed {
                    changes += change.execute(
                        "INSERT INTO team_reply (name, text, author) VALUES (?1, ?2, ?3)
                         ON CONFLICT DO UPDATE SET text = excluded.text, author = excluded.author
                         WHERE pending = 0 AND (text, author) IS NOT (excluded.text, excluded.author)",
                        params![reply.name, reply.text, reply.author],
                    )?;
                }
                Ok(changes > 0)
            })
            .await
    }
}

fn read_reply(row: &Row<'_>) -> rusqlite::Result<SharedReply> {
    let author: String = row.get("author")?;
    Ok(read_row!(row, SharedReply { name, text; author: SafeText::line(&author) }))
}
