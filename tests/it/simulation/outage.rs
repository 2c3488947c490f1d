//! A server that is dead for an hour, three processes on one data folder, and
//! two hundred texts that wait: no storm, and each text arrives once, in its
//! lane's order, those that are old only after a person's word.

use std::collections::BTreeMap;
use std::sync::Arc;

use frontdesk::client::prepare;
use frontdesk::model::account::Platform;
use frontdesk::model::chance::Chance;
use frontdesk::model::messages::Place;
use frontdesk::model::outbox::{Lane, Operation, RowState};
use frontdesk::model::stops::{Stop, Verdict};
use frontdesk::model::time::{Clock, HOUR, MINUTE, SECOND};
use frontdesk::service::AssistantChoice;
use frontdesk::store::outbox::NewRow;

use crate::desk::HandClock;
use crate::simulation::clock::Skewed;
use crate::simulation::desk::{self, Desk, Made};
use crate::simulation::human::{history, stopped_rows};
use crate::simulation::line::Line;
use crate::simulation::town::{Happening, Terms, Town, phone};
use crate::simulation::trace::Trace;

/// Processes on the folder.
const PROCESSES: usize = 3;
/// Conversations with texts.
const LANES: usize = 20;
/// Texts that are queued soon after the server died.
const OLD: usize = 160;
/// Texts that are queued less than two minutes before it comes back.
const YOUNG: usize = 40;

/// Some processes on one folder, and one line they all use.
struct Office {
    clock: Arc<HandClock>,
    town: Arc<tokio::sync::Mutex<Town>>,
    line: Arc<Line>,
    desks: Vec<Desk>,
    _folders: [tempfile::TempDir; 2],
}

impl Office {
    async fn open() -> Self {
        let clock = HandClock::new();
        let trace = Trace::default();
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let terms = Terms { seed: 7, skew: 40 * MINUTE, assistant: AssistantChoice::Off };
        let mut town = Town::found(folders[0].path(), terms, clock.clone(), trace.clone()).await;
        let spec = desk::spec(&town.service.base_url, town.key("whatsapp"));
        town.customers_write((0..LANES).collect()).await;
        let town = Arc::new(tokio::sync::Mutex::new(town));
        let line = Line::new(town.clone(), Chance::seeded(1), trace.clone());
        line.listen();
        let desks = (0..PROCESSES).map(|number| {
            Desk::new(Made {
                number,
                folder: folders[1].path().to_owned(),
                spec: spec.clone(),
                polling: (3, 10),
                shared: true,
                clock: Skewed::new(clock.clone(), 0),
                line: line.clone(),
                chance: Chance::seeded(100 + number as u64),
                trace: trace.clone(),
            })
        });
        let mut office = Self { desks: desks.collect(), clock, town, line, _folders: folders };
        for index in 0..PROCESSES {
            let now = office.now();
            office.desks[index].start(now);
            if index > 0 {
                let notices = office.desks[0].notices.clone();
                office.desks[index].notices = notices;
            }
            office.pass(2 * SECOND).await;
        }
        let now = office.now();
        office.desks[1].focus(Some(None), now);
        office.pass(3 * MINUTE).await;
        office
    }

    fn now(&self) -> i64 {
        self.clock.now().micros()
    }

    async fn pass(&mut self, span: i64) {
        let until = self.now() + span;
        loop {
            let next = self.desks.iter().enumerate().map(|(index, it)| (it.due(), index)).min();
            let Some((at, index)) = next.filter(|(at, _)| *at <= until) else { break };
            self.town.lock().await.pass_until(at).await;
            let clock = self.clock.clone();
            assert!(self.desks[index].step(|| clock.now().micros()).await);
        }
        self.town.lock().await.pass_until(until).await;
    }

    /// Texts are written in turn at each process, to each lane in turn.
    fn write(&mut self, numbers: std::ops::Range<usize>) {
        let lanes = self.lanes();
        for number in numbers {
            let (lane, to, seen) = lanes[number % LANES].clone();
            let text = Operation::SendText { to, text: format!("text {number:03}"), reply_to: None };
            let request = prepare(&Platform::Whatsapp, &lane, &text).expect("can be sent");
            let desk = &mut self.desks[number % PROCESSES];
            let channel = desk.channel().clone();
            let row = NewRow { channel, lane, operation: text, request, hold_micros: 0, seen: Some(seen) };
            desk.store().enqueue(row, desk.clock.now()).expect("queued");
            let now = self.clock.now().micros();
            self.desks[number % PROCESSES].wake_outbox(now);
        }
    }

