//! Sections of the inbox: the order in SQL is that of `model::queue`, rows move when their time comes
//! and not before, and copies of the outbox are right after every change and every start.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use rusqlite::{Connection, params};

use crate::clock::StoreClock;
use crate::proposals::NewProposal;
use crate::tests::{add, at, channel, conversation, list, message, row, send};
use crate::{Reader, Store, StoreOptions, pauses, queue};
use model::attention::AttentionQuery;
use model::conversations::{
    Automation, Conversation, ConversationRow, ConversationStatus, Escalation, ServiceWindow,
};
use model::filter::{ConversationFilter, Sort};
use model::ids::ConversationId;
use model::local::{Assignment, LocalChange};
use model::messages::Direction::{Inbound, Outbound};
use model::outbox::Operation;
use model::proposals::ProposedChange;
use model::queries::{Anchor, ConversationKey, ConversationPage, ConversationQuery};
use model::queue::{Facts, Place, Section, SectionCounts, WINDOW_WARNING, place_of};
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::{Clock, DAY, HOUR, MINUTE, Moment, Timestamp};

const AGENT: &str = "Ana";
/// Longest pause, in microseconds.
const LEASE: i64 = 4 * HOUR;

/// A clock that only tests move.
#[derive(Debug)]
struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.0.load(Ordering::SeqCst))
    }
}

struct Scene {
    store: Store,
    reader: Reader,
    clock: Arc<HandClock>,
    folder: tempfile::TempDir,
}

impl Scene {
    /// A desk of [`AGENT`] at a time of [`at`].
    fn at(seconds: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock(AtomicI64::new(at(seconds).micros())));
        let options = Self::options(&clock);
        let store = Store::open_with(folder.path(), options).unwrap();
        let reader = store.reader().unwrap();
        Self { store, reader, clock, folder }
    }

    fn options(clock: &Arc<HandClock>) -> StoreOptions {
        let clock = StoreClock::new(clock.clone());
        StoreOptions { owner: AGENT.to_owned(), clock, ..StoreOptions::default() }
    }

    fn reopen(self) -> Self {
        let Self { store, reader, clock, folder } = self;
        drop((store, reader));
        let store = Store::open_with(folder.path(), Self::options(&clock)).unwrap();
        let reader = store.reader().unwrap();
        Self { store, reader, clock, folder }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn pass(&self, micros: i64) {
        self.clock.0.fetch_add(micros, Ordering::SeqCst);
    }

    fn change(&self, change: LocalChange) {
        self.store.change_local(&channel(), change).unwrap();
    }

    fn claim(&self, id: &str, agent: &str, seconds: i64) {
        let claim = Assignment { agent: SafeText::line(agent), at: at(seconds) };
        self.change(LocalChange::Claim(vec![(id.into(), Some(claim))]));
    }

    fn in_outbox(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static) {
        self.store.outbox().call(move |connection| Ok(change(connection)?)).unwrap();
    }

    fn pause(&self, id: &str, seconds: i64) {
        let id = id.to_owned();
        let since = at(seconds);
        self.in_outbox(move |outbox| pauses::begin_pause(outbox, channel().as_str(), &id, AGENT, since));
    }

    fn hand_back(&self, id: &str, seconds: i64) {
        let id = id.to_owned();
        self.in_outbox(move |outbox| pauses::hand_back(outbox, channel().as_str(), &id, AGENT, at(seconds)));
    }

    fn stop(&self, id: &str) {
        let row = self.store.enqueue(send(id, "on its way", 0), at(0)).unwrap();
        self.in_outbox(move |outbox| {
            let sql = "UPDATE outbox SET state = 'stopped', stop = 'refused', why = 'said why' WHERE id = ?1";
            outbox.execute(sql, params![row.id]).map(drop)
        });
    }

    fn propose(&self, id: &str, seconds: i64) {
        let new = NewProposal {
            channel: channel(),
            conversation: id.into(),
            proposer: SafeText::line("Helper"),
            reason: SafeText::line("asked for the order"),
            change: ProposedChange::Reply { text: "It is on its way.".to_owned() },
            seen: None,
        };
        self.store.insert_proposal(new, at(seconds)).unwrap().unwrap();
    }

    fn apply_time(&self) {
        let query =
            AttentionQuery { channels: vec![channel()], now: self.now(), lease: LEASE, targets: Vec::new() };
        let alarms = self.reader.alarms(&query, self.now()).unwrap();
        for channel in alarms.moved {
            let change = LocalChange::ApplyTime { now: self.now(), lease: LEASE };
            self.store.change_local(&channel, change).unwrap();
        }
    }

    /// Returns the time at which the next row moves.
    fn next(&self) -> Option<Timestamp> {
        queue::next_change(&self.reader.connection, &channel(), self.now(), LEASE).unwrap().1
    }

    fn page(&self, filter: ConversationFilter, anchor: Anchor, limit: u32) -> ConversationPage {
        let query = ConversationQuery {
            sort: Sort::Queue,
            anchor,
            ..ConversationQuery::first(channel(), filter, limit)
        };
        self.reader.conversations(&query).unwrap()
    }

    fn inbox(&self) -> ConversationPage {
        self.page(ConversationFilter::section(None), Anchor::Top, 1_000)
    }

    /// Rows of the inbox with section and rank.
    fn listed(&self) -> Vec<(String, Section, u8)> {
        let rows = self.inbox().rows;
        let listed = |row: &ConversationRow| {
            let place = row.place.expect("a row of the inbox has a place");
            (row.conversation.id.to_string(), place.section, place.rank)
        };
        rows.iter().map(listed).collect()
    }

    fn place(&self, id: &str) -> Option<(Section, u8)> {
        let key = ConversationKey { channel: channel(), conversation: id.into() };
        let row = self.reader.conversation_rows(&[key]).unwrap().remove(0);
        row.place.map(|place| (place.section, place.rank))
    }
}

