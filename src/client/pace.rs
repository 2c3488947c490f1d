//! The rate budget of one key, kept on this side so that the server hardly
//! ever has to refuse. Pure: time comes in as a value.
//!
//! Interface: Limits, Rate limits. Polling leaves a quarter of the reads to
//! the person and is spread over the minute. When the server says that little
//! is left (another machine uses the same key) or refuses, polling halves its
//! rate and comes back slowly, and whoever uses more gives way first, so that
//! machines settle at like shares. Tabs with the same key share one budget:
//! one that polls a lot leaves the others their part. Missing headers never
//! disable it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::headers::Rate;
use model::outbox::PreparedRequest;
use model::time::{MINUTE, Moment, SECOND};

/// Reads a minute.
const READS_PER_MINUTE: usize = 300;
/// Reads a minute polling may use.
const BACKGROUND_READS_PER_MINUTE: usize = READS_PER_MINUTE / 4 * 3;
/// Reads a minute polling may always use.
const MIN_BACKGROUND_READS: usize = 12;
/// Sends a minute.
const SENDS_PER_MINUTE: usize = 100;
/// Broadcasts a minute.
const BROADCASTS_PER_MINUTE: usize = 10;
/// Contacts made or changed a minute.
const CONTACTS_PER_MINUTE: usize = 200;
/// Webhooks registered or removed a minute.
const WEBHOOKS_PER_MINUTE: usize = 20;
/// Requests of any kind a second.
const REQUESTS_PER_SECOND: usize = 20;
/// Requests a second polling may use.
const BACKGROUND_REQUESTS_PER_SECOND: usize = 12;
/// Maximum number of missed polls sent in one burst, at the full rate.
const MAX_SAVED_POLLS: usize = 30;
/// Requests a minute left unused because the server's minute starts at another time.
const RESERVED_REQUESTS: usize = 5;
/// A reported limit below this is the limit per second.
const MIN_MINUTE_LIMIT: u32 = 100;
/// A tab without a poll for this long, in microseconds, gets no share.
const TAB_IDLE_TIMEOUT: i64 = MINUTE / 2;
/// Shares of the minute, in percent: below the first, polling halves its
/// rate; below the second, if this desk makes most of the reads.
const LOW_BUDGET_PERCENT: (usize, usize) = (10, 15);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadPriority {
    /// Polling.
    Background,
    Person,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// A `GET`.
    Read(ReadPriority),
    /// A write without a separate limit.
    Send,
    Broadcast,
    /// A contact made or changed.
    Contact,
    /// A webhook registered or removed.
    Webhook,
}

impl RequestKind {
    /// The limit a write counts against.
    pub fn of_write(request: &PreparedRequest) -> Self {
        let mut segments = request.path.split('/').skip(1);
        match (segments.next(), segments.next()) {
            (Some("broadcast"), _) => Self::Broadcast,
            (Some("contacts"), None) => Self::Contact,
            (Some("webhooks"), _) | (Some("email"), Some("webhooks")) => Self::Webhook,
            _ => Self::Send,
        }
    }

    /// Calls a minute this desk makes of it; one fewer than allowed at least,
    /// because the server's minute is not this desk's.
    fn calls_per_minute(self) -> usize {
        match self {
            Self::Read(_) | Self::Send => SENDS_PER_MINUTE - RESERVED_REQUESTS,
            Self::Broadcast => BROADCASTS_PER_MINUTE - 1,
            Self::Contact => CONTACTS_PER_MINUTE - RESERVED_REQUESTS,
            Self::Webhook => WEBHOOKS_PER_MINUTE - 1,
        }
    }
}

/// What was written of one kind in the last minute.
#[derive(Debug, Default)]
struct RecentWrites {
    at: VecDeque<i64>,
    blocked_until: i64,
}

/// Number of a tab among those with the same API key.
pub type RateSlot = u32;

