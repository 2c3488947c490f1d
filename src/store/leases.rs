//! Leases decide which of several processes on one data folder polls a channel and which one sends.
//! The other processes read the files. The owner publishes the health of its connection with the
//! lease; other processes leave read requests for it.
//!
//! Polling and sending are separate leases. A read-only process takes only the first, so it never
//! blocks sending; a script takes only the second, so it never stops an inbox from polling. An
//! inbox takes both, immediately, from any process of a lower rank.
//!
//! All processes share one machine and one clock. A lease that ends later than a new one would was
//! written before the clock was set back and is invalid, as is one whose owner has ended.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Store, StoreError, processes};
use model::ids::{ChannelId, ConversationId};
use model::leader::Leader;
use model::news::Health;
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use sqlite::{Queries, Row, read_row};

#[cfg(test)]
mod tests;

pub const LEASE_LIFETIME: i64 = 15 * SECOND;
pub const RENEW_INTERVAL: i64 = 5 * SECOND;
/// Time after the last answer during which the files count as current; longer than the poll
/// interval of a tab in the background.
const FRESHNESS_LIMIT: i64 = 90 * SECOND;
/// Maximum number of requests waiting for an owner.
const MAX_PENDING_REQUESTS: i64 = 64;

/// Health of a channel's connection as last published by its owner.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeaseHealth {
    pub health: Option<Health>,
    /// Share of the read budget in use, in percent.
    pub budget: Option<u8>,
}

/// Rank of a process. A higher rank takes a lease from a lower one at once; among equals the owner
/// keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessRank {
    /// Changes nothing: a read-only inbox or a wall.
    Reader,
    /// Script, which ends soon and reads no more than it needs.
    Script,
    /// Engine without a screen; gives way to an inbox.
    Engine,
    /// Inbox: polls and sends for as long as it runs.
    Inbox,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    pub name: String,
    pub channel: ChannelId,
    pub sends: bool,
    pub rank: ProcessRank,
    /// Kind shown by other processes, such as `inbox` or `contacts import`.
    pub kind: &'static str,
    pub health: LeaseHealth,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOwner {
    /// The caller, until this time.
    This(Timestamp),
    Other(OtherProcess),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherProcess {
    pub owner: String,
    /// Kind of process, such as `inbox`.
    pub kind: SafeText,
    /// [`ProcessRank`] as a number; higher takes precedence.
    rank: i64,
    pub until: Timestamp,
    pub health: LeaseHealth,
}

impl OtherProcess {
    pub fn process(&self) -> Option<u32> {
        process_of(&self.owner)
    }

    pub fn leader(&self) -> Leader {
        Leader::Elsewhere { kind: self.kind.clone(), process: self.process() }
    }

    /// True if the process keeps the files current: its server answers and did so within
    /// `FRESHNESS_LIMIT`.
    pub fn has_fresh_files(&self, now: Timestamp) -> bool {
        match self.health.health {
            Some(Health::Live { at }) => now.since(at).abs() <= FRESHNESS_LIMIT,
            Some(
                Health::Connecting
                | Health::Silent { .. }
                | Health::Offline { .. }
                | Health::Trouble { .. }
                | Health::Limited { .. }
                | Health::Refused { .. }
                | Health::Misconfigured { .. },
            )
            | None => false,
        }
    }

    pub fn is_held(&self, now: Timestamp) -> bool {
        is_lease_held(&self.owner, self.until, now)
    }
}

/// Number of the process that an owner names.
pub(crate) fn process_of(owner: &str) -> Option<u32> {
    owner.split('-').next()?.parse().ok()
}

/// True if the lease has not lapsed and its owner has not ended.
pub(crate) fn is_lease_held(owner: &str, until: Timestamp, now: Timestamp) -> bool {
    (1..=LEASE_LIFETIME).contains(&until.since(now)) && !processes::has_ended(owner)
}

/// Request of another process to the lease owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OwnerRequest {
    /// Read everything again, even if polling has stopped.
    Refresh,
    /// Read the newest messages of a conversation that was opened.
    Open(ConversationId),
    /// Read messages older than the stored ones.
    Older(ConversationId),
}

/// SQLite data versions of both files; they differ from earlier ones if another process has
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Versions {
    pub cache: i64,
    pub outbox: i64,
}

