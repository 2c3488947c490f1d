//! Service levels: response times, who answers, and how often a person takes over. The unit is a
//! case: it starts with a customer's message while no case is open, and ends after a day of
//! silence.

use std::collections::BTreeMap;

use crate::ids::ChannelId;
use crate::targets::{self, ResponseTargets};
use crate::text::SafeText;
use crate::time::{DAY, HOUR, Timestamp, Zone};

/// Silence that ends a case, in microseconds.
const CASE_SILENCE: i64 = DAY;
const HOURS_PER_DAY: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidBy {
    Customer,
    Ai,
    /// A person, at this desk or elsewhere.
    Person,
}

/// A case of a customer. Spans are in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerCase {
    pub started_at: Timestamp,
    /// Time until the first answer, by person or AI; `None` if unanswered.
    pub first_response: Option<i64>,
    /// Wait of the customer before each answer.
    pub waits: Vec<i64>,
    /// Time until the last answer; `None` while the case is open.
    pub resolution: Option<i64>,
    pub is_handed_over: bool,
    /// True if the AI answered after a person had.
    pub is_handed_back: bool,
    pub waiting_since: Option<Timestamp>,
}

struct OpenCase {
    case: CustomerCase,
    last: Timestamp,
    answered: Option<Timestamp>,
    waiting_since: Option<Timestamp>,
}

impl OpenCase {
    fn start(at: Timestamp) -> Self {
        let case = CustomerCase {
            started_at: at,
            first_response: None,
            waits: Vec::new(),
            resolution: None,
            is_handed_over: false,
            is_handed_back: false,
            waiting_since: None,
        };
        Self { case, last: at, answered: None, waiting_since: Some(at) }
    }

    fn add(&mut self, at: Timestamp, by: SaidBy) {
        self.last = at;
        if by == SaidBy::Customer {
            self.waiting_since.get_or_insert(at);
            return;
        }
        let case = &mut self.case;
        case.first_response.get_or_insert(at.since(case.started_at));
        case.waits.extend(self.waiting_since.take().map(|waiting_since| at.since(waiting_since)));
        case.is_handed_back |= by == SaidBy::Ai && case.is_handed_over;
        case.is_handed_over |= by == SaidBy::Person;
        self.answered = Some(at);
    }

    /// Completes the case; it is over if it has been silent for [`CASE_SILENCE`] at `now`.
    fn finish(self, now: Timestamp) -> CustomerCase {
        let Self { mut case, last, answered, waiting_since } = self;
        case.waiting_since = waiting_since;
        if now.since(last) >= CASE_SILENCE {
            case.resolution = answered.map(|time| time.since(case.started_at));
        }
        case
    }
}

/// Splits the messages of a conversation, oldest first, into cases.
pub fn split_cases(said: &[(Timestamp, SaidBy)], now: Timestamp) -> Vec<CustomerCase> {
    let (mut cases, mut open) = (Vec::new(), None::<OpenCase>);
    for (at, by) in said {
        if open.as_ref().is_some_and(|open_case| at.since(open_case.last) >= CASE_SILENCE) {
            cases.extend(open.take().map(|open_case| open_case.finish(*at)));
        }
        match &mut open {
            Some(case) => case.add(*at, *by),
            None if *by == SaidBy::Customer => open = Some(OpenCase::start(*at)),
            // A message without a preceding question starts no case.
            None => (),
        }
    }
    cases.extend(open.map(|open_case| open_case.finish(now)));
    cases
}

/// Summary of spans in microseconds; `None` if there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spans {
    pub count: usize,
    /// Median, nearest-rank.
    pub median: Option<i64>,
    /// 90th percentile, nearest-rank.
    pub p90: Option<i64>,
    pub longest: Option<i64>,
}

