use super::*;
use crate::time::MINUTE;
use SaidBy::{Ai, Customer, Person};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_micros(minute * MINUTE)
}

/// Minutes: start of the case, until the first answer, each wait, until the last answer.
type Measured = (i64, Option<i64>, Vec<i64>, Option<i64>);

/// Messages, current time, expected cases.
type Told<'a> = (&'a [(i64, SaidBy)], i64, Vec<Measured>);

fn measured(said: &[(i64, SaidBy)], now: i64) -> Vec<Measured> {
    let said: Vec<_> = said.iter().map(|(minute, by)| (at(*minute), *by)).collect();
    let minutes = |number: i64| number / MINUTE;
    let tell = |customer_case: CustomerCase| {
        let waits = customer_case.waits.into_iter().map(minutes).collect();
        (
            minutes(customer_case.started_at.micros()),
            customer_case.first_response.map(minutes),
            waits,
            customer_case.resolution.map(minutes),
        )
    };
    split_cases(&said, at(now)).into_iter().map(tell).collect()
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
        // The wait starts with the first of several messages.
        (
            &[(0, Customer), (1, Customer), (5, Person), (6, Person), (8, Customer), (9, Ai)],
            3 * DAY,
            vec![(0, Some(5), vec![5, 1], Some(9))],
        ),
        // A message of thanks does not change the resolution time.
        (&[(0, Customer), (3, Ai), (4, Customer)], 2 * DAY, vec![(0, Some(3), vec![3], Some(3))]),
        (
            &[(0, Customer), (3, Ai), (DAY + 3, Customer), (DAY + 4, Ai)],
            DAY + 5,
            vec![(0, Some(3), vec![3], Some(3)), (DAY + 3, Some(1), vec![1], None)],
        ),
        // A message to the customer starts no case; the customer's answer does.
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
        let found = split_cases(&said, at(60));
        assert_eq!((found[0].is_handed_over, found[0].is_handed_back), (*over, *back), "{said:?}");
    }
}

#[test]
fn percentiles_are_spans_that_were_seen() {
    let told = |seen: Vec<i64>| {
        let Spans { count, median, p90, longest } = Spans::from_spans(seen);
        (count, [median, p90, longest])
    };
    assert_eq!(told(vec![]), (0, [None; 3]));
    assert_eq!(told(vec![7]), (1, [Some(7); 3]));
    assert_eq!(told((1..=10).rev().collect()), (10, [5, 9, 10].map(Some)));
    assert_eq!(told((1..=11).rev().collect()), (11, [6, 10, 11].map(Some)));
}

#[test]
fn cases_count_where_and_when_they_began() {
    let channels = vec![ChannelId::new("chat"), ChannelId::new("mail")];
    let query = LevelsQuery { channels, since: at(60), until: at(180), now: at(10_000), targets: Vec::new() };
    let zone = Zone::UTC;
    let mut gathering = LevelsReportBuilder::new(&query, &zone);
    let ana = SafeText::line("ana");
    for (channel, person, minute) in
        [(0, None, 59), (0, Some(&ana), 60), (1, Some(&ana), 125), (1, None, 180)]
    {
        gathering.add(channel, person, &[(at(minute), Customer), (at(minute + 1), Ai)]);
    }
    let report = gathering.finish();
    assert_eq!(report.all.cases, 2);
    assert_eq!(report.channels.iter().map(|channel| channel.1.cases).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(report.hours.iter().map(|hour| (*hour.0, hour.1.cases)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
    assert_eq!(report.people[&ana].first_response, Spans::from_spans(vec![MINUTE, MINUTE]));
}

#[test]
fn answers_are_counted_against_the_targets_of_their_channel() {
    let channels = vec![ChannelId::new("chat"), ChannelId::new("mail")];
    let targets = ResponseTargets { first_response: 5 * MINUTE, waiting: 10 * MINUTE };
    let targets = vec![(ChannelId::new("chat"), targets)];
    let query = LevelsQuery { channels, since: at(0), until: at(1_000), now: at(300), targets };
    let zone = Zone::UTC;
    let mut gathering = LevelsReportBuilder::new(&query, &zone);
    let told: [(usize, &[(i64, SaidBy)]); 6] = [
        // In time, then late, then pending and missed.
        (0, &[(0, Customer), (5, Ai), (10, Customer), (25, Person), (30, Customer)]),
        (0, &[(0, Customer), (6, Ai), (10, Customer), (20, Person)]),
        // Missed without an answer; pending in time; a channel without targets.
        (0, &[(100, Customer)]),
        (0, &[(298, Customer)]),
        (0, &[(290, Customer), (291, Ai), (295, Customer)]),
        (1, &[(0, Customer), (200, Ai)]),
    ];
    for (channel, said) in told {
        let said: Vec<_> = said.iter().map(|pair| (at(pair.0), pair.1)).collect();
        gathering.add(channel, None, &said);
    }
    let all = gathering.finish().all;
    assert_eq!(all.first_in_time, TargetRate { within: 2, of: 4 });
    assert_eq!(all.later_in_time, TargetRate { within: 1, of: 3 });
    assert_eq!((all.first_in_time.percent(), TargetRate::default().percent()), (Some(50), None));
}
