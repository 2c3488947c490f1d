//! How fast customers are answered, by whom, and how often a person takes over:
//! measured in cases. A case begins with a customer's message while none goes
//! on, and is over once nothing was said for a day.

use std::collections::BTreeMap;

use crate::ids::ChannelId;
use crate::text::SafeText;
use crate::time::{DAY, HOUR, Timestamp, Zone};

/// A silence that ends a case.
const SILENCE: i64 = DAY;
const HOURS: usize = 24;

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
    pub began: Timestamp,
    /// Until the first answer, whoever gave it; none as long as there is none.
    pub first_response: Option<i64>,
    /// How long the customer waited for each answer.
    pub waits: Vec<i64>,
    /// Until the last answer, of a case that is over.
    pub resolution: Option<i64>,
    pub is_handed_over: bool,
    /// Whether the AI answered after a person had.
    pub is_handed_back: bool,
}

/// A case while it is read.
struct OpenCase {
    case: CustomerCase,
    last: Timestamp,
    answered: Option<Timestamp>,
    waiting_since: Option<Timestamp>,
}

impl OpenCase {
    fn begin(at: Timestamp) -> Self {
        let case = CustomerCase {
            began: at,
            first_response: None,
            waits: Vec::new(),
            resolution: None,
            is_handed_over: false,
            is_handed_back: false,
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
        case.first_response.get_or_insert(at.since(case.began));
        case.waits.extend(self.waiting_since.take().map(|it| at.since(it)));
        case.is_handed_back |= by == SaidBy::Ai && case.is_handed_over;
        case.is_handed_over |= by == SaidBy::Person;
        self.answered = Some(at);
    }

    /// The case, which is over where nothing was said for long before `now`.
    fn end(self, now: Timestamp) -> CustomerCase {
        let Self { mut case, last, answered, .. } = self;
        if now.since(last) >= SILENCE {
            case.resolution = answered.map(|it| it.since(case.began));
        }
        case
    }
}

/// The cases of a conversation, from all that was said in it, oldest first.
pub fn cases(said: &[(Timestamp, SaidBy)], now: Timestamp) -> Vec<CustomerCase> {
    let (mut cases, mut open) = (Vec::new(), None::<OpenCase>);
    for (at, by) in said {
        if open.as_ref().is_some_and(|it| at.since(it.last) >= SILENCE) {
            cases.extend(open.take().map(|it| it.end(*at)));
        }
        match &mut open {
            Some(case) => case.add(*at, *by),
            None if *by == SaidBy::Customer => open = Some(OpenCase::begin(*at)),
            // What nobody asked for.
            None => (),
        }
    }
    cases.extend(open.map(|it| it.end(now)));
    cases
}

/// Spans in microseconds, the shortest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spans(Vec<i64>);

impl Spans {
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// What so many of a hundred are not longer than; none where there are none.
    pub fn percentile(&self, percent: usize) -> Option<i64> {
        let place = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(place - 1).copied()
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
    /// In which a person answered.
    pub handed_over: usize,
    /// In which the AI answered after a person.
    pub handed_back: usize,
}

impl ServiceLevels {
    fn add(&mut self, case: &CustomerCase) {
        self.cases += 1;
        self.unanswered += usize::from(case.first_response.is_none());
        self.first_response.0.extend(case.first_response);
        self.waiting.0.extend(&case.waits);
        self.resolution.0.extend(case.resolution);
        self.handed_over += usize::from(case.is_handed_over);
        self.handed_back += usize::from(case.is_handed_back);
    }

