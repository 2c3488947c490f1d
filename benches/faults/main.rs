//! How fast the screen follows the keys while things go wrong: the real
//! binary in a pseudo-terminal on 10,000 conversations, its service behind
//! the fault proxy of the tests.
//!
//! `cargo bench --bench faults` prints one table and fails when the 99th
//! percentile of any row is not under 16 ms. `FRONTDESK_BENCH_KEYS` says how
//! many keys each row presses; words after `--` choose rows by their names.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;
#[path = "../../tests/it/proxy/mod.rs"]
#[expect(dead_code, reason = "the campaigns of the tests use the rest")]
mod proxy;
mod scene;
#[path = "../parts/service.rs"]
mod service;
mod trouble;
#[path = "../parts/typist.rs"]
mod typist;
#[path = "../parts/watched_terminal.rs"]
mod watched_terminal;

use std::process::ExitCode;
use std::time::Duration;

use scene::Scene;
use trouble::Trouble;
use typist::{Figures, Typist};

/// The most the 99th percentile may be.
const FRAME: Duration = Duration::from_millis(16);
/// Keys of a row when nothing else is said.
const KEYS: usize = 240;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let keys = std::env::var("FRONTDESK_BENCH_KEYS").ok().and_then(|var| var.parse().ok()).unwrap_or(KEYS);
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let scene = runtime.block_on(Scene::ready());
    println!("{:<20} {:>6} {:>9} {:>9} {:>9} {:>9}", "while", "keys", "p50 ms", "p90 ms", "p99 ms", "max ms");
    let mut slow = Vec::new();
    for trouble in Trouble::all() {
        if !wanted.is_empty() && !wanted.iter().any(|text| trouble.name().contains(text.as_str())) {
            continue;
        }
        let figures = runtime.block_on(measure(&scene, trouble, keys));
        let [p50, p90, p99, max] = [50, 90, 99, 100].map(|number| figures.percentile(number));
        let ms = |duration: Duration| format!("{:.2}", duration.as_secs_f64() * 1e3);
        let (name, count) = (trouble.name(), figures.count());
        println!("{name:<20} {count:>6} {:>9} {:>9} {:>9} {:>9}", ms(p50), ms(p90), ms(p99), ms(max));
        if p99 >= FRAME {
            slow.push(name);
        }
    }
    if slow.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("not under {} ms: {}", FRAME.as_millis(), slow.join(", "));
    ExitCode::FAILURE
}

/// Presses keys while a trouble lasts.
async fn measure(scene: &Scene, trouble: Trouble, keys: usize) -> Figures {
    let mut typist = Typist::sit_down(scene.inbox(trouble.base_url()));
    typist.settle();
    let lasting = trouble.begin(scene).await;
    let figures = tokio::task::block_in_place(|| {
        if trouble.refuses_the_key() {
            typist.see_refusal();
        }
        typist.send_a_text();
        let mut figures = Figures::default();
        while figures.count() < keys || !lasting.is_over() {
            typist.round(&mut figures);
        }
        figures
    });
    lasting.end(scene).await;
    drop(typist);
    figures
}
