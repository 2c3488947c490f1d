//! Rate limits: exact sliding logs per key and category, and per key for bursts. A refused call consumes
//! nothing.

mod shared;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use model::time::{MINUTE, SECOND, Timestamp};

/// Rate limit category of a call (docs/choices.md, "Keys, scope and limits").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Sending, closing and deleting contacts; also automation, reactions and media.
    Send,
    Broadcast,
    ContactsWrite,
    Read,
    Webhooks,
    /// Writes of a signed-in person below `/desk/v1`.
    Team,
}

/// Calls per second and key, over all categories.
const BURST_PER_SECOND: usize = 20;
/// Failed authentications per minute and peer.
const MAX_FAILURES_PER_MINUTE: usize = 30;
/// Maximum number of peers in memory. At the bound idle peers are dropped, then all.
const MAX_TRACKED_PEERS: usize = 10_000;

impl Category {
    pub const fn per_minute(self) -> usize {
        match self {
            Self::Send => 100,
            Self::Broadcast => 10,
            Self::ContactsWrite => 200,
            Self::Read => 300,
            Self::Webhooks => 20,
            Self::Team => 300,
        }
    }
}

/// State of a limit, as the three `X-RateLimit` headers report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaStatus {
    pub limit: usize,
    pub remaining: usize,
    /// Unix time in seconds at which the oldest call leaves the window.
    pub reset: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaExceeded {
    pub quota: QuotaStatus,
    /// Whole seconds until a call is accepted; at least 1.
    pub retry_after: i64,
}

/// Times of the calls in one window.
#[derive(Debug, Clone)]
pub struct SlidingLog {
    calls: VecDeque<i64>,
    limit: usize,
    span: i64,
}

impl SlidingLog {
    /// Allows at most `limit` calls in any `span` microseconds.
    pub fn new(limit: usize, span: i64) -> Self {
        Self { calls: VecDeque::new(), limit, span }
    }

    /// Returns the microseconds until a call is accepted; 0 if it is accepted now.
    pub fn wait_micros(&mut self, now: Timestamp) -> i64 {
        self.forget(now);
        match self.calls.front() {
            Some(oldest) if self.calls.len() >= self.limit => oldest + self.span - now.micros(),
            _ => 0,
        }
    }

    /// Counts a call. Clock readings of concurrent callers may arrive out of order; the later time counts.
    pub fn record(&mut self, now: Timestamp) {
        let last = self.calls.back().copied().unwrap_or(i64::MIN);
        self.calls.push_back(now.micros().max(last));
    }

    pub fn quota(&mut self, now: Timestamp) -> QuotaStatus {
        self.forget(now);
        let back = self.calls.front().map_or(now.micros(), |oldest| oldest + self.span);
        QuotaStatus {
            limit: self.limit,
            remaining: self.limit.saturating_sub(self.calls.len()),
            reset: whole_seconds(back),
        }
    }

    fn is_idle(&mut self, now: Timestamp) -> bool {
        self.forget(now);
        self.calls.is_empty()
    }

    fn forget(&mut self, now: Timestamp) {
        // Drops calls from the future: a clock that was set back must not lock a key out until it has caught
        // up.
        while self.calls.back().is_some_and(|call| *call > now.micros() + self.span) {
            self.calls.pop_back();
        }
        while self.calls.front().is_some_and(|call| call + self.span <= now.micros()) {
            self.calls.pop_front();
        }
    }

    fn refused(&mut self, now: Timestamp) -> Option<QuotaExceeded> {
        let wait = self.wait_micros(now);
        (wait > 0).then(|| QuotaExceeded { quota: self.quota(now), retry_after: whole_seconds(wait).max(1) })
    }
}

#[derive(Debug)]
struct KeyLogs {
    burst: SlidingLog,
    categories: BTreeMap<Category, SlidingLog>,
}

impl Default for KeyLogs {
    fn default() -> Self {
        Self { burst: SlidingLog::new(BURST_PER_SECOND, SECOND), categories: BTreeMap::new() }
    }
}

impl KeyLogs {
    fn log(&mut self, category: Category) -> &mut SlidingLog {
        let log = || SlidingLog::new(category.per_minute(), MINUTE);
        self.categories.entry(category).or_insert_with(log)
    }

    fn admit(&mut self, category: Category, now: Timestamp) -> Result<QuotaStatus, QuotaExceeded> {
        let refused = self.log(category).refused(now);
        let longest =
            refused.into_iter().chain(self.burst.refused(now)).max_by_key(|refused| refused.retry_after);
        if let Some(refused) = longest {
            return Err(refused);
        }
        self.burst.record(now);
        let log = self.log(category);
        log.record(now);
        Ok(log.quota(now))
    }
}

/// Logs of every key, and of peers that fail to authenticate.
pub struct Limits {
    unlimited: bool,
    keys: Mutex<HashMap<String, KeyLogs>>,
    peers: Mutex<HashMap<IpAddr, SlidingLog>>,
}

impl Limits {
    /// With `unlimited` no call is counted or refused.
    pub fn new(unlimited: bool) -> Self {
        Self { unlimited, keys: Mutex::default(), peers: Mutex::default() }
    }

    /// Counts a call of a key, or refuses it. Returns the state of its category; a refusal carries the limit
    /// with the longest wait.
    ///
    /// # Errors
    /// If the limit of the category or of the burst is used up.
    pub fn admit(&self, key: &str, category: Category, now: Timestamp) -> Result<QuotaStatus, QuotaExceeded> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let logs = keys.entry(key.to_owned()).or_default();
        if self.unlimited { Ok(logs.log(category).quota(now)) } else { logs.admit(category, now) }
    }

    /// Returns the state of a key's category without counting.
    pub fn quota(&self, key: &str, category: Category, now: Timestamp) -> QuotaStatus {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        match keys.get_mut(key) {
            Some(logs) => logs.log(category).quota(now),
            None => KeyLogs::default().log(category).quota(now),
        }
    }

    /// Counts a failed authentication of a peer, or refuses further ones. With `counted` false it only
    /// returns the state.
    ///
    /// # Errors
    /// If the peer failed too often in the last minute.
    pub fn admit_failure(
        &self,
        peer: IpAddr,
        counted: bool,
        now: Timestamp,
    ) -> Result<QuotaStatus, QuotaExceeded> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= MAX_TRACKED_PEERS {
            peers.retain(|_, log| !log.is_idle(now));
        }
        if peers.len() >= MAX_TRACKED_PEERS {
            peers.clear();
        }
        if !counted || self.unlimited {
            return Ok(SlidingLog::new(MAX_FAILURES_PER_MINUTE, MINUTE).quota(now));
        }
        let log = peers.entry(peer).or_insert_with(|| SlidingLog::new(MAX_FAILURES_PER_MINUTE, MINUTE));
        match log.refused(now) {
            Some(refused) => Err(refused),
            None => {
                log.record(now);
                Ok(log.quota(now))
            }
        }
    }
}

/// Converts microseconds to seconds, rounded up.
fn whole_seconds(micros: i64) -> i64 {
    micros.saturating_add(SECOND - 1).div_euclid(SECOND)
}

#[cfg(test)]
mod tests;
