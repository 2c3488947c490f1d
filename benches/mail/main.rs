//! Mail at the size of many years, and at the pace of triage.
//!
//! `cargo bench --bench mail` prints how long a mailbox of ten threads and one
//! of 100,000 take to open, with the ratio of both; then how soon the screen
//! follows each key while forty threads are gone through in the real binary,
//! with its service 150 ms away. It fails when the large mailbox takes twice as
//! long, or when the 99th percentile of the keys is not under 16 ms.
//! `FRONTDESK_BENCH_THREADS` and `FRONTDESK_BENCH_ROUNDS` say how many threads
//! the large mailbox has and how often forty are gone through; `opening` or
//! `triage` after `--` chooses one.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;
mod opening;
#[path = "../../tests/it/proxy/mod.rs"]
#[expect(dead_code, reason = "the campaigns of the tests use the rest")]
mod proxy;
#[path = "../parts/service.rs"]
#[expect(dead_code, reason = "the bench of faults uses the rest")]
mod service;
mod triage;
#[path = "../parts/typist.rs"]
#[expect(dead_code, reason = "the bench of faults uses the rest")]
mod typist;
#[path = "../parts/watched_terminal.rs"]
mod watched_terminal;

use std::process::ExitCode;
use std::time::Duration;

/// Threads of the large mailbox.
const THREADS: usize = 100_000;
/// How often forty threads are gone through.
const ROUNDS: usize = 5;
/// The most the 99th percentile of a key may be.
const FRAME: Duration = Duration::from_millis(16);
/// The most the large mailbox may take, of what the small one takes.
const RATIO: f64 = 2.0;

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|text| text == name);
    let mut wrong = Vec::new();
    println!("{:<34} {:>6} {:>9} {:>9} {:>9} {:>9}", "", "times", "p50 ms", "p90 ms", "p99 ms", "max ms");
    if wants("opening") {
        let ratio = opening::measure(number("FRONTDESK_BENCH_THREADS", THREADS));
        println!("the large mailbox takes {ratio:.2} times what the small one takes");
        if ratio >= RATIO {
            wrong.push("a large mailbox does not open like a small one");
        }
    }
    if wants("triage") && triage::measure(number("FRONTDESK_BENCH_ROUNDS", ROUNDS)) >= FRAME {
        wrong.push("a key of a triage is not followed within 16 ms");
    }
    wrong.iter().for_each(|text| println!("{text}"));
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|var| var.parse().ok()).unwrap_or(otherwise)
}

/// Prints a row; returns its median and its 99th percentile.
fn row(name: &str, mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).max(1) - 1).copied();
    let [p50, p90, p99, max] = [50, 90, 99, 100].map(|number| at(number).unwrap_or_default());
    let ms = |duration: Duration| format!("{:.2}", duration.as_secs_f64() * 1e3);
    println!("{name:<34} {:>6} {:>9} {:>9} {:>9} {:>9}", times.len(), ms(p50), ms(p90), ms(p99), ms(max));
    [p50, p99]
}
