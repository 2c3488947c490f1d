//! The rate budget of one key, kept on this side so that the server hardly
//! ever has to refuse. Pure: time comes in as a value.
//!
//! Interface: Limits, Rate limits. Polling leaves a quarter of the reads to
//! the person; when the server says little is left (someone else uses the
//! same key) it becomes sparing. Missing headers never disable it.
//!
//! Knows nothing of requests.

use std::collections::VecDeque;

use crate::client::headers::Rate;
use crate::model::time::{MINUTE, SECOND, Timestamp};

/// Reads a minute.
const READS: usize = 300;
/// Reads a minute polling may use.
const BACKGROUND_READS: usize = READS / 4 * 3;
/// Sends a minute.
const SENDS: usize = 100;
/// Requests of any kind a second.
const BURST: usize = 20;
/// Requests a second polling may use.
const BACKGROUND_BURST: usize = 12;
/// Kept free because the server's minute is not this desk's.
const MARGIN: usize = 5;
/// Between two polls while little is left.
const SPARING: i64 = 2 * SECOND;
/// A limit below this is the burst's, not a minute's.
const MINUTE_LIMIT: u32 = 100;

/// Who waits for a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Nobody: polling.
    Background,
    /// A person.
    Person,
}

/// What is about to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A `GET`.
    Read(Urgency),
    /// Anything that changes the server.
    Send,
}

/// What has been asked in the last minute, and what the server said of it.
#[derive(Debug, Default)]
pub struct Pace {
    reads: VecDeque<i64>,
    sends: VecDeque<i64>,
    all: VecDeque<i64>,
    reads_blocked_until: i64,
    sends_blocked_until: i64,
    /// Reads in use by everyone with the key, as the server last said, and
    /// when.
    heard: Option<(i64, usize)>,
    sparing: bool,
    last_poll: Option<i64>,
}

impl Pace {
    /// Takes a place in the budget.
    ///
    /// # Errors
    /// With the microseconds until there is one.
    pub fn ask(&mut self, kind: Kind, now: Timestamp) -> Result<(), i64> {
        let now = now.micros();
        self.forget(now);
        let (list, limit, burst, blocked) = match kind {
            Kind::Read(Urgency::Background) => {
                (&self.reads, BACKGROUND_READS, BACKGROUND_BURST, self.reads_blocked_until)
            }
            Kind::Read(Urgency::Person) => (&self.reads, READS - MARGIN, BURST - 2, self.reads_blocked_until),
            Kind::Send => (&self.sends, SENDS - MARGIN, BURST - 2, self.sends_blocked_until),
        };
        let mut wait = blocked - now;
        wait = wait.max(until_free(list, limit, MINUTE, now));
        wait = wait.max(until_free(&self.all, burst, SECOND, now));
        if kind == Kind::Read(Urgency::Background)
            && self.sparing
            && let Some(last) = self.last_poll
        {
            wait = wait.max(last + SPARING - now);
        }
        if wait > 0 {
            return Err(wait);
        }
        self.all.push_back(now);
        match kind {
            Kind::Send => self.sends.push_back(now),
            Kind::Read(urgency) => {
                self.reads.push_back(now);
                if urgency == Urgency::Background {
                    self.last_poll = Some(now);
                }
            }
        }
        Ok(())
    }

    /// Hears what an answer's headers say.
    pub fn hear(&mut self, kind: Kind, rate: Rate, now: Timestamp) {
        let until = now.micros() + rate.reset_in.unwrap_or(SECOND).clamp(0, MINUTE);
        let used = rate.limit.saturating_sub(rate.remaining);
        match kind {
            Kind::Send if rate.remaining == 0 => self.sends_blocked_until = until,
            Kind::Send => {}
            Kind::Read(_) => {
                if rate.remaining == 0 {
                    self.reads_blocked_until = until;
                }
                if rate.limit >= MINUTE_LIMIT {
                    self.sparing = rate.remaining < rate.limit / 4;
                    self.heard = Some((now.micros(), usize::try_from(used).unwrap_or(READS)));
                }
            }
        }
    }

    /// Hears that the server refused for the rate.
    pub fn refused(&mut self, kind: Kind, wait: i64, now: Timestamp) {
        let until = now.micros() + wait;
        match kind {
            Kind::Send => self.sends_blocked_until = until,
            Kind::Read(_) => {
                self.reads_blocked_until = until;
                self.sparing = true;
            }
        }
    }