impl Spans {
    pub fn from_spans(mut seen: Vec<i64>) -> Self {
        let (count, longest) = (seen.len(), seen.iter().max().copied());
        // Selection is much faster than sorting all.
        let mut percentile = |percent: usize| {
            let place = (count * percent).div_ceil(100).checked_sub(1)?;
            Some(*seen.select_nth_unstable(place).1)
        };
        Self { count, median: percentile(50), p90: percentile(90), longest }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceLevels {
    pub cases: usize,
    pub unanswered: usize,
    pub first_response: Spans,
    pub waiting: Spans,
    pub resolution: Spans,
    /// First answers with a known result that met their target.
    pub first_in_time: TargetRate,
    /// Later answers with a known result that met their target.
    pub later_in_time: TargetRate,
    pub handed_over: usize,
    /// Cases in which the AI answered after a person.
    pub handed_back: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetRate {
    pub within: usize,
    pub of: usize,
}

impl TargetRate {
    /// Whole percent, rounded down; `None` if there are none.
    pub fn percent(self) -> Option<usize> {
        (self.within * 100).checked_div(self.of)
    }

    fn add(&mut self, span: i64, target: i64) {
        self.of += 1;
        self.within += usize::from(span <= target);
    }
}

impl ServiceLevels {
    /// Counts the answers of a case against the targets. A pending answer counts once it has missed
    /// its target.
    fn add_targets(&mut self, case: &CustomerCase, targets: ResponseTargets, now: Timestamp) {
        let awaited = |since: Timestamp, target| Some(now.since(since)).filter(|number| *number > target);
        if let Some(target) = targets.span(false) {
            let first = case.first_response.or_else(|| awaited(case.started_at, target));
            first.into_iter().for_each(|number| self.first_in_time.add(number, target));
        }
        if let Some(target) = targets.span(true) {
            let later = case.waits.iter().skip(1).copied();
            let now = case.waiting_since.filter(|_| case.first_response.is_some());
            let now = now.and_then(|since| awaited(since, target));
            later.chain(now).for_each(|later| self.later_in_time.add(later, target));
        }
    }
}

#[derive(Default)]
struct LevelsBuilder {
    levels: ServiceLevels,
    first_response: Vec<i64>,
    waiting: Vec<i64>,
    resolution: Vec<i64>,
}

impl LevelsBuilder {
    fn add(&mut self, case: &CustomerCase, targets: ResponseTargets, now: Timestamp) {
        self.levels.cases += 1;
        self.levels.unanswered += usize::from(case.first_response.is_none());
        self.levels.handed_over += usize::from(case.is_handed_over);
        self.levels.handed_back += usize::from(case.is_handed_back);
        self.levels.add_targets(case, targets, now);
        self.first_response.extend(case.first_response);
        self.waiting.extend(&case.waits);
        self.resolution.extend(case.resolution);
    }

    fn finish(self) -> ServiceLevels {
        let Self { levels, first_response, waiting, resolution } = self;
        ServiceLevels {
            first_response: Spans::from_spans(first_response),
            waiting: Spans::from_spans(waiting),
            resolution: Spans::from_spans(resolution),
            ..levels
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelsQuery {
    pub channels: Vec<ChannelId>,
    /// Inclusive bound of the start of a case.
    pub since: Timestamp,
    /// Exclusive bound of the start of a case.
    pub until: Timestamp,
    pub now: Timestamp,
    pub targets: Vec<(ChannelId, ResponseTargets)>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelsReport {
    pub all: ServiceLevels,
    /// In the order of the query.
    pub channels: Vec<(ChannelId, ServiceLevels)>,
    /// By local hour of the start of a case; hours without cases are omitted.
    pub hours: BTreeMap<usize, ServiceLevels>,
    /// By the current claimant of the conversation; unclaimed conversations are omitted.
    pub people: BTreeMap<SafeText, ServiceLevels>,
}

pub struct LevelsReportBuilder<'a> {
    query: &'a LevelsQuery,
    zone: &'a Zone,
    all: LevelsBuilder,
    channels: Vec<LevelsBuilder>,
    hours: [LevelsBuilder; HOURS_PER_DAY],
    people: BTreeMap<SafeText, LevelsBuilder>,
}

impl<'a> LevelsReportBuilder<'a> {
    pub fn new(query: &'a LevelsQuery, zone: &'a Zone) -> Self {
        let channels = query.channels.iter().map(|_| LevelsBuilder::default()).collect();
        let (all, hours, people) = Default::default();
        Self { query, zone, all, channels, hours, people }
    }

    /// Adds the cases of a conversation. `channel` is the index in the query, `person` the
    /// claimant.
    pub fn add(&mut self, channel: usize, person: Option<&SafeText>, said: &[(Timestamp, SaidBy)]) {
        for case in split_cases(said, self.query.now) {
            if case.started_at < self.query.since || case.started_at >= self.query.until {
                continue;
            }
            let hour = usize::try_from(case.started_at.time_of_day(self.zone) / HOUR).unwrap_or(0);
            let groups = [
                Some(&mut self.all),
                self.channels.get_mut(channel),
                self.hours.get_mut(hour),
                person.map(|person| self.people.entry(person.clone()).or_default()),
            ];
            let targets = self
                .query
                .channels
                .get(channel)
                .map(|channel| targets::targets_of(&self.query.targets, channel));
            for group in groups.into_iter().flatten() {
                group.add(&case, targets.unwrap_or_default(), self.query.now);
            }
        }
    }

    pub fn finish(self) -> LevelsReport {
        let Self { query, all, channels, hours, people, .. } = self;
        let hours =
            hours.into_iter().enumerate().map(|(hour, gathered_levels)| (hour, gathered_levels.finish()));
        LevelsReport {
            all: all.finish(),
            channels: query
                .channels
                .iter()
                .cloned()
                .zip(channels.into_iter().map(LevelsBuilder::finish))
                .collect(),
            hours: hours.filter(|(_, hour)| hour.cases > 0).collect(),
            people: people.into_iter().map(|(person, entry)| (person, entry.finish())).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