impl Store {
    /// Takes or renews leases, in order. A lease held by another process of the same or a higher
    /// rank is not taken. On an error no lease changes.
    pub async fn acquire_leases(
        &self,
        owner: &str,
        wanted: Vec<LeaseRequest>,
        now: Timestamp,
    ) -> Result<Vec<LeaseOwner>, StoreError> {
        let owner = owner.to_owned();
        self.cache()
            .call_async(move |cache| {
                let change = cache.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let held =
                    wanted.iter().map(|lease_request| acquire_lease(&change, &owner, lease_request, now));
                let held = held.collect::<Result<_, _>>()?;
                // Rows of ended processes are not needed any more.
                change.execute("DELETE FROM lease WHERE until < ?1 AND name GLOB '*.send.*'", [now])?;
                change.commit()?;
                Ok(held)
            })
            .await
    }

    /// `owner` is the caller.
    pub async fn load_lease(
        &self,
        owner: &str,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<LeaseOwner>, StoreError> {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        self.cache()
            .call_async(move |cache| {
                let stored = find(&cache.connection, &name)?.filter(|other| other.is_held(now));
                Ok(stored.map(|other| {
                    if other.owner == owner {
                        LeaseOwner::This(other.until)
                    } else {
                        LeaseOwner::Other(other)
                    }
                }))
            })
            .await
    }

    /// Returns the process that sends for a channel, also with a key other than the configured one.
    pub async fn sender(
        &self,
        channel: &ChannelId,
        now: Timestamp,
    ) -> Result<Option<OtherProcess>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let sql = format!("SELECT {LEASE_COLUMNS} FROM lease WHERE channel = ?1 AND sends = 1");
                let rows: Vec<_> = cache.connection.all(&sql, [channel.as_str()], lease_from_row)?;
                Ok(rows.into_iter().find(|row| row.is_held(now)))
            })
            .await
    }

    /// Returns another process that will send once the holder of the lease ends.
    pub async fn successor(
        &self,
        owner: &str,
        sending: &str,
        now: Timestamp,
    ) -> Result<Option<OtherProcess>, StoreError> {
        let (owner, others) = (owner.to_owned(), format!("{sending}.*"));
        self.cache()
            .call_async(move |cache| {
                let sql = format!(
                    "SELECT {LEASE_COLUMNS} FROM lease WHERE name GLOB ?1 AND owner <> ?2 ORDER BY name"
                );
                let rows: Vec<_> = cache.connection.all(&sql, [&others, &owner], lease_from_row)?;
                Ok(rows.into_iter().find(|row| row.is_held(now)))
            })
            .await
    }

    /// On failure the leases lapse by themselves.
    pub async fn release_leases(&self, owner: &str) -> Result<(), StoreError> {
        let owner = owner.to_owned();
        self.cache()
            .call_async(move |cache| {
                cache.connection.execute("UPDATE lease SET until = 0 WHERE owner = ?1", [owner])?;
                Ok(())
            })
            .await
    }

    /// Leaves a request for the owner of a lease. Dropped if too many are waiting.
    pub async fn request_of_owner(&self, name: &str, ask: OwnerRequest) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.cache()
            .call_async(move |cache| {
                let (what, conversation) = request_columns(&ask);
                cache.connection.execute(
                    "INSERT OR IGNORE INTO asked (lease, what, conversation)
                     SELECT ?1, ?2, ?3 WHERE (SELECT count(*) FROM asked WHERE lease = ?1) < ?4",
                    params![name, what, conversation, MAX_PENDING_REQUESTS],
                )?;
                Ok(())
            })
            .await
    }

    /// Removes and returns the requests for a lease's owner.
    pub async fn take_owner_requests(&self, name: &str) -> Result<Vec<OwnerRequest>, StoreError> {
        let name = name.to_owned();
        self.cache()
            .call_async(move |cache| {
                Ok(cache.connection.all(
                    "DELETE FROM asked WHERE lease = ?1 RETURNING what, conversation",
                    [name],
                    request_from_row,
                )?)
            })
            .await
    }

    /// Returns the current data versions of both files; cheap.
    pub async fn versions(&self) -> Result<Versions, StoreError> {
        // Read on the writing connections, because a connection's own writes do not change its
        // version.
        let cache = self.cache().call_async(|cache| data_version(&cache.connection)).await?;
        let outbox = self.outbox().call_async(|outbox| data_version(outbox)).await?;
        Ok(Versions { cache, outbox })
    }

    /// Returns for each channel a number that grows with every visible change.
    pub async fn revisions(&self) -> Result<Vec<(ChannelId, i64)>, StoreError> {
        self.cache()
            .call_async(|cache| {
                Ok(cache.connection.all("SELECT channel, number FROM revision", [], |row| {
                    Ok((row.get("channel")?, row.get("number")?))
                })?)
            })
            .await
    }
}

