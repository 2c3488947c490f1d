//! Loading state of a list, history or page: wanted query, read in flight, last failure, retry.
//! Time comes in with the events.

use model::text::SafeText;
use model::time::{MINUTE, Moment, SECOND};

/// Reads that take longer are shown as slow.
const SLOW_READ_THRESHOLD: i64 = 3 * SECOND;

/// Retry delays and timeout of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadTimeouts {
    /// Delay after the first failure, in microseconds.
    first_delay: i64,
    /// Maximum delay, in microseconds.
    max_delay: i64,
    /// Microseconds without an answer that count as a failure; `None` waits forever.
    timeout: Option<i64>,
}

impl LoadTimeouts {
    /// For this desk's files, whose reader always answers. A lock is noticed as gone within 2 s.
    pub const FILES: Self = Self { first_delay: SECOND / 4, max_delay: 2 * SECOND, timeout: None };
    /// For a server, which other reads of the tab query as well.
    pub const SERVER: Self = Self { first_delay: 2 * SECOND, max_delay: MINUTE, timeout: Some(2 * MINUTE) };

    fn retry_delay(self, failures: u32) -> i64 {
        let doublings = failures.saturating_sub(1).min(16);
        self.first_delay.saturating_mul(1 << doublings).min(self.max_delay)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LoadFailure {
    why: SafeText,
    count: u32,
    retry_at: Moment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadState<'a> {
    /// Current, or being read for the first time.
    Current,
    /// Seconds a slow read has taken.
    Slow(i64),
    /// The last read failed; a retry is scheduled.
    Failed(&'a SafeText),
}

impl LoadState<'_> {
    /// Text for the screen, `None` if all is well.
    pub fn describe(self) -> Option<String> {
        match self {
            Self::Current => None,
            Self::Slow(seconds) => Some(format!("still being read, for {seconds} s")),
            Self::Failed(why) => Some(format!("could not be read, trying again: {why}")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource<Q> {
    timeouts: LoadTimeouts,
    query: Option<Q>,
    stale: bool,
    requested_at: Option<Moment>,
    failure: Option<LoadFailure>,
}

impl<Q> Resource<Q> {
    pub const fn new(timeouts: LoadTimeouts) -> Self {
        Self { timeouts, query: None, stale: true, requested_at: None, failure: None }
    }

    pub fn mark_stale(&mut self) {
        self.stale = true;
    }

    pub fn is_in_flight(&self) -> bool {
        self.requested_at.is_some()
    }

    /// True while a read is in flight and the one before it did not fail.
    pub fn is_loading(&self) -> bool {
        self.requested_at.is_some() && self.failure.is_none()
    }

    /// True if the data is current and no read is in flight.
    pub fn is_fresh(&self) -> bool {
        !self.stale && self.requested_at.is_none() && self.failure.is_none()
    }

    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub fn state(&self, now: Moment) -> LoadState<'_> {
        match (&self.failure, self.requested_at) {
            (Some(failure), _) => LoadState::Failed(&failure.why),
            (None, Some(since)) if now.since(since) >= SLOW_READ_THRESHOLD => {
                LoadState::Slow(now.since(since) / SECOND)
            }
            (None, _) => LoadState::Current,
        }
    }

    /// Time of the next wake-up without an event: a retry, or the next second of a slow read.
    pub fn due(&self, now: Moment) -> Option<Moment> {
        match (self.requested_at, &self.failure) {
            (Some(since), None) => {
                let whole = (now.since(since).max(0) / SECOND + 1) * SECOND;
                Some(since.plus(whole.max(SLOW_READ_THRESHOLD)))
            }
            (Some(since), Some(_)) => self.timeouts.timeout.map(|patience| since.plus(patience)),
            (None, failure) => failure.as_ref().map(|failure| failure.retry_at),
        }
    }

    pub fn query(&self) -> Option<&Q> {
        self.query.as_ref()
    }

    /// Records the failure of the current read and schedules a retry.
    fn record_failure(&mut self, why: SafeText, now: Moment) {
        let times = self.failure.as_ref().map_or(0, |failure| failure.count).saturating_add(1);
        self.failure =
            Some(LoadFailure { why, count: times, retry_at: now.plus(self.timeouts.retry_delay(times)) });
        self.requested_at = None;
    }
}

impl<Q: Clone + PartialEq> Resource<Q> {
    pub fn with_query(pace: LoadTimeouts, query: Q) -> Self {
        Self { query: Some(query), ..Self::new(pace) }
    }

    /// Changes the wanted query; an answer to the old one is dropped. A retry after a failure keeps
    /// its time, because the files are the same. Returns true if the query differs.
    pub fn set_query(&mut self, query: Q) -> bool {
        if self.query.as_ref() == Some(&query) {
            return false;
        }
        self.query = Some(query);
        (self.stale, self.requested_at) = (true, None);
        true
    }

    /// Changes the query of the next read without starting one.
    pub fn replace_query(&mut self, query: Q) {
        self.query = Some(query);
        self.stale |= self.requested_at.take().is_some();
    }

    /// Returns the query to send now, if a read is due and none is in flight.
    pub fn take_due_query(&mut self, now: Moment) -> Option<Q> {
        if let (Some(since), Some(patience)) = (self.requested_at, self.timeouts.timeout)
            && now.since(since) >= patience
        {
            self.record_failure(SafeText::line("no answer came"), now);
        }
        let due = self.failure.as_ref().map_or(self.stale, |failure| failure.retry_at <= now);
        if self.requested_at.is_some() || !due {
            return None;
        }
        let query = self.query.clone()?;
        (self.stale, self.requested_at) = (false, Some(now));
        Some(query)
    }

    /// Records an answer. Returns false if the answer is for another query and has to be dropped.
    pub fn receive(&mut self, query: &Q) -> bool {
        let wanted = self.query.as_ref() == Some(query);
        if wanted {
            (self.requested_at, self.failure) = (None, None);
        }
        wanted
    }

    /// Records a failure; a failure of another query is ignored.
    pub fn fail(&mut self, query: &Q, why: &SafeText, now: Moment) {
        if self.query.as_ref() == Some(query) {
            self.record_failure(why.clone(), now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Moment {
        Moment::from_micros(1_700_000_000 * SECOND + millis * 1_000)
    }

    fn why() -> SafeText {
        SafeText::line("database is locked")
    }

    #[test]
    fn one_read_at_a_time_and_another_when_it_is_stale() {
        let mut list = Resource::with_query(LoadTimeouts::FILES, 1);
        assert_eq!(list.take_due_query(at(0)), Some(1));
        assert_eq!(list.take_due_query(at(0)), None, "under way");
        list.mark_stale();
        assert_eq!(list.take_due_query(at(1)), None, "still under way");
        assert!(list.receive(&1));
        assert_eq!((list.take_due_query(at(2)), list.take_due_query(at(2))), (Some(1), None));
        assert!(list.receive(&1));
        assert_eq!(list.take_due_query(at(3)), None, "nothing is stale");
    }

    #[test]
    fn an_answer_to_another_question_is_dropped() {
        let mut list = Resource::with_query(LoadTimeouts::FILES, 1);
        list.take_due_query(at(0));
        assert!(list.set_query(2) && !list.set_query(2));
        assert_eq!(list.take_due_query(at(0)), Some(2));
        assert!(!list.receive(&1));
        list.fail(&1, &why(), at(0));
        assert!(list.is_in_flight() && !list.has_failed());
        assert!(list.receive(&2));
    }

    #[test]
    fn a_failed_read_is_asked_again_with_growing_pauses_until_one_succeeds() {
        let mut list = Resource::with_query(LoadTimeouts::FILES, 1);
        let mut now = 0;
        for pause in [250, 500, 1_000, 2_000, 2_000, 2_000] {
            assert_eq!(list.take_due_query(at(now)), Some(1));
            list.fail(&1, &why(), at(now));
            assert_eq!(list.state(at(now)), LoadState::Failed(&why()));
            list.mark_stale();
            assert_eq!(list.take_due_query(at(now + pause - 1)), None, "news do not hurry it");
            assert_eq!(list.due(at(now)), Some(at(now + pause)));
            now += pause;
        }
        assert_eq!(list.take_due_query(at(now)), Some(1));
        assert_eq!(list.state(at(now)), LoadState::Failed(&why()), "until one has succeeded");
        assert!(list.receive(&1));
        assert_eq!((list.state(at(now)), list.due(at(now))), (LoadState::Current, None));
        list.mark_stale();
        assert_eq!(list.take_due_query(at(now)), Some(1));
        list.fail(&1, &why(), at(now));
        assert_eq!(list.due(at(now)), Some(at(now + 250)), "the pauses begin anew");
    }

    #[test]
    fn a_slow_read_is_spoken_of_and_counts_its_seconds() {
        let mut list = Resource::with_query(LoadTimeouts::FILES, 1);
        list.take_due_query(at(0));
        assert_eq!(list.state(at(2_999)), LoadState::Current);
        assert_eq!(list.due(at(0)), Some(at(3_000)));
        assert_eq!(list.state(at(4_200)), LoadState::Slow(4));
        assert_eq!(list.due(at(4_200)), Some(at(5_000)));
        assert_eq!(list.take_due_query(at(600_000)), None, "the files' reader answers in the end");
    }

    #[test]
    fn what_a_server_never_answers_counts_as_failed() {
        let mut page = Resource::with_query(LoadTimeouts::SERVER, 1);
        page.take_due_query(at(0));
        assert_eq!(page.take_due_query(at(119_999)), None);
        assert_eq!(page.take_due_query(at(120_000)), None, "it has failed just now");
        assert_eq!(page.state(at(120_000)), LoadState::Failed(&SafeText::line("no answer came")));
        assert_eq!(page.take_due_query(at(122_000)), Some(1));
    }
}
