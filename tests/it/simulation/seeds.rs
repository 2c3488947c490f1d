//! Many seeds: nothing missed, nothing doubled, nothing out of order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use frontdesk::model::time::HOUR;

use crate::simulation::run::{Outcome, Run};
use crate::simulation::trace::Trace;

pub const THREADS: usize = 2;
/// A seed with two desks; the next one has a single desk.
const FIRST_SEED: u64 = 4;
pub const SEEDS: u64 = 2;
/// Simulated hours of each seed.
pub const HOURS: u64 = 6;

pub fn on_a_thread<R>(run: impl Future<Output = R>) -> R {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(run)
}

/// Reads a size from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .map_or(default, |var| var.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Reads the duration of a run from the environment.
pub fn hours(default: u64) -> i64 {
    i64::try_from(number("FRONTDESK_SIMULATED_HOURS", default)).expect("a number of hours")
}

fn run(seed: u64, hours: i64, trace: Trace) -> Outcome {
    on_a_thread(async { Run::new(seed, hours, trace).await.finish().await })
}

fn replay(seed: u64, hours: i64) -> String {
    format!(
        "FRONTDESK_SEED={seed} FRONTDESK_SIMULATED_HOURS={hours} cargo test --test it simulation::seeds -- --nocapture"
    )
}

#[test]
fn days_of_polling_miss_nothing_and_double_nothing() {
    let hours = hours(HOURS);
    if let Ok(seed) = std::env::var("FRONTDESK_SEED") {
        let trace = Trace::recording();
        let outcome = run(seed.parse().expect("a number"), hours, trace.clone());
        println!("{}\n{outcome:#?}", trace.tail(200));
        assert!(outcome.wrongs.is_empty(), "{:#?}", outcome.wrongs);
        return;
    }
    let (first, count) = (number("FRONTDESK_FIRST_SEED", FIRST_SEED), number("FRONTDESK_SEEDS", SEEDS));
    let next = AtomicU64::new(first);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + count {
                        return;
                    }
                    let outcome = run(seed, hours, Trace::default());
                    outcomes.lock().expect("no one failed").push((seed, outcome));
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().expect("no one failed");
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(|(_, outcome)| of(outcome)).sum::<u64>();
    println!(
        "{} seeds of {hours} h: {} requests, {} messages, {} rings, {} texts, {} crashes",
        outcomes.len(),
        sum(|outcome| outcome.requests),
        sum(|outcome| outcome.messages),
        sum(|outcome| outcome.rings),
        sum(|outcome| outcome.sent as u64),
        sum(|outcome| u64::from(outcome.crashes)),
    );
    let mut wrong: Vec<_> = outcomes.iter().filter(|(_, outcome)| !outcome.wrongs.is_empty()).collect();
    wrong.sort_by_key(|(seed, _)| *seed);
    let told: Vec<_> = wrong
        .iter()
        .map(|(seed, outcome)| format!("{:#?}\n{}", outcome.wrongs, replay(*seed, hours)))
        .collect();
    assert!(told.is_empty(), "{} of {count} seeds went wrong:\n{}", told.len(), told.join("\n"));
}

#[test]
fn a_seed_replays_identically() {
    let traces = [Trace::recording(), Trace::recording()];
    let hashes = traces.each_ref().map(|trace| {
        on_a_thread(async {
            let mut run = Run::new(FIRST_SEED, hours(2), trace.clone()).await;
            let visit = (run.start() + HOUR / 2, run.start() + HOUR);
            run.people_visit(visit);
            run.finish().await.trace
        })
    });
    assert_eq!(hashes[0], hashes[1], "{}", traces[0].tail(20));
    assert!(traces[0].count() > 1000, "it is not empty");
}