fn data_version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.scalar("PRAGMA main.data_version", [])?)
}

const LEASE_COLUMNS: &str = "owner, until, word, at, code, why, budget, kind, rank";

fn find(connection: &Connection, name: &str) -> Result<Option<OtherProcess>, StoreError> {
    let sql = format!("SELECT {LEASE_COLUMNS} FROM lease WHERE name = ?1");
    Ok(connection.first(&sql, [name], lease_from_row)?)
}

fn acquire_lease(
    change: &Connection,
    owner: &str,
    wanted: &LeaseRequest,
    now: Timestamp,
) -> Result<LeaseOwner, StoreError> {
    let LeaseRequest { name, channel, sends, rank, kind, health: vitals } = wanted;
    let rank = *rank as i64;
    if let Some(stored) = find(change, name)?
        && stored.owner != owner
        && stored.rank >= rank
        && stored.is_held(now)
    {
        return Ok(LeaseOwner::Other(stored));
    }
    let until = now.plus(LEASE_LIFETIME);
    let (word, at, code, why) = vitals.health.as_ref().map_or((None, None, None, None), health_columns);
    change
        .prepare_cached(
            "INSERT OR REPLACE INTO lease
                 (name, owner, until, word, at, code, why, budget, kind, rank, channel, sends)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            name,
            owner,
            until,
            word,
            at,
            code,
            why,
            vitals.budget,
            kind,
            rank,
            channel,
            sends
        ])?;
    Ok(LeaseOwner::This(until))
}

type HealthColumns<'a> = (Option<&'static str>, Option<i64>, Option<&'a str>, Option<&'a str>);

fn health_columns(health: &Health) -> HealthColumns<'_> {
    let time = |time: &Timestamp| Some(time.micros());
    match health {
        Health::Connecting => (Some("connecting"), None, None, None),
        Health::Live { at } => (Some("live"), time(at), None, None),
        Health::Silent { since } => (Some("silent"), time(since), None, None),
        Health::Offline { since, why } => (Some("offline"), time(since), None, Some(why.as_str())),
        Health::Trouble { since, why } => (Some("trouble"), time(since), None, Some(why.as_str())),
        Health::Limited { until } => (Some("limited"), time(until), None, None),
        Health::Refused { code, why } => (Some("refused"), None, Some(code.as_str()), Some(why.as_str())),
        Health::Misconfigured { why } => (Some("misconfigured"), None, None, Some(why.as_str())),
    }
}

fn lease_from_row(row: &Row<'_>) -> rusqlite::Result<OtherProcess> {
    let at = row.get::<Option<Timestamp>>("at")?.unwrap_or_default();
    let (code, why) = (row.line("code")?, row.line("why")?);
    let health = match row.optional_text("word")? {
        Some("connecting") => Some(Health::Connecting),
        Some("live") => Some(Health::Live { at }),
        Some("silent") => Some(Health::Silent { since: at }),
        Some("offline") => Some(Health::Offline { since: at, why }),
        Some("trouble") => Some(Health::Trouble { since: at, why }),
        Some("limited") => Some(Health::Limited { until: at }),
        Some("refused") => Some(Health::Refused { code, why }),
        Some("misconfigured") => Some(Health::Misconfigured { why }),
        _ => None,
    };
    let health = read_row!(row, LeaseHealth { budget; health });
    Ok(read_row!(row, OtherProcess { owner, kind: line, rank, until; health }))
}

fn request_columns(ask: &OwnerRequest) -> (&'static str, &str) {
    match ask {
        OwnerRequest::Refresh => ("refresh", ""),
        OwnerRequest::Open(conversation) => ("open", conversation.as_str()),
        OwnerRequest::Older(conversation) => ("older", conversation.as_str()),
    }
}

fn request_from_row(row: &Row<'_>) -> rusqlite::Result<OwnerRequest> {
    let conversation = row.get("conversation")?;
    Ok(match row.text("what")? {
        "open" => OwnerRequest::Open(conversation),
        "older" => OwnerRequest::Older(conversation),
        _ => OwnerRequest::Refresh,
    })
}
