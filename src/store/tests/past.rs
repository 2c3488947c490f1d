//! The files as they were: what is read of any moment is what was read then.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::StoreClock;
use crate::tests::{at, channel, conversation, list, message};
use crate::{Reader, Store, StoreDurability, StoreOptions};
use model::account::Platform;
use model::conversations::{Automation, ConversationRow, ConversationStatus, Escalation, ServiceWindow};
use model::filter::{self, Sort};
use model::ids::ConversationId;
use model::local::{Assignment, Keep};
use model::messages::{DeliveryStatus, Direction, Message, MessageRow};
use model::queries::{Anchor, ConversationQuery, HistoryQuery};
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::{Clock, SECOND, Timestamp};
use sqlite::Queries;

/// Conversations of the random run.
const PEOPLE: usize = 6;
/// What happens in it.
const STEPS: usize = 700;

/// A clock that the test moves.
struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// What is looked at: the rows of each filter, and every history.
#[derive(Debug, PartialEq)]
struct Seen {
    lists: Vec<Vec<ConversationRow>>,
    histories: Vec<Vec<MessageRow>>,
}

/// Reads it; what is not recorded is left out.
fn look(reader: &Reader, now: Timestamp) -> Seen {
    let lines = [
        "",
        "status:open",
        "status:closed",
        "is:needed",
        "ai:off",
        "is:claimed",
        "is:paused",
        "-is:snoozed",
        "is:unseen",
        "window:closed",
    ];
    let lists = lines.map(|line| {
        let filter = filter::parse(line).filter;
        let (anchor, sort) = (Anchor::Top, Sort::Activity);
        let query = ConversationQuery { channel: None, filter, sort, at: now, anchor, limit: 50 };
        let mut rows = reader.conversations(&query).unwrap().rows;
        for row in &mut rows {
            row.conversation.message_count = 0;
            row.conversation.raw = String::new();
            (row.handed_back_at, row.asked_ai_at) = (None, None);
        }
        rows
    });
    let histories = (0..PEOPLE).map(|who| {
        let query = HistoryQuery { channel: channel(), conversation: name(who), limit: 500 };
        reader.history(&query).unwrap().messages
    });
    let without_raw = |mut all: Vec<MessageRow>| {
        all.iter_mut().for_each(|message_row| message_row.message.raw = String::new());
        all
    };
    Seen { lists: lists.to_vec(), histories: histories.map(without_raw).collect() }
}

fn name(who: usize) -> ConversationId {
    ConversationId::from(format!("c{who}").as_str())
}

/// A number below `below`.
fn draw(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % below
}

/// What was sent, and how far it came.
struct Sent {
    message: Message,
}

struct World {
    store: Store,
    clock: Arc<HandClock>,
    sent: Vec<Sent>,
    number: usize,
}

impl World {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn seconds(&self) -> i64 {
        self.now().since(at(0)) / SECOND
    }

    async fn told(&self, who: usize, change: impl FnOnce(&mut model::conversations::Conversation)) {
        let reader = self.store.reader().unwrap();
        let query = HistoryQuery { channel: channel(), conversation: name(who), limit: 1 };
        let mut told = reader.history(&query).unwrap().conversation.unwrap().conversation;
        change(&mut told);
        let snapshot = self.store.snapshot();
        self.store.apply_conversation(&channel(), told, snapshot).await.unwrap();
    }

    async fn says(&mut self, who: usize, direction: Direction) {
        self.number += 1;
        let id = format!("m{:05}", self.number);
        let mut said = message(name(who).as_str(), &id, self.seconds(), direction);
        said.content = SafeText::block(["hello", "I want a human!!", "no", "where is it?"][self.number % 4]);
        said.raw = id;
        let all = vec![said.clone()];
        self.store.apply_messages(&channel(), all, Platform::Whatsapp, Vec::new()).await.unwrap();
        if direction == Direction::Outbound {
            self.sent.push(Sent { message: said });
        }
    }