/// What has been asked in the last minute, and what the server said of it.
#[derive(Debug)]
pub struct RateBudget {
    reads: VecDeque<i64>,
    writes: HashMap<RequestKind, RecentWrites>,
    all: VecDeque<i64>,
    reads_blocked_until: i64,
    /// Reads in use by everyone with the key, as the server last said, and
    /// when.
    reported_reads: Option<(i64, usize)>,
    /// Reads a minute polling may use now.
    rate: usize,
    /// When the rate was last halved, and from when on it grows.
    halved: Option<(i64, i64)>,
    /// When the polls so far would have been made one by one at the rate.
    spread: i64,
    /// When each tab last asked.
    active_slots: BTreeMap<RateSlot, i64>,
    /// Which tab made which poll.
    polls: VecDeque<(i64, RateSlot)>,
}

impl Default for RateBudget {
    fn default() -> Self {
        Self {
            reads: VecDeque::new(),
            writes: HashMap::new(),
            all: VecDeque::new(),
            reads_blocked_until: 0,
            reported_reads: None,
            rate: BACKGROUND_READS_PER_MINUTE,
            halved: None,
            spread: 0,
            active_slots: BTreeMap::new(),
            polls: VecDeque::new(),
        }
    }
}

impl RateBudget {
    /// Takes a place in the budget, or says how many microseconds to wait for one.
    pub fn acquire(&mut self, kind: RequestKind, seat: RateSlot, now: Moment) -> Result<(), i64> {
        let now = now.micros();
        self.drop_expired(now);
        let is_poll = kind == RequestKind::Read(ReadPriority::Background);
        if is_poll {
            self.active_slots.insert(seat, now);
        }
        let left = self.polls_for_others(seat);
        let (list, limit, burst, blocked) = match kind {
            RequestKind::Read(ReadPriority::Background) => (
                &self.reads,
                (self.rate - left).max(1),
                BACKGROUND_REQUESTS_PER_SECOND,
                self.reads_blocked_until,
            ),
            RequestKind::Read(ReadPriority::Person) => (
                &self.reads,
                READS_PER_MINUTE - RESERVED_REQUESTS,
                REQUESTS_PER_SECOND - 2,
                self.reads_blocked_until,
            ),
            _ => {
                let written = self.writes.entry(kind).or_default();
                (&written.at, kind.calls_per_minute(), REQUESTS_PER_SECOND - 2, written.blocked_until)
            }
        };
        // A longer block means that the clock was set back.
        let mut wait = Some(blocked - now).filter(|number| *number <= 60 * MINUTE).unwrap_or(0);
        wait = wait.max(wait_until_free(list, limit, MINUTE, now));
        wait = wait.max(wait_until_free(&self.all, burst, SECOND, now));
        if is_poll {
            let saved = self.saved().saturating_sub(left + 1);
            wait = wait.max(self.spread - now - self.gap() * i64::try_from(saved).unwrap_or(0));
        }
        if wait > 0 {
            return Err(wait);
        }
        self.all.push_back(now);
        match kind {
            RequestKind::Read(_) => self.reads.push_back(now),
            _ => self.writes.entry(kind).or_default().at.push_back(now),
        }
        if is_poll {
            self.spread = self.spread.max(now) + self.gap();
            self.polls.push_back((now, seat));
        }
        Ok(())
    }

    /// Applies the rate limit headers of a response.
    pub fn record_rate(&mut self, kind: RequestKind, rate: Rate, now: Moment) {
        let until = now.micros() + rate.reset_in.unwrap_or(SECOND).clamp(0, MINUTE);
        match kind {
            RequestKind::Read(_) => {
                if rate.remaining == 0 {
                    self.reads_blocked_until = until;
                }
                if rate.limit >= MIN_MINUTE_LIMIT {
                    self.record_minute_rate(rate, now.micros());
                }
            }
            _ if rate.remaining == 0 => self.writes.entry(kind).or_default().blocked_until = until,
            _ => {}
        }
    }