fn ids(page: &ConversationPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.conversation.id.as_str()).collect()
}

fn with_ai(id: &str, automation: Automation, active_at: i64) -> Conversation {
    Conversation { automation, escalation: Escalation::None, ..conversation(id, active_at) }
}

#[tokio::test]
async fn claims_of_this_agent_are_mine_newest_first_whatever_is_written() {
    let scene = Scene::at(1_000);
    list(&scene.store, ["a", "b", "c", "d"].map(|id| with_ai(id, Automation::On, 10)).into()).await;
    scene.claim("a", AGENT, 100);
    scene.claim("b", AGENT, 200);
    scene.claim("c", "Bo", 300);
    let mine = |id: &str| (id.to_owned(), Section::Mine, 0);
    let rest = |id: &str| (id.to_owned(), Section::WithAi, 1);
    assert_eq!(scene.listed(), [mine("b"), mine("a"), rest("c"), rest("d")]);
    add(&scene.store, vec![message("a", "m1", 900, Inbound)]).await;
    assert_eq!(scene.listed()[..2], [mine("b"), mine("a")]);
    scene.change(LocalChange::Claim(vec![("b".into(), None)]));
    assert_eq!(scene.listed()[0], mine("a"));
    let who = Assignment { agent: SafeText::line(AGENT), at: at(500) };
    assert_eq!(scene.store.take_over(vec![channel()], who, None).unwrap(), 1);
    assert_eq!(scene.listed()[..2], [mine("c"), mine("a")]);
}

#[tokio::test]
async fn a_window_is_about_to_close_at_its_time_and_not_before() {
    let scene = Scene::at(0);
    list(&scene.store, vec![with_ai("a", Automation::On, 0)]).await;
    add(&scene.store, vec![message("a", "m1", 0, Inbound)]).await;
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 0)), Some(at(0).plus(22 * HOUR))));
    scene.pass(22 * HOUR - 1);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::WithAi, 0)));
    scene.pass(1);
    scene.apply_time();
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::NeedsPerson, 1)), Some(at(0).plus(DAY))));
    scene.pass(2 * HOUR);
    scene.apply_time();
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 0)), None));
    // A clock set back undoes it.
    scene.pass(-HOUR);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 1)));
    // An answer ends it at once.
    add(&scene.store, vec![message("a", "m2", 23 * 3_600, Outbound)]).await;
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 1)), None));
}

#[tokio::test]
async fn a_pause_expires_at_its_time_unless_it_is_extended() {
    let scene = Scene::at(100);
    list(&scene.store, vec![with_ai("a", Automation::Off, 0)]).await;
    scene.pause("a", 100);
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 1)), Some(at(100).plus(LEASE))));
    scene.pass(LEASE - 1);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::WithAi, 1)));
    scene.pass(1);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 5)));
    scene.change(LocalChange::ExtendPauses(scene.now(), scene.now()));
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 1)), Some(scene.now().plus(LEASE))));
    scene.change(LocalChange::DraftOnly(vec![("a".into(), true)]));
    assert_eq!(scene.next(), None, "a pause of draft-only mode is no lease");
}

