//! The simulation detects bugs: each one planted in a desk's files or answers is found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::model::time::{HOUR, MINUTE, SECOND};

use crate::simulation::run::{Outcome, Run};
use crate::simulation::seeds::{THREADS, number, on_a_thread};
use crate::simulation::town::Happening;
use crate::simulation::trace::Trace;

/// Hours of a run; the bugs show early.
const HOURS: i64 = 6;
/// Number of bugs that a plain run plants, evenly chosen; `FRONTDESK_PLANTED=10` plants all.
const PLANTED: u64 = 1;
/// Maximum number of seeds until a bug shows.
const SEEDS: u64 = 5;
/// Faults per thousand exchanges for bugs in the outbox.
const FAULTS: u64 = 250;

/// Place of a planted bug.
#[derive(Debug, Clone, Copy)]
enum Betrayal {
    Cache(&'static str),
    Outbox(&'static str),
    /// Notifies about an answer before it is stored.
    EarlyBell,
}

/// Name of a bug, first seed, the bug, and the words of its finding.
const BUGS: [(&str, u64, Betrayal, &str); 10] = [
    (
        "a message that is lost",
        1,
        Betrayal::Cache(
            "CREATE TRIGGER planted BEFORE INSERT ON message WHEN new.id LIKE '%7' BEGIN SELECT raise(IGNORE); END",
        ),
        "missing in",
    ),
    (
        "a message that is stored twice",
        1,
        Betrayal::Cache(
            "CREATE TRIGGER planted AFTER INSERT ON message WHEN new.id LIKE '%5' BEGIN
                 INSERT INTO message (conversation, id, sort_at, inbound, sender, content, content_type,
                     delivery, created_at, unreadable, raw)
                 VALUES (new.conversation, new.id || ' again', new.sort_at, new.inbound, new.sender,
                     new.content, new.content_type, new.delivery, new.created_at, new.unreadable, new.raw);
             END",
        ),
        "another order in",
    ),
    (
        "a message that is taken for new again",
        2,
        Betrayal::Cache(
            "CREATE TRIGGER planted AFTER UPDATE OF sort_at ON conversation WHEN new.number % 5 = 1 BEGIN
                 UPDATE message SET id = id || 'x' WHERE conversation = new.number AND id LIKE '%3';
             END",
        ),
        "rang for nothing new",
    ),
    (
        "a cursor that moves before its page is saved",
        4,
        Betrayal::Cache(
            "CREATE TRIGGER planted_first AFTER INSERT ON meta WHEN new.name IN ('list_since', 'list_swept') BEGIN
                 UPDATE meta SET value = new.value + 3600000000 WHERE name = new.name;
             END;
             CREATE TRIGGER planted_then AFTER UPDATE ON meta WHEN new.name IN ('list_since', 'list_swept') BEGIN
                 UPDATE meta SET value = new.value + 3600000000 WHERE name = new.name;
             END",
        ),
        "missing in",
    ),
    (
        "an overlap that is left out, and nobody who looks behind it",
        1,
        Betrayal::Cache(
            "CREATE TRIGGER planted_first AFTER INSERT ON meta WHEN new.name = 'inbound_complete' BEGIN
                 UPDATE meta SET value = 9000000000000000 WHERE name = new.name;
             END;
             CREATE TRIGGER planted_then AFTER UPDATE OF behind ON conversation WHEN new.behind = 1 BEGIN
                 UPDATE conversation SET behind = 0 WHERE number = new.number;
             END",
        ),
        "never rang in",
    ),
    (
        "a status that goes back",
        2,
        Betrayal::Cache(
            "CREATE TRIGGER planted AFTER UPDATE OF delivery ON message WHEN new.delivery = 'read' BEGIN
                 UPDATE message SET delivery = 'sent' WHERE conversation = new.conversation AND id = new.id;
             END",
        ),
        "the status of",
    ),
    (
        "a message that moves",
        2,
        Betrayal::Cache(
            "CREATE TRIGGER planted AFTER UPDATE OF delivery ON message WHEN new.delivery = 'read' BEGIN
                 UPDATE message SET sort_at = sort_at - 60000000 WHERE conversation = new.conversation AND id = new.id;
             END",
        ),
        "the place of",
    ),
    ("a bell before the commit", 1, Betrayal::EarlyBell, "rang for nothing new"),
    (
        "a repetition under another key",
        1,
        Betrayal::Outbox(
            "CREATE TRIGGER planted AFTER UPDATE OF attempts ON outbox WHEN old.attempts > 0 BEGIN
                 UPDATE outbox SET idempotency_key = 'other-' || new.attempts || new.id WHERE id = new.id;
             END",
        ),
        "arrived 2 times",
    ),
    (
        "a text that is lost",
        3,
        Betrayal::Outbox(
            "CREATE TRIGGER planted AFTER INSERT ON outbox WHEN new.operation = 'send' AND new.sequence % 4 = 1 BEGIN
                 UPDATE outbox SET operation = 'close', payload = json_object('type', 'close'), path = '/conversations/none/close'
                 WHERE id = new.id;
             END",
        ),
        "was lost",
    ),
];

/// A short run with a busy hour: more conversations and messages than one answer holds.
async fn busy(seed: u64) -> Run {
    let run = Run::new(seed, HOURS, Trace::default()).await;
    let from = run.start() + 2 * HOUR;
    let bursts =
        (0..3).map(|number| (from + number * SECOND, Happening::Burst { count: 60, customers: 120 }));
    run.also(bursts.collect()).await;
    run
}

fn run(seed: u64, bug: Option<Betrayal>) -> Outcome {
    on_a_thread(async {
        let run = busy(seed).await;
        match bug {
            Some(Betrayal::Cache(sql)) => run.plant("cache.db", sql),
            Some(Betrayal::Outbox(sql)) => {
                run.plant("outbox.db", sql);
                run.faults(FAULTS);
            }
            Some(Betrayal::EarlyBell) => run.ring_early(),
            None => {}
        }
        run.finish().await
    })
}

#[test]
fn planted_bugs_are_found() {
    let planted = usize::try_from(number("FRONTDESK_PLANTED", PLANTED)).expect("small").clamp(1, BUGS.len());
    let bugs: Vec<_> = BUGS.iter().step_by(BUGS.len().div_ceil(planted)).collect();
    let next = AtomicUsize::new(0);
    let missed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((name, first, betrayal, words)) = bugs.get(next.fetch_add(1, Ordering::SeqCst))
                {
                    let wrongs = |seed| run(seed, Some(*betrayal)).wrongs;
                    let found = (*first..first + SEEDS)
                        .find(|seed| wrongs(*seed).iter().any(|wrong| wrong.contains(words)));
                    println!("{name}: found by seed {found:?}");
                    if found.is_none() {
                        missed.lock().expect("no one failed").push(*name);
                    }
                }
            });
        }
    });
    let missed = missed.into_inner().expect("no one failed");
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn without_a_bug_nothing_is_found() {
    for seed in 1..=number("FRONTDESK_PLANTED", PLANTED) {
        let outcome = run(seed, None);
        assert!(outcome.wrongs.is_empty(), "seed {seed}: {:#?}", outcome.wrongs);
    }
}

/// A message lost behind the desk's back is found and read again within a day.
#[test]
fn what_a_desk_lost_is_read_again_within_a_day() {
    let loses = "CREATE TRIGGER planted AFTER UPDATE OF behind ON conversation
                 WHEN old.behind = 1 AND new.behind = 0 AND new.number = 3
                     AND NOT EXISTS (SELECT 1 FROM simulated_loss) BEGIN
                     INSERT INTO simulated_loss
                         SELECT id FROM message WHERE conversation = 3 ORDER BY sort_at LIMIT 1;
                     DELETE FROM message WHERE conversation = 3 AND id IN (SELECT id FROM simulated_loss);
                 END";
    let outcome = on_a_thread(async {
        let run = Run::new(1, 30, Trace::default()).await;
        run.plant("cache.db", &format!("CREATE TABLE simulated_loss (id TEXT NOT NULL); {loses}"));
        run.also(vec![(run.start() + MINUTE, Happening::Writes { customer: 3 })]).await;
        let outcome = run.finish().await;
        assert_eq!(outcome.lost, 1, "it was lost");
        outcome
    });
    let missing: Vec<_> = outcome.wrongs.iter().filter(|wrong| wrong.contains("missing")).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