    /// Each lane, its address, and its newest message.
    fn lanes(&self) -> Vec<(Lane, String, Place)> {
        let desk = &self.desks[0];
        let query = frontdesk::model::queries::ConversationQuery {
            channel: desk.channel().clone(),
            filter: frontdesk::model::queries::ListFilter::All,
            anchor: frontdesk::model::queries::Anchor::Top,
            limit: 100,
        };
        let rows = desk.body().reader.conversations(&query).expect("a list").rows;
        let mut lanes: Vec<_> = rows
            .into_iter()
            .map(|row| {
                let id = row.conversation.id.clone();
                let newest = history(desk, &id, 1).messages.pop().expect("a message").message;
                let address = row.conversation.address.expect("an address");
                (Lane::Conversation(id), address, (newest.created_at.expect("a time"), newest.id))
            })
            .collect();
        lanes.sort_by_key(|(_, address, _)| address.clone());
        assert_eq!(lanes.len(), LANES);
        lanes
    }

    /// What reached the platform, with the recipient, oldest first.
    async fn arrived(&self) -> Vec<(String, String)> {
        let sql = self.town.lock().await.sql();
        let mut statement = sql.prepare("SELECT recipient, content FROM outbound ORDER BY seq").expect("sql");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.map(|it| it.expect("a row")).collect()
    }
}

/// Requests during an hour without a server, with or without texts that wait.
async fn dead_hour(office: &mut Office, texts: bool) -> usize {
    office.line.dead(true);
    office.pass(10 * SECOND).await;
    office.line.seen();
    if texts {
        office.write(0..OLD);
    }
    office.pass(HOUR - MINUTE - 10 * SECOND).await;
    if texts {
        office.write(OLD..OLD + YOUNG);
    }
    office.pass(MINUTE).await;
    let seen = office.line.seen();
    assert!(seen.iter().all(|it| it.key.is_none() || it.status.is_none()), "nothing got through");
    seen.len()
}

#[tokio::test]
async fn a_dead_hour_brings_no_storm_and_every_text_arrives_once() {
    let alone = dead_hour(&mut Office::open().await, false).await;
    let mut office = Office::open().await;
    // One customer writes while nobody can be reached: the thread moves.
    let moved = LANES - 1;
    let at = office.now() + HOUR / 2;
    office.town.lock().await.plan(vec![(at, Happening::Writes { customer: moved })]);
    let with_texts = dead_hour(&mut office, true).await;
    println!("requests in the dead hour: {alone} by probing alone, {with_texts} with 200 texts");
    assert!(with_texts * 10 <= alone * 12, "{with_texts} against {alone}");

    office.line.dead(false);
    office.pass(10 * MINUTE).await;
    let before = office.arrived().await;
    let young = |content: &str| content >= format!("text {OLD:03}").as_str();
    let stopped = stopped_rows(&office.desks[0]).await;
    assert!(before.is_empty() || before.iter().all(|(_, content)| young(content)), "{before:?}");
    let late = stopped.iter().filter(|it| matches!(it.state, RowState::Stopped(Stop::Late, _))).count();
    assert_eq!(late, LANES, "the first of each lane asks: {stopped:?}");

    // The person says: send them all the same.
    let mut words = 0;
    for _ in 0..200 {
        let asking = stopped_rows(&office.desks[0]).await;
        if asking.is_empty() {
            break;
        }
        for row in asking {
            let desk = &office.desks[words % PROCESSES];
            assert!(matches!(row.state, RowState::Stopped(Stop::Late, _)), "{row:?}");
            let newest = history(desk, row.lane.conversation().expect("one"), 1).messages.pop();
            let newest = newest.expect("a message").message;
            let seen = (newest.created_at.expect("a time"), newest.id);
            let said = desk.store().decide(&row.id, Verdict::SendAnyway, Some(seen), desk.clock.now());
            assert!(said.expect("decided").is_some(), "it waits for this word");
            words += 1;
        }
        let now = office.now();
        office.desks.iter_mut().for_each(|it| it.wake_outbox(now));
        office.pass(20 * SECOND).await;
    }
    office.pass(5 * MINUTE).await;

    let arrived = office.arrived().await;
    let mut lanes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (to, content) in &arrived {
        lanes.entry(to).or_default().push(content);
    }
    for lane in 0..LANES {
        let expected: Vec<_> =
            (0..OLD + YOUNG).filter(|it| it % LANES == lane).map(|it| format!("text {it:03}")).collect();
        assert_eq!(
            lanes.get(phone(lane).as_str()).map(Vec::as_slice).unwrap_or(&[]),
            expected,
            "lane {lane}"
        );
    }
    let seen = office.line.seen();
    let busiest = seen.iter().map(|it| {
        let within = |other: &&crate::simulation::line::Seen| (it.at..it.at + SECOND).contains(&other.at);
        seen.iter().filter(within).count()
    });
    let busiest = busiest.max().expect("requests");
    println!("after its return at most {busiest} requests a second; {words} words for {} texts", OLD + YOUNG);
    assert!(busiest <= 20, "{busiest} requests in a second");
    let keys: std::collections::BTreeSet<_> = seen.iter().filter_map(|it| it.key.clone()).collect();
    assert_eq!(keys.len(), OLD + YOUNG, "one key for each text");
}
