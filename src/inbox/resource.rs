//! Something that is loaded: what is wanted, whether it is being read, why the
//! last read failed and when it is tried again. Every list, history and page
//! is loaded through one of these; time comes in with the events.

use model::text::SafeText;
use model::time::{MINUTE, Moment, SECOND};

/// A read that takes longer is spoken of.
const SLOW: i64 = 3 * SECOND;

/// How failures are spaced, and how long an answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadTimeouts {
    /// Microseconds after the first failure.
    first: i64,
    /// At most so many after further ones.
    most: i64,
    /// No answer for so long counts as a failure; `None`: one always comes.
    patience: Option<i64>,
}

impl LoadTimeouts {
    /// For this desk's files, whose reader answers every question. Whatever
    /// held them is found gone within two seconds.
    pub const FILES: Self = Self { first: SECOND / 4, most: 2 * SECOND, patience: None };
    /// For a server, which other reads of the tab watch as well.
    pub const SERVER: Self = Self { first: 2 * SECOND, most: MINUTE, patience: Some(2 * MINUTE) };

    fn pause(self, failures: u32) -> i64 {
        let doublings = failures.saturating_sub(1).min(16);
        self.first.saturating_mul(1 << doublings).min(self.most)
    }
}

/// Why the last read failed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LoadFailure {
    why: SafeText,
    times: u32,
    again_at: Moment,
}

/// How it stands with what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadState<'a> {
    /// It is what was read last, or the first read is under way.
    Well,
    /// A read has been under way for so many seconds.
    Slow(i64),
    /// The last read failed; another one follows by itself.
    Failed(&'a SafeText),
}

impl LoadState<'_> {
    /// What is said of it; nothing while all is well.
    pub fn describe(self) -> Option<String> {
        match self {
            Self::Well => None,
            Self::Slow(seconds) => Some(format!("still being read, for {seconds} s")),
            Self::Failed(why) => Some(format!("could not be read, trying again: {why}")),
        }
    }
}

/// Something that is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource<Q> {
    pace: LoadTimeouts,
    wanted: Option<Q>,
    stale: bool,
    asked_at: Option<Moment>,
    failure: Option<LoadFailure>,
}

impl<Q> Resource<Q> {
    /// Nothing is wanted yet.
    pub const fn new(pace: LoadTimeouts) -> Self {
        Self { pace, wanted: None, stale: true, asked_at: None, failure: None }
    }

    /// Says that what was read may be old.
    pub fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Whether it is being read.
    pub fn is_asked(&self) -> bool {
        self.asked_at.is_some()
    }

    /// Whether it is being read and has not failed since it was read last.
    pub fn is_under_way(&self) -> bool {
        self.asked_at.is_some() && self.failure.is_none()
    }

    /// Whether nothing has changed since it was read.
    pub fn is_fresh(&self) -> bool {
        !self.stale && self.asked_at.is_none() && self.failure.is_none()
    }

    /// Whether the last read failed.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub fn shown(&self, now: Moment) -> LoadState<'_> {
        match (&self.failure, self.asked_at) {
            (Some(failure), _) => LoadState::Failed(&failure.why),
            (None, Some(since)) if now.since(since) >= SLOW => LoadState::Slow(now.since(since) / SECOND),
            (None, _) => LoadState::Well,
        }
    }

    /// When it is to be looked at again without any event: for the next try,
    /// or because the seconds of a slow read are shown.
    pub fn due(&self, now: Moment) -> Option<Moment> {
        match (self.asked_at, &self.failure) {
            (Some(since), None) => {
                let whole = (now.since(since).max(0) / SECOND + 1) * SECOND;
                Some(since.plus(whole.max(SLOW)))
            }
            (Some(since), Some(_)) => self.pace.patience.map(|patience| since.plus(patience)),
            (None, failure) => failure.as_ref().map(|failure| failure.again_at),
        }
    }

    pub fn desired(&self) -> Option<&Q> {
        self.wanted.as_ref()
    }

    /// The read that was under way failed, whichever it was.
    fn note_failure(&mut self, why: SafeText, now: Moment) {
        let times = self.failure.as_ref().map_or(0, |failure| failure.times).saturating_add(1);
        self.failure = Some(LoadFailure { why, times, again_at: now.plus(self.pace.pause(times)) });
        self.asked_at = None;
    }
}

impl<Q: Clone + PartialEq> Resource<Q> {
    /// The same with something wanted.
    pub fn of(pace: LoadTimeouts, query: Q) -> Self {
        Self { wanted: Some(query), ..Self::new(pace) }
    }