    fn sort(&mut self) {
        for spans in [&mut self.first_response, &mut self.waiting, &mut self.resolution] {
            spans.0.sort_unstable();
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
pub struct LevelsGathering<'a> {
    query: &'a LevelsQuery,
    zone: &'a Zone,
    all: ServiceLevels,
    channels: Vec<(ChannelId, ServiceLevels)>,
    hours: [ServiceLevels; HOURS],
    people: BTreeMap<SafeText, ServiceLevels>,
}

impl<'a> LevelsGathering<'a> {
    /// Of nothing yet.
    pub fn new(query: &'a LevelsQuery, zone: &'a Zone) -> Self {
        let channels = query.channels.iter().map(|it| (it.clone(), ServiceLevels::default())).collect();
        let (all, hours, people) = Default::default();
        Self { query, zone, all, channels, hours, people }
    }

    /// Adds the cases of a conversation: in the channel of a place, in the care
    /// of somebody.
    pub fn add(&mut self, channel: usize, person: Option<&SafeText>, said: &[(Timestamp, SaidBy)]) {
        for case in cases(said, self.query.now) {
            if case.began < self.query.since || case.began >= self.query.until {
                continue;
            }
            let hour = usize::try_from(case.began.time_of_day(self.zone) / HOUR).unwrap_or(0);
            let groups = [
                Some(&mut self.all),
                self.channels.get_mut(channel).map(|it| &mut it.1),
                self.hours.get_mut(hour),
                person.map(|it| self.people.entry(it.clone()).or_default()),
            ];
            groups.into_iter().flatten().for_each(|it| it.add(&case));
        }
    }

    /// What came of it.
    pub fn report(self) -> LevelsReport {
        let Self { mut all, mut channels, hours, mut people, .. } = self;
        let mut hours: BTreeMap<usize, ServiceLevels> =
            hours.into_iter().enumerate().filter(|(_, it)| it.cases > 0).collect();
        all.sort();
        channels.iter_mut().for_each(|(_, it)| it.sort());
        hours.values_mut().chain(people.values_mut()).for_each(ServiceLevels::sort);
        LevelsReport { all, channels, hours, people }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MINUTE;
    use SaidBy::{Ai, Customer, Person};

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_micros(minute * MINUTE)
    }

    /// In minutes: when a case began, until the first answer, each wait, until
    /// the last answer.
    type Measured = (i64, Option<i64>, Vec<i64>, Option<i64>);

    /// What was said, the time now, and the cases of it.
    type Told<'a> = (&'a [(i64, SaidBy)], i64, Vec<Measured>);

    fn measured(said: &[(i64, SaidBy)], now: i64) -> Vec<Measured> {
        let said: Vec<_> = said.iter().map(|(minute, by)| (at(*minute), *by)).collect();
        let minutes = |it: i64| it / MINUTE;
        let tell = |it: CustomerCase| {
            let waits = it.waits.into_iter().map(minutes).collect();
            (minutes(it.began.micros()), it.first_response.map(minutes), waits, it.resolution.map(minutes))
        };
        cases(&said, at(now)).into_iter().map(tell).collect()
    }

    #[test]
    fn cases_begin_with_a_customer_and_end_with_a_day_of_silence() {
        const DAY: i64 = 24 * 60;
        let table: &[Told<'_>] = &[
            (&[], 10, vec![]),
            (&[(0, Person)], 10, vec![]),
            (&[(0, Customer)], 10, vec![(0, None, vec![], None)]),
            (&[(0, Customer)], DAY, vec![(0, None, vec![], None)]),
            (&[(0, Customer), (2, Ai)], 10, vec![(0, Some(2), vec![2], None)]),
            (&[(0, Customer), (2, Ai)], DAY + 1, vec![(0, Some(2), vec![2], None)]),
            (&[(0, Customer), (2, Ai)], DAY + 2, vec![(0, Some(2), vec![2], Some(2))]),
            // A customer waits from the first of several messages on.
            (
                &[(0, Customer), (1, Customer), (5, Person), (6, Person), (8, Customer), (9, Ai)],
                3 * DAY,
                vec![(0, Some(5), vec![5, 1], Some(9))],
            ),
            // Thanks are no question: it was resolved before them.
            (&[(0, Customer), (3, Ai), (4, Customer)], 2 * DAY, vec![(0, Some(3), vec![3], Some(3))]),
            (
                &[(0, Customer), (3, Ai), (DAY + 3, Customer), (DAY + 4, Ai)],
                DAY + 5,
                vec![(0, Some(3), vec![3], Some(3)), (DAY + 3, Some(1), vec![1], None)],
            ),
            // What was written to a customer begins none; the answer to it does.
            (&[(0, Person), (7, Customer), (9, Person)], 10, vec![(7, Some(2), vec![2], None)]),
            (&[(0, Customer), (DAY, Person), (DAY + 1, Ai)], DAY + 2, vec![(0, None, vec![], None)]),
        ];
        for (said, now, wanted) in table {
            assert_eq!(measured(said, *now), *wanted, "{said:?} at {now}");
        }
    }

    #[test]
    fn a_person_takes_over_and_hands_back_by_answering() {
        let table: &[(&[SaidBy], bool, bool)] = &[
            (&[Customer, Ai], false, false),
            (&[Customer, Ai, Person], true, false),
            (&[Customer, Person, Customer], true, false),
            (&[Customer, Person, Customer, Ai], true, true),
            (&[Person, Customer, Ai], false, false),
        ];
        for (said, over, back) in table {
            let said: Vec<_> = (0..).map(at).zip(said.iter().copied()).collect();
            let found = cases(&said, at(60));
            assert_eq!((found[0].is_handed_over, found[0].is_handed_back), (*over, *back), "{said:?}");
        }
    }

    #[test]
    fn percentiles_are_spans_that_were_seen() {
        let spans = Spans((1..=10).collect());
        assert_eq!([1, 50, 51, 90, 100].map(|it| spans.percentile(it)), [1, 5, 6, 9, 10].map(Some));
        assert_eq!(Spans::default().percentile(50), None);
    }

    #[test]
    fn cases_count_where_and_when_they_began() {
        let channels = vec![ChannelId::new("chat"), ChannelId::new("mail")];
        let query = LevelsQuery { channels, since: at(60), until: at(180), now: at(10_000) };
        let zone = Zone::UTC;
        let mut gathering = LevelsGathering::new(&query, &zone);
        let ana = SafeText::line("ana");
        for (channel, person, minute) in
            [(0, None, 59), (0, Some(&ana), 60), (1, Some(&ana), 125), (1, None, 180)]
        {
            gathering.add(channel, person, &[(at(minute), Customer), (at(minute + 1), Ai)]);
        }
        let report = gathering.report();
        assert_eq!(report.all.cases, 2);
        assert_eq!(report.channels.iter().map(|it| it.1.cases).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(report.hours.iter().map(|it| (*it.0, it.1.cases)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
        assert_eq!(report.people[&ana].first_response, Spans(vec![MINUTE, MINUTE]));
    }
}