#[tokio::test]
async fn an_ai_that_does_not_answer_after_a_hand_back_needs_a_person_after_a_minute() {
    let scene = Scene::at(110);
    list(&scene.store, vec![with_ai("a", Automation::On, 0)]).await;
    add(&scene.store, vec![message("a", "m1", 10, Inbound), message("a", "m2", 20, Outbound)]).await;
    scene.hand_back("a", 100);
    add(&scene.store, vec![message("a", "m3", 110, Inbound)]).await;
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 0)), Some(at(110).plus(MINUTE))));
    scene.pass(MINUTE);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 2)));
    add(&scene.store, vec![message("a", "m4", 171, Outbound)]).await;
    assert_eq!(scene.place("a"), Some((Section::WithAi, 1)));
}

#[tokio::test]
async fn customer_who_waits_at_the_hand_back_needs_a_person_if_the_ai_stays_silent() {
    let scene = Scene::at(100);
    list(&scene.store, vec![with_ai("a", Automation::On, 0)]).await;
    add(&scene.store, vec![message("a", "m1", 10, Inbound)]).await;
    scene.hand_back("a", 100);
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::WithAi, 0)), Some(at(100).plus(MINUTE))));
    scene.pass(MINUTE);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 2)));
    add(&scene.store, vec![message("a", "m2", 170, Outbound)]).await;
    assert_eq!(scene.place("a"), Some((Section::WithAi, 1)));
}

#[tokio::test]
async fn stopped_rows_snoozes_and_proposals_move_a_row_at_once() {
    let scene = Scene::at(1_000);
    list(&scene.store, vec![with_ai("a", Automation::On, 0)]).await;
    scene.propose("a", 50);
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 6)));
    let snooze = Snooze::new(None, false, None, at(900));
    scene.change(LocalChange::Snooze(vec![("a".into(), Some(snooze))]));
    assert_eq!(scene.place("a"), None);
    scene.stop("a");
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 2)));
    assert_eq!(scene.reader.counts(&channel()).unwrap().needs_reply, 1);
    scene.in_outbox(|outbox| outbox.execute("DELETE FROM outbox", []).map(drop));
    assert_eq!(scene.place("a"), None);
    add(&scene.store, vec![message("a", "m1", 950, Inbound)]).await;
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 6)), "a reply wakes it");
}

#[tokio::test]
async fn what_is_about_to_be_closed_leaves_the_inbox_and_comes_back_with_an_undo_or_a_refusal() {
    let scene = Scene::at(1_000);
    list(&scene.store, vec![with_ai("a", Automation::Off, 10)]).await;
    add(&scene.store, vec![message("a", "m1", 900, Inbound)]).await;
    let needs_person = Some((Section::NeedsPerson, 4));
    assert_eq!(scene.place("a"), needs_person);
    let held = scene.store.enqueue(row("a", Operation::Close, 5_000_000), at(1_000)).unwrap();
    assert_eq!(scene.place("a"), None);
    let scene = scene.reopen();
    assert_eq!(scene.place("a"), None);
    scene.store.recall(&held.id).unwrap();
    assert_eq!(scene.place("a"), needs_person);
    scene.store.enqueue(row("a", Operation::Close, 0), at(1_000)).unwrap();
    assert_eq!(scene.place("a"), None);
    scene.in_outbox(|outbox| {
        let sql = "UPDATE outbox SET state = 'stopped', stop = 'refused', why = 'said why'";
        outbox.execute(sql, []).map(drop)
    });
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 2)));
}

#[tokio::test]
async fn a_colleagues_conversation_needs_others_only_after_half_an_hour_without_an_answer() {
    let scene = Scene::at(1_000);
    list(&scene.store, vec![with_ai("a", Automation::Off, 10)]).await;
    add(&scene.store, vec![message("a", "m1", 900, Inbound)]).await;
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 4)));
    scene.claim("a", "Bo", 1_000);
    assert_eq!(
        (scene.place("a"), scene.next()),
        (Some((Section::WithAi, 1)), Some(at(1_000).plus(30 * MINUTE)))
    );
    scene.pass(30 * MINUTE - 1);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::WithAi, 1)));
    scene.pass(1);
    scene.apply_time();
    assert_eq!(scene.place("a"), Some((Section::NeedsPerson, 4)));
    let scene = scene.reopen();
    scene.apply_time();
    // Next, the reply window is about to close.
    let closes = Some(at(900).plus(DAY - WINDOW_WARNING));
    assert_eq!((scene.place("a"), scene.next()), (Some((Section::NeedsPerson, 4)), closes));
    add(&scene.store, vec![message("a", "m2", 2_801, Outbound)]).await;
    assert_eq!(scene.place("a"), Some((Section::WithAi, 1)));
    scene.claim("a", AGENT, 2_802);
    assert_eq!(scene.place("a"), Some((Section::Mine, 0)));
}