    /// The newest that was sent comes on, or fails.
    async fn comes_on(&mut self, at_random: usize) {
        let now = self.now();
        let Some(sent) = self.sent.last_mut() else { return };
        let said = &mut sent.message;
        match (said.delivery.clone(), at_random) {
            (DeliveryStatus::Sent, 0) => said.delivery = DeliveryStatus::Failed,
            (DeliveryStatus::Sent, _) => {
                (said.delivery, said.delivered_at) = (DeliveryStatus::Delivered, Some(now))
            }
            (DeliveryStatus::Delivered, _) => {
                (said.delivery, said.read_at) = (DeliveryStatus::Read, Some(now))
            }
            _ => return,
        }
        said.raw = format!("{} {}", said.raw, said.delivery.word());
        let all = vec![said.clone()];
        self.store.apply_messages(&channel(), all, Platform::Whatsapp, Vec::new()).await.unwrap();
    }

    async fn happens(&mut self, what: usize, who: usize) {
        let (now, id) = (self.now(), name(who));
        match what {
            0 | 1 => self.says(who, Direction::Inbound).await,
            2 => self.says(who, Direction::Outbound).await,
            3 | 4 => self.comes_on(who % 3).await,
            5 => self.told(who, |conversation| conversation.status = ConversationStatus::Closed).await,
            6 => self.told(who, |conversation| conversation.status = ConversationStatus::Open).await,
            7 => self.told(who, |conversation| conversation.automation = Automation::Off).await,
            8 => self.told(who, |conversation| conversation.automation = Automation::On).await,
            9 => {
                let why = Escalation::Asks(SafeText::line(&format!("asked at {}", self.seconds())));
                self.told(who, |conversation| conversation.escalation = why).await;
            }
            10 => self.told(who, |conversation| conversation.window = ServiceWindow::Closed).await,
            11 => self.told(who, |conversation| conversation.window = ServiceWindow::Open).await,
            12 => {
                let agent = SafeText::line(["Ana", "Ben"][who % 2]);
                self.store
                    .keep(&channel(), Keep::Claim(vec![(id, Some(Assignment { agent, at: now }))]))
                    .unwrap();
            }
            13 => self.store.keep(&channel(), Keep::Claim(vec![(id, None)])).unwrap(),
            14 => {
                let until = Some(now.plus(300 * SECOND));
                let snooze = Snooze { until, after: now, set_at: now, woken: None };
                self.store.keep(&channel(), Keep::Snooze(vec![(id, Some(snooze))])).unwrap();
            }
            15 => self.store.keep(&channel(), Keep::Snooze(vec![(id, None)])).unwrap(),
            16 => self.store.keep(&channel(), Keep::Wake(now)).unwrap(),
            17 => self.store.keep(&channel(), Keep::Unseen(vec![(id, 0)])).unwrap(),
            18 => self.store.keep(&channel(), Keep::Unseen(vec![(id, 2)])).unwrap(),
            _ => {
                let begins = what == 19;
                self.store
                    .outbox()
                    .call(move |connection| {
                        let (channel, id) = (channel(), id);
                        match begins {
                            true => {
                                crate::pauses::begin(connection, channel.as_str(), id.as_str(), "Ana", now)?
                            }
                            false => crate::pauses::end(connection, channel.as_str(), id.as_str())?,
                        }
                        Ok(())
                    })
                    .unwrap();
            }
        }
    }
}

async fn world(folder: &std::path::Path) -> World {
    let clock = Arc::new(HandClock(AtomicI64::new(at(0).micros())));
    let setup = StoreOptions {
        durability: StoreDurability::Simulated,
        clock: StoreClock::new(clock.clone()),
        ..StoreOptions::default()
    };
    let store = Store::open_with(folder, setup).unwrap();
    let people = (0..PEOPLE).map(|number| {
        let mut one = conversation(name(number).as_str(), 0);
        (one.last_message_at, one.automation) = (None, Automation::On);
        one
    });
    list(&store, people.collect()).await;
    World { store, clock, sent: Vec::new(), number: 0 }
}

