//! Person and AI in any order: customers write, the AI and colleagues answer, a person looks,
//! pauses, writes and decides, the network fails, the process ends. No text is sent beside an
//! answer its writer has not seen.
//!
//! `FRONTDESK_INTERLEAVINGS` sets the number of orders (default 500).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use frontdesk::model::chance::Chance;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::messages::HistoryPosition;
use frontdesk::model::outbox::{Operation, OutboxRow, RowState};
use frontdesk::model::stop_reasons::{StopReason, StopVerdict};
use frontdesk::model::time::{Clock, MINUTE, SECOND};
use frontdesk::service::AssistantChoice;
use frontdesk::sync::PushStep;
use serde_json::json;

use crate::simulation::crowd::{Crowd, Setting, text};
use crate::simulation::human::{history, stopped_rows};
use crate::simulation::line::Fault;
use crate::simulation::seeds::{THREADS, on_a_thread};
use crate::simulation::town::phone;

/// Steps before everything is carried to its end.
const STEPS: u64 = 9;
/// Orders of events that the plain test tries.
pub const ORDERS: usize = 200;

#[derive(Debug, Default)]
struct Sum {
    orders: usize,
    texts: usize,
    left: usize,
    crossed: usize,
    crashes: usize,
    wrongs: Vec<String>,
}

/// The newest message on screen when the text was last confirmed, and true behind a pause.
#[derive(Debug)]
struct Written {
    seen: Option<HistoryPosition>,
    behind_pause: bool,
    left: bool,
}

/// A read a desk does by itself.
enum Read {
    Trigger,
    List,
    History,
}

/// One order of events in one conversation.
struct Order<'a> {
    crowd: &'a mut Crowd,
    chance: &'a Chance,
    customer: usize,
    here: ConversationId,
    on_screen: Option<HistoryPosition>,
    paused: bool,
    written: BTreeMap<String, Written>,
    sum: &'a mut Sum,
    steps: Vec<String>,
}

