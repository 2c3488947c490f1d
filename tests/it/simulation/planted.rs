//! The simulation can fail: bugs are planted into a desk's files, and each is
//! found. Nothing of the program is changed; its databases betray it.

use crate::simulation::run::{Outcome, Run};
use crate::simulation::trace::Trace;

/// Hours of a run; the bugs show soon.
const HOURS: i64 = 10;

/// A bug: its name, the file it is planted in, how, and the words that tell
/// that it was found.
const BUGS: [(&str, &str, &str, &str); 4] = [
    (
        "a store that loses an insert",
        "cache.db",
        "CREATE TRIGGER planted BEFORE INSERT ON message WHEN new.id LIKE '%7' BEGIN SELECT raise(IGNORE); END",
        "missing in",
    ),
    (
        "a store that forgets that it had a message",
        "cache.db",
        "CREATE TRIGGER planted AFTER UPDATE OF sort_at ON conversation WHEN new.number % 5 = 1 BEGIN
             UPDATE message SET id = id || 'x' WHERE conversation = new.number AND id LIKE '%3';
         END",
        "rang for nothing new",
    ),
    (
        "an outbox that asks again with another key",
        "outbox.db",
        "CREATE TRIGGER planted AFTER UPDATE OF attempts ON outbox WHEN old.attempts > 0 BEGIN
             UPDATE outbox SET idempotency_key = 'other-' || new.attempts || new.id WHERE id = new.id;
         END",
        "arrived 2 times",
    ),
    (
        "an outbox that loses a row",
        "outbox.db",
        "CREATE TRIGGER planted AFTER INSERT ON outbox WHEN new.operation = 'send' AND new.sequence % 4 = 1 BEGIN
             UPDATE outbox SET operation = 'close', path = '/conversations/none/close' WHERE id = new.id;
         END",
        "was lost",
    ),
];

fn run(seed: u64, bug: Option<(&str, &str)>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let run = Run::new(seed, HOURS, Trace::default()).await;
        if let Some((file, sql)) = bug {
            run.plant(file, sql);
        }
        run.finish().await
    })
}

#[test]
fn planted_bugs_are_found() {
    for (name, file, sql, words) in BUGS {
        let found = (1..=6).any(|seed| {
            let outcome = run(seed, Some((file, sql)));
            outcome.wrongs.iter().any(|it| it.contains(words))
        });
        assert!(found, "{name}");
    }
    let outcome = run(1, None);
    assert!(outcome.wrongs.is_empty(), "without a bug: {:#?}", outcome.wrongs);
}