    /// Share of the reads of a minute in use, by this desk or by everyone
    /// with the key, whichever is known to be more.
    pub fn percent_used(&mut self, now: Timestamp) -> u8 {
        let now = now.micros();
        self.forget(now);
        let heard = self.heard.filter(|(at, _)| now - at < MINUTE / 4).map_or(0, |(_, used)| used);
        let used = self.reads.len().max(heard);
        u8::try_from((used * 100 / READS).min(100)).unwrap_or(100)
    }

    fn forget(&mut self, now: i64) {
        for (list, span) in [(&mut self.reads, MINUTE), (&mut self.sends, MINUTE), (&mut self.all, SECOND)] {
            // A clock set back must not block until it has caught up.
            list.retain(|at| *at <= now && now - at < span);
        }
        if self.last_poll.is_some_and(|at| at > now) {
            self.last_poll = None;
        }
    }
}

/// Until fewer than `limit` of the list lie within the span.
fn until_free(list: &VecDeque<i64>, limit: usize, span: i64, now: i64) -> i64 {
    if list.len() < limit {
        return 0;
    }
    list.get(list.len() - limit).map_or(0, |at| at + span - now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Kind = Kind::Read(Urgency::Background);
    const PERSON: Kind = Kind::Read(Urgency::Person);

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(1_000 * MINUTE + micros)
    }

    /// Asks once every `gap` until refused; how many got through, and the
    /// wait.
    fn ask_until_refused(pace: &mut Pace, kind: Kind, start: i64, gap: i64) -> (i64, i64) {
        for count in 0.. {
            if let Err(wait) = pace.ask(kind, at(start + count * gap)) {
                return (count, wait);
            }
        }
        unreachable!()
    }

    #[test]
    fn a_quarter_is_left_to_the_person() {
        let mut pace = Pace::default();
        let (polls, wait) = ask_until_refused(&mut pace, POLL, 0, SECOND / 10);
        assert_eq!((polls, wait), (225, MINUTE - 225 * SECOND / 10));
        let (person, _) = ask_until_refused(&mut pace, PERSON, 225 * SECOND / 10, SECOND / 10);
        assert_eq!(person, 70);
        assert_eq!(pace.percent_used(at(30 * SECOND)), 98);
        assert_eq!(pace.percent_used(at(2 * MINUTE)), 0);
    }

    #[test]
    fn a_burst_is_spread() {
        let mut pace = Pace::default();
        assert_eq!(ask_until_refused(&mut pace, POLL, 0, 0), (12, SECOND));
        assert_eq!(ask_until_refused(&mut pace, PERSON, 0, 0).0, 6);
        assert!(pace.ask(POLL, at(SECOND)).is_ok());
    }

    #[test]
    fn sends_have_their_own_minute() {
        let mut pace = Pace::default();
        assert_eq!(ask_until_refused(&mut pace, Kind::Send, 0, SECOND / 10).0, 95);
        assert!(pace.ask(POLL, at(10 * SECOND)).is_ok());
    }

    #[test]
    fn the_server_is_heard() {
        let mut pace = Pace::default();
        let rate = |remaining, reset| Rate { limit: 300, remaining, reset_in: Some(reset) };
        pace.hear(POLL, rate(20, SECOND), at(0));
        assert_eq!(pace.percent_used(at(0)), 93);
        assert!(pace.ask(POLL, at(0)).is_ok());
        assert_eq!(pace.ask(POLL, at(SECOND)), Err(SECOND), "polling is sparing");
        assert!(pace.ask(PERSON, at(SECOND)).is_ok());
        pace.hear(POLL, rate(0, 7 * SECOND), at(SECOND));
        assert_eq!(pace.ask(PERSON, at(SECOND)), Err(7 * SECOND));
        pace.refused(Kind::Send, 9 * SECOND, at(SECOND));
        assert_eq!(pace.ask(Kind::Send, at(2 * SECOND)), Err(8 * SECOND));
        pace.hear(POLL, Rate { limit: 20, remaining: 3, reset_in: None }, at(20 * SECOND));
        assert_eq!(pace.percent_used(at(20 * SECOND)), 0, "the burst's numbers say nothing of the minute");
    }

    #[test]
    fn a_clock_set_back_does_not_block() {
        let mut pace = Pace::default();
        ask_until_refused(&mut pace, POLL, 0, SECOND / 10);
        assert!(pace.ask(POLL, at(-10 * MINUTE)).is_ok());
    }
}