    /// Applies a 429 that asks to wait `wait` microseconds.
    pub fn record_refusal(&mut self, kind: RequestKind, wait: i64, now: Moment) {
        let until = now.micros() + wait;
        match kind {
            RequestKind::Read(_) => {
                self.reads_blocked_until = until;
                self.halve(now.micros());
            }
            _ => self.writes.entry(kind).or_default().blocked_until = until,
        }
    }

    /// Share of the reads of a minute in use, by this desk or by everyone
    /// with the key, whichever is known to be more.
    pub fn percent_used(&mut self, now: Moment) -> u8 {
        let now = now.micros();
        self.drop_expired(now);
        let heard = self.reported_reads.filter(|(at, _)| now - at < MINUTE / 4).map_or(0, |(_, used)| used);
        let used = self.reads.len().max(heard);
        u8::try_from((used * 100 / READS_PER_MINUTE).min(100)).unwrap_or(100)
    }

    fn record_minute_rate(&mut self, rate: Rate, now: i64) {
        let size = |number: u32| usize::try_from(number).unwrap_or(READS_PER_MINUTE);
        let (limit, remaining) = (size(rate.limit), size(rate.remaining));
        let used = limit.saturating_sub(remaining);
        self.reported_reads = Some((now, used));
        let below = |percent: usize| remaining * 100 < limit * percent;
        let mostly_here = self.reads.len() * 2 > used;
        if below(LOW_BUDGET_PERCENT.0) || (below(LOW_BUDGET_PERCENT.1) && mostly_here) {
            self.halve(now);
        }
    }

    /// Halves the polling rate, at most once a minute because earlier requests count that long.
    fn halve(&mut self, now: i64) {
        if self.halved.is_some_and(|(at, _)| (0..MINUTE).contains(&(now - at))) {
            return;
        }
        self.halved = Some((now, now));
        self.rate = (self.rate / 2).max(MIN_BACKGROUND_READS);
    }

    /// Returns the interval between two polls, in microseconds.
    fn gap(&self) -> i64 {
        MINUTE / i64::try_from(self.rate).unwrap_or(1).max(1)
    }

    /// Returns the maximum number of missed polls in one burst at the current rate.
    fn saved(&self) -> usize {
        (MAX_SAVED_POLLS * self.rate / BACKGROUND_READS_PER_MINUTE).max(1)
    }

    /// Returns the number of polls that a tab over its fair share leaves to other tabs.
    fn polls_for_others(&self, seat: RateSlot) -> usize {
        if self.active_slots.len() < 2 {
            return 0;
        }
        let made = self.polls.iter().filter(|(_, by)| *by == seat).count();
        if made >= self.rate / self.active_slots.len() { self.saved() / 4 } else { 0 }
    }

    fn drop_expired(&mut self, now: i64) {
        // A clock set back must not block until it has caught up.
        let writes = self.writes.values_mut().map(|recent_writes| (&mut recent_writes.at, MINUTE));
        for (list, span) in writes.chain([(&mut self.reads, MINUTE), (&mut self.all, SECOND)]) {
            list.retain(|at| *at <= now && now - at < span);
        }
        self.polls.retain(|(at, _)| *at <= now && now - at < MINUTE);
        self.active_slots.retain(|_, at| (0..TAB_IDLE_TIMEOUT).contains(&(now - *at)));
        if self.spread - now > MINUTE {
            self.spread = now;
        }
        if let Some((at, from)) = self.halved {
            let minutes = (now - from).div_euclid(MINUTE);
            let grown = self.rate.saturating_add(usize::try_from(minutes).unwrap_or(0));
            self.rate = grown.min(BACKGROUND_READS_PER_MINUTE);
            self.halved = Some(if now < from { (now, now) } else { (at, from + minutes * MINUTE) });
        }
    }
}

/// Returns the time until fewer than `limit` entries lie within `span`, in microseconds.
fn wait_until_free(list: &VecDeque<i64>, limit: usize, span: i64, now: i64) -> i64 {
    if list.len() < limit {
        return 0;
    }
    list.get(list.len() - limit).map_or(0, |at| at + span - now)
}

#[cfg(test)]
mod tests;
