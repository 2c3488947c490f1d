//! A server that is dead for an hour, three processes and many waiting texts: no request storm, and
//! each text arrives once, in the order of its lane. `FRONTDESK_OUTAGE_TEXTS` sets their number.

use std::collections::BTreeMap;

use frontdesk::model::messages::HistoryPosition;
use frontdesk::model::outbox::RowState;
use frontdesk::model::stop_reasons::{StopReason, StopVerdict};
use frontdesk::model::time::{Clock, HOUR, MINUTE, SECOND};

use crate::simulation::crowd::{Crowd, Setting, text};
use crate::simulation::human::{history, stopped_rows};
use crate::simulation::line::Seen;
use crate::simulation::seeds::number;
use crate::simulation::town::{Happening, phone};

const PROCESSES: usize = 3;
const TEXTS: u64 = 30;

/// Texts of an outage, in turn in each lane.
#[derive(Debug, Clone, Copy)]
struct Texts {
    lanes: usize,
    /// Queued soon after the server died.
    old: usize,
    /// All; the rest is queued less than two minutes before the server is back.
    all: usize,
}

impl Texts {
    fn new() -> Self {
        let all = usize::try_from(number("FRONTDESK_OUTAGE_TEXTS", TEXTS)).expect("small");
        Self { lanes: all / 10, old: all * 4 / 5, all }
    }
}

/// Three processes on one folder that know all conversations.
async fn office(texts: Texts) -> Crowd {
    let mut crowd = Crowd::gather(Setting { desks: PROCESSES, shared: true, ..Setting::one() }).await;
    crowd.town(async |town| drop(town.customers_write((0..texts.lanes).collect()).await)).await;
    let now = crowd.now();
    crowd.desks[1].focus(Some(None), now);
    crowd.pass(3 * MINUTE).await;
    assert_eq!(crowd.list(2).len(), texts.lanes);
    crowd
}

fn all_requests(crowd: &Crowd) -> Vec<Seen> {
    let mut seen: Vec<_> = crowd.desks.iter().flat_map(|desk| desk.line.seen()).collect();
    seen.sort_by_key(|seen| seen.at);
    seen
}

/// Queues texts at each process and in each lane in turn.
fn write(crowd: &mut Crowd, lanes: usize, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let to = phone(number % lanes);
        let id = crowd.with(0, &to).expect("it is listed").conversation.id;
        let seen: Option<HistoryPosition> = crowd.newest(0, &id);
        crowd.queue(number % PROCESSES, &id, seen, vec![text(&to, &format!("text {number:03}"))]);
    }
}

/// Requests during an hour without a server, with or without waiting texts.
async fn dead_hour(office: &mut Crowd, texts: Option<Texts>) -> usize {
    office.desks.iter().for_each(|desk| desk.line.dead(true));
    office.pass(10 * SECOND).await;
    all_requests(office);
    if let Some(Texts { lanes, old, .. }) = texts {
        write(office, lanes, 0..old);
    }
    office.pass(HOUR - MINUTE - 10 * SECOND).await;
    if let Some(Texts { lanes, old, all }) = texts {
        write(office, lanes, old..all);
    }
    office.pass(MINUTE).await;
    let seen = all_requests(office);
    assert!(seen.iter().all(|seen| seen.status.is_none()), "nothing got through");
    seen.len()
}

#[tokio::test]
async fn a_dead_hour_brings_no_storm_and_every_text_arrives_once() {
    let texts = Texts::new();
    let Texts { lanes: lane_count, old, all } = texts;
    let alone = dead_hour(&mut office(texts).await, None).await;
    let mut office = office(texts).await;
    // A customer writes during the outage: the conversation moves on.
    let moved = lane_count - 1;
    let at = office.now() + HOUR / 2;
    office.town(async |town| town.plan(vec![(at, Happening::Writes { customer: moved })])).await;
    let with_texts = dead_hour(&mut office, Some(texts)).await;
    println!("requests in the dead hour: {alone} by probing alone, {with_texts} with {all} texts");
    assert!(with_texts * 10 <= alone * 12, "{with_texts} against {alone}");

    office.desks.iter().for_each(|desk| desk.line.dead(false));
    office.pass(10 * MINUTE).await;
    let before = office.arrived().await;
    let young = |content: &str| content >= format!("text {old:03}").as_str();
    let stopped = stopped_rows(&office.desks[0]).await;
    assert!(before.is_empty() || before.iter().all(|(_, content)| young(content)), "{before:?}");
    let late = stopped
        .iter()
        .filter(|outbox_row| matches!(outbox_row.state, RowState::Stopped(StopReason::Late, _)))
        .count();
    assert_eq!(late, lane_count, "the first of each lane asks: {stopped:?}");

    // The person decides to send all of them.
    let mut words = 0;
    for _ in 0..200 {
        let asking = stopped_rows(&office.desks[0]).await;
        if asking.is_empty() {
            break;
        }
        for row in asking {
            let desk = &office.desks[words % PROCESSES];
            assert!(matches!(row.state, RowState::Stopped(StopReason::Late, _)), "{row:?}");
            let newest = history(desk, row.lane.conversation().expect("one"), 1).messages.pop();
            let newest = newest.expect("a message").message;
            let seen = (newest.created_at.expect("a time"), newest.id);
            let said = desk.store().decide(&row.id, StopVerdict::SendAnyway, Some(seen), desk.clock.now());
            assert!(said.expect("decided").is_some(), "it waits for this word");
            words += 1;
        }
        let now = office.now();
        office.desks.iter_mut().for_each(|desk| desk.wake_outbox(now));
        office.pass(20 * SECOND).await;
    }
    office.pass(5 * MINUTE).await;

    let arrived = office.arrived().await;
    let mut lanes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (to, content) in &arrived {
        lanes.entry(to).or_default().push(content);
    }
    for lane in 0..lane_count {
        let expected: Vec<_> = (0..all)
            .filter(|number| number % lane_count == lane)
            .map(|number| format!("text {number:03}"))
            .collect();
        assert_eq!(
            lanes.get(phone(lane).as_str()).map(Vec::as_slice).unwrap_or(&[]),
            expected,
            "lane {lane}"
        );
    }
    let seen = all_requests(&office);
    let busiest = seen.iter().map(|entry| {
        let within = |other: &&Seen| (entry.at..entry.at + SECOND).contains(&other.at);
        seen.iter().filter(within).count()
    });
    let busiest = busiest.max().expect("requests");
    println!("after its return at most {busiest} requests a second; {words} words for {all} texts");
    assert!(busiest <= 20, "{busiest} requests in a second");
    let keys: std::collections::BTreeSet<_> = seen.iter().filter_map(|seen| seen.key.clone()).collect();
    assert_eq!(keys.len(), all, "one key for each text");
}