impl Order<'_> {
    async fn run(&mut self) {
        for _ in 0..STEPS {
            let choice = self.chance.below(24);
            self.step(choice).await;
        }
        // Completion: everything is sent, stopped, or given up.
        for round in 0..12 {
            self.step(if round % 3 == 2 { 22 } else { 18 }).await;
            self.crowd.pass_in_town(3 * SECOND).await;
        }
        for row in stopped_rows(&self.crowd.desks[0]).await {
            self.say(&row, StopVerdict::Drop);
        }
        // An unused fault must not reach the next order.
        self.crowd.desks[0].line.no_script();
        self.beside_the_ai().await;
    }

    async fn step(&mut self, choice: u64) {
        let name = match choice {
            0..=2 => {
                self.crowd.town(async |crowd| drop(crowd.customers_write(vec![self.customer]).await)).await;
                "the customer writes"
            }
            3..=5 => {
                let span = i64::try_from(self.chance.below(4000)).expect("small") * SECOND / 1000;
                self.crowd.pass_in_town(span).await;
                "time passes"
            }
            6 => {
                let to = phone(self.customer);
                let body = json!({"to": to, "type": "text", "text": {"body": "A colleague's word"}});
                self.crowd
                    .town(async |crowd| drop(crowd.call("POST", "/v1/messages/send", Some(&body)).await))
                    .await;
                "a colleague answers"
            }
            7..=9 => {
                self.on_screen = self.crowd.newest(0, &self.here);
                "the person looks"
            }
            10..=12 => {
                self.write(true);
                "pause and text"
            }
            13 => {
                self.write(false);
                "text"
            }
            14 => {
                self.paused = false;
                self.queue(vec![Operation::SetAutomation { enabled: true }]);
                "hand back"
            }
            15 => {
                self.read(Read::Trigger).await;
                "the trigger"
            }
            16 => {
                self.read(Read::List).await;
                "the list"
            }
            17 => {
                self.read(Read::History).await;
                "the history"
            }
            18..=20 => {
                self.push().await;
                "the outbox"
            }
            21 => {
                let faults =
                    [Fault::NotSent, Fault::CutBefore, Fault::CutAfter, Fault::ServerError, Fault::TimedOut];
                let index = usize::try_from(self.chance.below(5)).expect("small");
                self.crowd.desks[0].line.script([Some(faults[index])]);
                "a fault"
            }
            22 => {
                self.decide().await;
                "the person decides"
            }
            _ => {
                let crash = [Fault::CrashBefore, Fault::CrashAfter];
                let index = usize::try_from(self.chance.below(2)).expect("small");
                self.crowd.desks[0].line.script([Some(crash[index])]);
                "a crash"
            }
        };
        self.steps.push(name.to_owned());
    }

    fn write(&mut self, pause: bool) {
        let words = format!("mine {}-{}", self.customer, self.written.len());
        let mut operations = vec![text(&phone(self.customer), &words)];
        if pause {
            operations.insert(0, Operation::SetAutomation { enabled: false });
            self.paused = true;
        }
        let seen = self.on_screen.clone();
        let behind_pause = self.paused;
        self.written.insert(words, Written { seen, behind_pause, left: false });
        self.sum.texts += 1;
        self.queue(operations);
    }

    fn queue(&mut self, operations: Vec<Operation>) {
        let here = self.here.clone();
        self.crowd.queue(0, &here, self.on_screen.clone(), operations);
    }

    /// Reads; the process may end in it.
    async fn read(&mut self, what: Read) {
        let desk = &mut self.crowd.desks[0];
        let line = desk.line.clone();
        let (channel, steps) = desk.by_hand();
        let reading = async {
            match what {
                Read::Trigger => channel.pull_trigger(&mut steps.trigger).await,
                Read::List => channel.pull_conversations(&mut steps.list).await,
                Read::History => channel.pull_history(&self.here).await,
            }
        };
        let alive = tokio::select! {
            biased;
            () = line.crashed() => false,
            _ = reading => true,
        };
        if !alive {
            self.restart();
        }
    }

    async fn push(&mut self) {
        for _ in 0..4 {
            let desk = &mut self.crowd.desks[0];
            let (line, now) = (desk.line.clone(), desk.clock.now());
            let (channel, steps) = desk.by_hand();
            let step = tokio::select! {
                biased;
                () = line.crashed() => None,
                step = channel.push_once(&mut steps.push, now) => Some(step),
            };
            self.look_at_what_left();
            match step {
                None => {
                    self.restart();
                    return;
                }
                Some(PushStep::Moved) => {}
                Some(_) => return,
            }
        }
    }

    fn restart(&mut self) {
        self.sum.crashes += 1;
        let now = self.crowd.now();
        self.crowd.desks[0].end();
        self.crowd.desks[0].start(now);
        // The person looks at the screen again.
        self.on_screen = self.crowd.newest(0, &self.here);
    }

    /// Checks that no text is beside an answer this desk knew and its writer had not seen.
    fn look_at_what_left(&mut self) {
        for seen in self.crowd.desks[0].line.seen() {
            let Some(words) = seen.text.filter(|_| seen.left) else { continue };
            let Some(written) = self.written.get_mut(&words).filter(|written| !written.left) else {
                continue;
            };
            written.left = true;
            self.sum.left += 1;
            let shown = written.seen.clone();
            let page = history(&self.crowd.desks[0], &self.here, 200);
            let known = page.messages.iter().map(|message| &message.message);
            let answers = known
                .filter(|message| message.direction == frontdesk::model::messages::Direction::Outbound)
                .filter(|message| !message.content.as_str().starts_with("mine "))
                .filter(|message| message.created_at.zip(Some(message.id.clone())) > shown);
            let unseen: Vec<_> = answers.map(|answer| answer.content.to_string()).collect();
            if !unseen.is_empty() {
                self.sum.wrongs.push(format!("{words:?} left beside {unseen:?}: {:?}", self.steps));
            }
        }
    }

    /// Checks that behind a pause no AI message is between the last seen message and the text.
    async fn beside_the_ai(&mut self) {
        let town = self.crowd.town.lock().await;
        let mut statement = town
            .sql()
            .prepare_cached("SELECT id, sender, content FROM messages WHERE conversation = ?1 ORDER BY id")
            .expect("prepared");
        let rows = statement.query_map([self.here.as_str()], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        let rows: Vec<_> = rows.expect("rows").map(|row| row.expect("a row")).collect();
        drop(statement);
        drop(town);
        let mut arrived = BTreeSet::new();
        for (id, _, content) in rows.iter().filter(|(_, _, content)| content.starts_with("mine ")) {
            if !arrived.insert(content) {
                self.sum.wrongs.push(format!("{content:?} arrived twice: {:?}", self.steps));
            }
            let written = &self.written[content];
            let shown = written.seen.as_ref().map_or("", |pair| pair.1.as_str());
            let between = |(other, sender, _): &&(String, String, String)| {
                sender == "ai" && other.as_str() > shown && other < id
            };
            if written.behind_pause
                && let Some(unseen) = rows.iter().find(between)
            {
                let wrong = format!("{content:?} crossed {unseen:?} behind a pause: {:?}", self.steps);
                self.sum.wrongs.push(wrong);
            }
        }
    }

    /// The person reads and decides about stopped rows.
    async fn decide(&mut self) {
        for row in stopped_rows(&self.crowd.desks[0]).await {
            let RowState::Stopped(stop, _) = &row.state else { continue };
            self.sum.crossed += usize::from(*stop == StopReason::ReplyConflict);
            if matches!(stop, StopReason::ReplyConflict | StopReason::Late) && self.chance.below(3) > 0 {
                self.on_screen = self.crowd.newest(0, &self.here);
                let seen = self.on_screen.clone();
                let words = words_of(&row);
                self.say(&row, StopVerdict::SendAnyway);
                if let Some(written) = self.written.get_mut(&words) {
                    written.seen = seen;
                }
            } else {
                self.say(&row, StopVerdict::Drop);
            }
        }
    }

    fn say(&self, row: &OutboxRow, verdict: StopVerdict) {
        let desk = &self.crowd.desks[0];
        let said = desk.store().decide(&row.id, verdict, self.on_screen.clone(), desk.clock.now());
        assert!(said.expect("decided").is_some(), "{row:?}");
    }
}