    /// Wants something else: an answer that is still to come is dropped. What
    /// failed is asked again in its own time, since the files are the same.
    /// Returns whether it is something else.
    pub fn want(&mut self, query: Q) -> bool {
        if self.wanted.as_ref() == Some(&query) {
            return false;
        }
        self.wanted = Some(query);
        (self.stale, self.asked_at) = (true, None);
        true
    }

    /// Wants something else from the next read on, which nothing hurries.
    pub fn amend(&mut self, query: Q) {
        self.wanted = Some(query);
        self.stale |= self.asked_at.take().is_some();
    }

    /// What is to be asked now, if something is due and nothing is under way.
    pub fn take_due_query(&mut self, now: Moment) -> Option<Q> {
        if let (Some(since), Some(patience)) = (self.asked_at, self.pace.patience)
            && now.since(since) >= patience
        {
            self.note_failure(SafeText::line("no answer came"), now);
        }
        let due = self.failure.as_ref().map_or(self.stale, |failure| failure.again_at <= now);
        if self.asked_at.is_some() || !due {
            return None;
        }
        let query = self.wanted.clone()?;
        (self.stale, self.asked_at) = (false, Some(now));
        Some(query)
    }

    /// An answer has come. Returns whether it is the wanted one; what answers
    /// another question is dropped.
    pub fn receive(&mut self, query: &Q) -> bool {
        let wanted = self.wanted.as_ref() == Some(query);
        if wanted {
            (self.asked_at, self.failure) = (None, None);
        }
        wanted
    }

    /// A read failed; what answers another question is dropped.
    pub fn fail(&mut self, query: &Q, why: &SafeText, now: Moment) {
        if self.wanted.as_ref() == Some(query) {
            self.note_failure(why.clone(), now);
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
        let mut list = Resource::of(LoadTimeouts::FILES, 1);
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
        let mut list = Resource::of(LoadTimeouts::FILES, 1);
        list.take_due_query(at(0));
        assert!(list.want(2) && !list.want(2));
        assert_eq!(list.take_due_query(at(0)), Some(2));
        assert!(!list.receive(&1));
        list.fail(&1, &why(), at(0));
        assert!(list.is_asked() && !list.has_failed());
        assert!(list.receive(&2));
    }

    #[test]
    fn a_failed_read_is_asked_again_with_growing_pauses_until_one_succeeds() {
        let mut list = Resource::of(LoadTimeouts::FILES, 1);
        let mut now = 0;
        for pause in [250, 500, 1_000, 2_000, 2_000, 2_000] {
            assert_eq!(list.take_due_query(at(now)), Some(1));
            list.fail(&1, &why(), at(now));
            assert_eq!(list.shown(at(now)), LoadState::Failed(&why()));
            list.mark_stale();
            assert_eq!(list.take_due_query(at(now + pause - 1)), None, "news do not hurry it");
            assert_eq!(list.due(at(now)), Some(at(now + pause)));
            now += pause;
        }
        assert_eq!(list.take_due_query(at(now)), Some(1));
        assert_eq!(list.shown(at(now)), LoadState::Failed(&why()), "until one has succeeded");
        assert!(list.receive(&1));
        assert_eq!((list.shown(at(now)), list.due(at(now))), (LoadState::Well, None));
        list.mark_stale();
        assert_eq!(list.take_due_query(at(now)), Some(1));
        list.fail(&1, &why(), at(now));
        assert_eq!(list.due(at(now)), Some(at(now + 250)), "the pauses begin anew");
    }

    #[test]
    fn a_slow_read_is_spoken_of_and_counts_its_seconds() {
        let mut list = Resource::of(LoadTimeouts::FILES, 1);
        list.take_due_query(at(0));
        assert_eq!(list.shown(at(2_999)), LoadState::Well);
        assert_eq!(list.due(at(0)), Some(at(3_000)));
        assert_eq!(list.shown(at(4_200)), LoadState::Slow(4));
        assert_eq!(list.due(at(4_200)), Some(at(5_000)));
        assert_eq!(list.take_due_query(at(600_000)), None, "the files' reader answers in the end");
    }

    #[test]
    fn what_a_server_never_answers_counts_as_failed() {
        let mut page = Resource::of(LoadTimeouts::SERVER, 1);
        page.take_due_query(at(0));
        assert_eq!(page.take_due_query(at(119_999)), None);
        assert_eq!(page.take_due_query(at(120_000)), None, "it has failed just now");
        assert_eq!(page.shown(at(120_000)), LoadState::Failed(&SafeText::line("no answer came")));
        assert_eq!(page.take_due_query(at(122_000)), Some(1));
    }
}
