//! How fast the service is on 100,000 conversations and 1,000,000 messages:
//! pages of 50 and durable sends, with a bare server over the same file and
//! the same queries beside it.
//!
//! `cargo bench --bench service` makes the world once (in `target/bench`) and
//! prints one table. `FRONTDESK_BENCH_SECONDS` says how long each row runs.
//! The callers are in this process, the service and the bare server in their
//! own; `cpu` is the server's processor time for each call, and the last two
//! columns are the service's figures over the bare server's. Words after `--`
//! choose rows by their names.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod floor;
#[path = "../parts/load.rs"]
mod load;
mod server;
#[path = "../parts/server_process.rs"]
mod server_process;
mod world;

use std::time::Duration;

use load::{Load, Outcome};
use server::Server;
use world::World;

fn main() {
    if let Ok(path) = std::env::var(floor::PATH) {
        return floor::serve(&path);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run());
}

async fn run() {
    let seconds = std::env::var("FRONTDESK_BENCH_SECONDS").ok().and_then(|var| var.parse().ok()).unwrap_or(5);
    let load = Load { span: Duration::from_secs(seconds) };
    let world = World::ready().await;
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut rows = Vec::new();
    for (name, kind, connections) in [
        ("pages of 50 conversations", "conversations", 32),
        ("pages of 50 messages", "messages", 32),
        ("pages of 50 of one history", "history", 32),
        ("durable sends, 64 callers", "send", 64),
        ("durable sends, 256 callers", "send", 256),
    ] {
        if !wanted.is_empty() && !wanted.iter().any(|text| name.contains(text.as_str())) {
            continue;
        }
        let mut outcomes = Vec::new();
        for bare in [false, true] {
            let file = world.copy();
            let server = if bare { Server::bare(&file) } else { Server::real(&file, &world) };
            server.warm().await;
            let jobs = server.jobs(kind, connections);
            let process = &server.process;
            let before = process.processor();
            let outcome = load.run(&process.address, jobs).await;
            let cost = outcome.cost(process.processor().saturating_sub(before));
            outcomes.push((outcome, cost, process.memory()));
        }
        rows.push((name, outcomes));
    }
    print(&rows);
}

/// What a run came to, microseconds of the processor a request, bytes of memory.
type Run = (Outcome, f64, u64);

fn print(rows: &[(&str, Vec<Run>)]) {
    println!(
        "{:<28} {:>8} {:>8} {:>8} {:>8} {:>6} | {:>8} {:>8} {:>8} | {:>6} {:>6}",
        "", "per s", "p50 ms", "p99 ms", "cpu us", "MB", "bare/s", "p99 ms", "cpu us", "rate", "cpu"
    );
    for (name, outcomes) in rows {
        let [(real, cost, memory), (bare, bare_cost, _)] = outcomes.as_slice() else { continue };
        println!(
            "{name:<28} {:>8.0} {:>8.2} {:>8.2} {:>8.0} {:>6.1} | {:>8.0} {:>8.2} {:>8.0} | {:>6.2} {:>6.2}",
            real.per_second(),
            real.percentile(50),
            real.percentile(99),
            cost,
            megabytes(*memory),
            bare.per_second(),
            bare.percentile(99),
            bare_cost,
            real.per_second() / bare.per_second(),
            cost / bare_cost,
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