#[tokio::test]
async fn copies_are_repaired_at_every_start() {
    let scene = Scene::at(1_000);
    list(&scene.store, ["a", "b", "c"].map(|id| with_ai(id, Automation::On, 10)).into()).await;
    scene.claim("a", AGENT, 100);
    scene.stop("b");
    let before = scene.listed();
    scene.store.cache().call(|cache| {
        let sql = "UPDATE conversation SET claimed_here_at = NULL, stuck = 0, proposed_at = iif(id = 'c', 5, NULL)";
        Ok(cache.connection.execute(sql, []).map(drop)?)
    })
    .unwrap();
    assert_ne!(scene.listed(), before);
    let scene = scene.reopen();
    assert!(scene.store.was_repaired());
    assert_eq!(scene.listed(), before);
    assert!(!scene.reopen().store.was_repaired());
}

#[tokio::test]
async fn a_process_without_an_agent_keeps_the_claims_of_the_desk() {
    let scene = Scene::at(1_000);
    list(&scene.store, vec![with_ai("a", Automation::On, 10)]).await;
    scene.claim("a", AGENT, 100);
    let other = Store::open(scene.folder.path()).unwrap();
    assert_eq!(scene.place("a"), Some((Section::Mine, 0)));
    let claim = Assignment { agent: SafeText::line(AGENT), at: at(200) };
    other.change_local(&channel(), LocalChange::Claim(vec![("a".into(), Some(claim))])).unwrap();
    assert_eq!(scene.place("a"), Some((Section::Mine, 0)));
}

#[tokio::test]
async fn windows_of_the_inbox_join_and_count_their_sections() {
    let scene = Scene::at(1_000);
    let number = |number: i64| with_ai(&format!("c{number:02}"), Automation::On, number);
    list(&scene.store, (0..20).map(number).collect()).await;
    for id in ["c03", "c07"] {
        scene.claim(id, AGENT, 100);
    }
    for id in ["c11", "c12", "c13"] {
        scene.stop(id);
    }
    let whole = scene.inbox();
    assert_eq!(whole.sections, SectionCounts::new(2, 3, 15));
    assert_eq!(ids(&whole)[..6], ["c03", "c07", "c11", "c12", "c13", "c19"]);
    for limit in [2, 3, 7] {
        for (index, row) in whole.rows.iter().enumerate() {
            let page = scene.page(ConversationFilter::section(None), Anchor::Around(row.key()), limit);
            assert!(
                ids(&whole).windows(page.rows.len()).any(|window| window == ids(&page)),
                "{index} {limit}"
            );
            assert!(ids(&page).contains(&ids(&whole)[index]));
            assert_eq!(page.sections, whole.sections, "counted by the store");
        }
    }
    let needs = ConversationFilter::section(Some(Section::NeedsPerson));
    assert_eq!(ids(&scene.page(needs, Anchor::Top, 2)), ["c11", "c12"]);
    // A row that was closed has no position; the list begins at its top.
    scene.store.set_closed(&channel(), &ConversationId::from("c07")).await.unwrap();
    let gone = Anchor::Around(ConversationKey { channel: channel(), conversation: "c07".into() });
    assert_eq!(ids(&scene.page(ConversationFilter::section(None), gone, 2)), ["c03", "c11"]);
}

/// One conversation of the property: the numbers choose among the values of each fact.
#[derive(Debug, Clone)]
struct Random {
    closed: bool,
    automation: u8,
    window: bool,
    escalated: bool,
    /// Seconds before now, and true for the customer.
    messages: Vec<(i64, bool)>,
    /// Index of the customer's words.
    words: usize,
    claim: Option<(bool, i64)>,
    snoozed: Option<i64>,
    pause: Option<(i64, bool)>,
    handed_back: Option<i64>,
    stopped: bool,
    closing: bool,
    proposed: Option<i64>,
}

fn seconds_ago() -> impl Strategy<Value = i64> {
    prop_oneof![0..120_i64, 0..30_000_i64, 78_000..88_000_i64]
}

