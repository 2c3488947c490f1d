//! How fast customers are answered, by whom, and how often a person takes over:
//! measured in cases. A case begins with a customer's message while none goes
//! on, and is over once nothing was said for a day.

use std::collections::BTreeMap;

use crate::ids::ChannelId;
use crate::targets::{self, ResponseTargets};
use crate::text::SafeText;
use crate::time::{DAY, HOUR, Timestamp, Zone};

/// A silence that ends a case.
const CASE_SILENCE: i64 = DAY;
const HOURS_PER_DAY: usize = 24;

/// Who said something, as far as cases tell people apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidBy {
    Customer,
    /// The AI.
    Ai,
    /// Whoever else answers: people, here or elsewhere.
    Person,
}

/// What a customer wanted, from the first message on. Spans are in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerCase {
    /// When the customer wrote first.
    pub started_at: Timestamp,
    /// Until the first answer, whoever gave it; none as long as there is none.
    pub first_response: Option<i64>,
    /// How long the customer waited for each answer.
    pub waits: Vec<i64>,
    /// Until the last answer, of a case that is over.
    pub resolution: Option<i64>,
    pub is_handed_over: bool,
    /// Whether the AI answered after a person had.
    pub is_handed_back: bool,
    /// Since when the customer waits for an answer now.
    pub waiting_since: Option<Timestamp>,
}

/// A case while it is read.
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

    /// The case, which is over where nothing was said for long before `now`.
    fn finish(self, now: Timestamp) -> CustomerCase {
        let Self { mut case, last, answered, waiting_since } = self;
        case.waiting_since = waiting_since;
        if now.since(last) >= CASE_SILENCE {
            case.resolution = answered.map(|time| time.since(case.started_at));
        }
        case
    }
}

/// The cases of a conversation, from all that was said in it, oldest first.
pub fn split_cases(said: &[(Timestamp, SaidBy)], now: Timestamp) -> Vec<CustomerCase> {
    let (mut cases, mut open) = (Vec::new(), None::<OpenCase>);
    for (at, by) in said {
        if open.as_ref().is_some_and(|open_case| at.since(open_case.last) >= CASE_SILENCE) {
            cases.extend(open.take().map(|open_case| open_case.finish(*at)));
        }
        match &mut open {
            Some(case) => case.add(*at, *by),
            None if *by == SaidBy::Customer => open = Some(OpenCase::start(*at)),
            // What nobody asked for.
            None => (),
        }
    }
    cases.extend(open.map(|open_case| open_case.finish(now)));
    cases
}

/// A summary of spans, in microseconds; `None` where there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spans {
    pub count: usize,
    /// What half of them are not longer than.
    pub median: Option<i64>,
    /// What nine in ten of them are not longer than.
    pub p90: Option<i64>,
    pub longest: Option<i64>,
}

impl Spans {
    /// Of spans in any order.
    pub fn from_spans(mut seen: Vec<i64>) -> Self {
        let (count, longest) = (seen.len(), seen.iter().max().copied());
        // Sorting them all takes many times as long.
        let mut percentile = |percent: usize| {
            let place = (count * percent).div_ceil(100).checked_sub(1)?;
            Some(*seen.select_nth_unstable(place).1)
        };
        Self { count, median: percentile(50), p90: percentile(90), longest }
    }
}

/// What some cases came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceLevels {
    pub cases: usize,
    /// Those that were not answered so far.
    pub unanswered: usize,
    /// Until the first answer.
    pub first_response: Spans,
    /// Until each answer.
    pub waiting: Spans,
    /// Until the last answer of a case that is over.
    pub resolution: Spans,
    /// First answers whose target is known by now: within it, and all of them.
    pub first_in_time: TargetRate,
    /// The same of later answers.
    pub later_in_time: TargetRate,
    /// In which a person answered.
    pub handed_over: usize,
    /// In which the AI answered after a person.
    pub handed_back: usize,
}

/// How many were within their target, of how many that had one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetRate {
    /// Within it.
    pub within: usize,
    /// All of them.
    pub of: usize,
}

impl TargetRate {
    /// In whole percent; none where there are none.
    pub fn percent(self) -> Option<usize> {
        (self.within * 100).checked_div(self.of)
    }

    fn add(&mut self, span: i64, target: i64) {
        self.of += 1;
        self.within += usize::from(span <= target);
    }
}

impl ServiceLevels {
    /// Counts the answers of a case against its targets. One that is still
    /// awaited counts once its target was missed.
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

/// Service levels while cases are added.
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

/// Which cases are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelsQuery {
    pub channels: Vec<ChannelId>,
    /// That began from then on.
    pub since: Timestamp,
    /// And before then.
    pub until: Timestamp,
    pub now: Timestamp,
    /// How soon customers shall be answered, by channel.
    pub targets: Vec<(ChannelId, ResponseTargets)>,
}

/// Service levels by what cases have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelsReport {
    pub all: ServiceLevels,
    /// By channel, in the order they were asked for.
    pub channels: Vec<(ChannelId, ServiceLevels)>,
    /// By the hour in which they began, on the clocks of this desk; of hours
    /// with none nothing is said.
    pub hours: BTreeMap<usize, ServiceLevels>,
    /// By who takes care of the conversation now; of those of nobody nothing
    /// is said.
    pub people: BTreeMap<SafeText, ServiceLevels>,
}

/// Gathers what is measured.
pub struct LevelsReportBuilder<'a> {
    query: &'a LevelsQuery,
    zone: &'a Zone,
    all: LevelsBuilder,
    channels: Vec<LevelsBuilder>,
    hours: [LevelsBuilder; HOURS_PER_DAY],
    people: BTreeMap<SafeText, LevelsBuilder>,
}

impl<'a> LevelsReportBuilder<'a> {
    /// Of nothing yet.
    pub fn new(query: &'a LevelsQuery, zone: &'a Zone) -> Self {
        let channels = query.channels.iter().map(|_| LevelsBuilder::default()).collect();
        let (all, hours, people) = Default::default();
        Self { query, zone, all, channels, hours, people }
    }

    /// Adds the cases of a conversation: in the channel of a place, in the care
    /// of somebody.
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

    /// What came of it.
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