fn words_of(row: &OutboxRow) -> String {
    match &row.operation {
        Operation::SendText { text, .. } => text.clone(),
        _ => String::new(),
    }
}

/// Runs this many orders on one service, optionally with a bug planted in the desk's files.
async fn try_orders(seed: u64, count: usize, bug: Option<&str>) -> Sum {
    let setting = Setting { assistant: AssistantChoice::Scripted, seed, ..Setting::one() };
    let mut crowd = Crowd::gather(setting).await;
    let chance = Chance::seeded(seed);
    let mut sum = Sum::default();
    if let Some(sql) = bug {
        let outbox = rusqlite::Connection::open(crowd.desks[0].folder.join("outbox.db")).expect("opens");
        outbox.execute_batch(sql).expect("planted");
    }
    for customer in 0..count {
        crowd.town(async |crowd| drop(crowd.customers_write(vec![customer]).await)).await;
        crowd.pass_in_town(MINUTE).await;
        let here = crowd.town.lock().await.conversation_of(&phone(customer)).expect("it is there");
        let here = ConversationId::new(here);
        crowd.desks[0].tab().channel().pull_account().await;
        crowd.desks[0].tab().channel().pull_history(&here).await;
        crowd.desks[0].line.seen();
        let on_screen = crowd.newest(0, &here);
        let mut order = Order {
            crowd: &mut crowd,
            chance: &chance,
            customer,
            here,
            on_screen,
            paused: false,
            written: BTreeMap::new(),
            sum: &mut sum,
            steps: Vec::new(),
        };
        order.run().await;
        sum.orders += 1;
    }
    sum
}

fn run(seed: u64, count: usize, bug: Option<&str>) -> Sum {
    on_a_thread(try_orders(seed, count, bug))
}

#[test]
fn no_text_leaves_beside_an_answer_its_writer_was_not_shown() {
    let wanted = std::env::var("FRONTDESK_INTERLEAVINGS").ok();
    let count = wanted.map_or(ORDERS, |text| text.parse::<usize>().expect("a number"));
    let sums = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let sums = &sums;
            scope.spawn(move || {
                let sum = run(thread as u64 + 1, count / THREADS, None);
                sums.lock().expect("no one failed").push(sum);
            });
        }
    });
    let sums = sums.into_inner().expect("no one failed");
    let total = |of: fn(&Sum) -> usize| sums.iter().map(of).sum::<usize>();
    println!(
        "{} orders: {} texts, {} left, {} were stopped because someone answered, {} crashes",
        total(|sum| sum.orders),
        total(|sum| sum.texts),
        total(|sum| sum.left),
        total(|sum| sum.crossed),
        total(|sum| sum.crashes),
    );
    let wrongs: Vec<_> = sums.iter().flat_map(|sum| &sum.wrongs).take(5).collect();
    assert!(wrongs.is_empty(), "{wrongs:#?}");
    assert_eq!(sums.len(), THREADS, "no thread failed");
    assert!(total(|sum| sum.left) * 3 > total(|sum| sum.texts), "many leave");
    assert!(total(|sum| sum.crossed) * 20 > total(|sum| sum.orders), "many cross");
}

#[test]
fn a_guard_that_forgets_what_was_on_screen_is_found() {
    let bug = "CREATE TRIGGER planted AFTER INSERT ON outbox BEGIN
                   UPDATE outbox SET seen_at = 9000000000000000 WHERE id = new.id;
               END";
    let sum = run(3, 60, Some(bug));
    assert!(!sum.wrongs.is_empty(), "{sum:?}");
}
