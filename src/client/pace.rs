//! Client-side rate budget of one API key, so that the server rarely has to refuse. Pure: time is
//! an argument.
//!
//! The limits are those of the API, such as 300 reads per minute. Polling leaves a quarter of the
//! reads to requests of a person and is spread over the minute. If the server reports that little
//! is left (another machine uses the key) or refuses, polling halves its rate and recovers slowly;
//! the machine with the larger share yields first, so that machines converge to equal shares. Tabs
//! with the same key share one budget, and a tab over its share leaves some to the others. The
//! budget also works without rate limit headers.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::headers::Rate;
use model::outbox::PreparedRequest;
use model::time::{MINUTE, Moment, SECOND};

const READS_PER_MINUTE: usize = 300;
/// Maximum for polling.
const BACKGROUND_READS_PER_MINUTE: usize = READS_PER_MINUTE / 4 * 3;
/// Polling rate never falls below this.
const MIN_BACKGROUND_READS: usize = 12;
const SENDS_PER_MINUTE: usize = 100;
const BROADCASTS_PER_MINUTE: usize = 10;
/// Contacts created or changed.
const CONTACTS_PER_MINUTE: usize = 200;
/// Webhooks created or deleted.
const WEBHOOKS_PER_MINUTE: usize = 20;
const REQUESTS_PER_SECOND: usize = 20;
const BACKGROUND_REQUESTS_PER_SECOND: usize = 12;
/// Maximum number of missed polls sent in one burst, at the full rate.
const MAX_SAVED_POLLS: usize = 30;
/// Requests a minute left unused because the server's minute starts at another time.
const RESERVED_REQUESTS: usize = 5;
/// A reported limit below this is the limit per second.
const MIN_MINUTE_LIMIT: u32 = 100;
/// A tab without a poll for this long, in microseconds, gets no share.
const TAB_IDLE_TIMEOUT: i64 = MINUTE / 2;
/// Remaining share of the minute, in percent, below which polling halves its rate: always, and if
/// this desk makes most of the reads.
const LOW_BUDGET_PERCENT: (usize, usize) = (10, 15);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadPriority {
    Background,
    Person,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    Read(ReadPriority),
    /// A write without a separate limit.
    Send,
    Broadcast,
    Contact,
    Webhook,
}

impl RequestKind {
    pub fn of_write(request: &PreparedRequest) -> Self {
        let mut segments = request.path.split('/').skip(1);
        match (segments.next(), segments.next()) {
            (Some("broadcast"), _) => Self::Broadcast,
            (Some("contacts"), None) => Self::Contact,
            (Some("webhooks"), _) | (Some("email"), Some("webhooks")) => Self::Webhook,
            _ => Self::Send,
        }
    }

    /// Returns the maximum number of writes per minute; lower than the API's limit, because the
    /// server's minute starts at another time.
    fn calls_per_minute(self) -> usize {
        match self {
            Self::Read(_) | Self::Send => SENDS_PER_MINUTE - RESERVED_REQUESTS,
            Self::Broadcast => BROADCASTS_PER_MINUTE - 1,
            Self::Contact => CONTACTS_PER_MINUTE - RESERVED_REQUESTS,
            Self::Webhook => WEBHOOKS_PER_MINUTE - 1,
        }
    }
}

#[derive(Debug, Default)]
struct RecentWrites {
    at: VecDeque<i64>,
    blocked_until: i64,
}

/// Number of a tab among those with the same API key.
pub type RateSlot = u32;

/// Requests of the last minute, and the limits reported by the server.
#[derive(Debug)]
pub struct RateBudget {
    reads: VecDeque<i64>,
    writes: HashMap<RequestKind, RecentWrites>,
    all: VecDeque<i64>,
    reads_blocked_until: i64,
    /// Time of the last report, and the reads in use by everyone with the key.
    reported_reads: Option<(i64, usize)>,
    /// Current polling rate, in reads per minute.
    rate: usize,
    /// Time of the last halving, and the time since which the rate grows.
    halved: Option<(i64, i64)>,
    /// Time at which the polls so far would have ended if sent evenly at the current rate.
    paced_until: i64,
    active_slots: BTreeMap<RateSlot, i64>,
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
            paced_until: 0,
            active_slots: BTreeMap::new(),
            polls: VecDeque::new(),
        }
    }
}

impl RateBudget {
    /// Reserves a request, or returns the microseconds to wait for one.
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
            let saved = self.max_burst_polls().saturating_sub(left + 1);
            wait = wait.max(self.paced_until - now - self.poll_spacing() * i64::try_from(saved).unwrap_or(0));
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
            self.paced_until = self.paced_until.max(now) + self.poll_spacing();
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

    /// Returns the share of the reads of a minute in use, in percent: by this desk, or by everyone
    /// with the key if that is more.
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
    fn poll_spacing(&self) -> i64 {
        MINUTE / i64::try_from(self.rate).unwrap_or(1).max(1)
    }

    /// Returns the maximum number of missed polls in one burst at the current rate.
    fn max_burst_polls(&self) -> usize {
        (MAX_SAVED_POLLS * self.rate / BACKGROUND_READS_PER_MINUTE).max(1)
    }

    /// Returns the number of polls that a tab over its fair share leaves to other tabs.
    fn polls_for_others(&self, seat: RateSlot) -> usize {
        if self.active_slots.len() < 2 {
            return 0;
        }
        let made = self.polls.iter().filter(|(_, by)| *by == seat).count();
        if made >= self.rate / self.active_slots.len() { self.max_burst_polls() / 4 } else { 0 }
    }

    fn drop_expired(&mut self, now: i64) {
        // A clock set back must not block until it has caught up.
        let writes = self.writes.values_mut().map(|recent_writes| (&mut recent_writes.at, MINUTE));
        for (list, span) in writes.chain([(&mut self.reads, MINUTE), (&mut self.all, SECOND)]) {
            list.retain(|at| *at <= now && now - at < span);
        }
        self.polls.retain(|(at, _)| *at <= now && now - at < MINUTE);
        self.active_slots.retain(|_, at| (0..TAB_IDLE_TIMEOUT).contains(&(now - *at)));
        if self.paced_until - now > MINUTE {
            self.paced_until = now;
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