fn random() -> impl Strategy<Value = Random> {
    let outside = (
        prop::bool::weighted(0.15),
        0..4_u8,
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.15),
        prop::collection::vec((seconds_ago(), any::<bool>()), 0..4),
        0..3_usize,
    );
    let here = (
        prop::option::weighted(0.3, (any::<bool>(), seconds_ago())),
        prop::option::weighted(0.15, seconds_ago()),
        prop::option::weighted(0.3, (seconds_ago(), prop::bool::weighted(0.2))),
        prop::option::weighted(0.3, seconds_ago()),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.15),
        prop::option::weighted(0.15, seconds_ago()),
    );
    (outside, here).prop_map(|(outside, here)| {
        let (closed, automation, window, escalated, messages, words) = outside;
        let (claim, snoozed, pause, handed_back, stopped, closing, proposed) = here;
        Random {
            closed,
            automation,
            window,
            escalated,
            messages,
            words,
            claim,
            snoozed,
            pause,
            handed_back,
            stopped,
            closing,
            proposed,
        }
    })
}

/// Time of the property, in seconds of [`at`].
const NOW: i64 = 200_000;
const WORDS: [&str; 3] = ["Where is my order?", "I want to talk to a human", "hello"];

async fn build(scene: &Scene, id: &str, random: &Random) {
    let automation = [Automation::On, Automation::Off, Automation::Unknown, Automation::NotApplicable];
    let newest = random.messages.iter().map(|(ago, _)| NOW - ago).max().unwrap_or(NOW - 40_000);
    let told = Conversation {
        status: if random.closed { ConversationStatus::Closed } else { ConversationStatus::Open },
        window: if random.window { ServiceWindow::Open } else { ServiceWindow::Closed },
        escalation: match random.escalated {
            true => Escalation::Requested(SafeText::line("asks")),
            false => Escalation::None,
        },
        ..with_ai(id, automation[usize::from(random.automation)], newest)
    };
    list(&scene.store, vec![told]).await;
    let said = random.messages.iter().enumerate().map(|(index, (ago, inbound))| {
        let direction = if *inbound { Inbound } else { Outbound };
        let mut said = message(id, &format!("{id}-{index}"), NOW - ago, direction);
        said.content = SafeText::block(WORDS[random.words]);
        said
    });
    add(&scene.store, said.collect()).await;
    if let Some((mine, ago)) = random.claim {
        scene.claim(id, if mine { AGENT } else { "Bo" }, NOW - ago);
    }
    if let Some(ago) = random.snoozed {
        let snooze = Snooze::new(None, false, Some(at(NOW - ago)), at(NOW));
        scene.change(LocalChange::Snooze(vec![(id.into(), Some(snooze))]));
    }
    if let Some(ago) = random.handed_back {
        scene.hand_back(id, NOW - ago);
    }
    if let Some((ago, drafts)) = random.pause {
        scene.pause(id, NOW - ago);
        if drafts {
            scene.change(LocalChange::DraftOnly(vec![(id.into(), true)]));
        }
    }
    if random.stopped {
        scene.stop(id);
    }
    if random.closing {
        scene.store.enqueue(row(id, Operation::Close, 0), at(NOW)).unwrap();
    }
    if let Some(ago) = random.proposed {
        scene.propose(id, NOW - ago);
    }
}

/// Every row has the place that its facts give it, and the inbox lists them in that order.
fn check(scene: &Scene) -> Result<(), TestCaseError> {
    let all = ConversationQuery::first(channel(), ConversationFilter::all(), 1_000);
    let rows = scene.reader.conversations(&all).unwrap().rows;
    let agent = SafeText::line(AGENT);
    let mut expected = Vec::new();
    for row in &rows {
        let facts = Facts::of_row(row, &agent, LEASE);
        let place = place_of(&facts, scene.now());
        prop_assert_eq!(row.place, place, "{:?} {:?}", row.conversation.id, facts);
        expected.extend(place.map(|place: Place| (place.sort_key(), row.conversation.id.to_string())));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|(_, id)| id).collect();
    let page = scene.inbox();
    prop_assert_eq!(ids(&page), expected);
    prop_assert_eq!(
        scene.reader.counts(&channel()).unwrap().needs_reply,
        page.sections.of(Section::NeedsPerson)
    );
    Ok(())
}

proptest! {
    #![proptest_config(randomized::config(24))]

    #[test]
    fn the_order_of_the_store_is_that_of_the_rules(
        all in prop::collection::vec(random(), 1..16),
        later in prop::collection::vec(prop_oneof![0..200_i64, 0..40_000_i64], 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let scene = Scene::at(NOW);
        runtime.block_on(async {
            for (index, random) in all.iter().enumerate() {
                build(&scene, &format!("c{index:02}"), random).await;
            }
        });
        scene.apply_time();
        check(&scene)?;
        for seconds in later {
            scene.pass(seconds * model::time::SECOND);
            scene.apply_time();
            check(&scene)?;
        }
        let scene = scene.reopen();
        scene.apply_time();
        check(&scene)?;
    }
}
