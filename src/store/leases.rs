//! Leases: of several processes on one data folder, one asks for a channel and
//! one sends; the others read the files. The owner leaves word there of how its
//! connection is, the others of what their people ask to read.
//!
//! Asking and sending are two leases. A process that may change nothing only
//! takes the first, so it never stands in the way of what is to leave; a
//! script only takes the second, so it never keeps an inbox from asking. An
//! inbox takes both, at once, from any process of a lower rank.
//!
//! All processes share one machine and so one clock. A lease that lies
//! further ahead than leases reach was written before that clock was set
//! back, and does not count; nor does one whose owner has ended without
//! giving it up.

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

/// How long a lease holds.
pub const LEASE_LIFETIME: i64 = 15 * SECOND;
/// How often its owner renews it.
pub const RENEW_INTERVAL: i64 = 5 * SECOND;
/// How long after the last answer the files count as what the server has: longer
/// than a tab that nobody looks at is left alone.
const FRESHNESS_LIMIT: i64 = 90 * SECOND;
/// Wishes that wait for an owner at most.
const MAX_PENDING_REQUESTS: i64 = 64;

/// The state of a channel's connection, as its owner last said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeaseHealth {
    /// The last word on the connection.
    pub health: Option<Health>,
    /// Share of the read budget in use, in percent.
    pub budget: Option<u8>,
}

/// What kind of process wants a lease. A higher one takes it from a lower one
/// at once; among equals the first keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessRank {
    /// It changes nothing: an inbox that is read-only, a wall.
    Reader,
    /// A script, which ends soon and asks for no more than it needs.
    Script,
    /// An engine without a screen: it does what an inbox does, and gives way to one.
    Engine,
    /// An inbox: it asks, sends and reports for as long as it runs.
    Inbox,
}

/// A lease that a process wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    pub name: String,
    pub channel: ChannelId,
    pub sends: bool,
    pub rank: ProcessRank,
    /// What others call it, such as `inbox` or `contacts import`.
    pub kind: &'static str,
    pub health: LeaseHealth,
}

/// Who owns a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOwner {
    /// The caller; it holds until then.
    This(Timestamp),
    /// Another process.
    Other(OtherProcess),
}

/// Another process that owns a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherProcess {
    pub owner: String,
    /// What it is, such as `inbox`.
    pub kind: SafeText,
    /// Its rank, as a number that grows.
    rank: i64,
    /// Until when the lease holds.
    pub until: Timestamp,
    pub health: LeaseHealth,
}

impl OtherProcess {
    /// The process, as other people's tools number it.
    pub fn process(&self) -> Option<u32> {
        self.owner.split('-').next()?.parse().ok()
    }

    /// As others name it.
    pub fn leader(&self) -> Leader {
        Leader::Elsewhere { kind: self.kind.clone(), process: self.process() }
    }

    /// Whether it keeps the files as the server has them: by its own word the
    /// server answers, and did so lately.
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

    /// Whether the lease still binds: it has not lapsed, and its owner has
    /// not ended without giving it up.
    pub fn is_held(&self, now: Timestamp) -> bool {
        is_lease_held(&self.owner, self.until, now)
    }
}

/// Whether a lease has not lapsed, and its owner has not ended without giving
/// it up.
pub(crate) fn is_lease_held(owner: &str, until: Timestamp, now: Timestamp) -> bool {
    (1..=LEASE_LIFETIME).contains(&until.since(now)) && !processes::has_ended(owner)
}

/// What a person at another process asks the owner to read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OwnerRequest {
    /// Everything again, also after a stop.
    Refresh,
    /// The newest messages of a conversation that was opened.
    Open(ConversationId),
    /// Messages older than the stored ones.
    Older(ConversationId),
}

/// How often other processes have changed the files. Says nothing but
/// whether it differs from the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Versions {
    pub cache: i64,
    pub outbox: i64,
}

impl Store {
    /// Takes or renews leases, in order; one that another process of the same
    /// or a higher rank holds is left to it.
    ///
    /// # Errors
    /// When the database fails; then nothing is held beyond what was before.
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
                // Of processes that are gone nobody asks any more.
                change.execute("DELETE FROM lease WHERE until < ?1 AND name GLOB '*.send.*'", [now])?;
                change.commit()?;
                Ok(held)
            })
            .await
    }

    /// Who holds a lease, if anyone does; `owner` is the caller.
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

    /// Who sends for a channel, if any process does; with another key than is
    /// configured now, too.
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

    /// Another process that is there to send under a lease once its holder ends.
    ///
    /// # Errors
    /// When the database fails.
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

    /// Gives up all leases of an owner.
    ///
    /// # Errors
    /// When the database fails; they lapse by themselves.
    pub async fn release_leases(&self, owner: &str) -> Result<(), StoreError> {
        let owner = owner.to_owned();
        self.cache()
            .call_async(move |cache| {
                cache.connection.execute("UPDATE lease SET until = 0 WHERE owner = ?1", [owner])?;
                Ok(())
            })
            .await
    }

    /// Leaves word for the owner of a lease.
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

    /// Takes what was asked of a lease's owner.
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

    /// How often other processes have changed the files; cheap.
    pub async fn versions(&self) -> Result<Versions, StoreError> {
        // Asked on the writing connections: what they change themselves does
        // not count.
        let cache = self.cache().call_async(|cache| data_version(&cache.connection)).await?;
        let outbox = self.outbox().call_async(|outbox| data_version(outbox)).await?;
        Ok(Versions { cache, outbox })
    }

    /// Of each channel, a number that grows with every change that shows.
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

/// What [`stored`] reads.
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