#[tokio::test]
async fn any_moment_reads_as_it_was_read_then() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = world(folder.path()).await;
    let (mut seed, mut seen) = (0x5eed_1234_5678_9abc, Vec::new());
    // Each has said something before the first look.
    for who in 0..PEOPLE {
        world.clock.0.fetch_add(SECOND, Ordering::SeqCst);
        world.says(who, Direction::Inbound).await;
    }
    for step in 0..STEPS {
        world.clock.0.fetch_add(i64::try_from(1 + draw(&mut seed, 90)).unwrap() * SECOND, Ordering::SeqCst);
        world.happens(draw(&mut seed, 21), draw(&mut seed, PEOPLE)).await;
        if step % 20 == 0 {
            let now = world.now();
            seen.push((now, look(&world.store.reader().unwrap(), now)));
        }
    }
    let mut reader = world.store.reader().unwrap();
    for (moment, then) in &seen {
        let (past, note) = reader.past(*moment).unwrap();
        let now = look(past, *moment);
        for (place, (one, other)) in now.lists.iter().zip(&then.lists).enumerate() {
            assert_eq!(one, other, "list {place} of {moment}");
        }
        assert_eq!(&now.histories, &then.histories, "histories of {moment}");
        assert_eq!(note.since, Some(at(0)));
    }
    reader.leave_past();
    let now = world.now();
    assert_eq!(look(&reader, now), look(&world.store.reader().unwrap(), now), "the present is untouched");
}

#[tokio::test]
async fn who_came_later_is_not_there_and_who_is_deleted_is_gone_from_the_past() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = world(folder.path()).await;
    for who in 0..2 {
        world.clock.0.fetch_add(60 * SECOND, Ordering::SeqCst);
        world.says(who, Direction::Inbound).await;
        world.happens(12, who).await;
    }
    let mut late = conversation("late", 500);
    late.created_at = Some(at(500));
    list(&world.store, vec![late]).await;
    let there = |moment: i64| {
        let mut reader = world.store.reader().unwrap();
        let (past, _) = reader.past(at(moment)).unwrap();
        let seen = look(past, at(moment));
        seen.lists[0].iter().map(|list| list.conversation.id.to_string()).collect::<Vec<_>>()
    };
    assert!(!there(499).contains(&"late".to_owned()));
    assert!(there(501).contains(&"late".to_owned()));
    assert!(there(100).contains(&"c1".to_owned()));
    let phone = "+34600111222";
    world.store.forget_person(&channel(), phone).await.unwrap();
    assert_eq!(there(501), Vec::<String>::new(), "all of them have this number");
    let left = "SELECT (SELECT count(*) FROM conversation_past) + (SELECT count(*) FROM message_past)
         + (SELECT count(*) FROM desk.kept_past)";
    let reader = world.store.reader().unwrap();
    assert_eq!(reader.connection.scalar::<i64>(left, []).unwrap(), 0);
}

#[tokio::test]
async fn what_is_kept_of_one_conversation_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path()).await;
    for round in 0..500 {
        world.clock.0.fetch_add(SECOND, Ordering::SeqCst);
        let automation = if round % 2 == 0 { Automation::Off } else { Automation::On };
        world.store.set_automation(&channel(), &name(0), automation).await.unwrap();
        let claim = Assignment { agent: SafeText::line("Ana"), at: world.now() };
        world.store.keep(&channel(), Keep::Claim(vec![(name(0), Some(claim))])).unwrap();
    }
    let reader = world.store.reader().unwrap();
    for table in ["conversation_past", "desk.kept_past"] {
        let count: i64 = reader.connection.scalar(&format!("SELECT count(*) FROM {table}"), []).unwrap();
        assert!((100..=201).contains(&count), "{table} {count}");
    }
}
